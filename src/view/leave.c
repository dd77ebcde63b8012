/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where one path leaves another. */
#include "view-internal.h"

#include <stdlib.h>

static void note_ends(const struct trees *trees, const uint32_t *mine, uint32_t n_mine,
		      const uint32_t *other, uint32_t n_other, uint32_t at,
		      struct view_leave *leave)
{
	leave->function = at < n_mine ? trees_function(trees, mine[at]) : NAME_NONE;
	leave->other_function = at < n_other ? trees_function(trees, other[at]) : NAME_NONE;
}

/*
 * Equal sub-trees are one node, so the way down leads through the first child
 * that is not the same. Where only one of two lists of calls goes on, the other
 * path's next call belongs to a caller further up.
 */
struct way {
	const uint32_t *next[2]; /* first call after the one gone into, or NULL */
};

static void next_above(const struct trees *trees, const struct way *ways, uint32_t depth,
		       bool other, uint32_t *function, uint32_t *function_depth)
{
	for (uint32_t i = depth; i-- > 0;)
		if (ways[i].next[other]) {
			*function = trees_function(trees, *ways[i].next[other]);
			*function_depth = i + 1;
			return;
		}
}

#define DEPTH_STEP 64

void view_find_leave(const struct trees *trees, uint32_t root, uint32_t other,
		     struct view_leave *leave)
{
	struct way *ways = NULL;
	uint32_t depth = 0, room = 0;

	*leave = (struct view_leave){.differs = root != other};
	leave->function = leave->other_function = NAME_NONE;
	if (!leave->differs)
		return;
	note_ends(trees, &root, 1, &other, 1, 0, leave);
	while (leave->function == leave->other_function && leave->function != NAME_NONE) {
		uint32_t n, n_other, at = 0;
		const uint32_t *mine = trees_children(trees, root, &n);
		const uint32_t *others = trees_children(trees, other, &n_other);

		leave->call++;
		while (at < n && at < n_other && mine[at] == others[at])
			leave->call += trees_size(trees, mine[at++]);
		note_ends(trees, mine, n, others, n_other, at, leave);
		if (depth == room) {
			room += DEPTH_STEP;
			ways = mem_resize(ways, room, sizeof *ways);
		}
		ways[depth] = (struct way){0};
		if (at + 1 < n)
			ways[depth].next[0] = mine + at + 1;
		if (at + 1 < n_other)
			ways[depth].next[1] = others + at + 1;
		depth++;
		root = at < n ? mine[at] : root;
		other = at < n_other ? others[at] : other;
	}
	leave->depth = leave->other_depth = depth;
	if (leave->function == NAME_NONE && depth)
		next_above(trees, ways, depth - 1, false, &leave->function, &leave->depth);
	if (leave->other_function == NAME_NONE && depth)
		next_above(trees, ways, depth - 1, true, &leave->other_function,
			   &leave->other_depth);
	free(ways);
}

static const char *name_of(struct view_panel *panel, const struct view_context *context,
			   uint32_t function)
{
	return view_name(panel, names_text(context->recording->names, function));
}

#define ROOM_FOR_IDS 56

/* By its id, or by its rank where there is little room. */
static const char *name_path(struct view_panel *panel, const struct view_context *context,
			     const struct path *path, uint32_t index)
{
	if (context->width_cols && context->width_cols < ROOM_FOR_IDS)
		return view_text(panel, "%u", (unsigned)index + 1);
	return view_short_id(panel, path->id);
}

void view_put_leave(struct view_panel *panel, struct view_line *line,
		    const struct view_context *context, uint32_t a, uint32_t b)
{
	/* ranked by executions: the lower index is the more common one */
	const struct path *path = view_path(context, a > b ? a : b);
	const struct path *common = view_path(context, a > b ? b : a);
	struct view_leave leave;
	const char *own;

	if (!path || !common || path->root == NODE_NONE || common->root == NODE_NONE)
		return;
	view_find_leave(context->recording->trees, path->root, common->root, &leave);
	if (!leave.differs)
		return;
	own = name_path(panel, context, path, a > b ? a : b);
	view_puts(panel, line, a > b ? ROLE_A : ROLE_B, own);
	view_puts(panel, line, ROLE_TEXT, " leaves ");
	view_puts(panel, line, a > b ? ROLE_B : ROLE_A,
		  name_path(panel, context, common, a > b ? b : a));
	view_printf(panel, line, ROLE_TEXT, " at call %u", (unsigned)leave.call);
	if (leave.other_function != NAME_NONE)
		view_printf(panel, line, ROLE_STRONG, ": %s (%u)",
			    name_of(panel, context, leave.other_function),
			    (unsigned)leave.other_depth);
	else
		view_puts(panel, line, ROLE_TEXT, ", its end");
	if (leave.function != NAME_NONE)
		view_printf(panel, line, ROLE_DIM, "; there %s calls %s%s", own,
			    name_of(panel, context, leave.function),
			    leave.depth == leave.other_depth
				    ? ""
				    : view_text(panel, " (%u)", (unsigned)leave.depth));
	else
		view_printf(panel, line, ROLE_DIM, "; there %s ends", own);
	line->cells[line->n - 1].drop = 2;
}
