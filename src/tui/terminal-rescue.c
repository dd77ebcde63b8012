/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "terminal-rescue.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define _XOPEN_SOURCE_EXTENDED 1
#include <curses.h>
#include <term.h>

#include "evtop/base.h"

/* A signal handler has no other way to reach it: there is one terminal. */
static struct {
	volatile sig_atomic_t armed;
	int fd;
	struct termios modes;
	char leave[256];
	size_t n;
} rescue;

static const int deadly[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};

static void give_back(void)
{
	if (!rescue.armed)
		return;
	rescue.armed = 0;
	if (write(STDOUT_FILENO, rescue.leave, rescue.n) < 0)
		rescue.n = 0;
	tcsetattr(rescue.fd, TCSANOW, &rescue.modes);
}

static void on_death(int number)
{
	give_back();
	signal(number, SIG_DFL);
	raise(number);
}

/* Delays in a capability ("$<5>") are for terminals of paper. */
static void add_capability(const char *name)
{
	const char *value = tigetstr(name);

	if (!value || value == (const char *)-1)
		return;
	while (*value && rescue.n + 1 < sizeof rescue.leave) {
		if (value[0] == '$' && value[1] == '<') {
			const char *end = strchr(value, '>');

			if (end) {
				value = end + 1;
				continue;
			}
		}
		rescue.leave[rescue.n++] = *value++;
	}
}

void rescue_prepare(int fd)
{
	rescue.fd = fd;
	rescue.n = 0;
	tcgetattr(fd, &rescue.modes);
}

void rescue_arm(void)
{
	struct sigaction action = {.sa_handler = on_death, .sa_flags = (int)SA_RESETHAND};

	add_capability("sgr0");
	add_capability("cnorm");
	add_capability("rmkx");
	add_capability("rmcup");
	rescue.armed = 1;
	for (size_t i = 0; i < COUNT_OF(deadly); i++)
		sigaction(deadly[i], &action, NULL);
	mem_on_exhaustion(give_back);
}

void rescue_disarm(void)
{
	rescue.armed = 0;
	mem_on_exhaustion(NULL);
	for (size_t i = 0; i < COUNT_OF(deadly); i++)
		signal(deadly[i], SIG_DFL);
}
