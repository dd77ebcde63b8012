/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of options, the command line, the configuration file, help and manual. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "evtop/cli.h"

#define ARGUMENTS_MOST 20

/* The line split at blanks and read as a command's arguments. */
static int parse(struct options *options, enum command_id command, const char *line,
		 struct error *err)
{
	static char words[512];
	static char *argv[ARGUMENTS_MOST + 2];
	int argc = 1;

	snprintf(words, sizeof words, "%s", line);
	argv[0] = (char *)"evtop";
	for (char *word = strtok(words, " "); word && argc <= ARGUMENTS_MOST;
	     word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	return options_read_arguments(options, command, argc, argv, err);
}

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_option_table; i++) {
		const struct option_row *row = &option_table[i];

		assert_true(row->name && *row->name);
		assert_true(row->help && strlen(row->help) > 5);
		assert_int_equal(option_find(row->name), i);
		assert_true(row->commands && !(row->commands & ~(IN_ALL | IN_TRACING)));
		/* a value has a name or words, a flag has neither */
		assert_int_equal(row->kind != OPTION_FLAG && row->kind != OPTION_CHOICE,
				 row->argument || row->n_words);
		assert_int_equal(row->kind == OPTION_WORD, row->n_words > 0);
		for (size_t j = 0; row->letter && j < i; j++)
			assert_int_not_equal(row->letter, option_table[j].letter);
	}
	for (size_t i = 0; i < N_COMMANDS; i++)
		assert_true(command_table[i].synopsis && command_table[i].help);
}

static char *read_manual(void)
{
	const char *folders[] = {getenv("top_builddir"), getenv("top_srcdir")};
	static char page[1 << 18];

	for (size_t i = 0; i < COUNT_OF(folders); i++) {
		char file[4096];
		FILE *stream;
		size_t n;

		snprintf(file, sizeof file, "%s/man/evtop.1", folders[i] ? folders[i] : ".");
		stream = fopen(file, "r");
		if (!stream)
			continue;
		n = fread(page, 1, sizeof page - 1, stream);
		fclose(stream);
		page[n] = '\0';
		return page;
	}
	return NULL;
}

static void test_manual_and_help(void **state)
{
	struct text help = {0};
	char *page = read_manual();

	(void)state;
	help_write(COMMAND_EXPLORE, &help);
	for (size_t i = 0; i < n_option_table; i++) {
		struct text dashed = {0}, macro = {0};

		text_printf(&dashed, "--%s", option_table[i].name);
		assert_non_null(strstr(help.bytes, dashed.bytes));
		manual_escape(&macro, dashed.bytes);
		if (page)
			assert_non_null(strstr(page, macro.bytes));
		text_release(&dashed);
		text_release(&macro);
	}
	for (size_t i = 0; commands_to_come[i]; i++) {
		struct text usage = {0};

		text_printf(&usage, "evtop %s", commands_to_come[i]);
		assert_null(strstr(help.bytes, usage.bytes));
		text_release(&usage);
	}
	for (char *line = strtok(help.bytes, "\n"); line; line = strtok(NULL, "\n"))
		assert_true(strlen(line) < 80);
	text_release(&help);
	if (!page)
		skip();
}

static void test_values(void **state)
{
	struct options options;
	struct error err;

	(void)state;
	options_init(&options);
	assert_int_equal(
		parse(&options, COMMAND_REPORT,
		      "a.txt --identity=raw --model gumbel --estimator=lmoments --block-size=200 "
		      "--unit=blocks --level=0.99 --probability=1e-12 --seed=18446744073709551615 "
		      "--ticks=off "
		      "b.txt --deadline=openat:2.5ms -oout",
		      &err),
		0);
	options_settle(&options);
	assert_int_equal(options.settings.identity, IDENTITY_RAW);
	assert_int_equal(options.settings.model, MODEL_GUMBEL);
	assert_int_equal(options.settings.estimator, ESTIMATOR_LMOMENTS);
	assert_int_equal(options.settings.block_size, 200);
	assert_int_equal(options.settings.unit, UNIT_BLOCKS);
	assert_true(options.settings.level == 0.99);
	assert_true(options.settings.probability == 1e-12);
	assert_true(options.settings.seed == UINT64_MAX);
	/* they follow: all with raw, bootstrap with L-moments */
	assert_int_equal(options.settings.stratum, STRATUM_ALL);
	assert_int_equal(options.settings.interval, INTERVAL_BOOTSTRAP);
	assert_int_equal(options.deadlines.n, 1);
	assert_string_equal(options.deadlines.items[0].call, "openat");
	assert_int_equal(options.deadlines.items[0].time_ns, 2500000);
	assert_string_equal(options.output, "out");
	assert_int_equal(options.n_operands, 2);
	assert_string_equal(options.operands[0], "a.txt");
	assert_string_equal(options.operands[1], "b.txt");
	options_release(&options);
}

static void test_lists_and_defaults(void **state)
{
	struct options options;
	struct error err;

	(void)state;
	options_init(&options);
	assert_int_equal(parse(&options, COMMAND_EXPLORE,
			       "--syscall=read --syscall=write --pid=7 --cpu=0 --size=100x30 "
			       "--braille --ascii -- --odd-name",
			       &err),
			 0);
	options_settle(&options);
	assert_int_equal(options.syscalls.n, 2);
	assert_string_equal(options.syscalls.items[1], "write");
	assert_int_equal(options.pids.items[0], 7);
	assert_int_equal(options.cpus.n, 1);
	assert_int_equal(options.width_cols, 100);
	assert_int_equal(options.height_rows, 30);
	assert_string_equal(options.operands[0], "--odd-name");
	assert_int_equal(options.settings.stratum, STRATUM_UNDISTURBED);
	assert_int_equal(options.settings.interval, INTERVAL_PROFILE);
	assert_int_equal(options.settings.block_size, 50);
	assert_int_equal(options.top, 10);
	options_release(&options);
}

/* What must be refused, and a part of what is said. */
static const struct {
	enum command_id command;
	const char *line, *said;
} refused[] = {
	{COMMAND_REPORT, "--model=gpd x", "'gpd' is not available in this version"},
	{COMMAND_REPORT, "--model=auto x", "'auto' is not available in this version"},
	{COMMAND_REPORT, "--estimator=auto x", "not available in this version"},
	{COMMAND_REPORT, "--block-size=auto x", "not available in this version"},
	{COMMAND_REPORT, "--ticks=auto x", "'auto' is not available in this version"},
	{COMMAND_REPORT, "--ticks=16ns x", "'16ns' is not available in this version"},
	{COMMAND_REPORT, "--ticks=on x", "cannot be 'on' (off)"},
	{COMMAND_REPORT, "--model=weibull x", "gev|gumbel"},
	{COMMAND_REPORT, "--block-size=0 x", "block-size"},
	{COMMAND_REPORT, "--block-size=-5 x", "whole number"},
	{COMMAND_REPORT, "--block-size=1e3 x", "whole number"},
	{COMMAND_REPORT, "--block-size=99999999999 x", "block-size"},
	{COMMAND_REPORT, "--probability=0 x", "between 0 and 1"},
	{COMMAND_REPORT, "--probability=1 x", "between 0 and 1"},
	{COMMAND_REPORT, "--level=nan x", "between 0 and 1"},
	{COMMAND_REPORT, "--level=0.95x x", "between 0 and 1"},
	{COMMAND_REPORT, "--deadline=openat x", "CALL:TIME"},
	{COMMAND_REPORT, "--deadline=:5us x", "CALL:TIME"},
	{COMMAND_REPORT, "--deadline=openat:5kg x", "unknown unit"},
	{COMMAND_REPORT, "--deadline=openat:0 x", "above 0"},
	{COMMAND_REPORT, "--deadline=openat:500 x", "'500' has no unit"},
	{COMMAND_REPORT, "--deadline=openat:2.5 x", "'2.5' has no unit"},
	{COMMAND_REPORT, "--unheard-of x", "'--unheard-of'"},
	{COMMAND_REPORT, "-Z x", "'-Z'"},
	{COMMAND_REPORT, "x --seed", "'seed' needs a value"},
	{COMMAND_REPORT, "--force=no x", "'force' takes no value"},
	{COMMAND_REPORT, "--calls x", "'--calls'"},
	{COMMAND_PATH, "--format=json x", "'--format=json'"},
	{COMMAND_EXPLORE, "--size=80 x", "COLUMNSxROWS"},
	{COMMAND_EXPLORE, "--size=0x24 x", "size"},
	{COMMAND_EXPLORE, "--size=80x99999 x", "size"},
	{COMMAND_EXPLORE, "--pid=self x", "whole number"},
	{COMMAND_EXPLORE, "--syscall= x", "needs a name"},
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(refused); i++) {
		struct options options;
		struct error err = {""};

		options_init(&options);
		if (!parse(&options, refused[i].command, refused[i].line, &err))
			fail_msg("'%s' was taken", refused[i].line);
		if (!strstr(err.text, refused[i].said) || strchr(err.text, '\n'))
			fail_msg("'%s' says '%s'", refused[i].line, err.text);
		options_release(&options);
	}
}

/* A file of this content; the name is in a buffer of the test's own. */
static const char *write_config(const char *content)
{
	static char name[] = "/tmp/evtop-test-config-XXXXXX";
	static int made;
	FILE *stream;

	if (!made)
		close(mkstemp(name));
	made = 1;
	stream = fopen(name, "w");
	assert_non_null(stream);
	fputs(content, stream);
	fclose(stream);
	return name;
}

static void test_config(void **state)
{
	const char *file =
		write_config("# mine\n\n  block-size =  100 \nmodel=gumbel\nforce\n"
			     "ascii = no\nbraille = yes\nsyscall = read\nsyscall = close\n"
			     "deadline = openat:1ms\ntop=3");
	struct options options;
	struct error err;

	(void)state;
	options_init(&options);
	assert_int_equal(
		parse(&options, COMMAND_REPORT, "--block-size=20 --syscall=write --ascii x", &err),
		0);
	assert_int_equal(options_read_file(&options, file, &err), 0);
	unlink(file);
	/* the command line comes first, lists and choices included */
	assert_int_equal(options.settings.block_size, 20);
	assert_int_equal(options.syscalls.n, 1);
	assert_string_equal(options.syscalls.items[0], "write");
	assert_int_equal(options.glyphs, option_table[option_find("ascii")].value);
	assert_int_equal(options.settings.model, MODEL_GUMBEL);
	assert_true(options.settings.force);
	assert_int_equal(options.deadlines.n, 1);
	assert_int_equal(options.top, 3);
	options_release(&options);
}

static const struct {
	const char *content, *said;
} bad_configs[] = {
	{"model = gev\nmodl = gev\n", ":2: unknown option 'modl'"},
	{"block-size\n", ":1: option 'block-size' needs a value"},
	{"force = perhaps\n", ":1: option 'force' is yes or no"},
	{"output = x\n", ":1: option 'output' is for the command line only"},
	{"help\n", "command line only"},
	{"estimator = auto\n", "not available in this version"},
	{"= 5\n", ":1: unknown option ''"},
};

static void test_bad_config(void **state)
{
	struct options options;
	struct error err;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad_configs); i++) {
		const char *file = write_config(bad_configs[i].content);

		options_init(&options);
		assert_int_equal(options_read_file(&options, file, &err), -1);
		if (!strstr(err.text, bad_configs[i].said))
			fail_msg("'%s' says '%s'", bad_configs[i].content, err.text);
		options_release(&options);
		unlink(file);
	}
	options_init(&options);
	assert_int_equal(options_read_file(&options, "/tmp/no/such/folder/config", &err), 0);
	assert_int_equal(options_read_file(&options, "/", &err), -1);
	options_release(&options);
}

static void test_config_place(void **state)
{
	struct text file = {0};

	(void)state;
	setenv("XDG_CONFIG_HOME", "/x/y", 1);
	options_default_file(&file);
	assert_string_equal(file.bytes, "/x/y/evtop/config");
	setenv("XDG_CONFIG_HOME", "relative", 1); /* must be ignored, says the standard */
	setenv("HOME", "/h", 1);
	options_default_file(&file);
	assert_string_equal(file.bytes, "/h/.config/evtop/config");
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HOME");
	options_default_file(&file);
	assert_string_equal(file.bytes, "");
	text_release(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),	   cmocka_unit_test(test_manual_and_help),
		cmocka_unit_test(test_values),	   cmocka_unit_test(test_lists_and_defaults),
		cmocka_unit_test(test_refused),	   cmocka_unit_test(test_config),
		cmocka_unit_test(test_bad_config), cmocka_unit_test(test_config_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
