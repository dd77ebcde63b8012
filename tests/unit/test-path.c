/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Roots, identities, the assembly of executions, and the rules of clean paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "evtop/path.h"
#include "evtop/walk.h"

static void test_roots(void **state)
{
	static const struct {
		const char *function, *call; /* call NULL: no system call */
	} cases[] = {
		{"SyS_read", "read"},
		{"sys_open", "open"},
		{"__x64_sys_openat", "openat"},
		{"__ia32_sys_read", "read"},
		{"__ia32_compat_sys_ioctl", "ioctl"},
		{"compat_SyS_ioctl", "ioctl"},
		{"__arm64_sys_close", "close"},
		{"__arm64_compat_sys_ioctl", "ioctl"},
		{"__se_sys_write", "write"},
		{"__do_sys_getppid", "getppid"},
		{"__s390x_sys_read", "read"},
		{"__riscv_sys_read", "read"},
		{"__se_sys_madvise.part.0", "madvise"},
		{"x64_sys_call", NULL},
		{"__sys_sendto", NULL},
		{"__sys_socket", NULL},
		{"ksys_read", NULL},
		{"sys_imageblit", NULL},
		{"sys_fillrect", NULL},
		{"sys_copyarea", NULL},
		{"sys_", NULL},
		{"vfs_read", NULL},
		{"do_syscall_64", NULL},
		{"el0_svc_common", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const char *function = cases[i].function, *name;
		size_t n;
		bool found = syscall_of_function(function, strlen(function), &name, &n);

		if (found != (cases[i].call != NULL) ||
		    (found && (strlen(cases[i].call) != n || memcmp(name, cases[i].call, n))))
			fail_msg("%s", function);
	}
}

/* Executions of a trace, written down: "call: line line ..." with the calls as in an identity. */
struct bench {
	struct names *names;
	struct trees *trees;
	struct assembler_options options;
	struct assembler *assembler;
	struct text_reader *reader;
	char text[4096];
	struct clean_rules *rules;
	bool clean;
	uint64_t removed_ns[N_REMOVED_KINDS];
	bool disturbed, own_unknown;
};

static void write_tree(struct bench *bench, uint32_t root)
{
	struct tree_walk walk;
	size_t at = strlen(bench->text);

	tree_walk_init(&walk, bench->trees, root);
	while (tree_walk_next(&walk))
		at += (size_t)snprintf(
			bench->text + at, sizeof bench->text - at, " %u%s", walk.depth,
			names_text(bench->names, trees_function(bench->trees, walk.node)));
	tree_walk_release(&walk);
	snprintf(bench->text + at, sizeof bench->text - at, ";");
}

static void take_execution(void *context, const struct execution *execution)
{
	struct bench *bench = context;
	struct clean_path clean;

	if (!bench->clean) {
		write_tree(bench, execution->root);
		return;
	}
	clean_path_init(&clean, bench->rules, bench->trees, execution->root);
	write_tree(bench, clean.root);
	clean_path_times(&clean, execution->node_ns, bench->removed_ns);
	bench->disturbed = clean.disturbed;
	bench->own_unknown = clean.own_unknown;
	clean_path_release(&clean);
}

static void take_events(void *context, const struct event *events, size_t n)
{
	assembler_feed(context, events, n);
}

static void begin(struct bench *bench, bool clean)
{
	memset(bench, 0, sizeof *bench);
	bench->clean = clean;
	bench->names = names_new();
	bench->trees = trees_new();
	bench->rules = clean_rules_new(bench->names, NULL, 0);
	bench->assembler =
		assembler_new(bench->names, bench->trees, &bench->options, take_execution, bench);
	bench->reader = text_reader_new(bench->names, take_events, bench->assembler);
}

static void run(struct bench *bench, const char *trace)
{
	text_reader_feed(bench->reader, trace, strlen(trace));
	text_reader_end(bench->reader);
	assembler_end_run(bench->assembler);
}

static void end(struct bench *bench)
{
	text_reader_free(bench->reader);
	assembler_free(bench->assembler);
	clean_rules_free(bench->rules);
	trees_free(bench->trees);
	names_free(bench->names);
}

#define TASKS "# CPU  TASK/PID         DURATION                  FUNCTION CALLS\n"

struct assembly_case {
	const char *what, *trace, *executions;
	uint64_t cut, orphans, unfinished, broken;
};

static const struct assembly_case assemblies[] = {
	{"a leaf", " 0)   1.000 us    |  sys_a();\n", " 0sys_a;", 0, 0, 0, 0},
	{"nesting, parents outside of it",
	 " 0)               |  do_syscall_64() {\n"
	 " 0)               |    x64_sys_call() {\n"
	 " 0)               |      __x64_sys_a() {\n"
	 " 0)   1.000 us    |        f();\n"
	 " 0)               |        g() {\n"
	 " 0)   1.000 us    |          f();\n"
	 " 0)   1.000 us    |        }\n"
	 " 0)   1.000 us    |      }\n"
	 " 0)   1.000 us    |    }\n"
	 " 0)   1.000 us    |  }\n",
	 " 0__x64_sys_a 1f 1g 2f;", 0, 0, 0, 0},
	{"an interrupt while the root returns: its calls at or above the root's depth",
	 " 0)               |    sys_a() {\n"
	 " 0)   1.000 us    |      f();\n"
	 " 0)               |  irq_enter_rcu() {\n"
	 " 0)   1.000 us    |    g();\n"
	 " 0)   1.000 us    |  }\n"
	 " 0)   1.000 us    |    } /* sys_a */\n",
	 " 0sys_a 1f 1irq_enter_rcu 2g;", 0, 0, 0, 0},
	{"a second root beside an open one: its exit was lost",
	 " 0)               |  sys_a() {\n"
	 " 0)   1.000 us    |    f();\n"
	 " 0)               |  sys_b() {\n"
	 " 0)   1.000 us    |  }\n",
	 " 0sys_b;", 0, 0, 0, 1},
	{"a root inside another is a call",
	 " 0)               |  sys_a() {\n"
	 " 0)   1.000 us    |    sys_b();\n"
	 " 0)   1.000 us    |  }\n",
	 " 0sys_a 1sys_b;", 0, 0, 0, 0},
	{"an exit that leaves a call open above it",
	 " 0)               |  sys_a() {\n"
	 " 0)               |    f() {\n"
	 " 0)   1.000 us    |  }\n",
	 "", 0, 0, 0, 1},
	{"an exit by another name",
	 " 0)               |  sys_a() {\n"
	 " 0)   1.000 us    |  } /* sys_b */\n",
	 "", 0, 0, 0, 1},
	{"an exit without an entry", " 0)   1.000 us    |  } /* sys_a */\n", "", 0, 1, 0, 0},
	{"the end of the trace", " 0)               |  sys_a() {\n", "", 0, 0, 1, 0},
	{"a loss on another CPU, and on its own",
	 " 0)               |  sys_a() {\n"
	 "CPU:1 [LOST 7 EVENTS]\n"
	 " 0)   1.000 us    |  }\n"
	 " 0)               |  sys_b() {\n"
	 "CPU:0 [LOST 7 EVENTS]\n"
	 " 0)   1.000 us    |  }\n",
	 " 0sys_a;", 1, 0, 0, 0},
	{"nesting belongs to the task: two on one CPU",
	 TASKS " 0)     aa-11      |               |  sys_a() {\n"
	       " 0)     bb-12      |               |  sys_b() {\n"
	       " 0)     aa-11      |   1.000 us    |  }\n"
	       " 0)     bb-12      |   1.000 us    |  }\n",
	 " 0sys_a; 0sys_b;", 0, 0, 0, 0},
	{"... and one on two CPUs",
	 TASKS " 0)     aa-11      |               |  sys_a() {\n"
	       " 1)     bb-12      |               |  sys_b() {\n"
	       " 1)     aa-11      |   1.000 us    |  }\n",
	 " 0sys_a;", 0, 0, 1, 0},
	{"... told by banners, the first one too",
	 " 1)               |  sys_a() {\n"
	 " ------------------------------------------\n"
	 " 1)     aa-11      =>     bb-12     \n"
	 " ------------------------------------------\n"
	 " 1)               |  sys_b() {\n"
	 " ------------------------------------------\n"
	 " 0)     cc-13      =>     aa-11     \n"
	 " ------------------------------------------\n"
	 " 0)   1.000 us    |  }\n",
	 " 0sys_a;", 0, 0, 1, 0},
	{"the idle tasks of two CPUs are two tasks",
	 TASKS " 0)   <idle>-0     |               |  sys_a() {\n"
	       " 1)   <idle>-0     |               |  sys_b() {\n"
	       " 0)   <idle>-0     |   1.000 us    |  }\n"
	       " 1)   <idle>-0     |   1.000 us    |  }\n",
	 " 0sys_a; 0sys_b;", 0, 0, 0, 0},
	{"a trace behind another: what is open in the first is unfinished",
	 " 0)               |  sys_a() {\n"
	 "# tracer: function_graph\n"
	 " 0)   1.000 us    |    f();\n"
	 " 0)               |    sys_b() {\n"
	 " 0)   1.000 us    |      f();\n"
	 " 0)   1.000 us    |    }\n",
	 " 0sys_b 1f;", 0, 0, 1, 0},
	{"a loss cuts what is open on its CPU, wherever it began",
	 TASKS " 0)      a-11      |               |  sys_a() {\n"
	       " 0)      b-12      |               |  sys_b() {\n"
	       " 1)      a-11      |   1.000 us    |    f();\n"
	       "CPU:0 [LOST 5 EVENTS]\n"
	       " 1)      a-11      |   1.000 us    |  }\n"
	       " 0)      b-12      |   1.000 us    |  }\n",
	 " 0sys_a 1f;", 1, 0, 0, 0},
};

static void test_assembly(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(assemblies); i++) {
		const struct assembly_case *one = &assemblies[i];
		const struct assembler_counts *counts;
		struct bench bench;

		begin(&bench, false);
		run(&bench, one->trace);
		counts = assembler_counts(bench.assembler);
		if (strcmp(bench.text, one->executions) || counts->cut_by_loss != one->cut ||
		    counts->orphans != one->orphans || counts->unfinished != one->unfinished ||
		    counts->broken != one->broken)
			fail_msg("%s: '%s' cut %d orphans %d unfinished %d broken %d", one->what,
				 bench.text, (int)counts->cut_by_loss, (int)counts->orphans,
				 (int)counts->unfinished, (int)counts->broken);
		end(&bench);
	}
}

/* A banner that comes later than the reader looks ahead: bytes come one at a time. */
static void test_owner_told_late(void **state)
{
	static const char trace[] = " 1)               |  sys_a() {\n"
				    " 1)     aa-11      =>     bb-12     \n"
				    " 1)     bb-12      =>     aa-11     \n"
				    " 1)   1.000 us    |  }\n";
	struct bench bench;

	(void)state;
	begin(&bench, false);
	for (size_t i = 0; i < sizeof trace - 1; i++)
		text_reader_feed(bench.reader, trace + i, 1);
	assert_string_equal(bench.text, " 0sys_a;");
	end(&bench);
}

static void test_other_roots(void **state)
{
	static const char *const roots[] = {"g"};
	struct bench bench;

	(void)state;
	begin(&bench, false);
	bench.options.roots = roots;
	bench.options.n_roots = 1;
	run(&bench, " 0)               |  sys_a() {\n"
		    " 0)               |    g() {\n"
		    " 0)   1.000 us    |      f();\n"
		    " 0)   1.000 us    |    }\n"
		    " 0)   1.000 us    |    g();\n"
		    " 0)   1.000 us    |  }\n");
	assert_string_equal(bench.text, " 0g 1f; 0g;");
	end(&bench);
}

static void test_filters(void **state)
{
	static const int pids[] = {12};
	static const char *const comms[] = {"bb"};
	static const int cpus[] = {1};
	struct assembler_options choices[] = {
		{.pids = pids, .n_pids = 1},
		{.comms = comms, .n_comms = 1},
		{.cpus = cpus, .n_cpus = 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(choices); i++) {
		struct bench bench;

		begin(&bench, false);
		bench.options = choices[i];
		run(&bench, TASKS " 0)     aa-11      |   1.000 us    |  sys_a();\n"
				  " 1)     bb-12      |   1.000 us    |  sys_b();\n");
		assert_string_equal(bench.text, " 0sys_b;");
		end(&bench);
	}
}

static void test_longest_broken(void **state)
{
	struct bench bench;

	(void)state;
	begin(&bench, false);
	run(&bench, "#     TIME        CPU  DURATION                  FUNCTION CALLS\n"
		    "    1.000100 |   0)               |  sys_a() {\n"
		    "    1.000150 |   0)   1.000 us    |    f();\n");
	assert_int_equal(assembler_counts(bench.assembler)->longest_broken_ns, 50000);
	end(&bench);
}

/* A trace too deep or too long for any kernel costs an execution, not the machine. */
static void test_hostile_depth(void **state)
{
	struct bench bench;
	char line[64];

	(void)state;
	begin(&bench, false);
	for (int i = 0; i < 100000; i++) {
		int n = snprintf(line, sizeof line, " 0)               |  %s() {\n",
				 i ? "  f" : "sys_a");

		text_reader_feed(bench.reader, line, (size_t)n);
	}
	assert_int_equal(assembler_counts(bench.assembler)->broken, 1);
	end(&bench);
}

#define CALL(depth_spaces, name, us) " 0)   " us " us    |  " depth_spaces name "();\n"
#define OPEN(depth_spaces, name) " 0)               |  " depth_spaces name "() {\n"
#define CLOSE(depth_spaces, us) " 0)   " us " us    |  " depth_spaces "}\n"
#define D1 "  "
#define D2 "    "
#define D3 "      "

struct clean_case {
	const char *what, *trace, *clean;
	uint64_t interrupt_ns, preempted_ns, off_cpu_ns;
	bool disturbed, own_unknown;
};

static const struct clean_case cleans[] = {
	{"nothing to remove, page faults stay",
	 OPEN("", "sys_a") CALL(D1, "exc_page_fault", "1.000") CALL(D1, "f", "1.000")
		 CLOSE("", "5.000"),
	 " 0sys_a 1exc_page_fault 1f;", 0, 0, 0, false, false},
	{"an interrupt from enter to exit",
	 OPEN("", "sys_a") CALL(D1, "irq_enter_rcu",
				"1.000") CALL(D1, "__sysvec_apic_timer_interrupt", "2.000")
		 CALL(D1, "irq_exit_rcu", "4.000") CALL(D1, "f", "1.000") CLOSE("", "9.000"),
	 " 0sys_a 1f;", 7000, 0, 0, true, false},
	{"an interrupt without its exit: the enter and the handlers behind it",
	 OPEN("", "sys_a") CALL(D1, "irq_enter_rcu", "1.000") CALL(D1, "gic_handle_irq", "2.000")
		 CALL(D1, "f", "1.000") CLOSE("", "9.000"),
	 " 0sys_a 1f;", 3000, 0, 0, true, false},
	{"an interrupt whose handler was not recorded",
	 OPEN("", "sys_a") CALL(D1, "irq_enter_rcu", "1.000") CALL(D1, "irq_exit_rcu", "2.000")
		 CLOSE("", "9.000"),
	 " 0sys_a;", 3000, 0, 0, true, true},
	{"handlers alone",
	 OPEN("", "sys_a") CALL(D1, "smp_apic_timer_interrupt", "1.000") CALL(D1, "do_IRQ", "2.000")
		 CALL(D1, "nmi_handle", "4.000") CLOSE("", "9.000"),
	 " 0sys_a;", 7000, 0, 0, true, false},
	{"a preemption goes whole",
	 OPEN("", "sys_a") OPEN(D1, "f") CALL(D2, "preempt_schedule_irq", "3.000")
		 CLOSE(D1, "5.000") CLOSE("", "9.000"),
	 " 0sys_a 1f;", 0, 3000, 0, true, false},
	{"an interrupt's tail that preempts is preemption",
	 OPEN("", "sys_a") OPEN(D1, "raw_irqentry_exit_cond_resched")
		 CALL(D2, "preempt_schedule_irq", "3.000") CLOSE(D1, "4.000") CLOSE("", "9.000"),
	 " 0sys_a;", 0, 4000, 0, true, false},
	{"... and one that does not is interrupt",
	 OPEN("", "sys_a") CALL(D1, "irqentry_exit_cond_resched", "4.000") CLOSE("", "9.000"),
	 " 0sys_a;", 4000, 0, 0, true, false},
	/* f took 9 us, its children 1 + 1 + 2: the gap of the switch is 5 */
	{"a switch without a call around it takes its gap",
	 OPEN("", "sys_a") OPEN(D1, "f") CALL(D2, "rcu_note_context_switch", "1.000")
		 CALL(D2, "finish_task_switch.isra.0", "1.000") CALL(D2, "g", "2.000")
			 CLOSE(D1, "9.000") CLOSE("", "10.000"),
	 " 0sys_a 1f 2g;", 0, 7000, 0, true, true},
	{"... and none where the same task was picked again",
	 OPEN("", "sys_a") CALL(D1, "rcu_note_context_switch", "1.000")
		 CALL(D1, "pick_next_task_fair", "1.000") CALL(D1, "g", "2.000") CLOSE("", "9.000"),
	 " 0sys_a 1g;", 0, 2000, 0, true, false},
	{"a voluntary switch stays as a call",
	 OPEN("", "sys_a") OPEN(D1, "schedule") CALL(D2, "rcu_note_context_switch", "1.000")
		 CALL(D2, "finish_task_switch", "1.000") CLOSE(D1, "8.000") CLOSE("", "9.000"),
	 " 0sys_a 1schedule;", 0, 0, 8000, false, false},
	{"what a preemption leaves for later",
	 OPEN("", "sys_a") OPEN(D1, "migrate_enable") CALL(D2, "f", "1.000") CLOSE(D1, "3.000")
		 CALL(D1, "rcu_read_unlock_special", "2.000") CLOSE("", "9.000"),
	 " 0sys_a 1migrate_enable;", 0, 3000, 0, true, false},
	{"each piece once, by its outermost kind",
	 OPEN("", "sys_a") OPEN(D1, "schedule") CALL(D2, "irq_enter_rcu", "1.000")
		 CALL(D2, "irq_exit_rcu", "1.000") CLOSE(D1, "8.000") CLOSE("", "9.000"),
	 " 0sys_a 1schedule;", 0, 0, 8000, false, false},
};

static void test_clean(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cleans); i++) {
		const struct clean_case *one = &cleans[i];
		struct bench bench;

		begin(&bench, true);
		run(&bench, one->trace);
		if (strcmp(bench.text, one->clean) ||
		    bench.removed_ns[REMOVED_INTERRUPT] != one->interrupt_ns ||
		    bench.removed_ns[REMOVED_PREEMPTED] != one->preempted_ns ||
		    bench.removed_ns[REMOVED_OFF_CPU] != one->off_cpu_ns ||
		    bench.disturbed != one->disturbed || bench.own_unknown != one->own_unknown)
			fail_msg(
				"%s: '%s' interrupt %d preempted %d off %d disturbed %d unknown %d",
				one->what, bench.text, (int)bench.removed_ns[REMOVED_INTERRUPT],
				(int)bench.removed_ns[REMOVED_PREEMPTED],
				(int)bench.removed_ns[REMOVED_OFF_CPU], bench.disturbed,
				bench.own_unknown);
		end(&bench);
	}
}

static void test_opaque(void **state)
{
	static const char *const opaque[] = {"f"};
	struct bench bench;

	(void)state;
	begin(&bench, true);
	clean_rules_free(bench.rules);
	bench.rules = clean_rules_new(bench.names, opaque, 1);
	run(&bench, OPEN("", "sys_a") OPEN(D1, "f") CALL(D2, "g", "1.000") CLOSE(D1, "2.000")
			    CLOSE("", "3.000"));
	assert_string_equal(bench.text, " 0sys_a 1f;");
	assert_false(bench.disturbed);
	end(&bench);
}

/* The example of the definition: MD5 of "0 __x64_sys_set_robust_list\n". */
static void test_identity(void **state)
{
	struct names *names = names_new();
	struct trees *trees = trees_new();
	static const char name[] = "__x64_sys_set_robust_list";
	uint32_t function = names_intern(names, name, sizeof name - 1), f, g, inner;
	char id[33];

	(void)state;
	trees_identity(trees, names, trees_node(trees, function, NULL, 0), id);
	assert_string_equal(id, "fe3cf644dca94e286ebf612f64929f49");
	/* printf '0 f\n1 g\n2 g\n1 g\n' | md5sum */
	f = names_intern(names, "f", 1);
	g = names_intern(names, "g", 1);
	inner = trees_node(trees, g, NULL, 0);
	trees_identity(
		trees, names,
		trees_node(trees, f, (uint32_t[]){trees_node(trees, g, &inner, 1), inner}, 2), id);
	assert_string_equal(id, "6557cc511d1b2f672e8a3ccd2d5ff670");
	trees_free(trees);
	names_free(names);
}

/* Equal trees are one node, whatever came between; different ones are not. */
static void test_hash_consing(void **state)
{
	struct trees *trees = trees_new();
	uint32_t leaf[3], a, b;

	(void)state;
	for (uint32_t i = 0; i < 3; i++)
		leaf[i] = trees_node(trees, i, NULL, 0);
	a = trees_node(trees, 7, leaf, 3);
	for (uint32_t i = 0; i < 10000; i++)
		trees_node(trees, 100 + i, leaf, 2);
	b = trees_node(trees, 7, leaf, 3);
	assert_int_equal(a, b);
	assert_int_not_equal(a, trees_node(trees, 7, leaf, 2));
	assert_int_equal(trees_size(trees, a), 4);
	trees_free(trees);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_roots),		cmocka_unit_test(test_assembly),
		cmocka_unit_test(test_owner_told_late), cmocka_unit_test(test_other_roots),
		cmocka_unit_test(test_filters),		cmocka_unit_test(test_longest_broken),
		cmocka_unit_test(test_hostile_depth),	cmocka_unit_test(test_clean),
		cmocka_unit_test(test_opaque),		cmocka_unit_test(test_identity),
		cmocka_unit_test(test_hash_consing),
	};

	return cmocka_run_group_tests_name("path", tests, NULL, NULL);
}
