/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "evtop/base.h"

#include <inttypes.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *format_significant(char *out, double value, int digits)
{
	int decimals;
	double magnitude = fabs(value);

	if (isnan(value) || isinf(value)) {
		snprintf(out, NUMBER_SIZE, "%s", isnan(value) ? "-" : value < 0 ? "-inf" : "inf");
		return out;
	}
	decimals = magnitude > 0 ? digits - 1 - (int)floor(log10(magnitude)) : digits - 1;
	/* 9.996 has three digits as 10.0, not as 10.00 */
	if (decimals >= 0 && decimals < 18 && magnitude > 0 &&
	    round(magnitude * pow(10, decimals)) >= pow(10, digits))
		decimals--;
	if (magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e15))
		snprintf(out, NUMBER_SIZE, "%.*e", digits - 1, value);
	else
		snprintf(out, NUMBER_SIZE, "%.*f", decimals < 0 ? 0 : decimals, value);
	return out;
}

/* What nobody counts in seconds any more: a level that is not to be trusted, say. */
#define LONG_NS 1e14

char *format_duration_digits(char *out, double duration_ns, int digits)
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
	/* 999.6 us are 1.00 ms: compare what will be shown */
	double least = 1 - 0.5 * pow(10, -digits);
	char number[NUMBER_SIZE];
	size_t i = 0;

	if (!isfinite(duration_ns))
		return format_significant(out, duration_ns, digits);
	if (fabs(duration_ns) >= LONG_NS) {
		snprintf(out, NUMBER_SIZE, "%.2e s", duration_ns / 1e9);
		return out;
	}
	while (i + 1 < COUNT_OF(units) && fabs(duration_ns) < least * units[i].ns)
		i++;
	/* whole nanoseconds have no fraction to show */
	if (units[i].ns == 1 && duration_ns == floor(duration_ns))
		snprintf(number, sizeof number, "%.0f", duration_ns);
	else
		format_significant(number, duration_ns / units[i].ns, digits);
	snprintf(out, NUMBER_SIZE, "%.24s %s", number, units[i].unit);
	return out;
}

char *format_duration(char *out, double duration_ns)
{
	return format_duration_digits(out, duration_ns, 3);
}

char *format_count(char *out, uint64_t count)
{
	char digits[24];
	int n = snprintf(digits, sizeof digits, "%" PRIu64, count), at = 0;

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = '\0';
	return out;
}

char *format_share(char *out, double share)
{
	if (isnan(share))
		snprintf(out, NUMBER_SIZE, "-");
	else
		snprintf(out, NUMBER_SIZE, "%.1f%%", 100 * share);
	return out;
}

char *format_exact(char *out, double value)
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(out, NUMBER_SIZE, "%.*g", digits, value);
		if (strtod(out, NULL) == value)
			break;
	}
	return out;
}

char *format_probability(char *out, double probability)
{
	if (probability >= 0.00999 || probability == 0) {
		format_exact(out, probability);
	} else {
		char number[NUMBER_SIZE], *exponent;

		snprintf(number, sizeof number, "%.3e", probability);
		exponent = strchr(number, 'e');
		if (!exponent) {
			snprintf(out, NUMBER_SIZE, "%s", number);
			return out;
		}
		*exponent = '\0';
		/* 1.000 becomes 1, 2.500 becomes 2.5 */
		for (char *end = exponent - 1; *end == '0' || *end == '.'; end--) {
			bool point = *end == '.';

			*end = '\0';
			if (point)
				break;
		}
		snprintf(out, NUMBER_SIZE, "%.12se%d", number, (int)strtol(exponent + 1, NULL, 10));
	}
	return out;
}

int parse_duration(const char *text, uint64_t *duration_ns, struct error *err)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"", 1}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	char *end;
	double value;

	errno = 0;
	value = strtod(text, &end);
	if (end == text || errno || !(value >= 0))
		return error_set(err, "'%s' is not a duration (10us, 2.5ms, 1s)", text);
	while (*end == ' ')
		end++;
	for (size_t i = 0; i < COUNT_OF(units); i++) {
		if (strcmp(end, units[i].unit))
			continue;
		value *= units[i].ns;
		if (value > 9e15)
			return error_set(err, "'%s' is longer than 100 days", text);
		*duration_ns = (uint64_t)llround(value);
		return 0;
	}
	return error_set(err, "'%s' has an unknown unit (ns, us, ms or s)", text);
}
