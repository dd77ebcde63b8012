/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the text of an option to its place in struct options. */
#include "evtop/cli.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

int option_find(const char *name)
{
	for (size_t i = 0; i < n_option_table; i++)
		if (!strcmp(option_table[i].name, name))
			return (int)i;
	return -1;
}

bool option_given(const struct options *options, const char *name)
{
	return options->given[option_find(name)] != FROM_NOWHERE;
}

void option_argument(const struct option_row *row, struct text *out)
{
	if (row->argument)
		text_printf(out, "=%s", row->argument);
	for (unsigned i = 0; i < row->n_words; i++)
		text_printf(out, "%c%s", i ? '|' : '=', row->word(i));
}

/* Is value one of the blank-separated words of list? */
static bool is_listed(const char *list, const char *value)
{
	size_t n = strlen(value);

	for (const char *at = list; at && n && (at = strstr(at, value)); at += n)
		if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
			return true;
	return false;
}

static int set_word(const struct option_row *row, unsigned *target, const char *value,
		    struct error *err)
{
	struct text words = {0};

	for (unsigned i = 0; i < row->n_words; i++)
		if (!strcmp(row->word(i), value)) {
			*target = i;
			return 0;
		}
	option_argument(row, &words);
	error_set(err, "option '%s' cannot be '%s' (%s)", row->name, value, words.bytes + 1);
	text_release(&words);
	return -1;
}

/* Digits alone: strtoull would take signs and blanks. */
static int read_integer(const struct option_row *row, const char *value, uint64_t least,
			uint64_t most, uint64_t *integer, struct error *err)
{
	char *end;
	unsigned long long parsed;

	errno = 0;
	parsed = strtoull(value, &end, 10);
	if (!*value || strspn(value, "0123456789") != strlen(value))
		return error_set(err, "option '%s' needs a whole number, not '%s'", row->name,
				 value);
	if (errno || parsed < least || parsed > most)
		return error_set(err, "option '%s' cannot be %s (%llu to %llu)", row->name, value,
				 (unsigned long long)least, (unsigned long long)most);
	*integer = parsed;
	return 0;
}

static int set_count(const struct option_row *row, uint32_t *target, const char *value,
		     struct error *err)
{
	uint64_t integer;

	if (read_integer(row, value, row->value, UINT32_MAX - 1, &integer, err))
		return -1;
	*target = (uint32_t)integer;
	return 0;
}

static int set_fraction(const struct option_row *row, double *target, const char *value,
			struct error *err)
{
	char *end;
	double parsed = strtod(value, &end);

	if (end == value || *end || !(parsed > 0 && parsed < 1))
		return error_set(err, "option '%s' needs a number between 0 and 1, not '%s'",
				 row->name, value);
	*target = parsed;
	return 0;
}

static int add_text(const struct option_row *row, struct string_list *list, const char *value,
		    struct error *err)
{
	if (!*value)
		return error_set(err, "option '%s' needs a name", row->name);
	ARRAY_RESERVE(list->items, list->n, list->room);
	list->items[list->n++] = value;
	return 0;
}

static int add_number(const struct option_row *row, struct number_list *list, const char *value,
		      struct error *err)
{
	uint64_t integer;

	if (read_integer(row, value, 0, INT_MAX, &integer, err))
		return -1;
	ARRAY_RESERVE(list->items, list->n, list->room);
	list->items[list->n++] = (int)integer;
	return 0;
}

/* CALL:TIME; a later one for the same call takes the place of an earlier one. */
static int add_deadline(const struct option_row *row, struct deadline_list *list, const char *value,
			struct error *err)
{
	const char *colon = strrchr(value, ':');
	struct report_deadline deadline;
	struct error why;

	if (!colon || colon == value)
		return error_set(err, "option '%s' needs CALL:TIME, not '%s'", row->name, value);
	if (parse_duration(colon + 1, &deadline.time_ns, &why))
		return error_set(err, "option '%s': %s", row->name, why.text);
	/* 500 for 500 us would make every verdict wrong by a thousand */
	if (deadline.time_ns && !isalpha((unsigned char)value[strlen(value) - 1]))
		return error_set(err, "option '%s': '%s' has no unit (ns, us, ms or s)", row->name,
				 colon + 1);
	if (!deadline.time_ns)
		return error_set(err, "option '%s' needs a time above 0, not '%s'", row->name,
				 value);
	deadline.call = mem_copy_bytes(value, (size_t)(colon - value));
	for (size_t i = 0; i < list->n; i++)
		if (!strcmp(list->items[i].call, deadline.call)) {
			free(list->items[i].call);
			list->items[i] = deadline;
			return 0;
		}
	ARRAY_RESERVE(list->items, list->n, list->room);
	list->items[list->n++] = deadline;
	return 0;
}

#define SIZE_MOST 1000

static int set_size(const struct option_row *row, uint16_t size[2], const char *value,
		    struct error *err)
{
	const char *x = strchr(value, 'x');
	uint64_t width, height;
	char columns[8] = "";

	if (!x || (size_t)(x - value) >= sizeof columns)
		return error_set(err, "option '%s' needs COLUMNSxROWS, not '%s'", row->name, value);
	memcpy(columns, value, (size_t)(x - value));
	if (read_integer(row, columns, 1, SIZE_MOST, &width, err) ||
	    read_integer(row, x + 1, 1, SIZE_MOST, &height, err))
		return -1;
	size[0] = (uint16_t)width;
	size[1] = (uint16_t)height;
	return 0;
}

/* What the command line says of a place, the file does not say again. */
static bool is_settled(const struct options *options, size_t target)
{
	for (size_t i = 0; i < n_option_table; i++)
		if (option_table[i].target == target && options->given[i] == FROM_COMMAND_LINE)
			return true;
	return false;
}

/* yes and no are for the configuration file. */
static int set_flag(const struct option_row *row, bool *target, const char *value,
		    struct error *err)
{
	static const char *const yes[] = {"yes", "true", "on", "1"};
	static const char *const no[] = {"no", "false", "off", "0"};

	for (size_t i = 0; i < COUNT_OF(yes); i++)
		if (!value || !strcmp(value, yes[i]) || !strcmp(value, no[i])) {
			*target = !value || !strcmp(value, yes[i]);
			return 0;
		}
	return error_set(err, "option '%s' is yes or no, not '%s'", row->name, value);
}

static int set_choice(const struct option_row *row, unsigned *target, const char *value,
		      struct error *err)
{
	bool chosen = false;

	if (set_flag(row, &chosen, value, err))
		return -1;
	if (chosen)
		*target = row->value;
	else if (*target == row->value)
		*target = 0;
	return 0;
}

static int set_value(const struct option_row *row, void *target, const char *value,
		     struct error *err)
{
	switch ((enum option_kind)row->kind) {
	case OPTION_FLAG:
		return set_flag(row, target, value, err);
	case OPTION_CHOICE:
		return set_choice(row, target, value, err);
	case OPTION_WORD:
		return set_word(row, target, value, err);
	case OPTION_COUNT:
		return set_count(row, target, value, err);
	case OPTION_SEED:
		return read_integer(row, value, 0, UINT64_MAX, target, err);
	case OPTION_FRACTION:
		return set_fraction(row, target, value, err);
	case OPTION_TEXT:
		*(const char **)target = value;
		return *value ? 0 : error_set(err, "option '%s' is empty", row->name);
	case OPTION_TEXTS:
		return add_text(row, target, value, err);
	case OPTION_NUMBERS:
		return add_number(row, target, value, err);
	case OPTION_DEADLINES:
		return add_deadline(row, target, value, err);
	case OPTION_SIZE:
		return set_size(row, target, value, err);
	}
	return -1;
}

static bool is_for_later(const char *later, const char *value)
{
	uint64_t duration_ns;

	return is_listed(later, value) ||
	       (is_listed(later, "DURATION") && !parse_duration(value, &duration_ns, NULL));
}

int option_set(struct options *options, int at, const char *value, enum option_source source,
	       struct error *err)
{
	const struct option_row *row = &option_table[at];
	void *target = (char *)options + row->target;

	if (!value && row->kind != OPTION_FLAG && row->kind != OPTION_CHOICE)
		return error_set(err, "option '%s' needs a value", row->name);
	if (value && row->later && is_for_later(row->later, value))
		return error_set(err, "option '%s': '%s' is not available in this version",
				 row->name, value);
	if (source == FROM_FILE && is_settled(options, row->target))
		return 0;
	if (set_value(row, target, value, err))
		return -1;
	options->given[at] = (uint8_t)source;
	return 0;
}
