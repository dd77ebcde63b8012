/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where an axis has numbers, and how they are written. */
#include "draw-internal.h"

#include <stdio.h>
#include <string.h>

double axis_part(const struct view_axis *axis, double value)
{
	if (axis->log) {
		if (!(value > 0) || !(axis->low > 0) || !(axis->high > 0))
			return NAN;
		return log(value / axis->low) / log(axis->high / axis->low);
	}
	return (value - axis->low) / (axis->high - axis->low);
}

/* 1, 2 or 5 times a power of ten, not below least. */
static double nice_step(double least)
{
	double power = pow(10, floor(log10(least)));
	double digit = least / power;

	return power * (digit <= 1.0000001 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

struct unit {
	double ns;
	const char *name;
};

static struct unit duration_unit(double ns)
{
	static const struct unit units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
	size_t i = 0;

	while (i + 1 < COUNT_OF(units) && ns < 0.9995 * units[i].ns)
		i++;
	return units[i];
}

static void write_number(char *out, double value, double step)
{
	int decimals = step > 0 ? (int)ceil(-log10(step) - 1e-9) : 0;

	/* no -0 */
	if (fabs(value) < step * 1e-6)
		value = 0;
	if (fabs(value) >= 1e7 || (value != 0 && fabs(value) < 1e-5))
		snprintf(out, NUMBER_SIZE, "%.3g", value);
	else
		snprintf(out, NUMBER_SIZE, "%.*f", decimals > 0 ? decimals : 0, value);
}

static void linear_ticks(struct axis_ticks *ticks, const struct view_axis *axis, int most)
{
	double low = fmin(axis->low, axis->high), high = fmax(axis->low, axis->high);
	struct unit unit = {1, ""};
	double step, first;

	if (!(high > low) || most < 1)
		return;
	if (axis->kind == CELL_DURATION)
		unit = duration_unit(high);
	else if (axis->kind == CELL_SHARE)
		unit = (struct unit){0.01, "%"};
	step = nice_step((high - low) / unit.ns / most);
	if (axis->kind == CELL_COUNT && step < 1)
		step = 1;
	first = ceil(low / unit.ns / step - 1e-9);
	for (int i = 0; ticks->n < TICKS_MAX; i++) {
		double value = (first + i) * step;

		if (value * unit.ns > high + 1e-9 * (high - low))
			break;
		ticks->at[ticks->n] = value * unit.ns;
		write_number(ticks->label[ticks->n++], value, step);
	}
	if (ticks->n && *unit.name) {
		char *last = ticks->label[ticks->n - 1];
		size_t n = strlen(last);

		snprintf(last + n, NUMBER_SIZE - n, "%s%s", *unit.name == '%' ? "" : " ",
			 unit.name);
	}
}

/* 10 us, 1 ms, 1e-9, 1e6, 1,000 */
static void write_log_label(char *out, const struct view_axis *axis, double value)
{
	struct unit unit = duration_unit(value);

	if (axis->kind == CELL_DURATION)
		snprintf(out, NUMBER_SIZE, "%.3g %s", value / unit.ns, unit.name);
	else if (value >= 99999)
		snprintf(out, NUMBER_SIZE, "%.3ge%d", value / pow(10, floor(log10(value) + 1e-9)),
			 (int)floor(log10(value) + 1e-9));
	else if (value < 1)
		format_probability(out, value);
	else if (value >= 999)
		format_count(out, (uint64_t)(value + 0.5));
	else
		snprintf(out, NUMBER_SIZE, value < 100 ? "%.3g" : "%.0f", value);
}

static void log_ticks(struct axis_ticks *ticks, const struct view_axis *axis, int most)
{
	double low = fmin(axis->low, axis->high), high = fmax(axis->low, axis->high);
	int first, last, every;
	static const double inside[] = {1, 2, 5};

	if (!(low > 0) || !(high > low) || most < 1)
		return;
	first = (int)floor(log10(low) + 1e-9);
	last = (int)floor(log10(high) + 1e-9);
	every = (last - first) / most + 1;
	for (int k = first; k <= last; k++)
		for (size_t i = 0; i < COUNT_OF(inside); i++) {
			double value = inside[i] * pow(10, k);

			/* between the decades only where there are few of them */
			if ((i && (last - first + 1) * 3 > most) || (k - first) % every ||
			    value < low * (1 - 1e-9) || value > high * (1 + 1e-9) ||
			    ticks->n == TICKS_MAX)
				continue;
			ticks->at[ticks->n] = value;
			write_log_label(ticks->label[ticks->n++], axis, value);
		}
}

void ticks_make(struct axis_ticks *ticks, const struct view_axis *axis, int most)
{
	ticks->n = 0;
	if (most > TICKS_MAX)
		most = TICKS_MAX;
	if (axis->log) {
		log_ticks(ticks, axis, most);
		/* less than a decade: a log axis may still want numbers */
		if (ticks->n < 2 && axis->high / axis->low < 20 && axis->high > axis->low) {
			ticks->n = 0;
			linear_ticks(ticks, axis, most);
		}
	} else {
		linear_ticks(ticks, axis, most);
	}
}
