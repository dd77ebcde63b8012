/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define _XOPEN_SOURCE_EXTENDED 1
#include <curses.h>
#include <term.h>

#include "terminal-rescue.h"
#include "terminal-style.h"

#define RUN_MAX 512

struct terminal {
	SCREEN *screen;
	FILE *in, *out;
	bool owns_in;
	struct terminal_styles styles;
	bool forgotten;
	/* while drawing */
	const struct canvas *now;
	const struct theme *theme;
};

int explore_check_terminal(struct error *err)
{
	const char *name = getenv("TERM");
	int status = 0;
	char *cup;
	bool usable;

	if (!isatty(STDOUT_FILENO))
		return error_set(err, "standard output is not a terminal");
	if (!name || !*name)
		return error_set(err, "TERM is not set");
	if (setupterm(name, STDOUT_FILENO, &status) != OK)
		return error_set(err, "terminal '%.40s' is unknown here", name);
	cup = tigetstr("cup");
	usable = cup && cup != (char *)-1;
	del_curterm(cur_term);
	if (!usable)
		return error_set(err, "terminal '%.40s' cannot place the cursor", name);
	return 0;
}

/* Some terminals' descriptions know one form of an arrow, and they send the other. */
static void define_keys(void)
{
	static const struct {
		const char *sequence;
		int code;
	} forms[] = {
		{"\033[A", KEY_UP},	 {"\033OA", KEY_UP},	 {"\033[B", KEY_DOWN},
		{"\033OB", KEY_DOWN},	 {"\033[C", KEY_RIGHT},	 {"\033OC", KEY_RIGHT},
		{"\033[D", KEY_LEFT},	 {"\033OD", KEY_LEFT},	 {"\033[H", KEY_HOME},
		{"\033OH", KEY_HOME},	 {"\033[1~", KEY_HOME},	 {"\033[F", KEY_END},
		{"\033OF", KEY_END},	 {"\033[4~", KEY_END},	 {"\033[5~", KEY_PPAGE},
		{"\033[6~", KEY_NPAGE},	 {"\033[3~", KEY_DC},	 {"\033[Z", KEY_BTAB},
		{"\033OP", KEY_F(1)},	 {"\033[11~", KEY_F(1)}, {"\033[[A", KEY_F(1)},
		{"\033[21~", KEY_F(10)},
	};

	for (size_t i = 0; i < COUNT_OF(forms); i++)
		if (key_defined(forms[i].sequence) <= 0)
			define_key(forms[i].sequence, forms[i].code);
}

static void set_modes(void)
{
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	leaveok(stdscr, TRUE);
	define_keys();
}

struct terminal *terminal_open(struct error *err)
{
	struct terminal *terminal;
	FILE *in = stdin;

	if (explore_check_terminal(err))
		return NULL;
	if (!isatty(STDIN_FILENO)) {
		in = fopen("/dev/tty", "re");
		if (!in) {
			error_set(err, "cannot open '/dev/tty' for keys: %s", strerror(errno));
			return NULL;
		}
	}
	terminal = mem_zero(1, sizeof *terminal);
	terminal->in = in;
	terminal->out = stdout;
	terminal->owns_in = in != stdin;
	rescue_prepare(fileno(in));
	terminal->screen = newterm(NULL, terminal->out, in);
	if (!terminal->screen) {
		error_set(err, "terminal '%.40s' cannot be used", getenv("TERM"));
		if (terminal->owns_in)
			fclose(in);
		free(terminal);
		return NULL;
	}
	rescue_arm();
	set_modes();
	styles_start(&terminal->styles);
	terminal->forgotten = true;
	return terminal;
}

void terminal_close(struct terminal *terminal)
{
	const char *leave;

	if (!terminal)
		return;
	leave = tigetstr("rmcup");
	curs_set(1);
	endwin();
	/* where there is no other screen to go back to, the shell goes on below this one */
	if (!leave || leave == (const char *)-1) {
		fputs("\r\n", terminal->out);
		fflush(terminal->out);
	}
	rescue_disarm();
	delscreen(terminal->screen);
	if (terminal->owns_in)
		fclose(terminal->in);
	free(terminal);
}

int terminal_fd(const struct terminal *terminal)
{
	return fileno(terminal->in);
}

void terminal_size(const struct terminal *terminal, int *width, int *height)
{
	(void)terminal;
	getmaxyx(stdscr, *height, *width);
}

void terminal_resized(struct terminal *terminal)
{
	struct winsize size;

	if (!ioctl(fileno(terminal->out), TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
	terminal->forgotten = true;
}

static int translate(int code)
{
	static const struct {
		int curses, key;
	} codes[] = {{KEY_UP, KEY_NAME_UP},	    {KEY_DOWN, KEY_NAME_DOWN},
		     {KEY_LEFT, KEY_NAME_LEFT},	    {KEY_RIGHT, KEY_NAME_RIGHT},
		     {KEY_PPAGE, KEY_NAME_PAGE_UP}, {KEY_NPAGE, KEY_NAME_PAGE_DOWN},
		     {KEY_HOME, KEY_NAME_HOME},	    {KEY_END, KEY_NAME_END},
		     {KEY_BTAB, KEY_NAME_BACK_TAB}, {KEY_BACKSPACE, KEY_NAME_BACKSPACE},
		     {KEY_DC, KEY_NAME_DELETE},	    {KEY_ENTER, KEY_NAME_ENTER}};

	for (size_t i = 0; i < COUNT_OF(codes); i++)
		if (codes[i].curses == code)
			return codes[i].key;
	if (code >= KEY_F(1) && code <= KEY_F(10))
		return KEY_NAME_F1 + code - KEY_F(1);
	/* KEY_RESIZE comes after resizeterm(): the size is known already */
	return 0;
}

int terminal_key(struct terminal *terminal)
{
	wint_t code;
	int kind = get_wch(&code);

	(void)terminal;
	if (kind == ERR)
		return -1;
	if (kind == KEY_CODE_YES)
		return translate((int)code);
	return code == '\r' ? KEY_NAME_ENTER : (int)code;
}

static void draw_run(void *owner, int x, int y, int n)
{
	struct terminal *terminal = owner;
	const struct canvas_cell *cells =
		&terminal->now->cells[(size_t)y * terminal->now->width + x];
	wchar_t run[RUN_MAX];

	for (int i = 0; i < n;) {
		int from = i, length = 0;

		while (i < n && length < RUN_MAX && cells[i].role == cells[from].role &&
		       cells[i].over == cells[from].over)
			run[length++] = (wchar_t)cells[i++].glyph;
		styles_set(&terminal->styles, terminal->theme, cells[from].role, cells[from].over);
		mvaddnwstr(y, x + from, run, length);
	}
}

void terminal_draw(struct terminal *terminal, const struct canvas *before, const struct canvas *now,
		   const struct theme *theme)
{
	static const struct canvas nothing;

	terminal->now = now;
	terminal->theme = theme;
	if (terminal->forgotten)
		clearok(stdscr, TRUE);
	canvas_changes(terminal->forgotten ? &nothing : before, now, draw_run, terminal);
	terminal->forgotten = false;
	refresh();
}

void terminal_forget(struct terminal *terminal)
{
	terminal->forgotten = true;
}

void terminal_suspend(struct terminal *terminal)
{
	struct sigaction plain = {.sa_handler = SIG_DFL}, before;
	sigset_t stop, mask;

	curs_set(1);
	endwin();
	sigaction(SIGTSTP, &plain, &before);
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	kill(getpid(), SIGTSTP);
	/* it stops here, and goes on from here */
	pthread_sigmask(SIG_UNBLOCK, &stop, &mask);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGTSTP, &before, NULL);
	terminal_resized(terminal);
	curs_set(0);
	terminal->forgotten = true;
}
