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
	struct itimerspec when = {.it_interval.tv_nsec = interval_ns,
				  .it_value.tv_nsec = interval_ns};

	timerfd_settime(loop->timer_fd, 0, &when, NULL);
}

static void take_size(struct loop *loop)
{
	int width, height;

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
	terminal_draw(loop->terminal, &loop->before, &loop->now, loop->theme);
	swap = loop->before;
	loop->before = loop->now;
	loop->now = swap;
}

/* Waits until anything happens, and takes all that did. */
static void wait(struct loop *loop, const int *fds, int n_fds)
{
	struct pollfd polls[3 + EXPLORER_FDS];
	uint64_t ignored;
	int n = 3;

	polls[0] = (struct pollfd){.fd = terminal_fd(loop->terminal), .events = POLLIN};
	polls[1] = (struct pollfd){.fd = loop->signal_fd, .events = POLLIN};
	polls[2] = (struct pollfd){.fd = loop->timer_fd, .events = POLLIN};
	for (int i = 0; i < n_fds; i++)
		polls[n++] = (struct pollfd){.fd = fds[i], .events = POLLIN};
	if (poll(polls, (nfds_t)n, -1) < 0 && errno != EINTR)
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
		wait(loop, &fd, 1);
		worker_collect(loading->worker);
		if (!loading->done && !loop->signal)
			draw(loop);
	}
	set_timer(loop, 0);
	loop->loading = NULL;
	return loading->done && !loop->signal && !loop->hung_up;
}

void loop_explore(struct loop *loop, struct explorer *explorer)
{
	int fds[EXPLORER_FDS], width, height;

	loop->explorer = explorer;
	loop->theme = &explorer->theme;
	terminal_size(loop->terminal, &width, &height);
	explorer_resize(explorer, width, height);
	explorer_fds(explorer, fds);
	while (!explorer->quit && !loop->signal && !loop->hung_up) {
		explorer_refresh(explorer);
		draw(loop);
		wait(loop, fds, explorer->paused ? 1 : EXPLORER_FDS);
		explorer_collect(explorer);
	}
	loop->explorer = NULL;
}
