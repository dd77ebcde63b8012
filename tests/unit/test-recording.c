/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recordings: the counts, identities and times of real traces against answers
 * from outside; the same result with any number of workers; CSV; bad input.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "evtop/recording.h"

static const struct load_options quick = {.n_jobs = 1};

static struct recording *load(const char *path, const struct load_options *options)
{
	return recording_load(&path, 1, options, NULL);
}

/* ---- real traces ---- */

static const char *shipped(char *out, size_t n, const char *name)
{
	const char *top = getenv("top_srcdir");

	snprintf(out, n, "%s/%s", top ? top : ".", name);
	return out;
}

struct expected {
	char file[128], call[64], id[64];
	unsigned long executions, paths;
	unsigned long long min_ns, max_ns, sum_ns;
	int has_times;
};

static bool parse_expected(char *line, struct expected *row)
{
	char *field[8];

	for (int i = 0; i < 8; i++) {
		field[i] = strsep(&line, ",\n");
		if (!field[i])
			return false;
	}
	snprintf(row->file, sizeof row->file, "%s", field[0]);
	snprintf(row->call, sizeof row->call, "%s", field[1]);
	snprintf(row->id, sizeof row->id, "%s", field[7]);
	row->executions = strtoul(field[2], NULL, 10);
	row->paths = strtoul(field[3], NULL, 10);
	row->has_times = *field[4] != '\0';
	row->min_ns = strtoull(field[4], NULL, 10);
	row->max_ns = strtoull(field[5], NULL, 10);
	row->sum_ns = strtoull(field[6], NULL, 10);
	return true;
}

static bool is_most_common(const struct call *call, const char *id)
{
	const struct path *paths = call->paths[IDENTITY_RAW];

	for (uint32_t i = 0; i < call->n_paths[IDENTITY_RAW]; i++)
		if (paths[i].n_executions == paths[0].n_executions && strcmp(paths[i].id, id) == 0)
			return true;
	return false;
}

static void check_call(const struct recording *recording, const struct expected *row)
{
	const struct call *call = recording_find_call(recording, row->call);
	uint64_t min = UINT64_MAX, max = 0, sum = 0;

	if (!call)
		fail_msg("%s: no %s", row->file, row->call);
	for (uint32_t i = 0; i < call->n_executions; i++) {
		uint64_t ns = call->duration_ns[i];

		min = ns < min ? ns : min;
		max = ns > max ? ns : max;
		sum += ns;
	}
	if (call->n_executions != row->executions || call->n_paths[IDENTITY_RAW] != row->paths)
		fail_msg("%s %s: %u executions, %u paths", row->file, row->call, call->n_executions,
			 call->n_paths[IDENTITY_RAW]);
	if (row->has_times && (min != row->min_ns || max != row->max_ns || sum != row->sum_ns))
		fail_msg("%s %s: times", row->file, row->call);
	if (*row->id && !is_most_common(call, row->id))
		fail_msg("%s %s: most common path is not %s", row->file, row->call, row->id);
}

/* Rows of a file follow each other; it must hold these calls and no others. */
static unsigned compare_expected(const char *folder)
{
	char name[512], line[512], current[128] = "";
	struct recording *recording = NULL;
	unsigned n = 0, calls = 0;
	FILE *file;

	snprintf(name, sizeof name, "%s/expected.csv", folder);
	file = fopen(name, "r");
	if (!file)
		return 0;
	assert_non_null(fgets(line, sizeof line, file));
	while (fgets(line, sizeof line, file)) {
		struct expected row;

		assert_true(parse_expected(line, &row));
		if (strcmp(row.file, current) != 0) {
			if (recording)
				assert_int_equal(recording->n_calls, calls);
			recording_free(recording);
			snprintf(current, sizeof current, "%s", row.file);
			snprintf(name, sizeof name, "%s/%s", folder, row.file);
			if (access(name, R_OK) != 0)
				snprintf(name, sizeof name, "%s/%s.xz", folder, row.file);
			recording = load(name, &quick);
			assert_null(recording->inputs[0].error);
			assert_int_equal(recording->discards.unread_lines, 0);
			calls = 0;
		}
		if (strcmp(row.call, "-") != 0) {
			check_call(recording, &row);
			calls++;
		}
		n++;
	}
	assert_int_equal(recording->n_calls, calls);
	recording_free(recording);
	fclose(file);
	return n;
}

static void test_shipped_traces(void **state)
{
	char folder[512];
	unsigned n = compare_expected(shipped(folder, sizeof folder, "tests/data/traces"));

	(void)state;
	print_message("%u rows compared\n", n);
	assert_true(n > 100);
}

static void test_all_traces(void **state)
{
	const char *data = getenv("EVTOP_TEST_DATA");
	char folder[512];

	(void)state;
	snprintf(folder, sizeof folder, "%s/traces", data ? data : "");
	if (!data || access(folder, R_OK) != 0)
		skip();
	assert_true(compare_expected(folder) > 150);
}

/* ---- the same result ---- */

/* Everything of a recording that a user can see, as text. */
static char *describe(const struct recording *recording)
{
	struct text text = {0};

	for (uint32_t i = 0; i < recording->n_runs; i++)
		text_printf(&text, "%s/%s\n",
			    recording->campaigns[recording->runs[i].campaign].name,
			    recording->runs[i].name);
	for (uint32_t c = 0; c < recording->n_calls; c++) {
		const struct call *call = &recording->calls[c];

		text_printf(&text, "%s\n", call->name);
		for (uint32_t i = 0; i < call->n_executions; i++)
			text_printf(&text, "%u %u %llu %u\n", call->run[i], call->raw[i],
				    (unsigned long long)call->duration_ns[i], call->flags[i]);
		for (uint32_t i = 0; i < call->n_removed; i++)
			text_printf(&text, "%u %llu %llu %llu\n", call->removed[i].execution,
				    (unsigned long long)call->removed[i].interrupt_ns,
				    (unsigned long long)call->removed[i].preempted_ns,
				    (unsigned long long)call->removed[i].off_cpu_ns);
		for (enum identity id = IDENTITY_CLEAN; id <= IDENTITY_RAW; id++)
			for (uint32_t i = 0; i < call->n_paths[id]; i++) {
				const struct path *path = &call->paths[id][i];

				text_printf(&text, "%s %u %u %u %u %u\n", path->id,
					    path->n_executions, path->n_disturbed, path->n_raw,
					    path->first_campaign, path->last_campaign);
				for (uint32_t k = 0; path->times && k < path->times->n_slowest; k++)
					text_printf(&text, "%u ",
						    path->times->slowest[k].execution);
				for (uint32_t k = 0; path->times && k < path->times->n_typical; k++)
					text_printf(&text, "%u ",
						    path->times->typical[k].execution);
				for (uint32_t k = 0;
				     path->times && k < trees_size(recording->trees, path->root);
				     k++)
					text_printf(
						&text, "%llu %llu %llu\n",
						(unsigned long long)path->times->nodes[k].sum,
						(unsigned long long)path->times->nodes[k].self_max,
						(unsigned long long)path->times->nodes[k]
							.squares_low);
			}
	}
	return text.bytes;
}

static void test_any_number_of_workers(void **state)
{
	char name[512];
	char *first = NULL;

	(void)state;
	shipped(name, sizeof name, "sample-data/counted-loaded.tar.zst");
	if (access(name, R_OK) != 0)
		skip();
	for (uint32_t jobs = 1; jobs <= 5; jobs += 2) {
		struct load_options options = {.n_jobs = jobs, .node_times = true};
		struct recording *recording = load(name, &options);
		char *text = describe(recording);

		if (!first)
			first = mem_copy_text(text);
		assert_string_equal(text, first);
		free(text);
		recording_free(recording);
	}
	free(first);
}

/* Per-call times against a plain sum over the executions that were kept whole. */
static void test_node_times(void **state)
{
	struct load_options options = {.n_jobs = 1, .node_times = true};
	struct recording *recording;
	const struct call *call;
	char name[512];

	(void)state;
	shipped(name, sizeof name, "tests/data/traces/x86_64-6.1/b_allcols.txt.xz");
	recording = load(name, &options);
	call = recording_find_call(recording, "openat");
	assert_non_null(call);
	for (uint32_t p = 0; p < call->n_paths[IDENTITY_CLEAN]; p++) {
		const struct path *path = &call->paths[IDENTITY_CLEAN][p];
		const struct path_times *times = path->times;
		uint64_t root = 0;

		/* five executions: all of them are among the slowest five */
		assert_int_equal(times->n_slowest, path->n_executions);
		assert_int_equal(times->n_typical, path->n_executions - path->n_disturbed);
		for (uint32_t i = 0; i < trees_size(recording->trees, path->root); i++) {
			uint64_t sum = 0;

			for (uint32_t k = 0; k < times->n_typical; k++)
				sum += times->typical[k].node_ns[i];
			assert_int_equal(times->nodes[i].sum, sum);
			assert_int_equal(times->nodes[i].n, times->n_typical);
		}
		for (uint32_t i = 0; i < trees_size(recording->trees, path->root); i++)
			root += times->nodes[i].self_sum;
		/* own times of all calls add up to the root's, but for digits cut off */
		assert_in_range(root, times->nodes[0].sum * 99 / 100,
				times->nodes[0].sum * 101 / 100);
	}
	recording_free(recording);
}

/* ---- files made for a test ---- */

static char folder_name[64];

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder_name, sizeof folder_name, "/tmp/evtop-test-XXXXXX");
	return mkdtemp(folder_name) ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const names[] = {"a.csv",
					    "good.txt",
					    "bad.txt",
					    "empty",
					    "binary",
					    "campaign-1/a.txt",
					    "campaign-1/manifest",
					    "campaign-1",
					    "campaign-10/a.txt",
					    "campaign-10",
					    "campaign-2/a.txt",
					    "campaign-2",
					    "manifest",
					    ""};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		char name[256];

		snprintf(name, sizeof name, "%s/%s", folder_name, names[i]);
		if (remove(name) != 0 && errno != ENOENT)
			return -1;
	}
	return 0;
}

static const char *make_file(char *out, size_t n, const char *name, const char *bytes,
			     size_t length)
{
	FILE *file;

	snprintf(out, n, "%s/%s", folder_name, name);
	file = fopen(out, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	fclose(file);
	return out;
}

#define TRACE " 0)   1.000 us    |  sys_a();\n"

static void test_folders_are_campaigns(void **state)
{
	static const char *const campaigns[] = {"campaign-1", "campaign-2", "campaign-10"};
	static const char manifest[] = "# made by hand\nkernel = 6.12.1-rt\nemulated = counted\n"
				       "scope = everything\nother = thing\n";
	struct load_options options = {.n_jobs = 2, .digest = true};
	struct recording *recording;
	char name[256];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(campaigns); i++) {
		char file[64];

		snprintf(name, sizeof name, "%s/%s", folder_name, campaigns[i]);
		assert_int_equal(mkdir(name, 0700), 0);
		snprintf(file, sizeof file, "%s/a.txt", campaigns[i]);
		make_file(name, sizeof name, file, TRACE, sizeof TRACE - 1);
	}
	make_file(name, sizeof name, "manifest", manifest, sizeof manifest - 1);
	recording = load(folder_name, &options);
	assert_int_equal(recording->n_campaigns, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_string_equal(recording->campaigns[i].name, campaigns[i]);
	assert_int_equal(recording->calls[0].n_executions, 3);
	assert_string_equal(recording->inputs[0].kernel, "6.12.1-rt");
	assert_string_equal(recording->inputs[0].scope, "everything");
	assert_int_equal(recording->inputs[0].emulated, EMULATION_COUNTED);
	assert_int_equal(strlen(recording->inputs[0].sha256), 64);
	recording_free(recording);
}

static void test_csv(void **state)
{
	static const char csv[] = "path,other,syscall,duration_us,campaign,run\r\n"
				  "A,x,read,1.5,one,1\r\n"
				  "\"B,\"\"b\"\"\",,read,0,one,2\n"
				  "A,x,write,2.0006,one,2\n"
				  "A,x,read,9223372036854775808,two,1\n"
				  "A,x,read,-1,two,1\n"
				  "A,x,read,fast,two,1\n"
				  "A,x,read\n"
				  "A,x,read,1e3,two,1";
	struct recording *recording;
	const struct call *call;
	char name[256];

	(void)state;
	make_file(name, sizeof name, "a.csv", csv, sizeof csv - 1);
	recording = load(name, &quick);
	assert_null(recording->inputs[0].error);
	assert_string_equal(recording->inputs[0].format, "csv");
	call = recording_find_call(recording, "read");
	assert_int_equal(call->n_executions, 3);
	assert_int_equal(call->duration_ns[0], 1500);
	assert_int_equal(call->duration_ns[1], 0);
	assert_int_equal(call->duration_ns[2], 1000000);
	assert_string_equal(call->paths[IDENTITY_CLEAN][0].id, "A");
	assert_string_equal(call->paths[IDENTITY_CLEAN][1].id, "B,\"b\"");
	assert_int_equal(recording_find_call(recording, "write")->duration_ns[0], 2001);
	assert_int_equal(recording->n_campaigns, 2);
	assert_int_equal(recording->n_runs, 3);
	/* four rows gave nothing: 2^63, negative, no number, too few fields; counted and told */
	assert_int_equal(recording->discards.unread_lines, 4);
	assert_int_equal(recording->n_complaints, 1);
	assert_non_null(
		strstr(recording->complaints[0].reason, "line 5: a duration above 104 days"));
	recording_free(recording);
}

static void test_csv_without_a_duration(void **state)
{
	static const char csv[] = "syscall,path\nread,A\n";
	struct recording *recording;
	char name[256];

	(void)state;
	make_file(name, sizeof name, "a.csv", csv, sizeof csv - 1);
	recording = load(name, &quick);
	assert_string_equal(recording->inputs[0].error, "has no column duration_ns or duration_us");
	recording_free(recording);
}

static void test_one_bad_file_among_good_ones(void **state)
{
	static const char text[] = "this is not\na trace\n";
	struct recording *recording;
	char name[256];

	(void)state;
	make_file(name, sizeof name, "good.txt", TRACE, sizeof TRACE - 1);
	make_file(name, sizeof name, "bad.txt", text, sizeof text - 1);
	make_file(name, sizeof name, "empty", "", 0);
	make_file(name, sizeof name, "binary",
		  "\x7f"
		  "ELF\0\0\0",
		  7);
	recording = load(folder_name, &quick);
	assert_null(recording->inputs[0].error);
	assert_int_equal(recording->n_executions, 1);
	assert_int_equal(recording->n_runs, 1);
	assert_int_equal(recording->n_complaints, 3);
	assert_string_equal(recording->complaints[0].file, "bad.txt");
	assert_string_equal(recording->complaints[0].reason,
			    "is not a trace: no call in 2 lines, the first is 'this is not'");
	assert_string_equal(recording->complaints[1].reason, "is binary, not a trace");
	assert_string_equal(recording->complaints[2].reason, "is empty");
	recording_free(recording);
}

static void test_single_bad_inputs(void **state)
{
	struct recording *recording;
	char name[256];

	(void)state;
	recording = load("/nonexistent/trace", &quick);
	assert_string_equal(recording->inputs[0].error,
			    "cannot be opened: No such file or directory");
	recording_free(recording);
	make_file(name, sizeof name, "binary", "\x17\x08\x44tracing\0", 11);
	recording = load(name, &quick);
	assert_non_null(strstr(recording->inputs[0].error, "is a trace.dat file"));
	recording_free(recording);
	/* a gzip that ends early gives what is whole in it, which here is nothing */
	make_file(name, sizeof name, "binary", "\x1f\x8b\x08\0\0\0", 6);
	recording = load(name, &quick);
	assert_non_null(recording->inputs[0].error);
	recording_free(recording);
	make_file(name, sizeof name, "good.txt", "# tracer: function_graph\n", 25);
	recording = load(name, &quick);
	assert_null(recording->inputs[0].error);
	assert_int_equal(recording->n_executions, 0);
	recording_free(recording);
}

/* Headings of another file are no trace's header. */
static void test_headings_are_no_trace(void **state)
{
	static const char text[] = "# evtop\n\n## A tour\n";
	struct recording *recording;
	char name[256];

	(void)state;
	make_file(name, sizeof name, "bad.txt", text, sizeof text - 1);
	recording = load(name, &quick);
	assert_non_null(recording->inputs[0].error);
	recording_free(recording);
}

/* A folder of recordings whose manifests contradict each other. */
static void test_manifests_that_differ(void **state)
{
	static const char one[] = "kernel = 6.1\nemulated = host\n";
	static const char two[] = "kernel = 6.12\nemulated = counted\n";
	struct recording *recording;
	char name[256];

	(void)state;
	snprintf(name, sizeof name, "%s/campaign-1", folder_name);
	assert_int_equal(mkdir(name, 0700), 0);
	make_file(name, sizeof name, "campaign-1/manifest", one, sizeof one - 1);
	make_file(name, sizeof name, "campaign-1/a.txt", TRACE, sizeof TRACE - 1);
	make_file(name, sizeof name, "manifest", two, sizeof two - 1);
	recording = load(folder_name, &quick);
	assert_string_equal(recording->inputs[0].kernel, "several");
	assert_true(recording->inputs[0].kernel_differs);
	assert_true(recording->inputs[0].machine_differs);
	assert_false(recording->inputs[0].scope_differs);
	assert_int_equal(recording->inputs[0].emulated, EMULATION_HOST);
	recording_free(recording);
}

/* ---- choosing ---- */

static void test_samples(void **state)
{
	struct selection selection = {.path = PATH_ALL};
	static const struct {
		enum stratum stratum;
		enum time_kind time;
		uint32_t n, left_out;
		uint64_t first_ns;
	} cases[] = {
		{STRATUM_ALL, TIME_WHOLE, 3, 0, 1000},
		{STRATUM_UNDISTURBED, TIME_WHOLE, 1, 0, 1000},
		{STRATUM_DISTURBED, TIME_WHOLE, 2, 0, 9000},
		{STRATUM_DISTURBED, TIME_OWN, 1, 1, 5000},
	};
	static const char trace[] = " 0)   1.000 us    |  sys_a();\n"
				    " 0)               |  sys_a() {\n"
				    " 0)   1.000 us    |    irq_enter_rcu();\n"
				    " 0)   2.000 us    |    do_IRQ();\n"
				    " 0)   1.000 us    |    irq_exit_rcu();\n"
				    " 0)   9.000 us    |  }\n"
				    " 0)               |  sys_a() {\n"
				    " 0)   1.000 us    |    rcu_note_context_switch();\n"
				    " 0)   1.000 us    |    finish_task_switch();\n"
				    " 0)   9.000 us    |  }\n";
	struct recording *recording;
	char name[256];

	(void)state;
	make_file(name, sizeof name, "good.txt", trace, sizeof trace - 1);
	recording = load(name, &quick);
	assert_int_equal(recording->calls[0].n_paths[IDENTITY_RAW], 3);
	assert_int_equal(recording->calls[0].n_paths[IDENTITY_CLEAN], 1);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct sample sample;

		selection.stratum = cases[i].stratum;
		selection.time = cases[i].time;
		sample_select(recording, &recording->calls[0], &selection, &sample);
		assert_int_equal(sample.n, cases[i].n);
		assert_int_equal(sample.n_left_out, cases[i].left_out);
		assert_int_equal(sample.value_ns[0], cases[i].first_ns);
		sample_release(&sample);
	}
	recording_free(recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shipped_traces),
		cmocka_unit_test(test_all_traces),
		cmocka_unit_test(test_any_number_of_workers),
		cmocka_unit_test(test_node_times),
		cmocka_unit_test_setup_teardown(test_folders_are_campaigns, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_csv, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_csv_without_a_duration, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_one_bad_file_among_good_ones, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_single_bad_inputs, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_headings_are_no_trace, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_manifests_that_differ, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_samples, make_folder, remove_folder),
	};

	return cmocka_run_group_tests_name("recording", tests, NULL, NULL);
}
