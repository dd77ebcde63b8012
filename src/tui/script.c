/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "script.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int explore_parse_size(const char *text, int *width, int *height, struct error *err)
{
	int end = 0;

	if (sscanf(text, "%4dx%4d%n", width, height, &end) != 2 || text[end] || *width < 16 ||
	    *width > 1000 || *height < 3 || *height > 1000)
		return error_set(err, "'%.40s' is no size (80x24, at most 1000x1000)", text);
	return 0;
}

struct script {
	struct explorer *explorer;
	FILE *out;
	int n_screens;
	int feed_fd; /* what the live source reads is written here; -1: not by us */
	bool feeds;
};

static void draw(struct script *script)
{
	struct explorer *explorer = script->explorer;
	struct canvas canvas;
	struct text row = {0};

	canvas_init(&canvas, explorer->width, explorer->height, explorer->glyphs);
	explorer_refresh(explorer);
	explorer_draw(explorer, &canvas);
	fprintf(script->out, "=== %d %dx%d\n", ++script->n_screens, canvas.width, canvas.height);
	for (int y = 0; y < canvas.height; y++) {
		text_clear(&row);
		canvas_row_text(&canvas, y, &row);
		fwrite(row.bytes ? row.bytes : "", 1, row.n, script->out);
		fputc('\n', script->out);
	}
	text_release(&row);
	canvas_release(&canvas);
}

/* All that was fed, or all that a source of others gives until it ends. */
static void take_source(const struct script *script)
{
	struct explorer *explorer = script->explorer;
	struct pollfd wait;

	if (!explorer->live || explorer->paused)
		return;
	wait = (struct pollfd){.fd = live_fd(explorer->live), .events = POLLIN};
	while (script->feed_fd < 0 && !explorer->live_now.ended) {
		poll(&wait, 1, -1);
		explorer_live_take(explorer, false);
	}
	explorer_live_take(explorer, true);
}

/* Until no job is pending and nothing that came of them asks for another. */
static void settle(const struct script *script)
{
	struct explorer *explorer = script->explorer;
	int fds[EXPLORER_FDS];
	struct pollfd wait[EXPLORER_FDS];

	take_source(script);
	explorer_refresh(explorer);
	if (!explorer->store)
		return;
	explorer_fds(explorer, fds);
	while (explorer_pending(explorer)) {
		nfds_t n = explorer->paused ? 1 : EXPLORER_FDS;

		for (nfds_t i = 0; i < n; i++)
			wait[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
		poll(wait, n, -1);
		explorer_collect(explorer);
		explorer_refresh(explorer);
	}
}

static int press(struct script *script, const char *name, struct error *err)
{
	int key = key_parse(name);

	if (key < 0)
		return error_set(err, "'%.40s' is no key", name);
	explorer_key(script->explorer, key);
	return 0;
}

static int type(struct script *script, const char *text, struct error *err)
{
	while (*text) {
		uint32_t code;
		size_t n = text_decode(text, &code);

		if (!n)
			return error_set(err, "the text to type is not UTF-8");
		explorer_key(script->explorer, (int)code);
		text += n;
	}
	return 0;
}

static int resize(struct script *script, const char *size, struct error *err)
{
	int width, height;

	if (explore_parse_size(size, &width, &height, err))
		return -1;
	explorer_resize(script->explorer, width, height);
	return 0;
}

static int feed(struct script *script, const char *name, struct error *err)
{
	char bytes[65536];
	FILE *in;
	size_t n;

	if (!script->feeds || script->feed_fd < 0)
		return error_set(err, "there is nothing to feed");
	in = fopen(name, "re");
	if (!in)
		return error_set(err, "cannot open '%.200s': %s", name, strerror(errno));
	while ((n = fread(bytes, 1, sizeof bytes, in)) > 0)
		for (size_t done = 0; done < n;) {
			ssize_t some = write(script->feed_fd, bytes + done, n - done);

			if (some < 0) {
				fclose(in);
				return error_set(err, "cannot feed: %s", strerror(errno));
			}
			done += (size_t)some;
		}
	fclose(in);
	return 0;
}

static int end_feeding(struct script *script, struct error *err)
{
	if (script->feed_fd < 0)
		return error_set(err, "there is nothing to feed");
	close(script->feed_fd);
	script->feed_fd = -1;
	return 0;
}

static int run_line(struct script *script, char *line, struct error *err)
{
	char *rest = line + strcspn(line, " ");

	if (*line == '\0' || *line == '#')
		return 0;
	if (*rest)
		*rest++ = '\0';
	if (!strcmp(line, "key"))
		return press(script, rest, err);
	if (!strcmp(line, "type"))
		return type(script, rest, err);
	if (!strcmp(line, "resize"))
		return resize(script, rest, err);
	if (!strcmp(line, "feed"))
		return feed(script, rest, err);
	if (strcmp(line, "wait") && strcmp(line, "screen") && strcmp(line, "end"))
		return error_set(
			err, "'%.40s' is none of key, type, resize, wait, screen, feed, end", line);
	if (*rest)
		return error_set(err, "'%.40s' takes nothing after it", line);
	if (!strcmp(line, "end"))
		return end_feeding(script, err);
	if (!strcmp(line, "wait"))
		settle(script);
	else
		draw(script);
	return 0;
}

bool script_feeds(FILE *script)
{
	char *line = NULL;
	size_t room = 0;
	bool found = false;

	while (!found && getline(&line, &room, script) >= 0)
		found = !strncmp(line, "feed ", 5);
	free(line);
	rewind(script);
	return found;
}

int script_run(struct explorer *explorer, FILE *in, const char *name, int feed_fd, FILE *out,
	       struct error *err)
{
	struct script script = {
		.explorer = explorer, .out = out, .feed_fd = feed_fd, .feeds = feed_fd >= 0};
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	int number = 0, failed = 0;
	struct error inner;

	while (!failed && !explorer->quit && (n = getline(&line, &room, in)) >= 0) {
		number++;
		while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r'))
			line[--n] = '\0';
		if (run_line(&script, line, &inner))
			failed = error_set(err, "%s:%d: %s", name, number, inner.text);
	}
	free(line);
	if (script.feed_fd >= 0)
		close(script.feed_fd);
	return failed;
}
