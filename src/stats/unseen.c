/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "evtop/stats.h"

#include <math.h>

/* Chao 1984 with its lognormal interval, Chao 1987; f2 = 0: the bias-corrected form. */
static void chao1(struct unseen *unseen, double f1, double f2, double z)
{
	double n = (double)unseen->n, seen = (double)unseen->n_seen, a = (n - 1) / n;
	double f0, variance;

	if (f2 > 0) {
		double r = f1 / f2;

		f0 = a * f1 * r / 2;
		variance = f2 * (a / 2 * r * r + a * a * r * r * r + a * a / 4 * r * r * r * r);
	} else {
		f0 = a * f1 * (f1 - 1) / 2;
		variance = a * f1 * (f1 - 1) / 2 + a * a * f1 * (2 * f1 - 1) * (2 * f1 - 1) / 4 -
			   a * a * f1 * f1 * f1 * f1 / 4 / (seen + f0);
	}
	unseen->chao1 = seen + f0;
	unseen->chao1_ci = (struct bounds){unseen->chao1, unseen->chao1};
	if (f0 > 0 && variance > 0) {
		double factor = exp(z * sqrt(log1p(variance / (f0 * f0))));

		unseen->chao1_ci = (struct bounds){seen + f0 / factor, seen + f0 * factor};
	}
}

void stats_unseen(const uint32_t *count, size_t n_species, double confidence, struct unseen *unseen)
{
	double n, f1, f2, z = stats_normal_quantile(0.5 + confidence / 2), half;

	*unseen = (struct unseen){.mass = NAN, .new_path_upper = NAN, .chao1 = NAN};
	unseen->mass_ci = unseen->chao1_ci = (struct bounds){NAN, NAN};
	for (size_t i = 0; i < n_species; i++) {
		unseen->n += count[i];
		unseen->n_seen += count[i] > 0;
		unseen->n_once += count[i] == 1;
		unseen->n_twice += count[i] == 2;
	}
	if (unseen->n == 0)
		return;
	n = (double)unseen->n;
	f1 = (double)unseen->n_once;
	f2 = (double)unseen->n_twice;
	unseen->mass = f1 / n;
	half = z * sqrt(f1 * (1 - f1 / n) + 2 * f2) / n;
	unseen->mass_ci.lower = fmax(0, unseen->mass - half);
	unseen->mass_ci.upper = fmin(1, unseen->mass + half);
	unseen->new_path_upper = -expm1(log1p(-confidence) / n);
	chao1(unseen, f1, f2, z);
}
