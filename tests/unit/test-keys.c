/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of keys: whole, without doubles, and readable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "evtop/tui.h"

static void test_names(void **state)
{
	static const struct {
		const char *name;
		int key;
	} cases[] = {
		{"j", 'j'},
		{"?", '?'},
		{"[", '['},
		{"Enter", '\n'},
		{"enter", '\n'},
		{"Space", ' '},
		{"Tab", '\t'},
		{"Esc", 27},
		{"PgDn", KEY_NAME_PAGE_DOWN},
		{"F1", KEY_NAME_F1},
		{"F10", KEY_NAME_F10},
		{"Ctrl-L", 12},
		{"ä", 0xe4},
		/* none */
		{"F11", -1},
		{"F0", -1},
		{"F1x", -1},
		{"jj", -1},
		{"", -1},
		{" ", -1},
		{"Ctrl-", -1},
		{"Ctrl-LL", -1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_int_equal(key_parse(cases[i].name), cases[i].key);
}

typedef void (*key_visit)(const struct key_command *command, int key, void *owner);

static void visit_keys(const struct key_command *command, key_visit visit, void *owner)
{
	char *copy = mem_copy_text(command->keys), *save = NULL;

	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		int key = key_parse(word);
		char name[16];

		assert_int_not_equal(key, -1);
		/* and back: help and manual write it as it is read */
		assert_int_equal(key_parse(key_text(name, key)), key);
		visit(command, key, owner);
	}
	free(copy);
}

struct seen {
	int n, key[512], context[512];
};

static void note_key(const struct key_command *command, int key, void *owner)
{
	struct seen *seen = owner;

	for (int i = 0; i < seen->n; i++) {
		bool same_place = seen->context[i] == (int)command->context;

		/* a panel may give a general key another meaning, nothing else may */
		if (seen->key[i] == key)
			assert_false(same_place);
	}
	seen->key[seen->n] = key;
	seen->context[seen->n++] = (int)command->context;
}

static void test_table(void **state)
{
	struct seen seen = {0};

	(void)state;
	for (size_t i = 0; i < n_key_commands; i++) {
		const struct key_command *command = &key_commands[i];
		size_t n = strlen(command->help);

		assert_true(command->command > 0);
		assert_true(command->context < KEY_CONTEXT_COUNT);
		assert_true(n > 5 && command->help[n - 1] != '.');
		/* help is wrapped by bytes */
		for (const char *c = command->help; *c; c++)
			assert_true(*c >= ' ' && *c < 0x7f);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(command->name, key_commands[j].name);
		visit_keys(command, note_key, &seen);
	}
}

/* Keys that hold everywhere must not mean two things in one place. */
static void test_general_keys_do_not_clash(void **state)
{
	static const enum key_context general[] = {KEYS_EVERYWHERE, KEYS_MOVE, KEYS_ANALYSIS};
	struct seen seen = {0};

	(void)state;
	for (size_t i = 0; i < n_key_commands; i++)
		for (size_t j = 0; j < COUNT_OF(general); j++) {
			struct key_command as_one = key_commands[i];

			if (as_one.context != general[j])
				continue;
			as_one.context = KEYS_EVERYWHERE;
			visit_keys(&as_one, note_key, &seen);
		}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_general_keys_do_not_clash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
