/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the reference data that EVTOP_TEST_DATA names. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include "evtop/base.h"

/* Before cmocka.h, which needs them. */
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* A CSV file in memory; cells are never NULL. */
struct table {
	char *bytes;
	size_t n_rows, n_columns; /* without the heading */
	char **heading, **cell;	  /* cell[row * n_columns + column] */
};

/* false where EVTOP_TEST_DATA is unset or has no such file under evt/. */
bool table_read(const char *name, struct table *table);
void table_release(struct table *table);
/* "" and NaN where the row has no such column. */
const char *table_text(const struct table *table, size_t row, const char *column);
double table_number(const struct table *table, size_t row, const char *column);

/*
 * A data set by the name that the reference tables use; false where it is
 * absent. portpirie and venice_r1 are built in and always there.
 */
struct series {
	double *x;
	size_t n;
};

bool series_read(const char *dataset, struct series *series);
void series_release(struct series *series);
/* Maxima of blocks of b values, the partial last one dropped: room for n/b. */
size_t series_maxima(const struct series *series, size_t b, double *maxima);

/* The worst relative difference seen of one quantity, and where. */
struct worst {
	const char *what;
	double tolerance, difference;
	size_t n;
	char where[120];
};

/* |ours - right| / max(|right|, least). */
void compare(struct worst *worst, double ours, double right, double least, const char *where);
/* Prints each and fails where one is beyond its tolerance or nothing was compared. */
void assert_worst(const struct worst *worst, size_t n);

#define PORTPIRIE_N 65
#define VENICE_N 51
extern const double portpirie[PORTPIRIE_N], venice[VENICE_N];

#endif
