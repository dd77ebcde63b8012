/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command that waits before its exec, so that it can be traced from there on. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child: waits for a byte; the end of the pipe is the end of its owner. */
static void wait_and_run(char *const *argv, int go, int failed)
{
	int why;
	char byte;

	if (read(go, &byte, 1) != 1)
		_exit(127);
	execvp(argv[0], argv);
	why = errno;
	if (write(failed, &why, sizeof why) < 0)
		_exit(126);
	_exit(127);
}

/* Signals as a program expects them, whatever we do with ours. */
static void reset_signals(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		if (number != SIGKILL && number != SIGSTOP)
			signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void silence(void)
{
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
	if (null > 2)
		close(null);
}

int held_command_start(struct held_command *command, char *const *argv, bool quiet,
		       struct error *err)
{
	int go[2], failed[2];

	*command = (struct held_command){.go = -1, .failed = -1};
	if (pipe2(go, O_CLOEXEC))
		return error_set(err, "cannot make a pipe: %s", strerror(errno));
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return error_set(err, "cannot make a pipe: %s", strerror(errno));
	}
	command->pid = fork();
	if (command->pid == 0) {
		reset_signals();
		/* the keeper's pipe and our own end must not be held by it */
		for (int fd = 3; fd < 1024; fd++)
			if (fd != go[0] && fd != failed[1])
				close(fd);
		if (quiet)
			silence();
		wait_and_run(argv, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	command->go = go[1];
	command->failed = failed[0];
	if (command->pid < 0) {
		held_command_drop(command);
		return error_set(err, "cannot make a process: %s", strerror(errno));
	}
	return 0;
}

int held_command_go(struct held_command *command, struct error *err)
{
	int why = 0;
	ssize_t n;

	if (write(command->go, "g", 1) != 1)
		return error_set(err, "the command is gone before it began");
	close(command->go);
	do
		n = read(command->failed, &why, sizeof why);
	while (n < 0 && errno == EINTR);
	close(command->failed);
	command->go = command->failed = -1;
	if (n != sizeof why)
		return 0;
	while (waitpid(command->pid, NULL, 0) < 0 && errno == EINTR)
		;
	command->pid = 0;
	return error_set(err, "cannot run the command: %s", strerror(why));
}

#define ENDING_TRIES 100
#define ENDING_WAIT_US 10000

static void end_command(pid_t pid)
{
	if (kill(pid, SIGTERM) && errno != ESRCH)
		return;
	for (int i = 0; i < ENDING_TRIES; i++) {
		if (waitpid(pid, NULL, WNOHANG) != 0)
			return;
		usleep(ENDING_WAIT_US);
	}
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void held_command_drop(struct held_command *command)
{
	if (command->go >= 0)
		close(command->go);
	if (command->failed >= 0)
		close(command->failed);
	if (command->pid > 0)
		end_command(command->pid);
	*command = (struct held_command){.go = -1, .failed = -1};
}
