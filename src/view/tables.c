/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The roles and the panels, each a row of one table. */
#include "evtop/view.h"

const struct role_info role_infos[ROLE_COUNT] = {
#define X(id, name, help) [id] = {name, help},
	VIEW_ROLES(X)
#undef X
};

/* clang-format off */
const struct panel panels[PANEL_COUNT] = {
	[PANEL_HEADER] = {PANEL_HEADER, 0, "header", "evtop", 20, 1, {NULL},
		"what was opened, and whether it can be trusted"},
	[PANEL_CALLS] = {PANEL_CALLS, '1', "calls", "CALLS", 30, 4, {NULL},
		"the system calls, with their executions, paths and times"},
	[PANEL_PATHS] = {PANEL_PATHS, '2', "paths", "PATHS", 30, 4, {NULL},
		"the execution paths of the chosen call, the most common first"},
	[PANEL_TREE] = {PANEL_TREE, '3', "tree", "TREE", 40, 5,
		{"typical", "times", "slowest", NULL},
		"the functions that the chosen path calls, beside the path that it leaves"},
	[PANEL_DENSITY] = {PANEL_DENSITY, '4', "density", "DENSITY", 30, 7,
		{"kernel", "histogram", "ecdf", "ccdf", NULL},
		"how the times of the whole call and of the chosen paths are distributed"},
	[PANEL_FIT] = {PANEL_FIT, '5', "fit", "FIT", 34, 6,
		{"levels", "return levels", "QQ plot", "block sizes", NULL},
		"the extreme-value fit of the selection: parameters, return levels, trust"},
	[PANEL_IID] = {PANEL_IID, '6', "iid", "I.I.D.", 34, 6,
		{"executions", "ranks", "maxima", "sequence", NULL},
		"are the executions independent and identically distributed?"},
};
/* clang-format on */
