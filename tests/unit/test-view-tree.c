/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tree panel: calls beside each other against a reading by hand, times
 * against a plain computation, alignment against an exhaustive one.
 */
#include "view-fixture.h"

#include "../../src/view/tree-internal.h"

/* "depth function calls total self beside diff note", a row each */
static char *read_rows(const struct fixture *fixture)
{
	static const char *const columns[] = {"function", "calls",	"total", "self",
					      "beside",	  "difference", "note"};
	const struct view_table *table = fixture_table(fixture);
	struct text out = {0};
	char cell[VIEW_CELL_SIZE];

	for (uint32_t i = 0; i < table->n_rows; i++) {
		text_printf(&out, "%u", table->rows[i].depth);
		for (size_t k = 0; k < COUNT_OF(columns); k++)
			text_printf(&out, "|%s", fixture_read(fixture, i, columns[k], cell));
		text_puts(&out, "\n");
	}
	return out.bytes;
}

static void assert_rows(const struct fixture *fixture, const char *expected)
{
	char *rows = read_rows(fixture);

	assert_string_equal(rows, expected);
	free(rows);
}

static void replace(char *out, size_t size, const char *text, const char *id)
{
	const char *at;
	size_t n = 0;

	for (; (at = strchr(text, '@')); text = at + 1)
		n += (size_t)snprintf(out + n, size - n, "%.*s%.6s", (int)(at - text), text, id);
	snprintf(out + n, size - n, "%s", text);
}

static void test_rare_beside_common(void **state)
{
	struct fixture fixture;
	char expected[1024];
	const char *common;

	(void)state;
	fixture_load(&fixture, fixture_trace);
	common = fixture.recording->calls[0].paths[IDENTITY_CLEAN][COMMON].id;
	fixture.context.path_a = RARE;
	fixture.context.path_b = COMMON;
	fixture_build(&fixture, PANEL_TREE);
	replace(expected, sizeof expected,
		"0|__x64_sys_a|1|45.0 us|16.0 us|33.0 us|+12.0 us|\n"
		"1|p|1|12.0 us|3.00 us|11.0 us|+1.00 us|\n"
		"2|x|1|2.00 us|2.00 us|2.00 us||\n"
		"2|- y|0|-|-|3.00 us|-3.00 us|only in @\n"
		"2|+ n|1|7.00 us|7.00 us|-|+7.00 us|not in @\n"
		"1|q|3|3.00 us|3.00 us|2.00 us|+1.00 us|2 calls in @\n"
		"1|r|1|8.00 us|4.00 us|8.00 us||\n"
		"1|+ s|1|6.00 us|6.00 us|-|+6.00 us|not in @\n",
		common);
	assert_rows(&fixture, expected);
	fixture_release(&fixture);
}

static void test_common_beside_rare(void **state)
{
	struct fixture fixture;
	char expected[1024];
	const char *rare;

	(void)state;
	fixture_load(&fixture, fixture_trace);
	rare = fixture.recording->calls[0].paths[IDENTITY_CLEAN][RARE].id;
	fixture.context.expand = EXPAND_ALL;
	fixture_build(&fixture, PANEL_TREE);
	replace(expected, sizeof expected,
		"0|__x64_sys_a|1|33.0 us|10.0 us|45.0 us|-12.0 us|\n"
		"1|p|1|11.0 us|5.00 us|12.0 us|-1.00 us|\n"
		"2|x|1|2.00 us|2.00 us|2.00 us||\n"
		"2|- n|0|-|-|7.00 us|-7.00 us|only in @\n"
		"2|+ y|1|3.00 us|3.00 us|-|+3.00 us|not in @\n"
		"1|q|2|2.00 us|2.00 us|3.00 us|-1.00 us|3 calls in @\n"
		"1|r|1|8.00 us|4.00 us|8.00 us||\n"
		"2|z|1|4.00 us|4.00 us|4.00 us||\n"
		"1|- s|0|-|-|6.00 us|-6.00 us|only in @\n"
		"0|interrupts in 25.0% of executions|1|53.0 us||||\n",
		rare);
	assert_rows(&fixture, expected);
	fixture_release(&fixture);
}

static void test_single_times(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_load(&fixture, fixture_trace);
	fixture.context.kind[PANEL_TREE] = TREE_TIMES;
	fixture.context.expand = EXPAND_ALL;
	fixture_build(&fixture, PANEL_TREE);
	assert_null(fixture_cell(&fixture, 0, "beside"));
	/* root p x y q r z */
	assert_cell(&fixture, 2, "function", "x");
	assert_cell(&fixture, 2, "min", "2.00 us");
	assert_cell(&fixture, 2, "mean", "2.67 us");
	assert_cell(&fixture, 2, "max", "4.00 us");
	assert_cell(&fixture, 4, "function", "q");
	assert_cell(&fixture, 4, "calls", "2");
	assert_cell(&fixture, 4, "min", "1.00 us");
	assert_cell(&fixture, 4, "mean", "1.17 us");
	assert_cell(&fixture, 4, "max", "2.00 us");
	/* without the interrupted one */
	assert_cell(&fixture, 0, "max", "34.0 us");
	fixture_release(&fixture);
}

static void test_slowest_beside_typical(void **state)
{
	struct fixture fixture;
	struct text title = {0};

	(void)state;
	fixture_load(&fixture, fixture_trace);
	fixture.context.kind[PANEL_TREE] = TREE_SLOWEST;
	fixture_build(&fixture, PANEL_TREE);
	assert_rows(&fixture, "0|__x64_sys_a|1|90.0 us|17.0 us|33.0 us|+57.0 us|\n"
			      "1|p|1|10.0 us|5.00 us|11.0 us|-1.00 us|\n"
			      "1|q|2|2.00 us|2.00 us|2.00 us||\n"
			      "1|r|1|61.0 us|4.00 us|8.00 us|+53.0 us|\n"
			      "2|+ irq_enter_rcu|1|1.00 us|1.00 us|-|+1.00 us|only here\n"
			      "2|+ __sysvec_apic_timer_interrupt|1|50.0 us|50.0 us|-|+50.0 us|"
			      "only here\n"
			      "2|+ irq_exit_rcu|1|2.00 us|2.00 us|-|+2.00 us|only here\n"
			      "2|z|1|4.00 us|4.00 us|4.00 us||\n"
			      "0|interrupts|1|53.0 us||||\n");
	fixture_line(&fixture.panel.title, &title);
	assert_non_null(strstr(title.bytes, "its slowest execution, 90.0 us"));
	text_release(&title);
	fixture_release(&fixture);
}

/* The raw path with the interrupt: one execution, kept among the slowest. */
static void test_raw_path(void **state)
{
	struct fixture fixture;
	const struct call *call;

	(void)state;
	fixture_load(&fixture, fixture_trace);
	call = &fixture.recording->calls[0];
	fixture.settings.identity = IDENTITY_RAW;
	for (uint32_t i = 0; i < call->n_paths[IDENTITY_RAW]; i++)
		if (call->paths[IDENTITY_RAW][i].n_disturbed)
			fixture.context.path_a = i;
	fixture.context.path_b = 0;
	fixture_build(&fixture, PANEL_TREE);
	assert_int_not_equal(fixture.context.path_a, 0);
	assert_cell(&fixture, 0, "total", "90.0 us");
	assert_cell(&fixture, 0, "beside", "33.0 us");
	assert_cell(&fixture, 4, "function", "+ irq_enter_rcu");
	fixture_release(&fixture);
}

static void test_folding(void **state)
{
	struct fixture fixture;
	const struct view_table *table;
	uint64_t root, p;

	(void)state;
	fixture_load(&fixture, fixture_trace);
	fixture.context.path_a = RARE;
	fixture.context.path_b = COMMON;
	fixture_build(&fixture, PANEL_TREE);
	table = fixture_table(&fixture);
	root = table->rows[0].identity;
	p = table->rows[1].identity;
	assert_true(table->rows[0].jump == p);
	assert_true(table->rows[1].parent == root);
	/* its longest child, n, is on one side alone */
	assert_true(table->rows[1].jump == table->rows[4].identity);
	for (uint32_t i = 0; i < table->n_rows; i++)
		for (uint32_t k = 0; k < i; k++)
			assert_true(table->rows[i].identity != table->rows[k].identity);
	fixture.context.toggled = &p;
	fixture.context.n_toggled = 1;
	fixture_build(&fixture, PANEL_TREE);
	assert_int_equal(fixture_table(&fixture)->n_rows, 5);
	assert_cell(&fixture, 1, "note", "differs inside");
	assert_true(fixture_table(&fixture)->rows[1].identity == p);
	fixture.context.n_toggled = 0;
	fixture.context.expand = EXPAND_NONE;
	fixture_build(&fixture, PANEL_TREE);
	assert_int_equal(fixture_table(&fixture)->n_rows, 1);
	fixture_release(&fixture);
}

static void test_without_times(void **state)
{
	struct fixture fixture;
	char *lines;

	(void)state;
	fixture_load(&fixture, "# tracer: function_graph\n"
			       " 0)  __x64_sys_a() {\n 0)    b();\n 0)  }\n");
	fixture_build(&fixture, PANEL_TREE);
	assert_int_equal(fixture_table(&fixture)->n_rows, 2);
	assert_null(fixture_cell(&fixture, 0, "total"));
	lines = fixture_lines(&fixture);
	assert_non_null(strstr(lines, "no durations"));
	free(lines);
	fixture_release(&fixture);
	fixture_load(&fixture, "syscall,path,duration_ns\na,A,5\n");
	fixture_build(&fixture, PANEL_TREE);
	assert_null(fixture_table(&fixture));
	lines = fixture_lines(&fixture);
	assert_non_null(strstr(lines, "without call trees"));
	free(lines);
	fixture_release(&fixture);
}

/* ---- a real trace ---- */

static int compare_ns(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return a < b ? -1 : a > b;
}

/* Every row that is one call, against the median of the executions kept. */
static void check_path(struct fixture *fixture, const struct path *path)
{
	const struct view_table *table;
	uint64_t calls = 0, index = 0;

	fixture_build(fixture, PANEL_TREE);
	table = fixture_table(fixture);
	for (uint32_t row = 0; row < table->n_rows; row++) {
		const struct view_cell *count = fixture_cell(fixture, row, "calls");
		const struct view_cell *total = fixture_cell(fixture, row, "total");
		const struct path_times *times = path->times;
		uint64_t values[KEPT_TYPICAL];

		/* what the machine did is no call */
		if (row && table->rows[row].depth == 0)
			break;
		calls += count->count;
		/* rows stand in call order as long as no calls share one */
		if (index++ != calls - 1)
			continue;
		for (uint32_t i = 0; i < times->n_typical; i++) {
			assert_int_equal(times->typical[i].raw_root, path->root);
			values[i] = times->typical[i].node_ns[calls - 1];
		}
		qsort(values, times->n_typical, sizeof *values, compare_ns);
		assert_true(total->number == stats_quantile(values, times->n_typical, 0.5));
	}
	assert_int_equal(calls, trees_size(fixture->recording->trees, path->root));
}

static void test_real_trace(void **state)
{
	struct fixture fixture;
	const struct call *call;
	uint32_t n = 0;
	char name[512];

	(void)state;
	fixture_init(&fixture, fixture_shipped(name, sizeof name,
					       "tests/data/traces/x86_64-6.1/b_allcols.txt.xz"));
	fixture.context.expand = EXPAND_ALL;
	fixture.context.path_b = PATH_ALL;
	for (uint32_t c = 0; c < fixture.recording->n_calls; c++) {
		fixture.context.call = c;
		call = &fixture.recording->calls[c];
		for (uint32_t p = 0; p < call->n_paths[IDENTITY_CLEAN]; p++) {
			fixture.context.path_a = p;
			if (!call->paths[IDENTITY_CLEAN][p].times->n_typical)
				continue;
			check_path(&fixture, &call->paths[IDENTITY_CLEAN][p]);
			n++;
		}
	}
	assert_true(n >= 5);
	fixture_release(&fixture);
}

/* ---- alignment ---- */

#define SHORT 6

static uint32_t like(const struct tree_run *a, const struct tree_run *b)
{
	return a->node == b->node ? 5 : a->function == b->function ? 2 : 0;
}

/* The most likeness, tried in every way. */
static uint32_t best_of(const struct tree_run *a, uint32_t n_a, const struct tree_run *b,
			uint32_t n_b)
{
	uint32_t most = 0, here;

	if (!n_a || !n_b)
		return 0;
	most = best_of(a + 1, n_a - 1, b, n_b);
	here = best_of(a, n_a, b + 1, n_b - 1);
	most = here > most ? here : most;
	here = like(a, b) ? like(a, b) + best_of(a + 1, n_a - 1, b + 1, n_b - 1) : 0;
	return here > most ? here : most;
}

/* Each run once and in order, only like ones together; returns the likeness. */
static uint32_t check_pairs(const struct tree_run *a, uint32_t n_a, const struct tree_run *b,
			    uint32_t n_b, const struct tree_pair *pairs, uint32_t n)
{
	uint32_t at_a = 0, at_b = 0, sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (pairs[i].a != RUN_NONE)
			assert_int_equal(pairs[i].a, at_a++);
		if (pairs[i].b != RUN_NONE)
			assert_int_equal(pairs[i].b, at_b++);
		assert_true(pairs[i].a != RUN_NONE || pairs[i].b != RUN_NONE);
		if (pairs[i].a == RUN_NONE || pairs[i].b == RUN_NONE)
			continue;
		assert_true(like(&a[pairs[i].a], &b[pairs[i].b]) > 0);
		sum += like(&a[pairs[i].a], &b[pairs[i].b]);
	}
	assert_int_equal(at_a, n_a);
	assert_int_equal(at_b, n_b);
	return sum;
}

static void draw_runs(struct tree_run *runs, uint32_t n, uint32_t n_functions, uint64_t *seed)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t function = (uint32_t)(stats_random(seed) % n_functions);

		runs[i] = (struct tree_run){.function = function,
					    .node = 10 * function +
						    (uint32_t)(stats_random(seed) % 2),
					    .n_each = 1,
					    .n = 1};
	}
}

static void test_alignment(void **state)
{
	struct tree_run a[SHORT], b[SHORT];
	struct tree_pair pairs[2 * SHORT];
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		uint32_t n_a = (uint32_t)(stats_random(&seed) % (SHORT + 1));
		uint32_t n_b = (uint32_t)(stats_random(&seed) % (SHORT + 1)), n;

		draw_runs(a, n_a, 3, &seed);
		draw_runs(b, n_b, 3, &seed);
		n = tree_align(a, n_a, b, n_b, pairs);
		assert_int_equal(check_pairs(a, n_a, b, n_b, pairs, n), best_of(a, n_a, b, n_b));
	}
}

/* Lists too long for the table: still in order, and a gap does not lose the rest. */
static void test_long_alignment(void **state)
{
	enum { LONG = 5000, GAP = 40 };
	struct tree_run *a = mem_zero(LONG, sizeof *a), *b = mem_zero(LONG, sizeof *b);
	struct tree_pair *pairs = mem_zero(2 * LONG, sizeof *pairs);
	uint64_t seed = 2;
	uint32_t n, n_b = LONG - GAP - 1;

	(void)state;
	draw_runs(a, LONG, 1000, &seed);
	a[0].function = 2000;
	a[0].node = 20000;
	a[LONG - 1].function = 2001;
	a[LONG - 1].node = 20010;
	/* without the first and the last, and without some in the middle */
	for (uint32_t i = 1, to = 0; i + 1 < LONG; i++)
		if (i < 2000 || i >= 2000 + GAP)
			b[to++] = a[i];
	n_b = LONG - 2 - GAP;
	n = tree_align(a, LONG, b, n_b, pairs);
	assert_int_equal(n, LONG);
	assert_true(check_pairs(a, LONG, b, n_b, pairs, n) >= 5 * (n_b - GAP));
	free(a);
	free(b);
	free(pairs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rare_beside_common),
		cmocka_unit_test(test_common_beside_rare),
		cmocka_unit_test(test_single_times),
		cmocka_unit_test(test_slowest_beside_typical),
		cmocka_unit_test(test_raw_path),
		cmocka_unit_test(test_folding),
		cmocka_unit_test(test_without_times),
		cmocka_unit_test(test_real_trace),
		cmocka_unit_test(test_alignment),
		cmocka_unit_test(test_long_alignment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
