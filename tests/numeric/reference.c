/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

/* Annual maxima of the sea level at Port Pirie, 1923-1987, in m (Coles 2001). */
const double portpirie[PORTPIRIE_N] = {
	4.03, 3.83, 3.65, 3.88, 4.01, 4.08, 4.18, 3.8,	4.36, 3.96, 3.98, 4.69, 3.85,
	3.96, 3.85, 3.93, 3.75, 3.63, 3.57, 4.25, 3.97, 4.05, 4.24, 4.22, 3.73, 4.37,
	4.06, 3.71, 3.96, 4.06, 4.55, 3.79, 3.89, 4.11, 3.85, 3.86, 3.86, 4.21, 4.01,
	4.11, 4.24, 3.96, 4.21, 3.74, 3.85, 3.88, 3.66, 4.11, 3.71, 4.18, 3.9,	3.78,
	3.91, 3.72, 4,	  3.66, 3.62, 4.33, 4.55, 3.75, 4.08, 3.9,  3.88, 3.94, 4.33};

/* The highest sea level of each year at Venice, 1931-1981, in cm (Pirazzoli 1982). */
const double venice[VENICE_N] = {103, 78,  121, 116, 115, 147, 119, 114, 89,  102, 99,	91,  97,
				 106, 105, 136, 126, 132, 104, 117, 151, 116, 107, 112, 97,  95,
				 119, 124, 118, 145, 122, 114, 118, 107, 110, 194, 138, 144, 138,
				 123, 122, 120, 114, 96,  125, 124, 120, 132, 166, 134, 138};

/* Reads a file, compressed or not, and adds a final NUL. */
static char *read_whole(const char *path)
{
#ifdef HAVE_LIBARCHIVE
	struct archive *archive = archive_read_new();
	struct archive_entry *entry;
	struct text text = {0};
	char chunk[65536];
	la_ssize_t n;

	archive_read_support_filter_all(archive);
	archive_read_support_format_raw(archive);
	if (archive_read_open_filename(archive, path, sizeof chunk) != ARCHIVE_OK ||
	    archive_read_next_header(archive, &entry) != ARCHIVE_OK) {
		archive_read_free(archive);
		return NULL;
	}
	while ((n = archive_read_data(archive, chunk, sizeof chunk)) > 0)
		text_add(&text, chunk, (size_t)n);
	archive_read_free(archive);
	return text.bytes;
#else
	/* as if it were not here: what needs it is skipped */
	(void)path;
	return NULL;
#endif
}

/* Cuts one cell off *at, in place; *last says whether the line ends with it. */
static char *next_cell(char **at, bool *last)
{
	char *begin = *at, *end;

	if (*begin == '"') {
		begin++;
		end = strchr(begin, '"');
		*end++ = '\0';
	} else {
		end = begin + strcspn(begin, ",\r\n");
	}
	*last = *end != ',';
	*at = end + (*end != '\0');
	if (*end == '\r')
		*at += **at == '\n';
	*end = '\0';
	return begin + strspn(begin, " ");
}

bool table_read(const char *name, struct table *table)
{
	const char *folder = getenv("EVTOP_TEST_DATA");
	char path[4096], *at;
	size_t room = 0, n = 0;

	*table = (struct table){0};
	if (!folder)
		return false;
	snprintf(path, sizeof path, "%s/evt/%s", folder, name);
	table->bytes = at = read_whole(path);
	if (!at)
		return false;
	while (*at) {
		bool last = false;
		size_t column = 0;

		for (; !last; column++) {
			char *cell = next_cell(&at, &last);

			if (table->n_columns && column >= table->n_columns)
				continue;
			ARRAY_RESERVE(table->cell, n, room);
			table->cell[n++] = cell;
		}
		if (!table->n_columns)
			table->n_columns = column;
		for (; column < table->n_columns; column++) {
			ARRAY_RESERVE(table->cell, n, room);
			table->cell[n++] = (char *)"";
		}
	}
	table->heading = table->cell;
	table->cell += table->n_columns;
	table->n_rows = n / table->n_columns - 1;
	return true;
}

void table_release(struct table *table)
{
	free(table->bytes);
	free(table->heading);
	*table = (struct table){0};
}

const char *table_text(const struct table *table, size_t row, const char *column)
{
	for (size_t i = 0; i < table->n_columns; i++)
		if (!strcmp(table->heading[i], column))
			return table->cell[row * table->n_columns + i];
	return "";
}

double table_number(const struct table *table, size_t row, const char *column)
{
	const char *text = table_text(table, row, column);
	char *end;
	double value = strtod(text, &end);

	return end == text ? NAN : value;
}

/* Data sets whose file or column differs from their name. */
static const struct {
	const char *dataset, *file, *column;
	double sign;
} renamed[] = {
	{"fremantle", "data/fremantle.csv", "SeaLevel", 1},
	{"portw_tmx1", "data/portw.csv", "TMX1", 1},
	{"glass_neg", "data/glass.csv", "strength", -1},
};

/* Two are printed in textbooks and stand here, so that something is always tested. */
static bool series_built_in(const char *dataset, struct series *series)
{
	bool is_venice = !strcmp(dataset, "venice_r1");

	if (!is_venice && strcmp(dataset, "portpirie"))
		return false;
	series->n = is_venice ? VENICE_N : PORTPIRIE_N;
	series->x = mem_alloc(series->n * sizeof *series->x);
	memcpy(series->x, is_venice ? venice : portpirie, series->n * sizeof *series->x);
	return true;
}

bool series_read(const char *dataset, struct series *series)
{
	struct table table;
	char file[256];
	const char *column = NULL;
	double sign = 1;
	bool found;

	if (series_built_in(dataset, series))
		return true;

	snprintf(file, sizeof file, "synthetic/%s.csv", dataset);
	for (size_t i = 0; i < COUNT_OF(renamed); i++) {
		if (strcmp(renamed[i].dataset, dataset))
			continue;
		snprintf(file, sizeof file, "%s", renamed[i].file);
		column = renamed[i].column;
		sign = renamed[i].sign;
	}
	found = table_read(file, &table);
	if (!found) {
		snprintf(file, sizeof file, "synthetic/%s.csv.gz", dataset);
		found = table_read(file, &table);
	}
	*series = (struct series){0};
	if (!found)
		return false;
	series->x = mem_alloc(table.n_rows * sizeof *series->x);
	series->n = table.n_rows;
	for (size_t i = 0; i < series->n; i++)
		series->x[i] = sign * table_number(&table, i, column ? column : table.heading[0]);
	table_release(&table);
	return true;
}

void series_release(struct series *series)
{
	free(series->x);
	*series = (struct series){0};
}

size_t series_maxima(const struct series *series, size_t b, double *maxima)
{
	size_t m = series->n / b;

	for (size_t i = 0; i < m; i++) {
		maxima[i] = series->x[i * b];
		for (size_t j = 1; j < b; j++)
			maxima[i] = fmax(maxima[i], series->x[i * b + j]);
	}
	return m;
}

void compare(struct worst *worst, double ours, double right, double least, const char *where)
{
	double difference = fabs(ours - right) / fmax(fabs(right), least);

	if (ours == right) /* also both infinite */
		difference = 0;
	worst->n++;
	if (difference <= worst->difference)
		return;
	/* a NaN is as wrong as can be */
	worst->difference = isnan(difference) ? INFINITY : difference;
	snprintf(worst->where, sizeof worst->where, "%s: %.10g for %.10g", where, ours, right);
}

void assert_worst(const struct worst *worst, size_t n)
{
	bool good = true;

	for (size_t i = 0; i < n; i++) {
		bool kept = worst[i].n > 0 && worst[i].difference <= worst[i].tolerance;

		print_message("%-28s %6zu compared, worst %.2g (allowed %.0e)%s %s\n",
			      worst[i].what, worst[i].n, worst[i].difference, worst[i].tolerance,
			      kept ? "" : " FAILED", worst[i].where);
		good = good && kept;
	}
	assert_true(good);
}
