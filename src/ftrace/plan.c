/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which settings a way of tracing needs. */
#include "open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Options that decide what is recorded, and those of the columns of text. */
static const struct {
	const char *file, *value;
	bool text;
} wanted_options[] = {
	{"options/record-cmd", "1", false},
	{"options/function-fork", "1", false},
	{"options/funcgraph-irqs", "1", false},
	{"options/sleep-time", "1", false},
	{"options/graph-time", "1", false},
	{"options/funcgraph-retval", "0", false},
	{"options/funcgraph-retaddr", "0", false},
	{"options/funcgraph-args", "0", false},
	{"options/func_stack_trace", "0", false},
	{"options/pause-on-trace", "0", false},
	{"options/funcgraph-duration", "1", true},
	{"options/funcgraph-cpu", "1", true},
	{"options/funcgraph-proc", "1", true},
	{"options/funcgraph-abstime", "1", true},
	{"options/funcgraph-overhead", "1", true},
	{"options/funcgraph-tail", "1", true},
	{"options/latency-format", "0", true},
	{"options/context-info", "1", true},
	{"options/raw", "0", true},
	{"options/hex", "0", true},
	{"options/bin", "0", true},
	{"options/verbose", "0", true},
	{"options/printk-msg-only", "0", true},
};

/*
 * A setting of ours, which is the top level's where there is no instance, or
 * where it is one for all instances. One that this kernel does not have is left.
 */
static int plan(struct ftrace *ftrace, const char *file, const char *want, bool always,
		struct error *err)
{
	bool own = ftrace->tfs.own_name && tfs_has(&ftrace->tfs, PLACE_OWN, file);

	if (!own && !tfs_has(&ftrace->tfs, PLACE_TOP, file))
		return 0;
	return setting_plan(own ? &ftrace->own : &ftrace->top, &ftrace->tfs,
			    own ? PLACE_OWN : PLACE_TOP, file, want, always, err);
}

/*
 * Options of the tracer: on kernels that have it in instances some (6.12) share
 * one set of them among all, so that the top level's has to be put back too.
 */
static bool is_of_tracer(const char *file)
{
	return strstr(file, "/funcgraph-") || !strcmp(file, "options/sleep-time") ||
	       !strcmp(file, "options/graph-time");
}

static int plan_option(struct ftrace *ftrace, const char *file, const char *value,
		       struct error *err)
{
	if (ftrace->tfs.own_name && is_of_tracer(file) && tfs_has(&ftrace->tfs, PLACE_TOP, file) &&
	    setting_plan(&ftrace->top, &ftrace->tfs, PLACE_TOP, file, value, false, err))
		return -1;
	return plan(ftrace, file, value, false, err);
}

static int plan_options(struct ftrace *ftrace, const struct ftrace_options *options,
			struct error *err)
{
	for (size_t i = 0; i < COUNT_OF(wanted_options); i++)
		if ((options->text || !wanted_options[i].text) &&
		    plan_option(ftrace, wanted_options[i].file, wanted_options[i].value, err))
			return -1;
	return plan(ftrace, "options/overwrite", options->no_overwrite ? "0" : "1", false, err);
}

/* The roots, chosen where the call begins: what is around and between is not recorded. */
static int plan_graph(struct ftrace *ftrace, const struct ftrace_options *options,
		      struct error *err)
{
	struct text available = {0}, lines = {0};
	char depth[16];
	int status;

	snprintf(depth, sizeof depth, "%u", (unsigned)options->depth);
	status = tfs_read(&ftrace->tfs, PLACE_TOP, "available_filter_functions", &available, err);
	if (!status)
		status = functions_chosen(available.bytes, available.n, options, &lines, err);
	text_release(&available);
	if (!status)
		status = plan(ftrace, "set_graph_function", lines.bytes, false, err) ||
					 plan(ftrace, "set_graph_notrace", "", false, err) ||
					 plan(ftrace, "set_ftrace_filter", "", false, err) ||
					 plan(ftrace, "set_ftrace_notrace", "", false, err) ||
					 plan(ftrace, "max_graph_depth", depth, false, err) ||
					 plan(ftrace, "tracing_thresh", "0", false, err)
				 ? -1
				 : 0;
	text_release(&lines);
	return status;
}

/* Who is traced: those chosen, or all but this program. */
static int plan_tasks(struct ftrace *ftrace, const struct ftrace_options *options,
		      struct error *err)
{
	bool chosen = options->n_pids || options->only_pids;
	struct text pids = {0}, ours = {0};
	int status;

	text_puts(&pids, "");
	text_puts(&ours, "");
	for (size_t i = 0; i < options->n_pids; i++)
		text_printf(&pids, "%d\n", options->pids[i]);
	/* nobody yet: one that sleeps stands for it */
	if (options->only_pids && !options->n_pids)
		text_printf(&pids, "%d\n", (int)ftrace->keeper.pid);
	if (!chosen)
		text_printf(&ours, "%d\n%d\n", (int)getpid(), (int)ftrace->keeper.pid);
	status = plan(ftrace, "set_ftrace_pid", pids.bytes, chosen, err) ||
		 plan(ftrace, "set_ftrace_notrace_pid", ours.bytes, false, err);
	if (!status && (options->n_events || !ftrace->graph))
		status = plan(ftrace, "set_event_pid", pids.bytes, chosen, err) ||
			 plan(ftrace, "set_event_notrace_pid", ours.bytes, false, err) ||
			 plan(ftrace, "options/event-fork", "1", false, err);
	text_release(&pids);
	text_release(&ours);
	return status ? -1 : 0;
}

/* Of each CPU apart where they differ, so that each gets its own back. */
static int plan_buffer(struct ftrace *ftrace, uint32_t kb, struct error *err)
{
	struct text now = {0};
	char want[16], file[64];
	int status = setting_read(&ftrace->tfs, PLACE_OWN, "buffer_size_kb", &now, err);
	bool differ = !status && !strcmp(now.bytes, "X");

	text_release(&now);
	for (size_t i = 0; i < ftrace->top.n; i++)
		if (kb && !ftrace->tfs.own_name &&
		    !strcmp(ftrace->top.items[i].file, "buffer_size_kb")) {
			free(ftrace->top.items[i].want);
			ftrace->top.items[i].want = mem_zero(1, 16);
			snprintf(ftrace->top.items[i].want, 16, "%u", (unsigned)kb);
			return 0;
		}
	snprintf(want, sizeof want, "%u", (unsigned)kb);
	if (status || !kb)
		return status;
	if (!differ)
		return plan(ftrace, "buffer_size_kb", want, false, err);
	for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF) && !status; cpu++) {
		snprintf(file, sizeof file, "per_cpu/cpu%ld/buffer_size_kb", cpu);
		status = plan(ftrace, file, want, false, err);
	}
	return status;
}

int plan_settings(struct ftrace *ftrace, const struct ftrace_options *options, struct error *err)
{
	bool events = options->n_events || !ftrace->graph || options->take_over;

	if (plan(ftrace, "tracing_on", "0", true, err) ||
	    (!ftrace->tfs.own_name && plan(ftrace, "current_tracer", "nop", true, err)) ||
	    (events && plan(ftrace, "set_event", "", options->n_events || !ftrace->graph, err)) ||
	    plan(ftrace, "trace_clock", ftrace->clock, false, err) ||
	    plan_buffer(ftrace, options->buffer_kb, err) || plan_options(ftrace, options, err) ||
	    (ftrace->graph && plan_graph(ftrace, options, err)))
		return -1;
	return plan_tasks(ftrace, options, err);
}

static int enable_event(struct ftrace *ftrace, const char *system, const char *name,
			struct error *err)
{
	struct text line = {0}, file = {0};
	int status;

	text_printf(&line, "%s%s\n", system, name);
	status = tfs_write_list(&ftrace->tfs, PLACE_OWN, "set_event", line.bytes, true, err);
	text_release(&line);
	text_release(&file);
	return status;
}

/* Without function_graph: where calls enter and exit. */
static int enable_calls(struct ftrace *ftrace, const struct ftrace_options *options,
			struct error *err)
{
	if (!options->n_syscalls || !tfs_has(&ftrace->tfs, PLACE_TOP, "events/syscalls"))
		return enable_event(ftrace, "raw_syscalls:sys_enter", "", err) ||
				       enable_event(ftrace, "raw_syscalls:sys_exit", "", err)
			       ? -1
			       : 0;
	for (size_t i = 0; i < options->n_syscalls; i++)
		if (enable_event(ftrace, "syscalls:sys_enter_", options->syscalls[i], err) ||
		    enable_event(ftrace, "syscalls:sys_exit_", options->syscalls[i], err))
			return -1;
	return 0;
}

int plan_events(struct ftrace *ftrace, const struct ftrace_options *options, struct error *err)
{
	for (size_t i = 0; i < options->n_events; i++)
		if (enable_event(ftrace, options->events[i], "", err))
			return -1;
	if (!ftrace->graph)
		return enable_calls(ftrace, options, err);
	/* last: from here on functions are patched */
	return tfs_write(&ftrace->tfs, PLACE_OWN, "current_tracer", "function_graph", err);
}

static void add_names(struct text *scope, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		text_printf(scope, "%s%s", i ? "," : "", names[i]);
}

void describe_scope(struct ftrace *ftrace, const struct ftrace_options *options)
{
	struct text *scope = &ftrace->scope;

	text_puts(scope, ftrace->graph ? "function_graph" : "system call events");
	if (options->n_syscalls || !options->n_functions)
		text_puts(scope, " syscalls=");
	if (!options->n_syscalls && !options->n_functions)
		text_puts(scope, "all");
	add_names(scope, options->syscalls, options->n_syscalls);
	if (options->n_functions)
		text_puts(scope, " functions=");
	add_names(scope, options->functions, options->n_functions);
	text_puts(scope, options->n_pids || options->only_pids ? " tasks=chosen with children"
							       : " tasks=all");
	if (options->depth)
		text_printf(scope, " depth=%u", (unsigned)options->depth);
	if (options->n_events)
		text_puts(scope, " events=");
	add_names(scope, options->events, options->n_events);
}
