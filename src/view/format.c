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
	else
		snprintf(out, size, "%.3f", share);
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
		snprintf(out, size, "[%s, %s]", format_duration(a, cell->range.low),
			 format_duration(b, cell->range.high));
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
