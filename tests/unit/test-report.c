/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reports of a recording built by hand: two clean paths, three raw ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "evtop/report.h"

#define N_EXECUTIONS 2400u
#define N_RUNS 24u
#define N_CAMPAIGNS 4u

/* Names that a hostile trace could hold. */
#define CALL_NAME "open\x1b[31m\"at,"
#define INPUT_NAME "odd\xff\"name.tar"

struct fixture {
	struct recording recording;
	struct input input;
	struct complaint complaint;
	struct campaign campaigns[N_CAMPAIGNS];
	struct run runs[N_RUNS];
	struct call call;
	struct path clean[2], raw[3];
	char ids[5][33];
	uint64_t duration_ns[N_EXECUTIONS];
	uint32_t raw_of[N_EXECUTIONS], run_of[N_EXECUTIONS];
	uint32_t order[2][N_EXECUTIONS];
	uint8_t flags[N_EXECUTIONS];
	struct removed removed[N_EXECUTIONS];
	struct path_times times;
	struct node_times nodes[3];
	uint64_t kept_ns[KEPT_TYPICAL][4];
};

static uint32_t node(struct fixture *fixture, const char *name, const uint32_t *children,
		     uint32_t n)
{
	return trees_node(fixture->recording.trees,
			  names_intern(fixture->recording.names, name, strlen(name)), children, n);
}

/*
 * Raw 0: root(a b), raw 1: the same with an interrupt, raw 2: root(a), another
 * clean path. Of ten executions six are raw 0, three raw 1, one raw 2.
 */
static void plant_trees(struct fixture *fixture)
{
	uint32_t a = node(fixture, "a", NULL, 0), b = node(fixture, "b\x07", NULL, 0);
	uint32_t irq = node(fixture, "irq_enter_rcu", NULL, 0);
	uint32_t both[] = {a, b}, disturbed[] = {a, irq, b};
	uint32_t roots[5];

	roots[0] = roots[2] = node(fixture, "__x64_sys_openat", both, 2);
	roots[1] = roots[4] = node(fixture, "__x64_sys_openat", &a, 1);
	roots[3] = node(fixture, "__x64_sys_openat", disturbed, 3);
	for (int i = 0; i < 5; i++)
		trees_identity(fixture->recording.trees, fixture->recording.names, roots[i],
			       fixture->ids[i]);
	fixture->clean[0] = (struct path){.id = fixture->ids[0],
					  .root = roots[0],
					  .n_executions = 2160,
					  .n_seen = 2160,
					  .n_disturbed = 720,
					  .n_disturbed_seen = 720,
					  .n_raw = 2,
					  .last_campaign = 3,
					  .times = &fixture->times};
	fixture->clean[1] = (struct path){.id = fixture->ids[1],
					  .root = roots[1],
					  .n_executions = 240,
					  .n_seen = 240,
					  .n_raw = 1,
					  .first = 2160,
					  .last_campaign = 3};
	fixture->raw[0] = (struct path){.id = fixture->ids[2],
					.root = roots[2],
					.n_executions = 1440,
					.n_seen = 1440,
					.last_campaign = 3};
	fixture->raw[1] = (struct path){.id = fixture->ids[3],
					.root = roots[3],
					.n_executions = 720,
					.n_seen = 720,
					.n_disturbed = 720,
					.n_disturbed_seen = 720,
					.first = 1440,
					.last_campaign = 3};
	fixture->raw[2] = (struct path){.id = fixture->ids[4],
					.root = roots[4],
					.clean = 1,
					.n_executions = 240,
					.n_seen = 240,
					.first = 2160,
					.last_campaign = 3};
}

/* splitmix64: the same durations everywhere. */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static void run_executions(struct fixture *fixture)
{
	static const uint32_t raw_of[10] = {0, 1, 0, 0, 1, 0, 2, 0, 1, 0};
	uint32_t at[2][3] = {{0, 2160, 0}, {0, 1440, 2160}};
	struct call *call = &fixture->call;
	uint64_t seed = 7;

	for (uint32_t i = 0; i < N_EXECUTIONS; i++) {
		uint32_t raw = raw_of[i % 10], clean = raw == 2;

		fixture->raw_of[i] = raw;
		fixture->run_of[i] = i / (N_EXECUTIONS / N_RUNS);
		fixture->duration_ns[i] = 100000 + draw(&seed) % 4000 + draw(&seed) % 4000;
		if (raw == 1) {
			fixture->flags[i] = EXECUTION_DISTURBED;
			fixture->duration_ns[i] += 5000;
			fixture->removed[call->n_removed++] = (struct removed){i, 5000, 0, 0};
			call->n_disturbed++;
			call->n_disturbed_seen++;
			call->interrupt_ns += 5000;
		}
		fixture->order[IDENTITY_CLEAN][at[0][clean]++] = i;
		fixture->order[IDENTITY_RAW][at[1][raw]++] = i;
	}
	call->name = (char *)CALL_NAME;
	call->n_executions = N_EXECUTIONS;
	call->n_seen = N_EXECUTIONS;
	call->duration_ns = fixture->duration_ns;
	call->raw = fixture->raw_of;
	call->run = fixture->run_of;
	call->flags = fixture->flags;
	call->removed = fixture->removed;
	call->paths[IDENTITY_CLEAN] = fixture->clean;
	call->paths[IDENTITY_RAW] = fixture->raw;
	call->n_paths[IDENTITY_CLEAN] = 2;
	call->n_paths[IDENTITY_RAW] = 3;
	call->order[IDENTITY_CLEAN] = fixture->order[IDENTITY_CLEAN];
	call->order[IDENTITY_RAW] = fixture->order[IDENTITY_RAW];
}

/*
 * Three executions kept: 10, 20 and 60 us in b, so that its median is 20. In
 * their raw tree a has an inside that the clean one has not: opaque.
 */
static void keep_times(struct fixture *fixture)
{
	static const uint64_t b_ns[] = {60000, 10000, 20000};
	struct path_times *times = &fixture->times;
	uint32_t inside = node(fixture, "x", NULL, 0);
	uint32_t both[] = {node(fixture, "a", &inside, 1), node(fixture, "b\x07", NULL, 0)};
	uint32_t raw_root = node(fixture, "__x64_sys_openat", both, 2);

	times->nodes = fixture->nodes;
	times->n_typical = 3;
	for (uint32_t i = 0; i < 3; i++) {
		fixture->kept_ns[i][0] = 100000;
		fixture->kept_ns[i][1] = 30000;
		fixture->kept_ns[i][2] = 29000;
		fixture->kept_ns[i][3] = b_ns[i];
		times->typical[i] =
			(struct kept_execution){i, raw_root, 100000, fixture->kept_ns[i]};
	}
	for (uint32_t i = 0; i < 3; i++)
		fixture->nodes[i] = (struct node_times){.n = 1440,
							.sum = 1440 * 30000ull,
							.min = 10000,
							.max = 60000,
							.self_sum = 1440 * 5000ull,
							.self_min = 1,
							.self_max = 9};
}

static int set_up(void **state)
{
	struct fixture *fixture = mem_zero(1, sizeof *fixture);
	struct recording *recording = &fixture->recording;

	recording->names = names_new();
	recording->trees = trees_new();
	fixture->input = (struct input){.name = (char *)INPUT_NAME,
					.path = (char *)"/secret/way/" INPUT_NAME,
					.format = "text",
					.emulated = EMULATION_HOST,
					.n_runs = N_RUNS,
					.n_campaigns = N_CAMPAIGNS};
	memset(fixture->input.sha256, 'a', 64);
	fixture->complaint = (struct complaint){(char *)"/secret/way/" INPUT_NAME "/c/run-1",
						(char *)"is empty"};
	for (uint32_t i = 0; i < N_CAMPAIGNS; i++)
		fixture->campaigns[i] = (struct campaign){
			(char *)"campaign", 0, i * N_RUNS / N_CAMPAIGNS, N_RUNS / N_CAMPAIGNS};
	for (uint32_t i = 0; i < N_RUNS; i++)
		fixture->runs[i] = (struct run){(char *)"run", i / (N_RUNS / N_CAMPAIGNS)};
	plant_trees(fixture);
	run_executions(fixture);
	keep_times(fixture);
	recording->inputs = &fixture->input;
	recording->n_inputs = 1;
	recording->complaints = &fixture->complaint;
	recording->n_complaints = 1;
	recording->campaigns = fixture->campaigns;
	recording->n_campaigns = N_CAMPAIGNS;
	recording->runs = fixture->runs;
	recording->n_runs = N_RUNS;
	recording->calls = &fixture->call;
	recording->n_calls = 1;
	recording->n_executions = N_EXECUTIONS;
	recording->discards.unfinished = 3;
	recording->has_durations = true;
	recording->clean_verified = true;
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	names_free(fixture->recording.names);
	trees_free(fixture->recording.trees);
	free(fixture);
	return 0;
}

static const struct load_options no_load;

static struct report_options default_options(void)
{
	struct report_options options = {
		.top = 10, .jobs = 1, .tests_given = true, .load = &no_load};

	settings_init(&options.settings);
	return options;
}

/* What jq says of a document, with -r and without the newline; "" where it refuses it. */
static void ask_jq(const struct text *json, const char *filter, char *answer, size_t size)
{
	char file[] = "/tmp/evtop-test-report-XXXXXX", command[512];
	FILE *stream = fdopen(mkstemp(file), "w");
	size_t n;

	assert_non_null(stream);
	fwrite(json->bytes, 1, json->n, stream);
	fclose(stream);
	snprintf(command, sizeof command, "jq -r '%s' '%s'", filter, file);
	stream = popen(command, "r");
	assert_non_null(stream);
	n = fread(answer, 1, size - 1, stream);
	answer[n] = '\0';
	answer[strcspn(answer, "\n")] = '\0';
	pclose(stream);
	unlink(file);
}

/* Worked out from the recipe above, not from what the code prints. */
static const struct {
	const char *filter, *answer;
} json_facts[] = {
	{".schema", "1"},
	{".inputs[0].emulated", "host"},
	{".inputs[0].error", "null"},
	{".inputs[0].runs", "24"},
	{".complaints[0].reason", "is empty"},
	{".discarded.unfinished", "3"},
	{".discarded.longest_broken_ns", "null"},
	{".options.stratum", "undisturbed"},
	{".options.probability", "1e-09"},
	{".syscalls | length", "1"},
	{".syscalls[0].executions", "2400"},
	{".syscalls[0].clean_paths", "2"},
	{".syscalls[0].raw_paths", "3"},
	{".syscalls[0].unique_paths", "2"},
	{".syscalls[0].disturbed", "720"},
	{".syscalls[0].removed_ns.interrupt", "3600000"},
	{".syscalls[0].paths | length", "2"},
	{".syscalls[0].paths[0].rank", "1"},
	{".syscalls[0].paths[0].executions", "2160"},
	{".syscalls[0].paths[0].frequency", "0.9"},
	{".syscalls[0].paths[1].accumulated", "1"},
	/* 1440 undisturbed executions in four campaigns of 360: 7 blocks of 50 each */
	{".syscalls[0].paths[0].fit.executions", "1440"},
	{".syscalls[0].paths[0].fit.maxima", "28"},
	{".syscalls[0].paths[0].fit.in_blocks", "1400"},
	{".syscalls[0].paths[0].fit.in_partial_blocks", "40"},
	{".syscalls[0].paths[0].strata.undisturbed.executions", "1440"},
	{".syscalls[0].paths[0].strata.disturbed.executions", "720"},
	{".syscalls[0].paths[0].fit.weak", "true"},
	{".syscalls[0].paths[0].fit.refused", "null"},
	{".syscalls[0].paths[0].fit.return_levels[0].executions", "10"},
	{".syscalls[0].paths[0].fit.return_levels[0].source", "empirical"},
	{".syscalls[0].paths[0].fit.return_levels[8].probability", "1e-09"},
	/* 240 executions: 60 in a campaign, one block each */
	{".syscalls[0].paths[1].fit.maxima", "4"},
	{".syscalls[0].paths[1].fit.location_ns", "null"},
	{".syscalls[0].paths[1].fit.standard_errors", "null"},
	{".syscalls[0].paths[1].fit.refused | length > 0", "true"},
	{".syscalls[0].paths[0].tests.autocorrelation.lags | length", "40"},
	{".syscalls[0].paths[0].tests.anderson_darling.p", "null"},
	{"[.. | numbers | select(isnan or isinfinite)] | length", "0"},
};

static void test_json(void **state)
{
	struct fixture *fixture = *state;
	struct report_options options = default_options();
	struct text out = {0};
	struct error err;
	char answer[256];

	if (system("command -v jq >/dev/null 2>&1"))
		skip();
	assert_int_equal(report_json(&fixture->recording, &options, &out, &err), 0);
	assert_null(strstr(out.bytes, "secret"));
	for (size_t i = 0; i < COUNT_OF(json_facts); i++) {
		ask_jq(&out, json_facts[i].filter, answer, sizeof answer);
		if (strcmp(answer, json_facts[i].answer))
			fail_msg("%s is '%s', not '%s'", json_facts[i].filter, answer,
				 json_facts[i].answer);
	}
	text_release(&out);
}

static int compare_ns(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Quantiles are whole: type 7, a half goes to the even neighbour. */
static void test_rounding(void **state)
{
	struct fixture *fixture = *state;
	struct report_options options = default_options();
	uint64_t of[N_EXECUTIONS], middle;
	struct text out = {0};
	char answer[64], wanted[64];
	struct error err;
	uint32_t n = 0;

	if (system("command -v jq >/dev/null 2>&1"))
		skip();
	/* the first path's middle lies half way between two whole numbers */
	for (uint32_t i = 0; i < N_EXECUTIONS; i++)
		if (fixture->raw_of[i] != 2)
			of[n++] = fixture->duration_ns[i];
	qsort(of, n, sizeof of[0], compare_ns);
	for (uint32_t i = 0; i < N_EXECUTIONS; i++)
		if (fixture->duration_ns[i] == of[n / 2])
			fixture->duration_ns[i] = of[n / 2 - 1] + 1;
	/* once above an even number, once above an odd one */
	for (uint32_t shift = 0; shift < 2; shift++) {
		middle = of[n / 2 - 1] + shift;
		middle += middle % 2;
		assert_int_equal(report_json(&fixture->recording, &options, &out, &err), 0);
		ask_jq(&out, ".syscalls[0].paths[0].duration_ns.median", answer, sizeof answer);
		snprintf(wanted, sizeof wanted, "%llu", (unsigned long long)middle);
		assert_string_equal(answer, wanted);
		text_clear(&out);
		for (uint32_t i = 0; i < N_EXECUTIONS; i++)
			fixture->duration_ns[i]++;
	}
	text_release(&out);
}

static uint64_t extreme(const struct fixture *fixture, int clean, bool longest)
{
	uint64_t found = longest ? 0 : UINT64_MAX;

	for (uint32_t i = 0; i < N_EXECUTIONS; i++) {
		uint64_t ns = fixture->duration_ns[i];

		if ((fixture->raw_of[i] == 2) == clean && (longest ? ns > found : ns < found))
			found = ns;
	}
	return found;
}

static void test_csv(void **state)
{
	struct fixture *fixture = *state;
	struct report_options options = default_options();
	char wanted[128], *line, *end;
	struct text out = {0};
	struct error err;
	size_t commas = 0;

	assert_int_equal(report_csv(&fixture->recording, &options, &out, &err), 0);
	assert_memory_equal(out.bytes, "syscall,path,rank,executions,", 29);
	line = strchr(out.bytes, '\n') + 1;
	/* the name's control is gone, its quote doubled, the comma quoted */
	snprintf(wanted, sizeof wanted, "\"open?[31m\"\"at,\",%s,1,2160,0.9,0.9,720,%llu,",
		 fixture->ids[0], (unsigned long long)extreme(fixture, 0, false));
	assert_memory_equal(line, wanted, strlen(wanted));
	end = strchr(line, '\n');
	for (const char *at = out.bytes; at < line; at++)
		commas += *at == ',';
	/* those inside of quotes separate nothing: of the name, of warnings */
	for (bool quoted = false; line < end; line++) {
		quoted ^= *line == '"';
		commas -= *line == ',' && !quoted;
	}
	assert_int_equal(commas, 0);
	assert_null(strstr(out.bytes, "nan"));
	assert_null(strstr(out.bytes, "inf"));
	text_release(&out);
}

static void test_text(void **state)
{
	static const char *const parts[] = {
		"odd?\"name.tar",
		"emulated on a host",
		"aaaaaaaaaaaaaaaa",
		"/c/run-1: is empty",
		"identity clean",
		"seed 1",
		"CALL open?[31m\"at,",
		"2,400 executions   2 clean paths, 3 raw",
		"720 (30.0%)",
		"fit: GEV by MLE, blocks of 50 executions",
		"28 block maxima, weak: fewer than 50",
		"no fit: ",
		"Ljung-Box",
		"return levels in executions, 95% intervals (profile)",
		"times mean nothing",
	};
	struct fixture *fixture = *state;
	struct report_options options = default_options();
	struct text out = {0};
	struct error err;

	assert_int_equal(report_text(&fixture->recording, &options, &out, &err), 0);
	for (size_t i = 0; i < COUNT_OF(parts); i++)
		if (!strstr(out.bytes, parts[i]))
			fail_msg("'%s' is not in the report", parts[i]);
	assert_null(strstr(out.bytes, "secret"));
	for (size_t i = 0; i < out.n; i++)
		assert_true(out.bytes[i] == '\n' || (out.bytes[i] >= ' ' && out.bytes[i] != 0x7f));
	text_release(&out);
}

/*
 * Undisturbed executions of the recipe take less than 108 us, disturbed ones up
 * to 113: a deadline at 108 us is met by all that is fitted and by what the fit
 * believes possible, but not by what was seen.
 */
static void test_other_stratum(void **state)
{
	struct fixture *fixture = *state;
	struct report_deadline deadline = {(char *)CALL_NAME, 108000};
	struct report_options options = default_options();
	struct text out = {0};
	struct error err;
	char wanted[128];
	unsigned beyond = 0;

	for (uint32_t i = 0; i < N_EXECUTIONS; i++)
		beyond += fixture->duration_ns[i] > 108000;
	assert_true(beyond > 0);
	options.deadlines = &deadline;
	options.n_deadlines = 1;
	assert_int_equal(report_text(&fixture->recording, &options, &out, &err), 0);
	snprintf(wanted, sizeof wanted, "seen beyond it: %u of 2,160, %u of them disturbed", beyond,
		 beyond);
	assert_non_null(strstr(out.bytes, wanted));
	assert_non_null(strstr(out.bytes, "    undisturbed    1,440:  median "));
	assert_non_null(strstr(out.bytes, "    disturbed        720:  median "));
	assert_non_null(strstr(out.bytes, "1,400 executions in whole blocks, 40 dropped with"));
	assert_non_null(strstr(out.bytes, "below max, "));
	assert_non_null(strstr(out.bytes, "! the pWCET is below the longest execution seen"));
	text_clear(&out);
	/* all in one: the fit knows of the longest, and warnings stand before levels */
	options.settings.stratum = STRATUM_ALL;
	options.path = fixture->ids[0];
	assert_int_equal(report_text(&fixture->recording, &options, &out, &err), 0);
	assert_null(strstr(out.bytes, "and says nothing of others"));
	assert_true(strstr(out.bytes, "  ! weak") < strstr(out.bytes, "  return levels in"));
	text_release(&out);
}

/* Two inputs, one of another kernel: pooled all the same, and that is said. */
static void test_inputs_differ(void **state)
{
	struct fixture *fixture = *state;
	struct report_options options = default_options();
	struct input inputs[2] = {fixture->input, fixture->input};
	struct text out = {0};
	struct error err;

	fixture->recording.inputs = inputs;
	fixture->recording.n_inputs = 2;
	assert_int_equal(report_text(&fixture->recording, &options, &out, &err), 0);
	assert_null(strstr(out.bytes, "do not all say the same"));
	text_clear(&out);
	inputs[1].kernel = (char *)"6.1";
	inputs[1].scope = (char *)"read";
	assert_int_equal(report_text(&fixture->recording, &options, &out, &err), 0);
	assert_non_null(strstr(out.bytes, "do not all say the same of: kernel, what was traced."));
	text_release(&out);
}

/* Samples from CSV: nobody knows what disturbed them. */
static void test_samples(void **state)
{
	struct fixture *fixture = *state;
	struct report_options options = default_options();
	struct text out = {0};
	struct error err;
	char answer[64];

	for (int i = 0; i < 3; i++)
		fixture->raw[i].root = fixture->clean[i % 2].root = NODE_NONE;
	fixture->call.n_disturbed = 0;
	fixture->call.n_disturbed_seen = 0;
	memset(fixture->flags, 0, sizeof fixture->flags);
	assert_int_equal(report_text(&fixture->recording, &options, &out, &err), 0);
	assert_non_null(strstr(out.bytes, "disturbed not known"));
	assert_null(strstr(out.bytes, " 0.0%"));
	text_clear(&out);
	assert_int_equal(report_json(&fixture->recording, &options, &out, &err), 0);
	assert_non_null(strstr(out.bytes, "\"disturbed\": null"));
	if (!system("command -v jq >/dev/null 2>&1")) {
		ask_jq(&out, ".syscalls[0].disturbed", answer, sizeof answer);
		assert_string_equal(answer, "null");
	}
	text_release(&out);
}

/* The same bytes whatever the number of workers, in every format. */
static void test_jobs(void **state)
{
	int (*const writers[])(const struct recording *, const struct report_options *,
			       struct text *,
			       struct error *) = {report_text, report_json, report_csv};
	struct fixture *fixture = *state;
	struct error err;

	for (size_t i = 0; i < COUNT_OF(writers); i++) {
		struct report_options options = default_options();
		struct text one = {0}, many = {0};

		options.settings.identity = IDENTITY_RAW;
		options.settings.stratum = STRATUM_ALL;
		assert_int_equal(writers[i](&fixture->recording, &options, &one, &err), 0);
		options.jobs = 7;
		assert_int_equal(writers[i](&fixture->recording, &options, &many, &err), 0);
		assert_int_equal(one.n, many.n);
		assert_memory_equal(one.bytes, many.bytes, one.n);
		text_release(&one);
		text_release(&many);
	}
}

static void test_find_path(void **state)
{
	struct fixture *fixture = *state;
	struct report_found found;
	struct error err;
	char prefix[33] = "";

	/* clean 0 and raw 0 are one tree and one id: the identity asked for decides */
	assert_int_equal(report_find_path(&fixture->recording, IDENTITY_CLEAN, fixture->ids[0],
					  &found, &err),
			 0);
	assert_int_equal(found.identity, IDENTITY_CLEAN);
	assert_int_equal(
		report_find_path(&fixture->recording, IDENTITY_RAW, fixture->ids[0], &found, &err),
		0);
	assert_int_equal(found.identity, IDENTITY_RAW);
	assert_int_equal(found.path, 0);
	/* raw 1 is no clean path */
	memcpy(prefix, fixture->ids[3], 8);
	assert_int_equal(
		report_find_path(&fixture->recording, IDENTITY_CLEAN, prefix, &found, &err), 0);
	assert_int_equal(found.identity, IDENTITY_RAW);
	assert_int_equal(found.path, 1);
	assert_int_equal(report_find_path(&fixture->recording, IDENTITY_CLEAN, "", &found, &err),
			 -1);
	assert_non_null(strstr(err.text, "ambiguous"));
	assert_int_equal(report_find_path(&fixture->recording, IDENTITY_CLEAN, "zz", &found, &err),
			 -1);
	assert_non_null(strstr(err.text, "no path"));
}

/* options->path: that path alone, in its own identity and stratum. */
static void test_one_path(void **state)
{
	struct fixture *fixture = *state;
	struct report_options options = default_options();
	struct text out = {0};
	struct error err;

	options.path = fixture->ids[3];
	assert_int_equal(report_csv(&fixture->recording, &options, &out, &err), 0);
	assert_non_null(strstr(out.bytes, fixture->ids[3]));
	assert_null(strstr(out.bytes, fixture->ids[1]));
	assert_non_null(strstr(out.bytes, ",all,720,gev,"));
	options.path = "zz";
	assert_int_equal(report_csv(&fixture->recording, &options, &out, &err), -1);
	text_release(&out);
}

static void test_tree(void **state)
{
	struct fixture *fixture = *state;
	struct report_found found = {&fixture->call, IDENTITY_CLEAN, 0};
	char file[] = "/tmp/evtop-test-calls-XXXXXX", command[128], md5[33] = "";
	struct text out = {0};
	struct error err;
	FILE *stream;

	report_tree(&fixture->recording, &found, &out);
	/* b: median 20 us of those kept, mean 30, min 10, max 60, self 5; its bell is gone */
	assert_non_null(strstr(out.bytes, "     1,440   20.0 us   30.0 us   10.0 us   60.0 us   "
					  "5.00 us    b?\n"));
	text_clear(&out);
	assert_int_equal(report_calls(&fixture->recording, &found, &out, &err), 0);
	assert_string_equal(out.bytes, "0 __x64_sys_openat\n1 a\n1 b\x07\n");
	stream = fdopen(mkstemp(file), "w");
	assert_non_null(stream);
	fwrite(out.bytes, 1, out.n, stream);
	fclose(stream);
	snprintf(command, sizeof command, "md5sum < '%s'", file);
	stream = popen(command, "r");
	assert_non_null(stream);
	assert_int_equal(fread(md5, 1, 32, stream), 32);
	pclose(stream);
	unlink(file);
	assert_string_equal(md5, fixture->ids[0]);
	text_release(&out);
}

static void test_marks(void **state)
{
	struct fixture *fixture = *state;
	struct report_options options = default_options();
	struct report_mark marks[2] = {{&fixture->call, 0, options.settings, 200000},
				       {&fixture->call, PATH_ALL, options.settings, 0}};
	char folder[] = "/tmp/evtop-test-marks-XXXXXX", file[64], page[1 << 16];
	struct rlimit limit, small;
	struct stat status;
	struct error err;
	int status_of_write;
	FILE *stream;
	size_t n;

	marks[1].settings.block_size = 20;
	marks[1].settings.model = MODEL_GUMBEL;
	assert_non_null(mkdtemp(folder));
	snprintf(file, sizeof file, "%s/report.txt", folder);
	assert_int_equal(report_marks_file(&fixture->recording, &options, marks, 2, file, &err), 0);
	stream = fopen(file, "r");
	assert_non_null(stream);
	n = fread(page, 1, sizeof page - 1, stream);
	page[n] = '\0';
	fclose(stream);
	assert_non_null(strstr(page, "aaaaaaaaaaaaaaaa"));
	assert_non_null(strstr(page, "fit: GEV by MLE, blocks of 50 executions"));
	assert_non_null(strstr(page, "fit: Gumbel by MLE, blocks of 20 executions"));
	assert_non_null(strstr(page, "deadline 200.00 us"));
	assert_int_equal(unlink(file), 0);
	/* a disk that is full after 100 bytes: an error, and nothing is left behind */
	getrlimit(RLIMIT_FSIZE, &limit);
	small = limit;
	small.rlim_cur = 100;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	status_of_write = report_marks_file(&fixture->recording, &options, marks, 2, file, &err);
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(status_of_write, -1);
	assert_non_null(strstr(err.text, "report.txt"));
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(report_marks_file(&fixture->recording, &options, marks, 2,
					   "/no/such/folder/report", &err),
			 -1);
	assert_non_null(strstr(err.text, "'/no/such/folder/report'"));
	assert_int_equal(stat(folder, &status), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_json, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_rounding, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_csv, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_text, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_other_stratum, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_inputs_differ, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_samples, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_jobs, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_find_path, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_one_path, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_tree, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_marks, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
