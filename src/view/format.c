/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cell's value as text: the edge where numbers become characters. */
#include "evtop/view.h"

#include <stdio.h>
#include <string.h>

/* .41, <.001, 1.00: three places say all that a verdict needs */
static void format_p(char *out, size_t size, double p)
{
	if (isnan(p))
		snprintf(out, size, "-");
	else if (p < 0.001)
		snprintf(out, size, "<.001");
	else if (p >= 0.995)
		snprintf(out, size, "1.00");
	else
		snprintf(out, size, ".%0*d", p < 0.1 ? 3 : 2,
			 (int)(p * (p < 0.1 ? 1000 : 100) + 0.5));
}

static void format_frequency(char *out, size_t size, double share)
{
	if (isnan(share))
		snprintf(out, size, "-");
	else if (share > 0 && share < 0.0005)
		/* what was seen is not nought, and what was missed once is not all */
		snprintf(out, size, "<.001");
	else if (share < 1 && share >= 0.9995)
		snprintf(out, size, ">.999");
	else
		snprintf(out, size, "%.3f", share);
}

#define DIGITS_MOST 6

/* With as many digits as tell one end from the other. */
static void format_interval(char *out, size_t size, double low, double high)
{
	char a[NUMBER_SIZE], b[NUMBER_SIZE];
	int digits = 3;

	do {
		format_duration_digits(a, low, digits);
		format_duration_digits(b, high, digits);
	} while (low < high && !strcmp(a, b) && digits++ < DIGITS_MOST);
	snprintf(out, size, "[%s, %s]", a, b);
}

char *view_format(char *out, size_t size, const struct view_cell *cell)
{
	char a[NUMBER_SIZE] = "", b[NUMBER_SIZE];

	out[0] = '\0';
	switch (cell->kind) {
	case CELL_TEXT:
	case CELL_ID:
	case CELL_SWATCH:
		snprintf(out, size, "%s", cell->text ? cell->text : "");
		break;
	case CELL_COUNT:
		snprintf(out, size, "%s", format_count(a, cell->count));
		break;
	case CELL_PAIR:
		snprintf(out, size, "%s/%s", format_count(a, cell->pair.first),
			 format_count(b, cell->pair.second));
		break;
	case CELL_DURATION:
		snprintf(out, size, "%s", format_duration(a, cell->number));
		break;
	case CELL_DIFFERENCE:
		snprintf(out, size, "%s%s", cell->number > 0 ? "+" : "",
			 format_duration(a, cell->number));
		break;
	case CELL_INTERVAL:
		format_interval(out, size, cell->range.low, cell->range.high);
		break;
	case CELL_SHARE:
		snprintf(out, size, "%s", format_share(a, cell->number));
		break;
	case CELL_FREQUENCY:
		format_frequency(out, size, cell->number);
		break;
	case CELL_NUMBER:
		snprintf(out, size, "%s", format_significant(a, cell->number, 3));
		break;
	case CELL_PROBABILITY:
		snprintf(out, size, "%s", format_probability(a, cell->number));
		break;
	case CELL_P_VALUE:
		format_p(out, size, cell->number);
		break;
	case CELL_EMPTY:
	case CELL_BAR:
	case CELL_BOX:
	case CELL_SPARK:
		break;
	}
	return out;
}
