/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gives the terminal back when the program dies: by what a signal handler may
 * do, which is tcsetattr() and write(), not endwin(). Part of the terminal.
 */
#ifndef EVTOP_TERMINAL_RESCUE_H
#define EVTOP_TERMINAL_RESCUE_H

/* Remembers how the terminal is before curses takes it. */
void rescue_prepare(int fd);
/* Once curses knows the terminal: handlers for aborts and crashes. */
void rescue_arm(void);
void rescue_disarm(void);

#endif
