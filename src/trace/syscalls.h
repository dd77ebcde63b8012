/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of system calls by their numbers. */
#ifndef EVTOP_TRACE_SYSCALLS_H
#define EVTOP_TRACE_SYSCALLS_H

#define SYSCALL_NAME_SIZE 64

/*
 * The function that stands for a system call of an architecture ("x86_64",
 * "aarch64", as uname says; "": this machine's): "sys_openat", or "sys_257" where the name is not
 * known.
 */
void syscall_function(const char *machine, long number, char out[SYSCALL_NAME_SIZE]);

#endif
