/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "evtop/analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sorted_from(const struct sample *sample, struct sorted *sorted)
{
	sorted->n = sample->n;
	sorted->value_ns = mem_alloc(sorted->n * sizeof *sorted->value_ns);
	if (sorted->n)
		memcpy(sorted->value_ns, sample->value_ns, sorted->n * sizeof *sorted->value_ns);
	stats_sort(sorted->value_ns, NULL, sorted->n);
}

void sorted_release(struct sorted *sorted)
{
	free(sorted->value_ns);
	*sorted = (struct sorted){0};
}

void density_range(const struct sorted *const *samples, size_t n_samples, enum axis_scale scale,
		   double quantile, double *lower_ns, double *upper_ns)
{
	double lower = INFINITY, upper = -INFINITY, margin;

	for (size_t i = 0; i < n_samples; i++) {
		if (samples[i]->n == 0)
			continue;
		lower = fmin(lower, (double)samples[i]->value_ns[0]);
		upper = fmax(upper, stats_quantile(samples[i]->value_ns, samples[i]->n, quantile));
	}
	if (lower > upper) {
		*lower_ns = 1;
		*upper_ns = 10;
		return;
	}
	/* at 2^63 ns a step of 1 is lost in rounding */
	margin = fmax(fmax(1, 1e-9 * upper), 0.02 * (upper - lower));
	*lower_ns = scale == AXIS_LOG ? fmax(1, lower / 1.02) : fmax(0, lower - margin);
	*upper_ns = scale == AXIS_LOG ? fmax(2, upper * 1.02) : upper + margin;
}

static double share_beyond(const struct sorted *sorted, double lower_ns, double upper_ns)
{
	double share[2];

	if (sorted->n == 0)
		return 0;
	stats_ecdf(sorted->value_ns, sorted->n, (double[]){nextafter(lower_ns, -INFINITY)}, share,
		   1);
	stats_ccdf(sorted->value_ns, sorted->n, (double[]){upper_ns}, share + 1, 1);
	return share[0] + share[1];
}

/* Place of a point (or of a bin's middle) on the axis, in ns. */
static double point_ns(const struct density *density, size_t i)
{
	double place = density->kind == DENSITY_HISTOGRAM
			       ? ((double)i + 0.5) / (double)density->n_points
			       : (double)i / (double)(density->n_points - 1);

	/* the last one exactly: the longest must not fall beyond it by rounding */
	if (place == 1)
		return density->upper_ns;
	if (density->scale == AXIS_LINEAR)
		return density->lower_ns + place * (density->upper_ns - density->lower_ns);
	return density->lower_ns * pow(density->upper_ns / density->lower_ns, place);
}

static void histogram(const struct sorted *sorted, const struct density *density, double *y)
{
	size_t n = density->n_points;
	uint64_t *count = mem_alloc(n * sizeof *count);
	double width = density->scale == AXIS_LINEAR ? density->upper_ns - density->lower_ns
						     : log(density->upper_ns / density->lower_ns);

	stats_histogram(sorted->value_ns, sorted->n, density->scale, density->lower_ns,
			density->upper_ns, count, n);
	for (size_t i = 0; i < n; i++)
		y[i] = sorted->n ? (double)count[i] / (double)sorted->n * (double)n / width : 0;
	free(count);
}

/* Between two points, in the unit of the bandwidth: ns, or ln ns on a log axis. */
static double step_of(const struct density *density)
{
	double width = density->scale == AXIS_LINEAR ? density->upper_ns - density->lower_ns
						     : log(density->upper_ns / density->lower_ns);

	return width / (double)(density->n_points - 1);
}

static void compute_series(const struct sorted *sorted, double weight, enum bandwidth_rule rule,
			   const struct density *density, struct density_series *series)
{
	size_t n = density->n_points;

	series->n = sorted->n;
	series->y = mem_alloc(n * sizeof *series->y);
	series->beyond = share_beyond(sorted, density->lower_ns, density->upper_ns);
	series->bandwidth = NAN;
	switch (density->kind) {
	case DENSITY_KERNEL:
		series->bandwidth =
			stats_bandwidth(sorted->value_ns, sorted->n, density->scale, rule);
		/* a peak narrower than the step could stand between two points, unseen */
		if (!(series->bandwidth >= step_of(density)))
			series->bandwidth = step_of(density);
		stats_kernel_density(sorted->value_ns, sorted->n, density->scale, series->bandwidth,
				     density->lower_ns, density->upper_ns, series->y, n);
		break;
	case DENSITY_HISTOGRAM:
		histogram(sorted, density, series->y);
		break;
	case DENSITY_ECDF:
		stats_ecdf(sorted->value_ns, sorted->n, density->x_ns, series->y, n);
		return;
	case DENSITY_CCDF:
		stats_ccdf(sorted->value_ns, sorted->n, density->x_ns, series->y, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		series->y[i] *= weight;
}

bool density_compute(const struct sorted *const *samples, const double *weight, size_t n_samples,
		     enum density_kind kind, enum axis_scale scale, enum bandwidth_rule rule,
		     double lower_ns, double upper_ns, size_t n_points, stats_stop stop,
		     struct density *density)
{
	*density = (struct density){.kind = kind,
				    .scale = scale,
				    .lower_ns = lower_ns,
				    .upper_ns = upper_ns,
				    .n_points = n_points < 2 ? 2 : n_points};
	density->x_ns = mem_alloc(density->n_points * sizeof *density->x_ns);
	density->series = mem_zero(n_samples, sizeof *density->series);
	for (size_t i = 0; i < density->n_points; i++)
		density->x_ns[i] = point_ns(density, i);
	for (size_t i = 0; i < n_samples; i++) {
		if (stop && *stop) {
			density_release(density);
			return false;
		}
		compute_series(samples[i], weight ? weight[i] : 1, rule, density,
			       &density->series[density->n_series++]);
		for (size_t j = 0; j < density->n_points; j++)
			density->y_max = fmax(density->y_max, density->series[i].y[j]);
	}
	return true;
}

void density_release(struct density *density)
{
	for (size_t i = 0; i < density->n_series; i++)
		free(density->series[i].y);
	free(density->series);
	free(density->x_ns);
	*density = (struct density){0};
}
