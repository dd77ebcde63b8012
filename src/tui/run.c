/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens recordings and explores them, in a terminal or by a script. */
#include "evtop/tui.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live-source.h"
#include "loop.h"
#include "script.h"

/* "uc2-x86_64-6.12-rt", "a and b", "a and 3 more" */
static char *name_source(const struct explore_options *options)
{
	struct text text = {0};

	if (options->live)
		return mem_copy_text(options->live->name);
	for (size_t i = 0; i < options->n_paths && i < 2; i++) {
		char *path = mem_copy_text(options->paths[i]), *end = path + strlen(path), *base;
		char printable[256];

		while (end > path + 1 && end[-1] == '/')
			*--end = '\0';
		base = strrchr(path, '/');
		base = base && base[1] ? base + 1 : path;
		if (i == 1 && options->n_paths > 2)
			text_printf(&text, " and %zu more", options->n_paths - 1);
		else
			text_printf(&text, "%s%s", i ? " and " : "",
				    text_printable(printable, sizeof printable,
						   strcmp(base, "-") ? base : "standard input"));
		free(path);
	}
	if (!text.bytes)
		text_puts(&text, "nothing");
	return text.bytes;
}

/* Nothing at all could be read: one line for each input. */
static bool nothing_loaded(const struct recording *recording)
{
	bool any = recording->n_executions > 0;

	for (uint32_t i = 0; i < recording->n_inputs; i++)
		if (!recording->inputs[i].error)
			any = true;
	return !any;
}

static void complain(const struct recording *recording)
{
	char path[1024], reason[1200];

	for (uint32_t i = 0; i < recording->n_inputs; i++)
		if (recording->inputs[i].error)
			fprintf(stderr, "evtop: cannot read '%s': %s\n",
				text_printable(path, sizeof path, recording->inputs[i].path),
				text_printable(reason, sizeof reason, recording->inputs[i].error));
}

/* NO_COLOR means mono unless a theme was asked for by name. */
static int choose_theme(const struct explore_options *options, struct theme *theme,
			struct error *err)
{
	const char *no_color = getenv("NO_COLOR");
	const char *name = options->theme	   ? options->theme
			   : no_color && *no_color ? "mono"
						   : "default";

	if (!theme_load(theme, name, err))
		return 0;
	/* only a theme that was asked for is missed */
	theme_mono(theme);
	return options->theme ? -1 : 0;
}

static enum glyphs choose_glyphs(const struct explore_options *options)
{
	return glyphs_choose(options->glyphs, nl_langinfo(CODESET),
			     options->script ? NULL : getenv("TERM"));
}

static int fail(const struct error *err, int status)
{
	fprintf(stderr, "evtop: %s\n", err->text);
	return status;
}

static int script_recording(const struct explore_options *options, struct recording *recording,
			    const struct live_source *source, const char *name, FILE *script,
			    int feed_fd)
{
	struct explorer explorer;
	struct error err;
	int status = 0;

	explorer_init(&explorer, options, recording, name);
	explorer.glyphs = choose_glyphs(options);
	explorer_resize(&explorer, options->width ? options->width : 80,
			options->height ? options->height : 24);
	if (explorer_start(&explorer, &err)) {
		status = fail(&err, 1);
	} else {
		if (source->live)
			explorer_set_live(&explorer, source->live, true);
		if (script_run(&explorer, script, options->script, feed_fd, stdout, &err))
			status = fail(&err, 2);
	}
	explorer_release(&explorer);
	return status;
}

static int script_live(const struct explore_options *options, struct live_source *source,
		       const char *name, FILE *script, int feed_fd)
{
	struct recording *recording;
	struct error err;
	int status;

	if (live_source_start(source, options, &err))
		return fail(&err, 1);
	recording = live_take_now(source->live);
	status = script_recording(options, recording, source, name, script, feed_fd);
	recording_free(recording);
	return status;
}

static int script_files(const struct explore_options *options, struct live_source *source,
			const char *name, FILE *script)
{
	struct recording *recording =
		recording_load(options->paths, options->n_paths, &options->load, NULL);
	int status = 1;

	complain(recording);
	if (!nothing_loaded(recording))
		status = script_recording(options, recording, source, name, script, -1);
	recording_free(recording);
	return status;
}

static int run_script(const struct explore_options *options, const char *name)
{
	bool from_input = !strcmp(options->script, "-");
	FILE *script = from_input ? stdin : fopen(options->script, "r");
	struct live_source source;
	struct error err;
	int status, failed, feed_fd = -1;

	if (!script) {
		error_set(&err, "cannot open '%s': %s", options->script, strerror(errno));
		return fail(&err, 1);
	}
	if (!from_input && script_feeds(script))
		failed = live_source_of_script(&source, &feed_fd, &err);
	else
		failed = live_source_open(&source, options, true, &err);
	if (failed)
		status = fail(&err, 1);
	else if (source.is_live)
		status = script_live(options, &source, name, script, feed_fd);
	else
		status = script_files(options, &source, name, script);
	live_source_close(&source);
	if (!from_input)
		fclose(script);
	return status;
}

static int explore_recording(struct loop *loop, const struct explore_options *options,
			     struct recording *recording, struct live *live, const char *source,
			     const struct theme *theme, struct error *err)
{
	struct explorer explorer;
	int failed;

	explorer_init(&explorer, options, recording, source);
	explorer.theme = *theme;
	explorer.glyphs = loop->glyphs;
	failed = explorer_start(&explorer, err);
	if (!failed) {
		if (live)
			explorer_set_live(&explorer, live, false);
		loop_explore(loop, &explorer);
	}
	explorer_release(&explorer);
	return failed;
}

/* What stays to be done once the terminal is given back. */
struct outcome {
	struct error err;
	int status;
	struct recording *recording;
};

static void explore_live(struct loop *loop, const struct explore_options *options,
			 struct live_source *source, const char *name, const struct theme *theme,
			 struct outcome *outcome)
{
	struct recording *recording;

	if (live_source_start(source, options, &outcome->err)) {
		outcome->status = 1;
		return;
	}
	recording = live_take_now(source->live);
	if (explore_recording(loop, options, recording, source->live, name, theme, &outcome->err))
		outcome->status = 1;
	recording_free(recording);
}

static void explore_files(struct loop *loop, const struct explore_options *options,
			  const char *source, const struct theme *theme, struct outcome *outcome)
{
	struct loading loading;

	if (loading_start(&loading, options, source, &outcome->err)) {
		outcome->status = 1;
		return;
	}
	if (loop_load(loop, &loading)) {
		outcome->recording = loading.recording;
		loading.recording = NULL;
		if (nothing_loaded(outcome->recording))
			outcome->status = 1;
		else if (explore_recording(loop, options, outcome->recording, NULL, source, theme,
					   &outcome->err))
			outcome->status = 1;
	}
	loading_release(&loading);
	if (loading.recording)
		recording_free(loading.recording);
}

/* Ends as the signal would have ended it, for whoever waits for us. */
static void die_of(int number)
{
	sigset_t set;

	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* Whoever set the source up puts everything back, before a signal ends us. */
static void end_session(const struct explore_options *options)
{
	if (options->session && options->session->end)
		options->session->end(options->session->owner);
}

static int run_terminal(const struct explore_options *options, const char *name)
{
	struct outcome outcome = {.err.text = ""};
	struct live_source source;
	struct theme theme;
	struct loop loop;
	struct error err;

	if (choose_theme(options, &theme, &err)) {
		end_session(options);
		return fail(&err, 2);
	}
	if (loop_init(&loop, &err)) {
		loop_release(&loop);
		end_session(options);
		return fail(&err, 1);
	}
	loop.theme = &theme;
	loop.glyphs = choose_glyphs(options);
	loop.terminal = terminal_open(&err);
	if (!loop.terminal) {
		loop_release(&loop);
		end_session(options);
		return fail(&err, 1);
	}
	if (live_source_open(&source, options, false, &outcome.err))
		outcome.status = 1;
	else if (source.is_live)
		explore_live(&loop, options, &source, name, &theme, &outcome);
	else
		explore_files(&loop, options, name, &theme, &outcome);
	terminal_close(loop.terminal);
	live_source_close(&source);
	loop_release(&loop);
	if (*outcome.err.text)
		fail(&outcome.err, 1);
	if (outcome.recording)
		complain(outcome.recording);
	if (outcome.recording)
		recording_free(outcome.recording);
	end_session(options);
	if (loop.signal)
		die_of(loop.signal);
	return outcome.status;
}

int explore_run(const struct explore_options *options)
{
	char *source = name_source(options);
	int status;

	/* never LC_ALL: numbers have points */
	setlocale(LC_CTYPE, "");
	if (options->script) {
		status = run_script(options, source);
		end_session(options);
	} else {
		status = run_terminal(options, source);
	}
	free(source);
	return status;
}
