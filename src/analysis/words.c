/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "evtop/analysis.h"

const char *density_word(enum density_kind kind)
{
	static const char *const words[] = {"kernel", "histogram", "ecdf", "ccdf"};

	return words[kind];
}

const char *level_source_word(enum level_source source)
{
	static const char *const words[] = {"model", "empirical"};

	return words[source];
}

const char *verdict_word(enum verdict verdict)
{
	static const char *const words[] = {"unknown", "valid", "invalid"};

	return words[verdict];
}

static const struct {
	const char *words, *sentence;
} distrusts[] = {
	[TRUSTED] = {NULL, NULL},
	[DISTRUST_NO_FIT] = {"no fit", "there is no fit to take it from"},
	[DISTRUST_HEAVY_TAIL] = {"heavy tail",
				 "the shape's interval lies above 0 and the level is beyond the "
				 "data's horizon (10 times the executions)"},
	[DISTRUST_SHAPE_UNKNOWN] = {"shape unknown",
				    "the shape has no interval and the level is beyond the data's "
				    "horizon (10 times the executions)"},
	[DISTRUST_TOO_LONG] = {"over 10x max", "it is more than 10 times the longest observation"},
	[DISTRUST_NOT_FINITE] = {"not finite", "the model gives no finite level there"},
};

const char *distrust_words(enum distrust distrust)
{
	return distrusts[distrust].words;
}

const char *distrust_sentence(enum distrust distrust)
{
	return distrusts[distrust].sentence;
}

static const char *const test_names[] = {
	[TEST_LJUNG_BOX] = "Ljung-Box",
	[TEST_KS_HALVES] = "Kolmogorov-Smirnov",
	[TEST_RUNS] = "runs",
	[TEST_MANN_KENDALL] = "Mann-Kendall",
};

const char *test_name(enum test_kind kind)
{
	return test_names[kind];
}

const char *test_on_word(enum test_on on)
{
	static const char *const words[] = {"executions", "execution ranks", "maxima",
					    "maxima ranks"};

	return words[on];
}
