/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"

/* Between frames that only new data ask for; keys never wait. */
#define FRAME_NS 200000000u

static const int read_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH};

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int loop_init(struct loop *loop, struct error *err)
{
	sigset_t set;

	*loop = (struct loop){.signal_fd = -1, .timer_fd = -1};
	sigemptyset(&set);
	for (size_t i = 0; i < COUNT_OF(read_signals); i++)
		sigaddset(&set, read_signals[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	loop->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	loop->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (loop->signal_fd < 0 || loop->timer_fd < 0)
		return error_set(err, "cannot wait for signals: %s", strerror(errno));
	loop->started_ns = now_ns();
	return 0;
}

void loop_release(struct loop *loop)
{
	if (loop->signal_fd >= 0)
		close(loop->signal_fd);
	if (loop->timer_fd >= 0)
		close(loop->timer_fd);
	canvas_release(&loop->before);
	canvas_release(&loop->now);
}

static void set_timer(struct loop *loop, long interval_ns)
{
	struct timespec interval = {interval_ns / 1000000000, interval_ns % 1000000000};
	struct itimerspec when = {.it_interval = interval, .it_value = interval};

	timerfd_settime(loop->timer_fd, 0, &when, NULL);
}

static void take_size(struct loop *loop)
{
	int width, height;

	loop->pressed = true;
	terminal_resized(loop->terminal);
	terminal_size(loop->terminal, &width, &height);
	if (loop->explorer)
		explorer_resize(loop->explorer, width, height);
}

static void take_signals(struct loop *loop)
{
	struct signalfd_siginfo info;

	while (read(loop->signal_fd, &info, sizeof info) == sizeof info) {
		switch (info.ssi_signo) {
		case SIGWINCH:
			take_size(loop);
			break;
		case SIGTSTP:
			terminal_suspend(loop->terminal);
			take_size(loop);
			break;
		case SIGCONT:
			/* stopped by others: the screen may hold anything */
			take_size(loop);
			break;
		default:
			loop->signal = (int)info.ssi_signo;
		}
	}
}

static void take_key(struct loop *loop, int key)
{
	loop->pressed = true;
	if (loop->explorer)
		explorer_key(loop->explorer, key);
	else if (key == 'q' || key == KEY_NAME_F1 + 9)
		loading_stop(loop->loading);
}

/* On every wake, whatever woke it: curses may hold keys that poll() cannot see. */
static void take_keys(struct loop *loop)
{
	int key;

	while (!loop->hung_up && (key = terminal_key(loop->terminal)) >= 0) {
		if (key > 0)
			take_key(loop, key);
		if (loop->explorer && loop->explorer->redraw) {
			terminal_forget(loop->terminal);
			loop->explorer->redraw = false;
		}
		if (loop->explorer && loop->explorer->quit)
			return;
	}
}

static void draw(struct loop *loop)
{
	struct canvas swap;
	int width, height;

	terminal_size(loop->terminal, &width, &height);
	if (loop->now.width != width || loop->now.height != height) {
		canvas_release(&loop->now);
		canvas_init(&loop->now, width, height, loop->glyphs);
	}
	if (loop->explorer) {
		explorer_draw(loop->explorer, &loop->now);
	} else {
		struct loading_look look;

		loading_look_at(loop->loading, now_ns() - loop->started_ns, &look);
		loading_draw(&look, &loop->now);
	}
	loop->drawn_ns = now_ns();
	terminal_draw(loop->terminal, &loop->before, &loop->now, loop->theme);
	swap = loop->before;
	loop->before = loop->now;
	loop->now = swap;
}

#define LIVE_FDS 2 /* the source, and who set it up */

/* Waits until anything happens, and takes all that did. */
static void wait(struct loop *loop, const int *fds, int n_fds, int timeout_ms)
{
	struct pollfd polls[3 + EXPLORER_FDS + LIVE_FDS];
	uint64_t ignored;
	int n = 3;

	polls[0] = (struct pollfd){.fd = terminal_fd(loop->terminal), .events = POLLIN};
	polls[1] = (struct pollfd){.fd = loop->signal_fd, .events = POLLIN};
	polls[2] = (struct pollfd){.fd = loop->timer_fd, .events = POLLIN};
	for (int i = 0; i < n_fds; i++)
		polls[n++] = (struct pollfd){.fd = fds[i], .events = POLLIN};
	if (poll(polls, (nfds_t)n, timeout_ms) < 0 && errno != EINTR)
		loop->hung_up = true;
	if (polls[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		loop->hung_up = true;
	while (read(loop->timer_fd, &ignored, sizeof ignored) > 0)
		;
	take_signals(loop);
	take_keys(loop);
}

bool loop_load(struct loop *loop, struct loading *loading)
{
	int fd = worker_fd(loading->worker);

	loop->loading = loading;
	/* short readings never show the screen: it would only flicker */
	set_timer(loop, 100000000);
	while (!loading->done && !loop->signal && !loop->hung_up) {
		wait(loop, &fd, 1, -1);
		worker_collect(loading->worker);
		if (!loading->done && !loop->signal)
			draw(loop);
	}
	set_timer(loop, 0);
	loop->loading = NULL;
	return loading->done && !loop->signal && !loop->hung_up;
}

/* What is waited for besides terminal, signals and timer; how many. */
static int explore_fds(const struct explorer *explorer, int fds[EXPLORER_FDS + LIVE_FDS])
{
	const struct explore_session *session = explorer->options->session;
	int n = explorer->paused ? 1 : EXPLORER_FDS;

	explorer_fds(explorer, fds);
	if (!explorer->live)
		return n;
	if (!explorer->paused)
		fds[n++] = live_fd(explorer->live);
	if (session && session->fd >= 0 && !explorer->live_now.session_over)
		fds[n++] = session->fd;
	return n;
}

/* Time until the next frame may be drawn; 0: now. */
static int frame_wait_ms(const struct loop *loop)
{
	uint64_t since = now_ns() - loop->drawn_ns;

	if (loop->pressed || !loop->explorer->live || since >= FRAME_NS)
		return 0;
	return (int)((FRAME_NS - since) / 1000000 + 1);
}

/* Takes what comes until there is a frame to be drawn. */
static void wait_for_frame(struct loop *loop)
{
	struct explorer *explorer = loop->explorer;
	int fds[EXPLORER_FDS + LIVE_FDS], timeout_ms = -1;

	loop->pressed = false;
	do {
		wait(loop, fds, explore_fds(explorer, fds), timeout_ms);
		if (explorer->quit || loop->signal || loop->hung_up)
			return;
		explorer_collect(explorer);
		if (!explorer_live_take(explorer, false))
			explorer_live_tick(explorer);
		timeout_ms = frame_wait_ms(loop);
	} while (timeout_ms > 0);
}

void loop_explore(struct loop *loop, struct explorer *explorer)
{
	int width, height;

	loop->explorer = explorer;
	loop->theme = &explorer->theme;
	terminal_size(loop->terminal, &width, &height);
	explorer_resize(explorer, width, height);
	/* how the source goes is looked at once a second */
	if (explorer->live)
		set_timer(loop, 1000000000);
	while (!explorer->quit && !loop->signal && !loop->hung_up) {
		explorer_refresh(explorer);
		draw(loop);
		wait_for_frame(loop);
		/* then nothing changes by itself */
		if (explorer->live_now.ended && !explorer->told_new)
			set_timer(loop, 0);
	}
	set_timer(loop, 0);
	loop->explorer = NULL;
}
