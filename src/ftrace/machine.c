/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What this machine is, as far as times depend on it. */
#include "internal.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <openssl/evp.h>
#if defined __x86_64__ || defined __i386__
#include <cpuid.h>
#endif

/* The first line of a file of the system's; "" where there is none. */
static char *first_line(const char *file)
{
	struct text text = {0};
	char *line;

	if (read_whole(file, &text, NULL))
		text_puts(&text, "");
	text.bytes[strcspn(text.bytes, "\n")] = '\0';
	line = mem_copy_text(text.bytes);
	text_release(&text);
	return line;
}

static void fact(struct machine *machine, const char *key, const char *value)
{
	char shown[4096];

	text_printf(&machine->facts, "%s = %s\n", key,
		    text_printable(shown, sizeof shown, *value ? value : "unknown"));
}

static void warn(struct machine *machine, const char *words)
{
	text_printf(&machine->warnings, "%s\n", words);
}

static void fact_of_file(struct machine *machine, const char *key, const char *file)
{
	char *line = first_line(file);

	fact(machine, key, line);
	free(line);
}

/* ---- kernel ---- */

static bool digest_file(const char *file, char hex[2 * EVP_MAX_MD_SIZE + 1])
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	struct text text = {0};
	unsigned n = 0;
	bool done = !read_whole(file, &text, NULL) &&
		    EVP_Digest(text.bytes, text.n, digest, &n, EVP_sha256(), NULL);

	for (unsigned i = 0; i < n; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	text_release(&text);
	return done;
}

static void look_at_kernel(struct machine *machine)
{
	char hex[2 * EVP_MAX_MD_SIZE + 1] = "";
	struct text file = {0}, kernel = {0};
	struct utsname name;

	uname(&name);
	text_printf(&kernel, "%s %s %s", name.release, name.version, name.machine);
	text_printf(&file, "/boot/config-%s", name.release);
	fact(machine, "kernel", kernel.bytes);
	fact_of_file(machine, "kernel_command_line", "/proc/cmdline");
	/* of the file as it is: the first is compressed */
	if (digest_file("/proc/config.gz", hex))
		fact(machine, "config_gz_sha256", hex);
	else if (digest_file(file.bytes, hex))
		fact(machine, "config_sha256", hex);
	else
		fact(machine, "config_sha256", "");
	text_release(&file);
	text_release(&kernel);
}

/* ---- processor ---- */

/* The value of the first line of /proc/cpuinfo that begins with one of the keys. */
static bool cpuinfo_value(const struct text *info, const char *key, char *value, size_t n)
{
	const char *at = info->bytes;
	size_t key_n = strlen(key);

	while (*at) {
		size_t line = strcspn(at, "\n");
		const char *colon = memchr(at, ':', line);

		if (!strncmp(at, key, key_n) && colon) {
			colon += 1 + strspn(colon + 1, " ");
			snprintf(value, n, "%.*s", (int)(at + line - colon), colon);
			return true;
		}
		at += line + (at[line] == '\n');
	}
	return false;
}

/* Values of one file of all CPUs: "performance", or "performance, powersave". */
static void each_cpu(const char *form, struct text *values)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	char file[128];

	text_puts(values, "");
	for (long cpu = 0; cpu < cpus; cpu++) {
		char *line;

		snprintf(file, sizeof file, "/sys/devices/system/cpu/cpu%ld/%s", cpu, form);
		line = first_line(file);
		if (*line && !strstr(values->bytes, line))
			text_printf(values, "%s%s", values->n ? ", " : "", line);
		free(line);
	}
}

/* Idle states deeper than the first that may be entered. */
static void look_at_idle(struct machine *machine)
{
	struct text states = {0};
	bool deep = false;
	char file[128];

	text_puts(&states, "");
	for (unsigned state = 0; state < 16; state++) {
		char *name, *disabled;

		snprintf(file, sizeof file, "/sys/devices/system/cpu/cpu0/cpuidle/state%u/name",
			 state);
		name = first_line(file);
		snprintf(file, sizeof file, "/sys/devices/system/cpu/cpu0/cpuidle/state%u/disable",
			 state);
		disabled = first_line(file);
		if (*name) {
			bool off = *disabled && strcmp(disabled, "0") != 0;

			text_printf(&states, "%s%s%s", states.n ? ", " : "", name,
				    off ? " (disabled)" : "");
			deep |= state > 1 && !off;
		}
		free(name);
		free(disabled);
	}
	fact(machine, "cpuidle_states", states.n ? states.bytes : "none");
	fact_of_file(machine, "cpuidle_governor",
		     "/sys/devices/system/cpu/cpuidle/current_governor");
	if (deep)
		warn(machine, "deep idle states are allowed: wake-ups from them add to times "
			      "(cpupower idle-set -D 1)");
	text_release(&states);
}

static void look_at_cpu(struct machine *machine)
{
	struct text info = {0}, governor = {0};
	char model[256] = "", number[16];
	char *isolated = first_line("/sys/devices/system/cpu/isolated");

	if (!read_whole("/proc/cpuinfo", &info, NULL) &&
	    !cpuinfo_value(&info, "model name", model, sizeof model) &&
	    !cpuinfo_value(&info, "Model", model, sizeof model))
		cpuinfo_value(&info, "CPU part", model, sizeof model);
	snprintf(number, sizeof number, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	each_cpu("cpufreq/scaling_governor", &governor);
	fact(machine, "cpu", model);
	fact(machine, "cpus_online", number);
	fact(machine, "governor", governor.n ? governor.bytes : "none");
	look_at_idle(machine);
	fact(machine, "isolated_cpus", *isolated ? isolated : "none");
	if (governor.n && strcmp(governor.bytes, "performance") != 0)
		warn(machine, "the frequency governor is not 'performance': times follow the clock "
			      "(cpupower frequency-set -g performance)");
	if (!*isolated)
		warn(machine,
		     "no CPU is isolated (isolcpus=): other tasks and interrupts are among "
		     "the times");
	free(isolated);
	text_release(&info);
	text_release(&governor);
}

/* ---- scheduling and interrupts ---- */

static void look_at_scheduling(struct machine *machine)
{
	char *runtime = first_line("/proc/sys/kernel/sched_rt_runtime_us");
	char *period = first_line("/proc/sys/kernel/sched_rt_period_us");
	struct text value = {0};

	text_printf(&value, "%s of %s us", runtime, period);
	fact(machine, "rt_throttling", !strcmp(runtime, "-1") ? "off" : value.bytes);
	fact_of_file(machine, "irq_affinity", "/proc/irq/default_smp_affinity");
	fact_of_file(machine, "preemption", "/sys/kernel/debug/sched/preempt");
	if (*runtime && strcmp(runtime, "-1") != 0 && strcmp(runtime, period) != 0)
		warn(machine, "real-time tasks are throttled: one that runs on for longer is held "
			      "back (sysctl kernel.sched_rt_runtime_us=-1)");
	free(runtime);
	free(period);
	text_release(&value);
}

/* ---- is it a machine at all? ---- */

/* What a hypervisor calls itself; "" where there is none. */
static void hypervisor_name(char name[13])
{
	*name = '\0';
#if defined __x86_64__ || defined __i386__
	unsigned a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 31))
		return;
	__cpuid(0x40000000, a, b, c, d);
	memcpy(name, &b, 4);
	memcpy(name + 4, &c, 4);
	memcpy(name + 8, &d, 4);
	name[12] = '\0';
#endif
}

/* QEMU's machines without hypervisor flags (ARM) tell by their names. */
static bool looks_virtual(struct text *what)
{
	static const char *const files[] = {"/sys/class/dmi/id/sys_vendor",
					    "/proc/device-tree/compatible", "/sys/hypervisor/type"};
	static const char *const words[] = {
		"QEMU",	      "VMware", "innotek", "Xen", "Microsoft Corporation",
		"dummy-virt", "xen",	"kvm"};
	bool found = false;

	for (size_t i = 0; i < COUNT_OF(files) && !found; i++) {
		char *line = first_line(files[i]);

		for (size_t j = 0; j < COUNT_OF(words) && !found; j++)
			found = strstr(line, words[j]) != NULL;
		if (found)
			text_puts(what, line);
		free(line);
	}
	return found;
}

static void look_for_hypervisor(struct machine *machine)
{
	struct text what = {0};
	char name[13];
	bool found;

	hypervisor_name(name);
	text_puts(&what, name);
	found = *name || looks_virtual(&what);
	fact(machine, "hypervisor", found ? what.bytes : "none");
	if (!strcmp(name, "TCGTCGTCGTCG")) {
		machine->emulated = "host";
		warn(machine, "this machine is emulated in software (QEMU TCG): its times mean "
			      "nothing, paths and counts do");
	} else if (found) {
		warn(machine, "this machine is virtual: times hold what its host does besides");
	} else {
#if defined __x86_64__ || defined __i386__
		machine->emulated = "no";
#endif
	}
	text_release(&what);
}

void machine_look(struct machine *machine)
{
	*machine = (struct machine){0};
	text_puts(&machine->facts, "");
	text_puts(&machine->warnings, "");
	look_at_kernel(machine);
	look_at_cpu(machine);
	look_at_scheduling(machine);
	look_for_hypervisor(machine);
}

void machine_release(struct machine *machine)
{
	text_release(&machine->facts);
	text_release(&machine->warnings);
}
