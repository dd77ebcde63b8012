/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What follows from a sample, as plain data: summaries, densities, the fit
 * with its return levels, the tests of its assumptions, and coverage. Pure
 * functions of their arguments, so that the explorer (on a worker) and the
 * reports (inline) show the same numbers. Results own their arrays; release
 * them with the function beside. Reasons are static or live in the result.
 */
#ifndef EVTOP_ANALYSIS_H
#define EVTOP_ANALYSIS_H

#include "evtop/recording.h"
#include "evtop/settings.h"
#include "evtop/stats.h"

/* ---- a sorted copy and its summary ---- */

struct sorted {
	size_t n;
	uint64_t *value_ns; /* ascending */
};

void sorted_from(const struct sample *sample, struct sorted *sorted);
void sorted_release(struct sorted *sorted);
/*
 * sorted: of the sample. Of a draw: number, extremes, sum and mean are of all
 * executions; quantiles and deviations are of those drawn.
 */
void sample_summarise(const struct sample *sample, const struct sorted *sorted,
		      struct summary *summary);

/* ---- densities for one panel: several samples on one axis ---- */

enum density_kind { DENSITY_KERNEL, DENSITY_HISTOGRAM, DENSITY_ECDF, DENSITY_CCDF };

const char *density_word(enum density_kind kind); /* kernel, histogram, ecdf, ccdf */

struct density_series {
	size_t n;	  /* executions in the sample */
	double *y;	  /* n_points; see struct density */
	double beyond;	  /* share of the sample outside [lower_ns, upper_ns] */
	double bandwidth; /* kernel: in ns, or ln ns on a log axis; else NaN */
};

/*
 * Kernel and ECDFs: y at x_ns[0..n_points). Histogram: y per bin of n_points
 * bins, x_ns their middles. Kernel and histogram are per ns (per ln ns on a log
 * axis) times the sample's weight, ECDF and CCDF are shares.
 */
struct density {
	enum density_kind kind;
	enum axis_scale scale;
	double lower_ns, upper_ns;
	size_t n_points;
	double *x_ns;
	size_t n_series;
	struct density_series *series;
	double y_max; /* over all series */
};

/*
 * The range worth looking at: from the shortest to just above the quantile
 * (0.99 .. 1) of all samples together; never empty; above 0 on a log axis.
 */
void density_range(const struct sorted *const *samples, size_t n_samples, enum axis_scale scale,
		   double quantile, double *lower_ns, double *upper_ns);

/*
 * weight[i] scales sample i (NULL: all 1; a path's share of its call to let
 * paths add up to the call). An empty sample gives zeros. Stops early with
 * false (density is then empty but releasable).
 */
bool density_compute(const struct sorted *const *samples, const double *weight, size_t n_samples,
		     enum density_kind kind, enum axis_scale scale, enum bandwidth_rule rule,
		     double lower_ns, double upper_ns, size_t n_points, stats_stop stop,
		     struct density *density);
void density_release(struct density *density);

/* ---- fit ---- */

enum level_source { LEVEL_MODEL, LEVEL_EMPIRICAL };

const char *level_source_word(enum level_source source); /* model, empirical */

/* Why a level is not trusted; TRUSTED is 0. */
enum distrust {
	TRUSTED,
	DISTRUST_NO_FIT,	/* refused */
	DISTRUST_HEAVY_TAIL,	/* shape's interval above 0, and beyond the data's horizon */
	DISTRUST_SHAPE_UNKNOWN, /* as above, and the shape has no interval */
	DISTRUST_TOO_LONG,	/* more than 10 times the longest observation */
	DISTRUST_NOT_FINITE,
};

const char *
distrust_words(enum distrust distrust); /* for a cell, at most 14 columns; NULL if trusted */
const char *distrust_sentence(enum distrust distrust); /* one sentence; NULL if trusted */

#define N_DECADES 15
#define N_LEVELS_MAX (N_DECADES + 1)

struct level {
	double count;		   /* of the unit chosen: 10 for one in 10 executions (or blocks) */
	double executions;	   /* the same in executions */
	double probability;	   /* exceedance probability per execution */
	double y;		   /* -ln of the block distribution there; NaN where empirical */
	double estimate_ns;	   /* NaN where it cannot be had */
	double lower_ns, upper_ns; /* NaN while pending and where there is none; inf possible */
	enum level_source source;
	enum distrust distrust;
	bool trusted; /* distrust == TRUSTED */
};

enum verdict { VERDICT_UNKNOWN, VERDICT_VALID, VERDICT_INVALID };

const char *verdict_word(enum verdict verdict); /* unknown, valid, invalid */

/*
 * What a caller waited, whatever was fitted: the whole time of all executions
 * of a path or call, of every stratum.
 */
struct waits {
	uint64_t n;
	uint64_t n_exceeded; /* took longer than the deadline; 0 without one */
	uint64_t longest_ns;
};

/* path: an index into call->paths[identity], or PATH_ALL. deadline_ns 0: none. */
void waits_count(const struct call *call, enum identity identity, uint32_t path,
		 uint64_t deadline_ns, struct waits *waits);

/*
 * P(X > time) of one execution against the probability of the settings: the
 * model's, or the share observed among the waits where the model does not
 * reach down to it or those waits refute it.
 */
struct deadline {
	uint64_t time_ns;		  /* 0: there is no deadline and the rest means nothing */
	double probability, lower, upper; /* NaN where it cannot be had */
	enum level_source source;
	enum verdict verdict;
	const char *reason;	    /* of the verdict, one sentence */
	uint64_t n_exceeded;	    /* executions observed beyond it, among all waits */
	uint64_t n_exceeded_fitted; /* of them in the sample that was fitted */
	/* the probability's upper end by the Gumbel of the same maxima, the cautious choice
	   beside a bounded GEV; NaN where it was not needed or cannot be had */
	double gumbel_upper;
};

#define N_WARNINGS_MAX 10

struct warning {
	char text[280]; /* one sentence */
};

struct fit {
	/* what it is of */
	enum stratum stratum;
	enum model model;
	enum estimator estimator;
	enum interval interval;
	enum level_unit unit;
	enum block_unit block_unit;
	enum tests_depth tests;
	uint32_t block_size;	   /* that was used */
	uint32_t block_size_asked; /* smaller where maxima of smaller blocks are not kept */
	double confidence;	   /* of intervals */
	double probability;	   /* of the pWCET */
	uint64_t seed;
	uint64_t n_executions;
	uint64_t n_kept; /* fewer where those at hand are a draw of all; the maxima are of all */
	uint64_t longest_ns;
	struct waits waits; /* of the sample itself unless they were given */
	size_t n_maxima;
	double executions_per_block; /* block_size, or their mean with BLOCK_RUN */
	double *maxima_ns;	     /* n_maxima, in order of arrival */
	double *sorted_maxima_ns;
	uint64_t *tail_ns; /* the longest executions, ascending: 1/10 of them */
	size_t n_tail;

	/* the fit; estimate.theta: location_ns, scale_ns, shape */
	struct estimate estimate;
	const char *refused;			 /* why there is none, or NULL */
	bool weak;				 /* fewer than 50 maxima */
	double standard_error[N_PARAMETERS_MAX]; /* NaN where none (yet) */
	const char *no_errors;			 /* why there are none, or NULL */
	double log_likelihood;			 /* of the maxima in ns; NaN where refused */
	/* the GEV of the same maxima by MLE (itself where that is the fit): the trust
	   rule needs its shape also where another model was chosen */
	struct estimate gev;
	struct estimate gumbel; /* likewise: the bound beside a GEV that ends */
	struct bounds shape;	/* interval of the GEV's shape; delta until intervals are there */
	double likelihood_ratio,
		likelihood_ratio_p; /* Gumbel within GEV; NaN where either is refused */

	/* levels by falling probability; [pwcet] is that of the settings' probability */
	struct level levels[N_LEVELS_MAX];
	size_t n_levels;
	size_t pwcet;
	struct deadline deadline;

	double anderson_darling;   /* NaN where refused */
	double anderson_darling_p; /* NaN unless tests are full and done */
	size_t anderson_darling_refits;

	double tied_share; /* of the maxima */
	uint64_t tick_ns;  /* of the executions */

	struct warning warnings[N_WARNINGS_MAX];
	size_t n_warnings;

	bool pending; /* intervals (and what hangs on them) are not there yet */
};

/*
 * First stage, quick: maxima, parameters, levels; shape's interval by the
 * delta method, intervals NaN and pending set. deadline_ns 0: none. A fit that
 * is refused is complete at once. Deterministic in its arguments.
 */
void fit_compute(const struct sample *sample, const struct settings *settings, uint64_t deadline_ns,
		 struct fit *fit);

/*
 * The same for a sample that is a part (one stratum, own time): a deadline is
 * judged by all that its callers waited. NULL: the sample is all there is.
 */
void fit_compute_of_waits(const struct sample *sample, const struct settings *settings,
			  uint64_t deadline_ns, const struct waits *waits, struct fit *fit);

/*
 * Second stage, a job: intervals of the levels, of the shape and of the
 * deadline's probability, trust, Anderson-Darling's p where tests are full.
 * Needs nothing but the fit. false where it was stopped (still pending).
 */
bool fit_intervals(struct fit *fit, stats_stop stop);

/* A deep copy, to hand a snapshot to a worker. */
void fit_copy(struct fit *to, const struct fit *from);
void fit_release(struct fit *fit);

#define REJECTION_LEVEL 0.05 /* a fit with a smaller p is rejected */

/* A GEV with a finite end: by its estimate, or by the whole interval of the shape. */
bool fit_is_bounded(const struct fit *fit);
/*
 * The test that rejects the model which the levels are from, "Anderson-Darling"
 * or "likelihood ratio"; NULL where none does (or none was made: see
 * anderson_darling_p). A mark: trust is a rule of its own.
 */
const char *fit_rejected_by(const struct fit *fit);

/* NULL where there is no such level. */
const struct level *fit_pwcet(const struct fit *fit);

/*
 * Points to draw, NULL arrays allowed; each takes n_maxima places. QQ: the
 * model's quantile against the i-th smallest maximum (plotting position
 * i/(m+1)). false where refused.
 */
bool fit_qq(const struct fit *fit, double *model_ns, double *observed_ns);

/* Parameters of the same fit at other block sizes (stability). */
struct stability {
	uint32_t block_size;
	size_t n_maxima;
	double theta[N_PARAMETERS_MAX]; /* NaN where refused */
	double shape_error;		/* NaN where there is none */
	double pwcet_ns;
	double tail_ns; /* level at probability 1e-6 per execution */
};

void fit_stability(const struct sample *sample, const struct settings *settings,
		   const uint32_t *block_sizes, size_t n, struct stability *rows);

/* ---- tests of the assumptions ---- */

enum test_kind {
	TEST_LJUNG_BOX,
	TEST_KS_HALVES,
	TEST_RUNS,
	TEST_MANN_KENDALL,
};

enum test_on { ON_EXECUTIONS, ON_EXECUTION_RANKS, ON_MAXIMA, ON_MAXIMA_RANKS };

const char *test_name(enum test_kind kind); /* Ljung-Box ... */
const char *test_on_word(enum test_on on);  /* executions, execution ranks, maxima, maxima ranks */

struct test_row {
	enum test_kind kind;
	enum test_on on;
	uint32_t lag;		    /* Ljung-Box; else 0 */
	double statistic, p, log_p; /* NaN where the test does not apply */
	uint64_t n;
	bool rejected; /* Holm over all rows, at TEST_LEVEL */
};

#define TEST_LEVEL 0.05
#define N_TEST_ROWS_MAX 32

struct autocorrelation {
	uint64_t n;
	double lags[N_LAGS];
	double max_abs;
	double band; /* 1.96 / sqrt(n) */
	double effective_size;
};

struct assumption {
	bool known; /* false: too few values to say */
	bool rejected;
	char reason[320]; /* which tests said so, and what it does to the estimate */
};

struct test_results {
	struct autocorrelation executions, maxima; /* of the values */
	struct autocorrelation execution_ranks, maxima_ranks;
	struct test_row rows[N_TEST_ROWS_MAX]; /* all that Holm counted */
	size_t n_rows;
	/* where in rows; SIZE_MAX in results that were stopped */
	size_t ks_halves, runs;
	const char *halves; /* "halves of the campaigns", "halves of the executions" */
	struct assumption independent, identically_distributed;
	uint64_t n_all; /* executions of which those tested are a draw; 0: all are tested */
};

/* false where it was stopped (results then are zeros). */
bool tests_compute(const struct sample *sample, const struct settings *settings, stats_stop stop,
		   struct test_results *results);

/* ---- coverage of a call's paths ---- */

struct coverage {
	/* over executions, by the settings' level; where no path was seen once, the upper end
	   of the mass is that of a path never seen */
	struct unseen unseen;
	uint64_t campaigns;
};

void coverage_compute(const struct call *call, enum identity identity, double confidence,
		      struct coverage *coverage);

/* New unique paths per campaign (figure 4); each takes n_campaigns places. */
void coverage_campaigns(const struct recording *recording, const struct call *call,
			enum identity identity, uint32_t *n_unique, uint32_t *n_new);

/* ---- one number for a call: conditional on its fitted paths ---- */

struct bound {
	double probability;
	double conditional_ns;	    /* NaN where it cannot be computed */
	double left_out_mass_upper; /* unseen paths and paths too rare to fit */
	char refused[160];	    /* why the call has no bare number, or "" */
	uint32_t n_fitted, n_rare;  /* paths */
	uint32_t n_untrusted;	/* fitted paths whose level at that probability is not trusted */
	enum distrust distrust; /* of the most common of them; TRUSTED where there is none */
};

/*
 * fits[i] of the call's paths[settings->identity][i]: stage one is enough; only
 * those n_fits are fitted, all other paths count as left out.
 */
void bound_compute(const struct call *call, const struct settings *settings,
		   const struct fit *const *fits, uint32_t n_fits, struct bound *bound);

#endif
