/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Statistics as pure functions of arrays: nothing here knows of traces, and
 * nothing keeps state. Durations are integer nanoseconds; extremes are doubles
 * in any unit. Signs: shape xi > 0 is heavy-tailed, xi < 0 bounded, 0 Gumbel.
 * Probabilities in the tail are carried as y = -ln F or as p itself, never as
 * 1-p. Where an array may be NULL or a result NaN, it says so.
 */
#ifndef EVTOP_STATS_H
#define EVTOP_STATS_H

#include <stdatomic.h>

#include "evtop/base.h"
#include "evtop/settings.h"

/* Set by another thread to end a long computation early; may be NULL. */
typedef const _Atomic bool *stats_stop;

struct bounds {
	double lower, upper;
};

/* ---- order and summaries ---- */

/* Sorts ascending, in place; work has room for n values (NULL: allocated). */
void stats_sort(uint64_t *values, uint64_t *work, size_t n);
/* The same for finite doubles. */
void stats_sort_doubles(double *values, size_t n);
/* Indices of the values in ascending order, equal ones as they stand; n < 2^32. */
void stats_order(const double *values, uint32_t *order, size_t n);
/* Ranks 1..n from that order, equal values share their mean rank. */
void stats_ranks(const double *values, const uint32_t *order, double *rank, size_t n);

/* Type 7 quantile (Hyndman and Fan 1996) of sorted values, q in [0, 1]; NaN for n = 0. */
double stats_quantile(const uint64_t *sorted, size_t n, double q);
double stats_quantile_doubles(const double *sorted, size_t n, double q);

/* Everything NaN (0 for integers) where n = 0; deviation NaN where n = 1. */
struct summary {
	uint64_t n;
	uint64_t n_kept; /* values that the quantiles and the deviations are from: n, or a draw */
	uint64_t min_ns, max_ns;
	uint64_t sum_ns;				    /* UINT64_MAX where it does not fit */
	double median_ns, mean_ns, p90_ns, p99_ns, p999_ns; /* type 7 */
	double jitter_ns;				    /* max - min */
	double jitter_ratio;				    /* max / median */
	double deviation_ns;				    /* standard deviation, divisor n - 1 */
	double mad_ns; /* median absolute deviation, not scaled */
};

void stats_summarise(const uint64_t *sorted, size_t n, struct summary *summary);

/* ---- densities: all on sorted values in ns ---- */

enum axis_scale { AXIS_LINEAR, AXIS_LOG };
enum bandwidth_rule { BANDWIDTH_SHEATHER_JONES, BANDWIDTH_SILVERMAN };

/*
 * Counts of values in n_bins equal bins of [lower, upper] (equal in ln ns on a
 * log axis). The last bin is closed; values outside are not counted. On a log
 * axis lower > 0.
 */
void stats_histogram(const uint64_t *sorted, size_t n, enum axis_scale scale, double lower,
		     double upper, uint64_t *count, size_t n_bins);

/*
 * Bandwidth of a Gaussian kernel, in ns or (log axis) in ln ns, where a 0 ns
 * counts as 1 ns. Silverman 1986: 0.9 min(sd, IQR/1.34) n^-1/5 (R's bw.nrd0);
 * Sheather and Jones 1991, solve the equation, on binned values (R's bw.SJ);
 * the former where the latter has no solution. 0 < result also for constants.
 */
double stats_bandwidth(const uint64_t *sorted, size_t n, enum axis_scale scale,
		       enum bandwidth_rule rule);

/*
 * Kernel density at n_points (at least 2) evenly spaced points of the axis,
 * lower and upper included, per ns or (log axis) per ln ns: it integrates to 1
 * along the axis as drawn. Values outside [lower, upper] count where near.
 */
void stats_kernel_density(const uint64_t *sorted, size_t n, enum axis_scale scale, double bandwidth,
			  double lower, double upper, double *density, size_t n_points);

/* Share of values <= x[i] (ECDF) and > x[i] (CCDF, exact near 0). */
void stats_ecdf(const uint64_t *sorted, size_t n, const double *x, double *share, size_t n_points);
void stats_ccdf(const uint64_t *sorted, size_t n, const double *x, double *share, size_t n_points);

/* ---- block maxima ---- */

/*
 * Maxima of consecutive blocks in order of arrival. BLOCK_EXECUTIONS: of size
 * values; BLOCK_RUN: of size runs (only runs that have values count). No block
 * crosses a campaign; a partial last block of a campaign is dropped. campaign
 * and run give each value's, ascending; campaign NULL: one campaign; run may
 * be NULL with BLOCK_EXECUTIONS. maxima has room for n values (n / size with
 * BLOCK_EXECUTIONS). *used: how many values lie in whole blocks; may be NULL.
 * Returns the number of maxima.
 */
size_t stats_block_maxima(const uint64_t *value_ns, const uint32_t *campaign, const uint32_t *run,
			  size_t n, enum block_unit unit, uint32_t size, double *maxima,
			  size_t *used);

/* ---- distributions of extremes ---- */

#define N_PARAMETERS_MAX 3
enum { LOCATION, SCALE, SHAPE };

/* theta is {location, scale, shape}; shape is 0 for Gumbel. */
struct distribution {
	enum model model;
	int n_parameters;
	const char *const *parameter_names;
	double (*log_density)(const double *theta, double x); /* -inf outside the support */
	double (*y)(const double *theta, double x);	      /* -ln F(x): inf below, 0 above */
	double (*quantile)(const double *theta, double y);    /* x with -ln F(x) = y */
	/* d quantile / d theta[i], n_parameters of them */
	void (*quantile_gradient)(const double *theta, double y, double *gradient);
};

const struct distribution *stats_distribution(enum model model);
/* F and 1-F from y = -ln F, each exact where it is small. */
double stats_cdf_of_y(double y);
double stats_tail_of_y(double y);

#define LEAST_MAXIMA 20 /* below: no fit */
#define WEAK_MAXIMA 50	/* below: a weak fit */

struct estimate {
	enum model model;
	enum estimator estimator;
	size_t n; /* maxima */
	int n_parameters;
	double theta[N_PARAMETERS_MAX];			       /* NaN where refused */
	double log_likelihood;				       /* NaN where refused */
	double covariance[N_PARAMETERS_MAX][N_PARAMETERS_MAX]; /* NaN where no_errors */
	double standard_error[N_PARAMETERS_MAX];	       /* NaN where no_errors */
	const char *no_errors; /* why there are no standard errors, or NULL */
	int n_steps;	       /* of the optimiser */
	char refused[96];      /* why there is no fit, or "" */
};

/*
 * Fits maxima in any order (n finite values). MLE: damped Newton from the
 * L-moments fit, standard errors from the observed information, withheld for
 * xi <= -0.5. L-moments: unbiased, solved exactly; no standard errors (use
 * stats_bootstrap()). Refuses n < 20, constant samples, no convergence, an
 * L-moments support that leaves a value out, an MLE at xi <= -1.
 */
void stats_fit(const double *maxima, size_t n, enum model model, enum estimator estimator,
	       struct estimate *estimate);

/*
 * MLE of values that were cut down to multiples of a tick: each stands for
 * [x, x + tick). The likelihood is a product of probabilities. Refuses and
 * withholds as stats_fit().
 */
void stats_fit_ticks(const double *maxima, size_t n, enum model model, double tick,
		     struct estimate *estimate);

/* Sample L-moments l1, l2, l3, l4 from sorted values (Hosking 1990), n >= 4. */
void stats_lmoments(const double *sorted, size_t n, double lmoments[4]);
/* The distribution with these L-moments, whatever its support leaves out; false: none has them. */
bool stats_of_lmoments(enum model model, const double *lmoments, double *theta);

double stats_log_likelihood(const double *maxima, size_t n, enum model model, const double *theta);

/* ---- return levels ---- */

double stats_y_of_period(double blocks);		    /* -log1p(-1/T) */
double stats_y_of_probability(double p, double block_size); /* -B log1p(-p) */
double stats_probability_of_y(double y, double block_size); /* its inverse */

double stats_level(const struct estimate *estimate, double y);
/* Standard error by the delta method; NaN where there is no covariance. */
double stats_level_error(const struct estimate *estimate, double y);
/* confidence in (0, 1); both NaN where there is no covariance. */
struct bounds stats_level_delta(const struct estimate *estimate, double y, double confidence);
struct bounds stats_shape_delta(const struct estimate *estimate, double confidence);

/*
 * Profile-likelihood intervals: both roots of 2 (l_hat - l_p) = chi2_1(confidence)
 * (Coles 2001, 2.6.6), by MLE whatever estimate it is given of the same model.
 * An end that does not exist is -inf or inf, one that was not found is NaN.
 * Shape and exceedance are bounded by xi > -1.
 */
struct profile;

struct profile *stats_profile_new(const double *maxima, size_t n, const struct estimate *mle);
void stats_profile_free(struct profile *profile);
struct bounds stats_profile_level(struct profile *profile, double y, double confidence);
struct bounds stats_profile_shape(struct profile *profile, double confidence);
/* Interval of y = -ln F(x), lower end 0 where x may lie past the end point. */
struct bounds stats_profile_y(struct profile *profile, double x, double confidence);

/*
 * Parametric bootstrap: percentile intervals of the levels at y[0..n_y), of
 * the shape, of y at x (where x is finite), and standard errors of the
 * parameters. Deterministic in seed. false where stopped early or where fewer
 * than 95 in 100 replicates could be fitted (then *reason says so).
 */
#define BOOTSTRAP_REPLICATES 999

struct bootstrap {
	struct bounds *level; /* n_y of them, the caller's */
	struct bounds shape;
	struct bounds y_at_x;
	double standard_error[N_PARAMETERS_MAX];
	size_t n_replicates; /* that could be fitted */
	const char *reason;  /* NULL where it worked */
};

bool stats_bootstrap(const struct estimate *estimate, const double *y, size_t n_y, double x,
		     double confidence, uint64_t seed, stats_stop stop,
		     struct bootstrap *bootstrap);

/* ---- goodness of fit ---- */

/* Anderson-Darling A^2 of sorted maxima under theta; inf where one lies outside. */
double stats_anderson_darling(const double *sorted, size_t n, enum model model,
			      const double *theta);
/*
 * Its p by parametric bootstrap with refit: (1 + #{A2* >= A2}) / (1 + refits).
 * tick > 0: draws are cut down to its multiples, as the maxima were; estimate
 * then is that of stats_fit_ticks(), and its estimator is what refits, taking
 * them as continuous as the statistic does. NaN where stopped. *refits: how many could be fitted.
 */
double stats_anderson_darling_p(const struct estimate *estimate, double statistic, double tick,
				uint64_t seed, stats_stop stop, size_t *refits);
/* Likelihood-ratio test of Gumbel within GEV: 2 (l_gev - l_gumbel), chi2 with 1 df. */
double stats_likelihood_ratio_p(double statistic);

/* ---- independence and identical distribution ---- */

#define N_LAGS 40

/* r[k-1] for k = 1..n_lags, divisor n and global mean; 0 where k >= n or constant. */
void stats_autocorrelation(const double *values, size_t n, double *r, size_t n_lags);
/* n / (1 + 2 sum r_k), summed while r_2j-1 + r_2j > 0 (Geyer 1992); at most n. */
double stats_effective_size(const double *r, size_t n_lags, size_t n);

struct test {
	double statistic;
	double p;     /* NaN where the test does not apply */
	double log_p; /* also where p underflows */
	size_t n;
};

/* Q = n(n+2) sum_{k<=h} r_k^2/(n-k), chi2 with h df. */
struct test stats_ljung_box(const double *r, size_t n, size_t lag);
/*
 * Two-sample Kolmogorov-Smirnov of sorted values. Exact given the ties where
 * n_a n_b <= 10^6, else the asymptotic law (Smirnov 1948), with log_p good far
 * below what p can hold.
 */
struct test stats_ks_two(const double *sorted_a, size_t n_a, const double *sorted_b, size_t n_b);
struct test stats_ks_two_asymptotic(const double *sorted_a, size_t n_a, const double *sorted_b,
				    size_t n_b);
/* Wald-Wolfowitz runs about the median (given), values equal to it left out; normal z. */
struct test stats_runs(const double *values, size_t n, double median);
/* Mann-Kendall trend: tau-b and its normal p with ties. */
struct test stats_mann_kendall(const double *values, size_t n);
/* Holm 1979: rejected[i] of n p-values (NaN: never, not counted) at this level. */
void stats_holm(const double *p, size_t n, double level, bool *rejected);

/* ---- ticks ---- */

struct ticks {
	uint64_t tick_ns;  /* step of the values; 1 where none was seen */
	double tied_share; /* of values that equal another one */
	size_t n_distinct;
};

void stats_ticks(const uint64_t *sorted, size_t n, struct ticks *ticks);
/* Share of sorted maxima that equal another one. */
double stats_tied_share(const double *sorted, size_t n);

/* ---- what has not been seen yet ---- */

struct unseen {
	uint64_t n, n_seen, n_once, n_twice;
	double mass;		/* Good-Turing f1/n */
	struct bounds mass_ci;	/* Esty 1983, normal, clipped at 0 */
	double new_path_upper;	/* of a path never seen: 1 - (1-confidence)^(1/n) */
	double chao1;		/* lower bound of the number of species, factor (n-1)/n */
	struct bounds chao1_ci; /* lognormal, Chao 1987 */
};

/* count[i] > 0: how often species i was seen. All NaN where n = 0. */
void stats_unseen(const uint32_t *count, size_t n_species, double confidence,
		  struct unseen *unseen);

/* ---- small tools ---- */

/* Once, before anything else: errors of GSL come back as values, not as abort(). */
void stats_init(void);

double stats_normal_quantile(double p);
double stats_chi2_quantile(double confidence, double df);
/* Clopper-Pearson interval of k of n. */
struct bounds stats_binomial_interval(uint64_t k, uint64_t n, double confidence);

/* splitmix64: seeded draws that are the same everywhere. */
uint64_t stats_random(uint64_t *state);
double stats_random_uniform(uint64_t *state); /* inside (0, 1) */

#endif
