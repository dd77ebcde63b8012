/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profile likelihood. One quantity v is held (the shape, or v = asinh of a
 * standardised return level) and the likelihood is maximised over what is left;
 * both v where twice its fall from the top is chi2_1 are the ends.
 *
 * Coordinates for what is left matter: for a level at y = e^-32 and a shape of
 * 0.3 location and scale hardly move along the ridge while a shape that is 0.001
 * off puts the location 10 scales away. So for levels far out, the shape follows
 * from (location, ln scale, level); for levels near the location, the location
 * follows from (ln scale, shape, level).
 *
 * Values are standardised by the MLE: its location is 0 and its scale 1.
 */
#include "internal.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAR_OUT -1.0 /* ln y below: the shape follows */
#define INNER_STEPS 40
#define HALVINGS 30
#define NEAR_EDGE 1e-3	     /* of the shape from -1 */
#define INNER_DECREMENT 1e-8 /* the value is right to its 3/2-th power */
#define OUTER_STEPS 80
#define OUTER_EXACT 1e-11  /* of the root of the deviance */
#define LEVEL_V_MOST 100.0 /* 10^43 scales away: that end does not exist */
#define SHAPE_MOST 20.0	   /* nor does that */
#define PASSES_MOST 2000   /* over the values, for one end: 20 are usual */
#define LN_Y_LEAST -40.0   /* exceedance is told down to here */

struct profile {
	double *x;
	struct values values;
	struct estimate mle;
	double top;	 /* log-likelihood there, standardised */
	double theta[3]; /* standardised: 0, 1, shape */
	size_t n_passes; /* made so far for one end */
};

struct profile *stats_profile_new(const double *maxima, size_t n, const struct estimate *mle)
{
	struct profile *profile = mem_zero(1, sizeof *profile);
	struct likelihood likelihood;

	profile->mle = *mle;
	profile->theta[SCALE] = 1;
	profile->theta[SHAPE] = mle->model == MODEL_GUMBEL ? 0 : mle->theta[SHAPE];
	profile->top = NAN;
	profile->x = mem_alloc(n * sizeof *profile->x);
	for (size_t i = 0; i < n; i++)
		profile->x[i] = (maxima[i] - mle->theta[LOCATION]) / mle->theta[SCALE];
	profile->values = values_of(profile->x, n);
	if (!mle->refused[0] && likelihood_pass(&profile->values, profile->theta, &likelihood))
		profile->top = likelihood.value;
	return profile;
}

void stats_profile_free(struct profile *profile)
{
	if (!profile)
		return;
	free(profile->x);
	free(profile);
}

/* ---- coordinates ---- */

enum chart { SHAPE_HELD, SHAPE_FOLLOWS, LOCATION_FOLLOWS, GUMBEL_LOCATION_FOLLOWS };

struct target {
	enum chart chart;
	double ln_y;
	int n_free;
};

/* Parameters as functions of (free 0, free 1, v), with first and second derivatives. */
struct place {
	double theta[3];
	double first[3][3];
	double second[3][3][3];
};

/* The shape with c(xi) = k, from a guess; false where it would be below -1. */
static bool shape_of_level(double k, double ln_y, double *shape)
{
	double terms[3], lower = SHAPE_LEAST, upper = INFINITY, xi = fmax(*shape, lower);

	level_terms(lower, ln_y, terms);
	if (!(k > terms[0]))
		return false;
	for (int i = 0; i < 200; i++) {
		double next;

		level_terms(xi, ln_y, terms);
		if (terms[0] > k)
			upper = xi;
		else
			lower = xi;
		/* ln c is closer to a line than c */
		next = xi - log(terms[0] / k) * terms[0] / terms[1];
		if (!(next > lower && next < upper))
			next = isinf(upper) ? fmax(2 * lower, lower + 1) : 0.5 * (lower + upper);
		if (fabs(next - xi) <= 1e-15 * fmax(1, fabs(next)))
			break;
		xi = next;
	}
	*shape = xi;
	return isfinite(xi);
}

static void scale_is_free(struct place *place, int coordinate)
{
	place->first[SCALE][coordinate] = place->theta[SCALE];
	place->second[SCALE][coordinate][coordinate] = place->theta[SCALE];
}

/* F = c(xi) - (x - mu)/sigma = 0 defines the shape. */
static bool let_shape_follow(struct place *place, double ln_y, double v)
{
	enum { MU, S, V };
	double sigma = place->theta[SCALE], x = sinh(v), x_v = cosh(v);
	double k = (x - place->theta[LOCATION]) / sigma, terms[3], *xi = place->first[SHAPE];
	const double f[3] = {1 / sigma, k, -x_v / sigma};
	const double ff[3][3] = {
		{0, -1 / sigma, 0}, {-1 / sigma, -k, x_v / sigma}, {0, x_v / sigma, -x / sigma}};

	if (!shape_of_level(k, ln_y, &place->theta[SHAPE]))
		return false;
	level_terms(place->theta[SHAPE], ln_y, terms);
	for (int a = 0; a < 3; a++)
		xi[a] = -f[a] / terms[1];
	for (int a = 0; a < 3; a++)
		for (int b = 0; b < 3; b++)
			place->second[SHAPE][a][b] =
				-(terms[2] * xi[a] * xi[b] + ff[a][b]) / terms[1];
	place->first[LOCATION][MU] = 1;
	scale_is_free(place, S);
	return true;
}

/* mu = x - sigma c(xi) */
static void let_location_follow(struct place *place, double ln_y, double v, bool shape_is_free)
{
	enum { S, XI, V };
	double sigma = place->theta[SCALE], terms[3];
	double *first = place->first[LOCATION], (*second)[3] = place->second[LOCATION];

	level_terms(place->theta[SHAPE], ln_y, terms);
	place->theta[LOCATION] = sinh(v) - sigma * terms[0];
	first[S] = second[S][S] = -sigma * terms[0];
	first[V] = cosh(v);
	second[V][V] = sinh(v);
	scale_is_free(place, S);
	if (!shape_is_free)
		return;
	first[XI] = second[S][XI] = second[XI][S] = -sigma * terms[1];
	second[XI][XI] = -sigma * terms[2];
	place->first[SHAPE][XI] = 1;
}

/* The place nearest to theta, in the target's coordinates, where v is held. */
static bool find_place(const struct target *target, double v, const double *theta,
		       struct place *place)
{
	*place = (struct place){0};
	memcpy(place->theta, theta, sizeof place->theta);
	switch (target->chart) {
	case SHAPE_HELD:
		place->theta[SHAPE] = v;
		place->first[LOCATION][0] = place->first[SHAPE][2] = 1;
		scale_is_free(place, 1);
		return true;
	case SHAPE_FOLLOWS:
		return let_shape_follow(place, target->ln_y, v);
	case LOCATION_FOLLOWS:
	case GUMBEL_LOCATION_FOLLOWS:
		let_location_follow(place, target->ln_y, v, target->chart == LOCATION_FOLLOWS);
		return place->theta[SHAPE] > SHAPE_LEAST;
	}
	return false;
}

/* Moves theta by a step in the free coordinates. */
static void move(const struct target *target, double *theta, const double *step, double share)
{
	int location = target->chart == SHAPE_HELD || target->chart == SHAPE_FOLLOWS;

	if (location)
		theta[LOCATION] += share * step[0];
	theta[SCALE] *= exp(share * step[location]);
	if (target->chart == LOCATION_FOLLOWS)
		theta[SHAPE] += share * step[1];
}

/* The likelihood there, by (free 0, free 1, v) instead of by the parameters. */
static bool likelihood_at(struct profile *profile, const struct place *place,
			  struct likelihood *here)
{
	struct likelihood by_theta;

	if (++profile->n_passes > PASSES_MOST)
		return false;
	if (!likelihood_pass(&profile->values, place->theta, &by_theta))
		return false;
	*here = (struct likelihood){.value = by_theta.value};
	for (int a = 0; a < 3; a++) {
		for (int i = 0; i < 3; i++)
			here->gradient[a] += by_theta.gradient[i] * place->first[i][a];
		for (int b = 0; b < 3; b++)
			for (int i = 0; i < 3; i++) {
				here->hessian[a][b] +=
					by_theta.gradient[i] * place->second[i][a][b];
				for (int j = 0; j < 3; j++)
					here->hessian[a][b] += by_theta.hessian[i][j] *
							       place->first[i][a] *
							       place->first[j][b];
			}
	}
	return true;
}

/* ---- the maximum with v held ---- */

struct ridge {
	double theta[3];
	double value;	 /* of the profile */
	double slope;	 /* by v */
	double bend;	 /* second derivative by v, along the ridge */
	double along[2]; /* how the free coordinates follow v */
};

static void newton_step(const struct likelihood *here, int n, double *step, bool *peaked)
{
	double information[3][3], extra = 0, largest = 0;

	for (int i = 0; i < n; i++)
		largest = fmax(largest, fabs(here->hessian[i][i]));
	step[0] = step[1] = 0;
	*peaked = true;
	for (int attempt = 0; attempt < 60; attempt++) {
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++)
				information[i][j] = -here->hessian[i][j] + (i == j ? extra : 0);
		if (solve_positive(information, n, here->gradient, step))
			return;
		*peaked = false;
		extra = extra > 0 ? 4 * extra : 1e-3 * largest;
	}
}

/* What the last step adds, to second order; derivatives along the ridge. */
static void describe(const struct target *target, const struct likelihood *here, const double *step,
		     double decrement, struct ridge *ridge)
{
	double information[3][3], across[2] = {0};
	int n = target->n_free;

	ridge->value = here->value + 0.5 * decrement;
	ridge->slope = here->gradient[2];
	ridge->bend = here->hessian[2][2];
	for (int i = 0; i < n; i++) {
		across[i] = here->hessian[i][2];
		ridge->slope += across[i] * step[i];
		for (int j = 0; j < n; j++)
			information[i][j] = -here->hessian[i][j];
	}
	ridge->along[0] = ridge->along[1] = 0;
	if (!solve_positive(information, n, across, ridge->along))
		return;
	for (int i = 0; i < n; i++)
		ridge->bend += across[i] * ridge->along[i];
}

/* One step, as far as is feasible and uphill; false where nowhere is. */
static bool climb_ridge(struct profile *profile, const struct target *target, double v,
			struct place *place, struct likelihood *here, const double *step,
			double decrement)
{
	double share = 1;

	for (int halving = 0; halving < HALVINGS; halving++, share *= 0.5) {
		double theta[3];
		struct place next;
		struct likelihood there;

		memcpy(theta, place->theta, sizeof theta);
		move(target, theta, step, share);
		if (!find_place(target, v, theta, &next) ||
		    !likelihood_at(profile, &next, &there) ||
		    !(there.value >= here->value + 1e-4 * share * decrement))
			continue;
		*place = next;
		*here = there;
		return true;
	}
	return false;
}

/* From ridge->theta to the top with v held; false where that is not feasible. */
static bool climb_from(struct profile *profile, const struct target *target, double v,
		       struct ridge *ridge)
{
	struct place place;
	struct likelihood here;

	if (!find_place(target, v, ridge->theta, &place) || !likelihood_at(profile, &place, &here))
		return false;
	for (int i = 0; i < INNER_STEPS; i++) {
		double step[3] = {0}, decrement = 0;
		bool peaked;

		newton_step(&here, target->n_free, step, &peaked);
		for (int j = 0; j < target->n_free; j++)
			decrement += here.gradient[j] * step[j];
		memcpy(ridge->theta, place.theta, sizeof place.theta);
		if (peaked && decrement < INNER_DECREMENT) {
			describe(target, &here, step, decrement, ridge);
			return true;
		}
		if (!climb_ridge(profile, target, v, &place, &here, step, decrement)) {
			/* at the edge of what is allowed, or at the end of the digits */
			describe(target, &here, (double[3]){0}, 0, ridge);
			return profile->n_passes <= PASSES_MOST;
		}
	}
	return false;
}

/* The same; where the shape would go below -1 it stays there and the rest moves on. */
static bool find_ridge(struct profile *profile, const struct target *target, double v,
		       struct ridge *ridge)
{
	const struct target edge = {GUMBEL_LOCATION_FOLLOWS, target->ln_y, 1};
	struct ridge along_edge = *ridge;
	bool found = climb_from(profile, target, v, ridge);

	if (target->chart != SHAPE_FOLLOWS && target->chart != LOCATION_FOLLOWS)
		return found;
	if (found && ridge->theta[SHAPE] > SHAPE_LEAST + NEAR_EDGE)
		return true;
	if (!found && along_edge.theta[SHAPE] > -0.5)
		return false;
	along_edge.theta[SHAPE] = SHAPE_LEAST;
	if (!climb_from(profile, &edge, v, &along_edge))
		return found;
	if (!found || along_edge.value > ridge->value) {
		/* the free coordinates of the edge are not those of the target */
		along_edge.along[0] = along_edge.along[1] = 0;
		*ridge = along_edge;
	}
	return true;
}

/* ---- both ends ---- */

/*
 * Starts the ridge at v from what is known at from; goes nearer until it is
 * feasible, *too_far being the nearest v that was not.
 */
static bool follow(struct profile *profile, const struct target *target, double from_v,
		   const struct ridge *from, double *v, double *too_far, struct ridge *ridge)
{
	for (int halving = 0; halving < HALVINGS; halving++) {
		*ridge = *from;
		move(target, ridge->theta, from->along, *v - from_v);
		if (find_ridge(profile, target, *v, ridge))
			return true;
		*ridge = *from;
		if (find_ridge(profile, target, *v, ridge))
			return true;
		*too_far = *v;
		*v = from_v + 0.5 * (*v - from_v);
	}
	return false;
}

static double root_of_deviance(const struct profile *profile, const struct ridge *ridge)
{
	return sqrt(fmax(0, 2 * (profile->top - ridge->value)));
}

/* Where to look next, from v where the root of the deviance is root; 0: at the top. */
static double next_v(const struct ridge *ridge, double v, double root, double goal, double v_top,
		     int side)
{
	double next = root > 0 ? v + (goal - root) * root / -ridge->slope
			       : v_top + side * goal / sqrt(-ridge->bend);
	double reach = 4 * fabs(v - v_top);

	/* no leaps: the first step is the measure */
	if (root > 0 && fabs(next - v_top) > reach)
		next = v_top + side * reach;
	return next;
}

/*
 * Newton for root of deviance = goal, kept inside a bracket: that root is 0 at
 * the top and nearly a line in v. limit: v goes no further, and that end then
 * does not exist (infinite). NaN where it was not found.
 */
static double find_end(struct profile *profile, const struct target *target, double v_top,
		       const struct ridge *top, double goal, int side, double limit)
{
	double near = v_top, far = limit, v = v_top, root = 0;
	struct ridge ridge = *top;
	bool far_known = false;

	profile->n_passes = 0;
	for (int i = 0; i < OUTER_STEPS; i++) {
		double next = next_v(&ridge, v, root, goal, v_top, side), too_far = NAN;
		struct ridge there;

		if (!(side * (next - near) > 0) || (far_known && !(side * (far - next) > 0)))
			next = far_known ? 0.5 * (near + far)
					 : v_top + side * fmax(4 * fabs(v - v_top), 1e-3);
		if (!(side * (limit - next) > 0))
			next = limit;
		/* nothing farther is feasible: that is the end */
		if (!follow(profile, target, v, &ridge, &next, &too_far, &there))
			return profile->n_passes > PASSES_MOST ? NAN : near;
		if (!isnan(too_far) && (!far_known || side * (far - too_far) > 0)) {
			far = too_far;
			far_known = true;
		}
		ridge = there;
		v = next;
		root = root_of_deviance(profile, &ridge);
		if (fabs(root - goal) < OUTER_EXACT * goal)
			return v;
		if (root < goal && v == limit)
			return side * INFINITY;
		if (root < goal) {
			near = v;
		} else {
			far = v;
			far_known = true;
		}
		if (far_known && fabs(far - near) < 1e-13 * fmax(1, fabs(v)))
			return v;
	}
	return NAN;
}

static struct bounds find_ends(struct profile *profile, const struct target *target, double v_top,
			       double confidence, struct bounds limits)
{
	struct bounds bounds = {NAN, NAN};
	struct ridge top = {.theta = {profile->theta[0], profile->theta[1], profile->theta[2]}};
	double goal = sqrt(stats_chi2_quantile(confidence, 1));

	profile->n_passes = 0;
	if (isnan(profile->top) || !find_ridge(profile, target, v_top, &top) || !(top.bend < 0))
		return bounds;
	bounds.lower = find_end(profile, target, v_top, &top, goal, -1, limits.lower);
	bounds.upper = find_end(profile, target, v_top, &top, goal, 1, limits.upper);
	return bounds;
}

struct bounds stats_profile_shape(struct profile *profile, double confidence)
{
	struct target target = {SHAPE_HELD, NAN, 2};
	struct bounds bounds;

	if (profile->mle.model == MODEL_GUMBEL)
		return (struct bounds){0, 0};
	bounds = find_ends(profile, &target, profile->theta[SHAPE], confidence,
			   (struct bounds){SHAPE_LEAST, SHAPE_MOST});
	/* below -1 there is no likelihood to compare with */
	if (isinf(bounds.lower))
		bounds.lower = -1;
	return bounds;
}

/* Of the standardised level, as its asinh. */
static struct bounds level_ends(struct profile *profile, double ln_y, double confidence)
{
	struct target target = {LOCATION_FOLLOWS, ln_y, 2};
	double terms[3];

	if (profile->mle.model == MODEL_GUMBEL)
		target = (struct target){GUMBEL_LOCATION_FOLLOWS, ln_y, 1};
	else if (ln_y < FAR_OUT)
		target.chart = SHAPE_FOLLOWS;
	level_terms(profile->theta[SHAPE], ln_y, terms);
	return find_ends(profile, &target, asinh(terms[0]), confidence,
			 (struct bounds){-LEVEL_V_MOST, LEVEL_V_MOST});
}

struct bounds stats_profile_level(struct profile *profile, double y, double confidence)
{
	struct bounds ends = level_ends(profile, log(y), confidence);
	double location = profile->mle.theta[LOCATION], scale = profile->mle.theta[SCALE];

	return (struct bounds){location + scale * sinh(ends.lower),
			       location + scale * sinh(ends.upper)};
}

/* ---- the inverse ---- */

struct inverse {
	struct profile *profile;
	double confidence, v;
	bool upper;
};

static double level_gap(double ln_y, void *data)
{
	const struct inverse *inverse = data;
	struct bounds ends = level_ends(inverse->profile, ln_y, inverse->confidence);

	return (inverse->upper ? ends.upper : ends.lower) - inverse->v;
}

/* ln y where that end of the level's interval is x: ends fall as y grows. */
static double ln_y_of_end(struct inverse *inverse, double lower, double upper)
{
	gsl_function gap = {level_gap, inverse};
	gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
	double found = NAN;

	if (gsl_root_fsolver_set(solver, &gap, lower, upper) == GSL_SUCCESS) {
		for (int i = 0; i < 100; i++) {
			if (gsl_root_fsolver_iterate(solver) != GSL_SUCCESS)
				break;
			found = gsl_root_fsolver_root(solver);
			if (gsl_root_test_interval(gsl_root_fsolver_x_lower(solver),
						   gsl_root_fsolver_x_upper(solver), 1e-9,
						   0) == GSL_SUCCESS)
				break;
		}
	}
	gsl_root_fsolver_free(solver);
	return found;
}

struct bounds stats_profile_y(struct profile *profile, double x, double confidence)
{
	const double most = log(1e3); /* below that the model says nothing anyway */
	struct inverse inverse = {
		profile, confidence,
		asinh((x - profile->mle.theta[LOCATION]) / profile->mle.theta[SCALE]), true};
	struct bounds bounds = {0, exp(most)};

	if (isnan(profile->top))
		return (struct bounds){NAN, NAN};
	if (level_gap(LN_Y_LEAST, &inverse) < 0)
		bounds.upper = exp(LN_Y_LEAST);
	else if (level_gap(most, &inverse) < 0)
		bounds.upper = exp(ln_y_of_end(&inverse, LN_Y_LEAST, most));
	inverse.upper = false;
	if (level_gap(most, &inverse) > 0)
		bounds.lower = exp(most);
	else if (level_gap(LN_Y_LEAST, &inverse) > 0)
		bounds.lower = exp(ln_y_of_end(&inverse, LN_Y_LEAST, most));
	return bounds;
}
