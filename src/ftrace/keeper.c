/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keeper: a process of its own session that waits for the end of the one
 * that traces, whatever ends it, and then puts everything back.
 */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void ignore_signals(void)
{
	static const int ignored[] = {SIGHUP,  SIGINT,	SIGTERM, SIGQUIT, SIGPIPE, SIGTSTP,
				      SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2, SIGALRM};
	sigset_t none;

	for (size_t i = 0; i < COUNT_OF(ignored); i++)
		signal(ignored[i], SIG_IGN);
	/* a handler for a crash would not be ours */
	signal(SIGSEGV, SIG_DFL);
	signal(SIGABRT, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Nothing of the terminal and of files is held longer than by its owner. */
static void let_go(int hold, int answer)
{
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
	for (int fd = 3; fd < 1024; fd++)
		if (fd != hold && fd != answer)
			close(fd);
	if (chdir("/"))
		return;
}

static void keep(pid_t owner, int hold, int answer, const char *state_place)
{
	struct error err = {""};
	struct state state;
	char file[PATH_MAX], byte;
	ssize_t n;
	int found;

	while ((n = read(hold, &byte, 1)) > 0 || (n < 0 && errno == EINTR))
		;
	found = state_find(&state, state_place, file, &err);
	/* one that is another's is left to him */
	if (found > 0 && state.pid == owner && state_undo(&state, file, &err) == 0)
		found = 0;
	else if (found > 0 && state.pid != owner)
		found = 0;
	if (found && write(answer, err.text, strlen(err.text)) < 0)
		_exit(2);
	_exit(found ? 1 : 0);
}

int keeper_start(struct keeper *keeper, const char *state_place, struct error *err)
{
	pid_t owner = getpid();
	int hold[2], answer[2];

	if (pipe2(hold, O_CLOEXEC) || pipe2(answer, O_CLOEXEC))
		return error_set(err, "cannot make a pipe: %s", strerror(errno));
	keeper->pid = fork();
	if (keeper->pid < 0)
		return error_set(err, "cannot make a process: %s", strerror(errno));
	if (keeper->pid == 0) {
		setsid();
		ignore_signals();
		prctl(PR_SET_NAME, "evtop-keeper");
		close(hold[1]);
		let_go(hold[0], answer[1]);
		keep(owner, hold[0], answer[1], state_place);
	}
	close(hold[0]);
	close(answer[1]);
	keeper->hold = hold[1];
	keeper->answer = answer[0];
	return 0;
}

int keeper_finish(struct keeper *keeper, struct error *err)
{
	struct text text = {0};
	int status = 0, result = 0;

	if (keeper->pid <= 0)
		return 0;
	close(keeper->hold);
	read_descriptor(keeper->answer, &text);
	close(keeper->answer);
	while (waitpid(keeper->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		result = error_set(err, "what would restore the settings was killed: "
					"evtop live --undo");
	else if (WEXITSTATUS(status))
		result = error_set(err, "%s", text.bytes);
	text_release(&text);
	*keeper = (struct keeper){0};
	return result;
}
