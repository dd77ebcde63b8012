/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Header, calls and paths: figures of real traces against answers from
 * outside, what is said against a reading by hand.
 */
#include "view-fixture.h"

#include "../../src/view/view-internal.h"

/* ---- real traces ---- */

/* file,syscall,executions,unique_paths,min_ns,max_ns,sum_ns,most_common_path */
struct expected {
	char *file, *call, *id;
	uint64_t executions, paths, min_ns, max_ns, sum_ns;
	bool has_times;
};

static bool parse_expected(char *line, struct expected *row)
{
	char *field[8];

	for (int i = 0; i < 8; i++) {
		field[i] = strsep(&line, ",\n");
		if (!field[i])
			return false;
	}
	*row = (struct expected){.file = field[0],
				 .call = field[1],
				 .id = field[7],
				 .executions = strtoull(field[2], NULL, 10),
				 .paths = strtoull(field[3], NULL, 10),
				 .has_times = *field[4],
				 .min_ns = strtoull(field[4], NULL, 10),
				 .max_ns = strtoull(field[5], NULL, 10),
				 .sum_ns = strtoull(field[6], NULL, 10)};
	return true;
}

static uint32_t row_of_call(const struct fixture *fixture, const char *call)
{
	const struct view_table *table = fixture_table(fixture);

	for (uint32_t i = 0; i < table->n_rows; i++)
		if (!strcmp(fixture->recording->calls[table->rows[i].index].name, call))
			return i;
	fail_msg("no row of %s", call);
	return 0;
}

static void check_calls(struct fixture *fixture, const struct expected *expected)
{
	uint32_t row;
	const struct view_cell *min, *max;

	fixture_build(fixture, PANEL_CALLS);
	row = row_of_call(fixture, expected->call);
	assert_int_equal(fixture_cell(fixture, row, "executions")->count, expected->executions);
	assert_int_equal(fixture_cell(fixture, row, "paths")->pair.second, expected->paths);
	min = fixture_cell(fixture, row, "min");
	max = fixture_cell(fixture, row, "max");
	if (expected->has_times) {
		assert_true(min->number == (double)expected->min_ns);
		assert_true(max->number == (double)expected->max_ns);
	}
	fixture->context.call = fixture_table(fixture)->rows[row].index;
}

/* Rows of the raw paths: as many as expected, adding up to all executions. */
static void check_paths(struct fixture *fixture, const struct expected *expected)
{
	const struct view_table *table;
	uint64_t sum = 0, first;
	bool found = false;

	fixture->settings.identity = IDENTITY_RAW;
	fixture->settings.stratum = STRATUM_ALL;
	fixture_build(fixture, PANEL_PATHS);
	table = fixture_table(fixture);
	assert_int_equal(table->n_rows, expected->paths);
	first = fixture_cell(fixture, 0, "frequency")->count;
	for (uint32_t i = 0; i < table->n_rows; i++) {
		uint64_t count = fixture_cell(fixture, i, "frequency")->count;

		sum += count;
		assert_true(count <= first);
		found = found || (count == first &&
				  !strcmp(fixture_cell(fixture, i, "path")->text, expected->id));
	}
	assert_int_equal(sum, expected->executions);
	assert_true(found || !*expected->id);
	assert_true(fixture_cell(fixture, table->n_rows - 1, "accumulated")->number == 1);
	fixture->settings.identity = IDENTITY_CLEAN;
	fixture->settings.stratum = STRATUM_UNDISTURBED;
}

/* The title's cells one after the other hold these words. */
static void check_title(const struct fixture *fixture, const char *words)
{
	const struct view_line *title = &fixture->panel.title;
	char line[512] = "", cell[VIEW_CELL_SIZE];

	for (uint32_t i = 0; i < title->n; i++)
		strncat(line, view_format(cell, sizeof cell, &title->cells[i]),
			sizeof line - strlen(line) - 1);
	if (!strstr(line, words))
		fail_msg("'%s' is not in '%s'", words, line);
}

static void test_real_traces(void **state)
{
	char name[512], line[512], current[128] = "";
	struct fixture fixture = {0};
	unsigned n = 0;
	FILE *file;

	(void)state;
	file = fopen(fixture_shipped(name, sizeof name, "tests/data/traces/expected.csv"), "r");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof line, file));
	while (fgets(line, sizeof line, file)) {
		struct expected row = {0};
		char relative[256];

		assert_true(parse_expected(line, &row));
		if (!strcmp(row.call, "-"))
			continue;
		if (strcmp(current, row.file)) {
			snprintf(current, sizeof current, "%s", row.file);
			fixture_release(&fixture);
			snprintf(relative, sizeof relative, "tests/data/traces/%s", current);
			fixture_shipped(name, sizeof name, relative);
			if (access(name, R_OK))
				snprintf(name + strlen(name), sizeof name - strlen(name), ".xz");
			fixture_init(&fixture, name);
		}
		check_calls(&fixture, &row);
		check_paths(&fixture, &row);
		n++;
	}
	fixture_release(&fixture);
	fclose(file);
	assert_true(n > 100);
}

/* The number after a key, searched from at on. */
static uint64_t number_after(const char **at, const char *key)
{
	*at = strstr(*at, key);
	assert_non_null(*at);
	*at += strlen(key);
	return strtoull(*at, NULL, 10);
}

static char *read_file(const char *name)
{
	FILE *file = fopen(name, "r");
	struct text text = {0};
	char line[512];

	if (!file)
		return NULL;
	while (fgets(line, sizeof line, file))
		text_puts(&text, line);
	fclose(file);
	return text.bytes;
}

/* "openat": {... "clean": {"unique": N, "top": [[id, count, min, max, sum], ...]}} */
static void check_clean(struct fixture *fixture, const char *at, const char *call)
{
	char key[64], id[64];
	uint64_t unique;

	for (uint32_t i = 0; i < fixture->recording->n_calls; i++)
		if (!strcmp(fixture->recording->calls[i].name, call))
			fixture->context.call = i;
	fixture->context.path_a = 0;
	fixture_build(fixture, PANEL_PATHS);
	snprintf(key, sizeof key, "\"%s\": {", call);
	at = strstr(at, key);
	assert_non_null(at);
	at = strstr(at, "\"clean\"");
	unique = number_after(&at, "\"unique\": ");
	assert_int_equal(fixture_table(fixture)->n_rows, unique);
	at = strstr(at, "\"top\"");
	for (uint32_t row = 0; row < unique && row < 10; row++) {
		uint64_t count, min, max;

		at = strchr(at, '"');
		for (int skip = row ? 0 : 2; skip > 0; skip--)
			at = strchr(at + 1, '"');
		snprintf(id, sizeof id, "%.32s", at + 1);
		at += 34;
		count = number_after(&at, ",");
		min = number_after(&at, ",");
		max = number_after(&at, ",");
		assert_int_equal(fixture_cell(fixture, row, "frequency")->count, count);
		assert_true(fixture_cell(fixture, row, "min")->number == (double)min);
		assert_true(fixture_cell(fixture, row, "max")->number == (double)max);
		/* equal counts may stand in any order in the reference */
		if (row == 0)
			assert_string_equal(fixture_cell(fixture, row, "path")->text, id);
	}
}

static void test_real_recording(void **state)
{
	struct fixture fixture;
	char name[512], *expected;

	(void)state;
	expected = read_file(
		fixture_shipped(name, sizeof name, "tests/data/campaigns/rt.expected.json"));
	fixture_shipped(name, sizeof name, "sample-data/rt.tar.zst");
	if (!expected || access(name, R_OK))
		skip();
	fixture_init(&fixture, name);
	check_clean(&fixture, expected, "openat");
	check_clean(&fixture, expected, "ioctl");
	check_clean(&fixture, expected, "write");
	fixture_release(&fixture);
	free(expected);
}

/* ---- the trace made by hand ---- */

static void test_calls(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_load(&fixture, fixture_trace);
	fixture_build(&fixture, PANEL_CALLS);
	assert_int_equal(fixture_table(&fixture)->n_rows, 1);
	assert_cell(&fixture, 0, "name", "a");
	assert_cell(&fixture, 0, "executions", "5");
	assert_cell(&fixture, 0, "paths", "2/3");
	assert_cell(&fixture, 0, "disturbed", "20.0%");
	assert_cell(&fixture, 0, "min", "30.0 us");
	assert_cell(&fixture, 0, "median", "34.0 us");
	assert_cell(&fixture, 0, "max", "90.0 us");
	assert_cell(&fixture, 0, "jitter", "60.0 us");
	assert_cell(&fixture, 0, "ratio", "2.65");
	assert_cell(&fixture, 0, "share", "100.0%");
	/* the paths have no fit, so all of them are left out */
	assert_cell(&fixture, 0, "pwcet", "no fit");
	assert_cell(&fixture, 0, "left-out", "1");
	fixture.context.order[PANEL_CALLS].filter = "b";
	fixture_build(&fixture, PANEL_CALLS);
	assert_int_equal(fixture_table(&fixture)->n_rows, 0);
	assert_non_null(fixture_table(&fixture)->empty);
	check_title(&fixture, "'b': 0 of 1 shown");
	fixture.context.order[PANEL_CALLS].filter = "";
	fixture_build(&fixture, PANEL_CALLS);
	check_title(&fixture, "all executions");
	fixture_release(&fixture);
}

static void test_paths(void **state)
{
	struct fixture fixture;
	const struct view_table *table;

	(void)state;
	fixture_load(&fixture, fixture_trace);
	fixture_build(&fixture, PANEL_PATHS);
	table = fixture_table(&fixture);
	assert_int_equal(table->n_rows, 2);
	assert_cell(&fixture, COMMON, "frequency", "4");
	assert_cell(&fixture, COMMON, "share", "0.800");
	assert_cell(&fixture, COMMON, "raw", "2");
	assert_cell(&fixture, COMMON, "disturbed", "25.0%");
	assert_cell(&fixture, COMMON, "calls", "8");
	assert_cell(&fixture, COMMON, "median", "33.5 us");
	assert_cell(&fixture, COMMON, "max", "90.0 us");
	assert_cell(&fixture, RARE, "accumulated", "1.000");
	assert_cell(&fixture, RARE, "raw", "1");
	assert_cell(&fixture, RARE, "min", "45.0 us");
	assert_int_equal(table->rows[COMMON].flags, ROW_A);
	assert_int_equal(table->rows[RARE].flags, ROW_B | ROW_WARNING);
	/* own time: 90 us less 53 us of the interrupt */
	fixture.settings.time = TIME_OWN;
	fixture_build(&fixture, PANEL_PATHS);
	assert_cell(&fixture, COMMON, "max", "37.0 us");
	fixture_release(&fixture);
}

static void test_raw_paths(void **state)
{
	struct fixture fixture;
	const struct call *call;
	const char *common;

	(void)state;
	fixture_load(&fixture, fixture_trace);
	fixture.settings.identity = IDENTITY_RAW;
	fixture_build(&fixture, PANEL_PATHS);
	call = &fixture.recording->calls[0];
	common = call->paths[IDENTITY_CLEAN][COMMON].id;
	assert_int_equal(fixture_table(&fixture)->n_rows, 3);
	assert_null(fixture_cell(&fixture, 0, "raw"));
	assert_string_equal(fixture_cell(&fixture, 0, "clean")->text, common);
	for (uint32_t i = 0; i < 3; i++) {
		const struct path *path = &call->paths[IDENTITY_RAW][i];

		assert_string_equal(fixture_cell(&fixture, i, "clean")->text,
				    path->n_executions == 1 && !path->n_disturbed
					    ? call->paths[IDENTITY_CLEAN][RARE].id
					    : common);
	}
	/* the clean id finds its raw paths */
	fixture.context.order[PANEL_PATHS].filter = common;
	fixture_build(&fixture, PANEL_PATHS);
	assert_int_equal(fixture_table(&fixture)->n_rows, 2);
	check_title(&fixture, "2 of 3 shown");
	fixture_release(&fixture);
}

static void test_order(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_load(&fixture, fixture_trace);
	fixture.context.order[PANEL_PATHS].column = "median";
	fixture.context.order[PANEL_PATHS].descending = true;
	fixture_build(&fixture, PANEL_PATHS);
	assert_int_equal(fixture_table(&fixture)->rows[0].index, RARE);
	fixture.context.order[PANEL_PATHS].descending = false;
	fixture_build(&fixture, PANEL_PATHS);
	assert_int_equal(fixture_table(&fixture)->rows[0].index, COMMON);
	/* a column that is not shown leaves the panel's own order */
	fixture.context.order[PANEL_PATHS].column = "clean";
	fixture_build(&fixture, PANEL_PATHS);
	assert_int_equal(fixture_table(&fixture)->rows[0].index, COMMON);
	assert_string_equal(fixture_table(&fixture)->columns[fixture_table(&fixture)->sort].id,
			    "frequency");
	fixture_release(&fixture);
}

/* What is not known goes last in either direction, what is equal keeps its order. */
static void test_sort(void **state)
{
	struct view_key keys[] = {{0, NAN, "b"}, {1, 2, "a"}, {2, 1, "c"}, {3, 2, "a"}};

	(void)state;
	view_sort(keys, 4, false, true);
	assert_int_equal(keys[0].index, 1);
	assert_int_equal(keys[1].index, 3);
	assert_int_equal(keys[2].index, 2);
	assert_int_equal(keys[3].index, 0);
	view_sort(keys, 4, true, false);
	assert_int_equal(keys[0].index, 1);
	assert_int_equal(keys[1].index, 3);
	assert_int_equal(keys[2].index, 0);
	view_sort(keys, 4, true, true);
	assert_int_equal(keys[0].index, 2);
	assert_int_equal(keys[3].index, 3);
}

static void assert_says(struct fixture *fixture, const char *what)
{
	char *lines = fixture_lines(fixture);

	if (!strstr(lines, what))
		fail_msg("'%s' is not in '%s'", what, lines);
	free(lines);
}

/* What was seen is never nought, and two ends of an interval are never one. */
static void test_formats(void **state)
{
	static const struct {
		struct view_cell cell;
		const char *wanted;
	} cases[] = {
		{{.kind = CELL_FREQUENCY, .number = 0}, "0.000"},
		{{.kind = CELL_FREQUENCY, .number = 1.0 / 3000}, "<.001"},
		{{.kind = CELL_FREQUENCY, .number = 0.0005}, "0.001"},
		{{.kind = CELL_FREQUENCY, .number = 2999.0 / 3000}, ">.999"},
		{{.kind = CELL_FREQUENCY, .number = 1}, "1.000"},
		{{.kind = CELL_INTERVAL, .range = {398e3, 529e3}}, "[398 us, 529 us]"},
		{{.kind = CELL_INTERVAL, .range = {105.02e3, 105.04e3}}, "[105.02 us, 105.04 us]"},
		{{.kind = CELL_INTERVAL, .range = {105e3, 105e3}}, "[105 us, 105 us]"},
		{{.kind = CELL_INTERVAL, .range = {105e3, INFINITY}}, "[105 us, inf]"},
	};
	char out[VIEW_CELL_SIZE];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_string_equal(view_format(out, sizeof out, &cases[i].cell), cases[i].wanted);
}

static void test_leave_line(void **state)
{
	struct fixture fixture;
	const struct path *paths;
	char expected[128];

	(void)state;
	fixture_load(&fixture, fixture_trace);
	paths = fixture.recording->calls[0].paths[IDENTITY_CLEAN];
	snprintf(expected, sizeof expected,
		 "%.6s leaves %.6s at call 3: y (2); there %.6s calls n\n", paths[RARE].id,
		 paths[COMMON].id, paths[RARE].id);
	fixture_build(&fixture, PANEL_PATHS);
	assert_says(&fixture, expected);
	/* the same whichever of the two is selected */
	fixture.context.path_a = RARE;
	fixture.context.path_b = COMMON;
	fixture_build(&fixture, PANEL_PATHS);
	assert_says(&fixture, expected);
	fixture.context.width_cols = 40;
	fixture_build(&fixture, PANEL_PATHS);
	assert_says(&fixture, "2 leaves 1 at call 3: y (2)");
	fixture_release(&fixture);
}

static void test_header(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_load(&fixture, fixture_trace);
	fixture.context.source = "/data/quiet.tar.zst";
	fixture.context.height_rows = 3;
	fixture_build(&fixture, PANEL_HEADER);
	assert_int_equal(fixture.panel.blocks[0]->lines.n, 3);
	assert_says(&fixture, "evtop /data/quiet  1 campaign  1 run  5 executions of 1 call  "
			      "clean \u00b7 whole \u00b7 undisturbed");
	assert_says(&fixture, "lost 0  cut 0  unread 0  unfinished 0");
	assert_says(&fixture, "a: 2 paths (3 raw), 11.5 us apart");
	assert_says(&fixture, "20% disturbed");
	fixture.context.height_rows = 1;
	fixture_build(&fixture, PANEL_HEADER);
	assert_int_equal(fixture.panel.blocks[0]->lines.n, 1);
	assert_says(&fixture, "5 executions of 1 call  lost 0  cut 0  unread 0");
	fixture_release(&fixture);
}

/* The word is somewhere in the panel, and no lack of room drops it. */
static void check_word_stays(const struct fixture *fixture, const char *word)
{
	for (uint32_t k = 0; k < fixture->panel.blocks[0]->lines.n; k++) {
		const struct view_line *line = &fixture->panel.blocks[0]->lines.lines[k];

		for (uint32_t i = 0; i < line->n; i++)
			if (line->cells[i].kind == CELL_TEXT && !line->cells[i].drop &&
			    strstr(line->cells[i].text, word))
				return;
	}
	fail_msg("'%s' may vanish", word);
}

/* A bad day: what was lost is said in capitals and is the last to go. */
static void test_losses(void **state)
{
	struct fixture fixture;
	const struct view_line *line;

	(void)state;
	fixture_load(&fixture, fixture_trace);
	fixture.recording->discards.lost_events = 1912;
	fixture.recording->discards.cut_by_loss = 5;
	fixture.recording->discards.orphans = 2;
	fixture.recording->discards.broken = 1;
	fixture.recording->discards.unread_lines = 7;
	fixture.recording->inputs[0].emulated = EMULATION_HOST;
	fixture.recording->clean_verified = false;
	fixture.context.height_rows = 2;
	fixture_build(&fixture, PANEL_HEADER);
	assert_says(&fixture, "LOST 1,912  CUT 5 (50.0%)  BROKEN 1 (16.7%)  UNREAD 7  ORPHANS 2");
	assert_says(&fixture, "emulated: times mean little");
	assert_says(&fixture, "clean: not verified here");
	check_word_stays(&fixture, "emul");
	fixture.context.height_rows = 1;
	for (int width = 40; width <= 80; width += 40) {
		fixture.context.width_cols = (uint16_t)width;
		fixture_build(&fixture, PANEL_HEADER);
		check_word_stays(&fixture, "emul");
	}
	fixture.context.height_rows = 1;
	for (int width = 40; width <= 80; width += 40) {
		fixture.context.width_cols = (uint16_t)width;
		fixture_build(&fixture, PANEL_HEADER);
		line = &fixture.panel.blocks[0]->lines.lines[0];
		for (uint32_t i = 0; i < line->n; i++)
			if (line->cells[i].kind == CELL_TEXT &&
			    (strstr(line->cells[i].text, "LOST") ||
			     strstr(line->cells[i].text, "CUT"))) {
				assert_int_equal(line->cells[i].drop, 0);
				assert_int_equal(line->cells[i].role, ROLE_BAD);
			}
		assert_says(&fixture, "LOST 1,912  CUT 5");
	}
	fixture_release(&fixture);
}

static void test_nothing_to_show(void **state)
{
	static const char *const said[PANEL_COUNT] = {
		[PANEL_HEADER] = "no complete execution",
		[PANEL_CALLS] = "no complete execution",
		[PANEL_PATHS] = "no call is selected",
		[PANEL_TREE] = "no path is selected",
	};
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture, "/no/such/recording");
	fixture.context.call = UINT32_MAX;
	fixture.context.path_a = fixture.context.path_b = PATH_ALL;
	fixture.context.height_rows = 3;
	for (int i = 0; i < PANEL_COUNT; i++) {
		fixture_build(&fixture, i);
		if (said[i])
			assert_says(&fixture, said[i]);
	}
	fixture_build(&fixture, PANEL_HEADER);
	assert_says(&fixture, "NOT READ recording: ");
	recording_free(fixture.recording);
	fixture.recording = NULL;
	fixture.context.recording = NULL;
	for (int i = PANEL_HEADER; i <= PANEL_TREE; i++)
		fixture_build(&fixture, i);
	fixture_release(&fixture);
}

/* Results that are not there yet are said to be on their way, and nothing waits. */
static void test_pending(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_load(&fixture, fixture_trace);
	fixture.never_ready = true;
	fixture_build(&fixture, PANEL_CALLS);
	assert_true(fixture.panel.pending);
	assert_true(fixture_table(&fixture)->rows[0].flags & ROW_PENDING);
	assert_cell(&fixture, 0, "median", "-");
	assert_cell(&fixture, 0, "share", "-");
	fixture_build(&fixture, PANEL_PATHS);
	assert_true(fixture.panel.pending);
	assert_true(fixture_table(&fixture)->rows[0].flags & ROW_PENDING);
	fixture_build(&fixture, PANEL_HEADER);
	fixture_release(&fixture);
}

/* ---- many paths ---- */

/* Only rows that can come into sight ask for results. */
static void test_many_paths(void **state)
{
	enum { PATHS = 1500 };
	struct fixture fixture;
	struct text csv = {0};

	(void)state;
	text_puts(&csv, "syscall,path,duration_ns\n");
	for (int i = 0; i < PATHS; i++)
		text_printf(&csv, "a,P%04d,%d\n", i, 1000 + (i * 7919) % PATHS);
	fixture_load(&fixture, csv.bytes);
	fixture.context.height_rows = 20;
	fixture.context.path_a = 700;
	fixture_build(&fixture, PANEL_PATHS);
	assert_int_equal(fixture_table(&fixture)->n_rows, PATHS);
	assert_true(fixture.n_summaries <= 45);
	assert_true(fixture.n_fits <= 11);
	for (uint32_t i = 680; i <= 720; i++)
		assert_false(isnan(fixture_cell(&fixture, i, "median")->number));
	/* but an order by times needs all of them */
	fixture.context.order[PANEL_PATHS].column = "max";
	fixture_build(&fixture, PANEL_PATHS);
	for (uint32_t i = 0; i < PATHS; i++) {
		uint32_t index = fixture_table(&fixture)->rows[i].index;

		assert_int_equal(fixture.recording->calls[0].duration_ns[index], 1000 + i);
	}
	fixture_release(&fixture);
	text_release(&csv);
}

/* ---- where paths part ---- */

static void take(void *context, const char *bytes, size_t n)
{
	text_add(context, bytes, n);
}

/* By the lines that the ids are made of. */
static void check_leave(const struct recording *recording, uint32_t a, uint32_t b)
{
	struct text lines[2] = {{0}, {0}};
	const char *at[2];
	struct view_leave leave;
	char function[256];
	uint32_t call = 0, depth;

	trees_lines(recording->trees, recording->names, a, take, &lines[0]);
	trees_lines(recording->trees, recording->names, b, take, &lines[1]);
	at[0] = lines[0].bytes;
	at[1] = lines[1].bytes;
	while (*at[0] && *at[1]) {
		size_t n = strcspn(at[0], "\n") + 1;

		if (strncmp(at[0], at[1], n))
			break;
		at[0] += n;
		at[1] += n;
		call++;
	}
	view_find_leave(recording->trees, a, b, &leave);
	assert_true(leave.differs);
	assert_int_equal(leave.call, call);
	for (int i = 0; i < 2; i++) {
		uint32_t found = i ? leave.other_function : leave.function;

		if (!*at[i]) {
			assert_int_equal(found, NAME_NONE);
			continue;
		}
		assert_int_equal(sscanf(at[i], "%u %255s", &depth, function), 2);
		assert_string_equal(names_text(recording->names, found), function);
		assert_int_equal(i ? leave.other_depth : leave.depth, depth);
	}
	text_release(&lines[0]);
	text_release(&lines[1]);
}

static void test_leave(void **state)
{
	struct fixture fixture;
	char name[512];
	unsigned n = 0;

	(void)state;
	fixture_init(&fixture, fixture_shipped(name, sizeof name, "sample-data/rt.tar.zst"));
	for (uint32_t c = 0; c < fixture.recording->n_calls; c++) {
		const struct call *call = &fixture.recording->calls[c];
		uint32_t n_paths = call->n_paths[IDENTITY_RAW];

		for (uint32_t i = 1; i < n_paths && i < 60; i++) {
			check_leave(fixture.recording, call->paths[IDENTITY_RAW][i].root,
				    call->paths[IDENTITY_RAW][i / 2].root);
			check_leave(fixture.recording, call->paths[IDENTITY_RAW][0].root,
				    call->paths[IDENTITY_RAW][i].root);
			n += 2;
		}
	}
	assert_true(n > 100);
	fixture_release(&fixture);
}

/* One path ends where the other goes on; and a call that has less inside. */
static void test_leave_at_ends(void **state)
{
	struct fixture fixture;
	const struct path *paths;

	(void)state;
	fixture_load(&fixture, "# tracer: function_graph\n"
			       " 0)               |  __x64_sys_a() {\n"
			       " 0)   1.000 us    |    b();\n"
			       " 0)   5.000 us    |  }\n"
			       " 0)               |  __x64_sys_a() {\n"
			       " 0)   1.000 us    |    b();\n"
			       " 0)   1.000 us    |    c();\n"
			       " 0)   5.000 us    |  }\n"
			       " 0)               |  __x64_sys_a() {\n"
			       " 0)               |    b() {\n"
			       " 0)   1.000 us    |      d();\n"
			       " 0)   2.000 us    |    }\n"
			       " 0)   1.000 us    |    c();\n"
			       " 0)   5.000 us    |  }\n");
	paths = fixture.recording->calls[0].paths[IDENTITY_CLEAN];
	assert_int_equal(fixture.recording->calls[0].n_paths[IDENTITY_CLEAN], 3);
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			if (i != k)
				check_leave(fixture.recording, paths[i].root, paths[k].root);
	fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real_traces), cmocka_unit_test(test_real_recording),
		cmocka_unit_test(test_calls),	    cmocka_unit_test(test_paths),
		cmocka_unit_test(test_raw_paths),   cmocka_unit_test(test_order),
		cmocka_unit_test(test_sort),	    cmocka_unit_test(test_leave_line),
		cmocka_unit_test(test_formats),	    cmocka_unit_test(test_header),
		cmocka_unit_test(test_losses),	    cmocka_unit_test(test_nothing_to_show),
		cmocka_unit_test(test_pending),	    cmocka_unit_test(test_many_paths),
		cmocka_unit_test(test_leave),	    cmocka_unit_test(test_leave_at_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
