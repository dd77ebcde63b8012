/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "evtop/settings.h"

const uint32_t block_size_steps[] = {10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 16000};
const size_t n_block_size_steps = COUNT_OF(block_size_steps);

void settings_init(struct settings *settings)
{
	*settings = (struct settings){
		.identity = IDENTITY_CLEAN,
		.time = TIME_WHOLE,
		.stratum = STRATUM_UNDISTURBED,
		.model = MODEL_GEV,
		.estimator = ESTIMATOR_MLE,
		.block_size = 50,
		.block_unit = BLOCK_EXECUTIONS,
		.interval = INTERVAL_PROFILE,
		.unit = UNIT_EXECUTIONS,
		.tests = TESTS_QUICK,
		.level = 0.95,
		.probability = 1e-9,
		.seed = 1,
	};
}

#define WORDS(function, type, ...)                                                                 \
	const char *function(enum type value)                                                      \
	{                                                                                          \
		static const char *const words[] = {__VA_ARGS__};                                  \
		return words[value];                                                               \
	}

WORDS(identity_word, identity, "clean", "raw")
WORDS(stratum_word, stratum, "undisturbed", "disturbed", "all")
WORDS(time_word, time_kind, "whole", "own")
WORDS(model_word, model, "gev", "gumbel")
WORDS(model_title, model, "GEV", "Gumbel")
WORDS(estimator_word, estimator, "mle", "lmoments")
WORDS(estimator_title, estimator, "MLE", "L-moments")
WORDS(interval_word, interval, "profile", "delta", "bootstrap")
WORDS(unit_word, level_unit, "executions", "blocks")
WORDS(block_unit_word, block_unit, "executions", "run")
WORDS(tests_word, tests_depth, "quick", "full")
