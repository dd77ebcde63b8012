/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "syscalls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evtop/base.h"

#ifdef HAVE_LIBSECCOMP
#include <seccomp.h>

static uint32_t architecture(const char *machine)
{
	static const struct {
		const char *machine;
		uint32_t architecture;
	} known[] = {
		{"x86_64", SCMP_ARCH_X86_64},	{"aarch64", SCMP_ARCH_AARCH64},
		{"arm", SCMP_ARCH_ARM},		{"i386", SCMP_ARCH_X86},
		{"i486", SCMP_ARCH_X86},	{"i586", SCMP_ARCH_X86},
		{"i686", SCMP_ARCH_X86},	{"riscv64", SCMP_ARCH_RISCV64},
		{"ppc64le", SCMP_ARCH_PPC64LE}, {"s390x", SCMP_ARCH_S390X},
	};

	for (size_t i = 0; i < COUNT_OF(known); i++)
		/* armv7l and its kin begin with arm */
		if (strncmp(machine, known[i].machine, strlen(known[i].machine)) == 0)
			return known[i].architecture;
	return 0;
}

/* NULL where it is not known; to be freed. */
static char *name_of_number(const char *machine, long number)
{
	uint32_t token = *machine ? architecture(machine) : seccomp_arch_native();

	return token ? seccomp_syscall_resolve_num_arch(token, (int)number) : NULL;
}
#else
static char *name_of_number(const char *machine, long number)
{
	(void)machine;
	(void)number;
	return NULL;
}
#endif

void syscall_function(const char *machine, long number, char out[SYSCALL_NAME_SIZE])
{
	char *name = number >= 0 && number < 100000 ? name_of_number(machine, number) : NULL;

	if (name)
		snprintf(out, SYSCALL_NAME_SIZE, "sys_%s", name);
	else
		snprintf(out, SYSCALL_NAME_SIZE, "sys_%ld", number);
	free(name);
}
