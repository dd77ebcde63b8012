/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the user chose: everything that a number on the screen or in a report
 * depends on, apart from the data. One struct for the explorer and the reports.
 */
#ifndef EVTOP_SETTINGS_H
#define EVTOP_SETTINGS_H

#include "evtop/base.h"

enum identity { IDENTITY_CLEAN, IDENTITY_RAW };
enum stratum { STRATUM_UNDISTURBED, STRATUM_DISTURBED, STRATUM_ALL };
enum time_kind { TIME_WHOLE, TIME_OWN };
enum model { MODEL_GEV, MODEL_GUMBEL };
enum estimator { ESTIMATOR_MLE, ESTIMATOR_LMOMENTS };
enum interval { INTERVAL_PROFILE, INTERVAL_DELTA, INTERVAL_BOOTSTRAP };
enum level_unit { UNIT_EXECUTIONS, UNIT_BLOCKS };
enum block_unit { BLOCK_EXECUTIONS, BLOCK_RUN };
enum tests_depth { TESTS_QUICK, TESTS_FULL };

struct settings {
	enum identity identity;
	enum time_kind time;
	enum stratum stratum;
	enum model model;
	enum estimator estimator;
	uint32_t block_size; /* executions, or runs with BLOCK_RUN; at least 1 */
	enum block_unit block_unit;
	enum interval interval;
	enum level_unit unit;
	enum tests_depth tests;
	double level;	    /* of intervals, inside (0, 1) */
	double probability; /* of the pWCET, inside (0, 1) */
	uint64_t seed;
	bool force; /* show numbers that are not trusted */
};

/* The defaults of the command line; interval follows the estimator. */
void settings_init(struct settings *settings);

/* The word that options, JSON and screens use for a value: "clean", "gev"... */
const char *identity_word(enum identity identity);
const char *stratum_word(enum stratum stratum);
const char *time_word(enum time_kind time);
const char *model_word(enum model model);	       /* gev */
const char *model_title(enum model model);	       /* GEV */
const char *estimator_word(enum estimator estimator);  /* mle */
const char *estimator_title(enum estimator estimator); /* MLE, L-moments */
const char *interval_word(enum interval interval);
const char *unit_word(enum level_unit unit);
const char *block_unit_word(enum block_unit unit);
const char *tests_word(enum tests_depth tests);

/* The block sizes that the keys step through, ascending. */
extern const uint32_t block_size_steps[];
extern const size_t n_block_size_steps;

#endif
