/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which functions are system calls: prefixes by architecture and version of the kernel. */
#include "evtop/path.h"

#include <string.h>

static const char *const prefixes[] = {
	/* until 4.16, and architectures without wrappers */
	"SyS_",
	"sys_",
	"compat_SyS_",
	"compat_sys_",
	/* wrappers since 4.17 */
	"__x64_sys_",
	"__x64_compat_sys_",
	"__x32_compat_sys_",
	"__ia32_sys_",
	"__ia32_compat_sys_",
	"__arm64_sys_",
	"__arm64_compat_sys_",
	"__s390x_sys_",
	"__s390x_compat_sys_",
	"__s390_sys_",
	"__s390_compat_sys_",
	"__riscv_sys_",
	"__riscv_compat_sys_",
	/* what wrappers call, outermost where they are not traced */
	"__se_sys_",
	"__se_compat_sys_",
	"__do_sys_",
	"__do_compat_sys_",
};

/* Functions that only look like it. */
static const char *const strangers[] = {"sys_imageblit", "sys_fillrect", "sys_copyarea"};

bool syscall_of_function(const char *function, size_t n, const char **name, size_t *name_n)
{
	for (size_t i = 0; i < COUNT_OF(strangers); i++)
		if (n == strlen(strangers[i]) && memcmp(function, strangers[i], n) == 0)
			return false;
	for (size_t i = 0; i < COUNT_OF(prefixes); i++) {
		size_t length = strlen(prefixes[i]);
		const char *dot;

		if (n <= length || memcmp(function, prefixes[i], length) != 0)
			continue;
		*name = function + length;
		/* what the compiler added (.isra.0) is not the call's name */
		dot = memchr(*name, '.', n - length);
		*name_n = dot ? (size_t)(dot - *name) : n - length;
		return *name_n > 0;
	}
	return false;
}
