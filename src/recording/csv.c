/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "csv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 64
#define LINE_MAX_BYTES (1u << 20)
/* Longer than that is no duration: 104 days, the largest exact number of ns in a double. */
#define DURATION_MAX_NS ((uint64_t)1 << 53)

enum csv_column { SYSCALL, PATH, DURATION_NS, DURATION_US, CAMPAIGN, RUN, N_CSV_COLUMNS };

static const char *const column_names[N_CSV_COLUMNS] = {
	[SYSCALL] = "syscall",	       [PATH] = "path",		[DURATION_NS] = "duration_ns",
	[DURATION_US] = "duration_us", [CAMPAIGN] = "campaign", [RUN] = "run",
};

struct csv_reader {
	csv_sink *sink;
	void *context;
	int columns[COLUMNS_MAX]; /* enum csv_column, or -1 */
	unsigned n_columns;
	bool header_done;
	struct text line;
	bool overlong;
	uint64_t line_number, bad_rows;
	char first_bad[160];
};

struct csv_reader *csv_reader_new(csv_sink *sink, void *context)
{
	struct csv_reader *reader = mem_zero(1, sizeof *reader);

	reader->sink = sink;
	reader->context = context;
	return reader;
}

void csv_reader_free(struct csv_reader *reader)
{
	if (!reader)
		return;
	text_release(&reader->line);
	free(reader);
}

static int column_of(const char *name)
{
	for (int i = 0; i < N_CSV_COLUMNS; i++)
		if (strcmp(name, column_names[i]) == 0)
			return i;
	return -1;
}

/*
 * Cuts the next field off a line; quotes around it go, doubled ones inside
 * become one. NULL behind the last.
 */
static char *next_field(char **line)
{
	char *start = *line, *in, *out;

	if (!start)
		return NULL;
	if (*start != '"') {
		char *comma = strchr(start, ',');

		*line = comma ? comma + 1 : NULL;
		if (comma)
			*comma = '\0';
		return start;
	}
	for (in = out = start + 1; *in && !(in[0] == '"' && in[1] != '"'); *out++ = *in++)
		if (*in == '"')
			in++;
	*line = NULL;
	if (*in == '"' && in[1] == ',')
		*line = in + 2;
	*out = '\0';
	return start + 1;
}

bool csv_probe(const char *bytes, size_t n)
{
	const char *end = memchr(bytes, '\n', n);
	size_t length = end ? (size_t)(end - bytes) : n;
	char line[1024], *at = line, *field;

	if (length >= sizeof line)
		return false;
	memcpy(line, bytes, length);
	line[length] = '\0';
	line[strcspn(line, "\r")] = '\0';
	if (strncmp(line, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	while ((field = next_field(&at)))
		if (column_of(field) >= 0)
			return true;
	return false;
}

static bool has_column(const struct csv_reader *reader, enum csv_column column)
{
	for (unsigned i = 0; i < reader->n_columns; i++)
		if (reader->columns[i] == (int)column)
			return true;
	return false;
}

static int read_header(struct csv_reader *reader, char *line, struct error *err)
{
	char *at = line, *field;

	if (strncmp(line, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	while ((field = next_field(&at))) {
		if (reader->n_columns == COLUMNS_MAX)
			return error_set(err, "has more than %d columns", COLUMNS_MAX);
		reader->columns[reader->n_columns++] = column_of(field);
	}
	if (!has_column(reader, DURATION_NS) && !has_column(reader, DURATION_US))
		return error_set(err, "has no column duration_ns or duration_us");
	reader->header_done = true;
	return 0;
}

/* "97.369" us to 97369 ns, without going through a double. */
static const char *read_duration(const char *text, bool microseconds, uint64_t *duration_ns)
{
	uint64_t whole = 0, fraction = 0, scale = microseconds ? 1000 : 1;
	const char *p = text;
	int digits = 0, digits_max = microseconds ? 3 : 0;
	bool round_up = false;

	if (*p == '-')
		return "a negative duration";
	for (; *p >= '0' && *p <= '9'; p++) {
		whole = 10 * whole + (uint64_t)(*p - '0');
		if (whole > DURATION_MAX_NS)
			return "a duration above 104 days";
	}
	if (p == text)
		return *text ? "a duration that is no number" : "no duration";
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9'; p++) {
			if (digits == digits_max)
				round_up = *p >= '5';
			if (digits++ < digits_max)
				fraction = 10 * fraction + (uint64_t)(*p - '0');
		}
	for (; digits < digits_max; digits++)
		fraction *= 10;
	if (*p) {
		/* 9.7e1 and the like: rare enough for the slow way */
		char *end;
		double value = strtod(text, &end);

		if (*end || strpbrk(text, "xX") || !(value >= 0))
			return "a duration that is no number";
		if (value * (double)scale > (double)DURATION_MAX_NS)
			return "a duration above 104 days";
		*duration_ns = (uint64_t)(value * (double)scale + 0.5);
		return NULL;
	}
	if (whole * scale + fraction > DURATION_MAX_NS)
		return "a duration above 104 days";
	*duration_ns = whole * scale + fraction + round_up;
	return NULL;
}

static const char *read_row(struct csv_reader *reader, char *line)
{
	struct csv_row row = {0};
	const char **texts[N_CSV_COLUMNS] = {
		[SYSCALL] = &row.syscall,
		[PATH] = &row.path,
		[CAMPAIGN] = &row.campaign,
		[RUN] = &row.run,
	};
	const char *why = "no duration";
	char *at = line, *field;

	for (unsigned i = 0; i < reader->n_columns; i++) {
		int column = reader->columns[i];

		field = next_field(&at);
		if (!field)
			return "fewer fields than the header";
		if (column == DURATION_NS || column == DURATION_US)
			why = read_duration(field, column == DURATION_US, &row.duration_ns);
		else if (column >= 0)
			*texts[column] = field;
	}
	if (at)
		return "more fields than the header";
	return why ? why : reader->sink(reader->context, &row);
}

static int take_line(struct csv_reader *reader, struct error *err)
{
	const char *why;

	reader->line_number++;
	if (reader->line.n && reader->line.bytes[reader->line.n - 1] == '\r')
		reader->line.bytes[--reader->line.n] = '\0';
	if (!reader->header_done && !reader->overlong)
		return read_header(reader, reader->line.bytes ? reader->line.bytes : (char[]){""},
				   err);
	if (reader->overlong)
		why = "a line longer than 1 MiB";
	else if (reader->line.n == 0)
		return 0;
	else
		why = read_row(reader, reader->line.bytes);
	if (why && reader->bad_rows++ == 0)
		snprintf(reader->first_bad, sizeof reader->first_bad, "line %" PRIu64 ": %s",
			 reader->line_number, why);
	return 0;
}

int csv_reader_feed(struct csv_reader *reader, const char *bytes, size_t n, struct error *err)
{
	const char *end = bytes + n;

	while (bytes < end) {
		const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
		size_t length = (size_t)((newline ? newline : end) - bytes);

		if (reader->line.n + length > LINE_MAX_BYTES)
			reader->overlong = true;
		if (!reader->overlong)
			text_add(&reader->line, bytes, length);
		if (!newline)
			return 0;
		if (take_line(reader, err) != 0)
			return -1;
		text_clear(&reader->line);
		reader->overlong = false;
		bytes = newline + 1;
	}
	return 0;
}

int csv_reader_end(struct csv_reader *reader, struct error *err)
{
	if (reader->line.n || reader->overlong)
		return take_line(reader, err);
	return 0;
}

uint64_t csv_reader_bad_rows(const struct csv_reader *reader)
{
	return reader->bad_rows;
}

const char *csv_reader_first_bad(const struct csv_reader *reader)
{
	return reader->first_bad;
}
