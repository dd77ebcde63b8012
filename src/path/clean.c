/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The clean path: what is left of a raw one without what the machine did to
 * it. The rules are rows of one table; the walk over a call's children is the
 * same for all of them.
 */
#include "evtop/path.h"

#include <stdlib.h>
#include <string.h>

enum role {
	PLAIN,
	IRQ_ENTER,    /* begins an interrupt */
	IRQ_EXIT,     /* ends it */
	IRQ_ALONE,    /* a handler, or another outermost call of an interrupt */
	IRQ_TAIL,     /* end of an interrupt, where it may preempt */
	PREEMPT,      /* goes whole */
	SWITCH_BEGIN, /* a switch without a call around it, until SWITCH_END */
	SWITCH_END,
	SCHEDULER,    /* follows SWITCH_BEGIN where no switch came of it */
	LATER,	      /* work left over by a preemption: goes whole */
	LATER_INSIDE, /* the call stays, what is inside is left over by a preemption */
	SLEEP,	      /* a voluntary switch: the call stays, its inside is off the CPU */
	OPAQUE,	      /* the call stays, its inside is of no interest to the user */
	ROLE_NOT_ASKED,
};

/* A name, or its beginning where it ends with a star. */
static const struct rule {
	const char *name;
	enum role role;
} rules_table[] = {
	/* interrupts */
	{"irq_enter_rcu", IRQ_ENTER},
	{"irq_enter", IRQ_ENTER},
	{"irq_exit_rcu", IRQ_EXIT},
	{"irq_exit", IRQ_EXIT},
	{"__sysvec_*", IRQ_ALONE},	/* x86 since 5.8 */
	{"smp_*_interrupt", IRQ_ALONE}, /* x86 before */
	{"do_IRQ", IRQ_ALONE},
	{"gic_handle_irq", IRQ_ALONE}, /* arm64 */
	{"handle_IPI", IRQ_ALONE},
	{"do_interrupt_handler", IRQ_ALONE},
	{"generic_handle_arch_irq", IRQ_ALONE},
	{"nmi_handle", IRQ_ALONE},
	{"__rcu_irq_enter_check_tick", IRQ_ALONE},
	{"raw_irqentry_exit_cond_resched", IRQ_TAIL},
	{"irqentry_exit_cond_resched", IRQ_TAIL},
	/* preemption */
	{"preempt_schedule*", PREEMPT},
	{"arm64_preempt_schedule_irq", PREEMPT},
	{"rcu_note_context_switch", SWITCH_BEGIN},
	{"finish_task_switch*", SWITCH_END},
	{"_raw_spin_*", SCHEDULER},
	{"raw_spin_rq_*", SCHEDULER},
	{"update_rq_clock", SCHEDULER},
	{"pick_*", SCHEDULER},
	{"put_prev_*", SCHEDULER},
	{"set_next_*", SCHEDULER},
	{"dequeue_*", SCHEDULER},
	{"enqueue_*", SCHEDULER},
	{"balance_*", SCHEDULER},
	{"prev_balance_*", SCHEDULER},
	{"deactivate_task", SCHEDULER},
	{"psi_*", SCHEDULER},
	{"__traceiter_sched_switch", SCHEDULER},
	{"sched_*", SCHEDULER},
	{"newidle_balance", SCHEDULER},
	{"update_rt_rq_load_avg", SCHEDULER},
	{"rcu_read_unlock_special", LATER},
	{"migrate_enable", LATER_INSIDE},
	/* voluntary switches */
	{"schedule", SLEEP},
	{"schedule_idle", SLEEP},
	{"schedule_rtlock", SLEEP},
	{"rt_mutex_schedule", SLEEP},
};

struct clean_rules {
	struct names *names;
	const char *const *opaque;
	size_t n_opaque;
	uint8_t *roles; /* by function */
	uint32_t roles_room;
};

struct clean_rules *clean_rules_new(struct names *names, const char *const *opaque, size_t n_opaque)
{
	struct clean_rules *rules = mem_zero(1, sizeof *rules);

	rules->names = names;
	rules->opaque = opaque;
	rules->n_opaque = n_opaque;
	return rules;
}

void clean_rules_free(struct clean_rules *rules)
{
	if (!rules)
		return;
	free(rules->roles);
	free(rules);
}

static bool fits(const char *pattern, const char *name)
{
	const char *star = strchr(pattern, '*');
	size_t before, after, n;

	if (!star)
		return strcmp(pattern, name) == 0;
	before = (size_t)(star - pattern);
	after = strlen(star + 1);
	n = strlen(name);
	return n >= before + after && strncmp(pattern, name, before) == 0 &&
	       strcmp(name + n - after, star + 1) == 0;
}

static enum role ask_role(const struct clean_rules *rules, uint32_t function)
{
	const char *name = names_text(rules->names, function);

	for (size_t i = 0; i < COUNT_OF(rules_table); i++)
		if (fits(rules_table[i].name, name))
			return rules_table[i].role;
	for (size_t i = 0; i < rules->n_opaque; i++)
		if (strcmp(rules->opaque[i], name) == 0)
			return OPAQUE;
	return PLAIN;
}

static enum role role_of(struct clean_rules *rules, uint32_t function)
{
	if (function >= rules->roles_room) {
		uint32_t room = rules->roles_room ? rules->roles_room : 256;

		while (room <= function)
			room *= 2;
		rules->roles = mem_resize(rules->roles, room, sizeof *rules->roles);
		memset(rules->roles + rules->roles_room, ROLE_NOT_ASKED, room - rules->roles_room);
		rules->roles_room = room;
	}
	if (rules->roles[function] == ROLE_NOT_ASKED)
		rules->roles[function] = (uint8_t)ask_role(rules, function);
	return (enum role)rules->roles[function];
}

/* One walk: its tables and what it found so far. */
struct walk {
	struct clean_rules *rules;
	struct trees *trees;
	struct clean_path *path;
	uint32_t pieces_room, terms_room;
	uint32_t *kept; /* clean children of the calls being walked */
	uint32_t n_kept, kept_room;
};

/* The children of one call, copied: adding nodes moves the pool. */
struct level {
	uint32_t *children;
	uint32_t n;
	uint32_t parent;		 /* raw pre-order */
	bool no_irq_exit, no_switch_end; /* further on: found out once, not for every child */
};

static void add_term(struct walk *walk, uint32_t index, uint8_t kind, uint8_t part)
{
	struct clean_path *path = walk->path;

	ARRAY_RESERVE(path->terms, path->n_terms, walk->terms_room);
	path->terms[path->n_terms++] =
		(struct removed_term){.index = index, .kind = kind, .part = part};
}

static void add_piece(struct walk *walk, uint32_t first, uint32_t n, uint8_t kind)
{
	struct clean_path *path = walk->path;

	ARRAY_RESERVE(path->pieces, path->n_pieces, walk->pieces_room);
	path->pieces[path->n_pieces++] =
		(struct removed_piece){.first = first, .n = n, .kind = kind};
	if (kind == REMOVED_INTERRUPT || kind == REMOVED_PREEMPTED)
		path->disturbed = true;
}

/* The parent's time outside of its children: the time of a switch, and a little more. */
static void add_gap(struct walk *walk, const struct level *level)
{
	uint32_t index = level->parent + 1;

	walk->path->own_unknown = true;
	add_term(walk, level->parent, REMOVED_PREEMPTED, TERM_GAP_PARENT);
	for (uint32_t i = 0; i < level->n; i++) {
		add_term(walk, index, REMOVED_PREEMPTED, TERM_GAP_CHILD);
		index += trees_size(walk->trees, level->children[i]);
	}
}

static enum role child_role(const struct walk *walk, const struct level *level, uint32_t i)
{
	return role_of(walk->rules, trees_function(walk->trees, level->children[i]));
}

/* The next sibling of a role behind i, or n; none is set where there are no more. */
static uint32_t find_sibling(const struct walk *walk, const struct level *level, uint32_t i,
			     enum role role, bool *none)
{
	if (*none)
		return level->n;
	for (i++; i < level->n; i++)
		if (child_role(walk, level, i) == role)
			break;
	*none = i == level->n;
	return i;
}

/* Whether a preemption is among the calls of a tree. */
static bool preempts(const struct walk *walk, uint32_t node)
{
	uint32_t n;
	const uint32_t *children = trees_children(walk->trees, node, &n);

	for (uint32_t i = 0; i < n; i++) {
		enum role role = role_of(walk->rules, trees_function(walk->trees, children[i]));

		if (role == PREEMPT || role == SWITCH_BEGIN || preempts(walk, children[i]))
			return true;
	}
	return false;
}

/* What a rule takes: so many siblings, as what, with the gap of a switch or not. */
struct taken {
	uint32_t n; /* 0: the call stays */
	enum removed_kind kind;
	bool gap;
};

static struct taken take_interrupt(struct walk *walk, struct level *level, uint32_t i)
{
	struct taken taken = {.n = 1, .kind = REMOVED_INTERRUPT};
	uint32_t end = find_sibling(walk, level, i, IRQ_EXIT, &level->no_irq_exit);

	if (end < level->n) {
		taken.n = end + 1 - i;
	} else {
		while (i + taken.n < level->n && child_role(walk, level, i + taken.n) == IRQ_ALONE)
			taken.n++;
	}
	/* the handler itself was not recorded */
	if (taken.n == (end < level->n ? 2 : 1))
		walk->path->own_unknown = true;
	return taken;
}

static struct taken take_switch(struct walk *walk, struct level *level, uint32_t i)
{
	struct taken taken = {.n = 1, .kind = REMOVED_PREEMPTED};
	uint32_t end = find_sibling(walk, level, i, SWITCH_END, &level->no_switch_end);

	if (end < level->n) {
		taken.n = end + 1 - i;
		taken.gap = true;
		return taken;
	}
	/* the same task was picked again: no switch, and no gap */
	while (i + taken.n < level->n && child_role(walk, level, i + taken.n) == SCHEDULER)
		taken.n++;
	return taken;
}

static struct taken take_siblings(struct walk *walk, struct level *level, uint32_t i)
{
	switch (child_role(walk, level, i)) {
	case IRQ_ENTER:
		return take_interrupt(walk, level, i);
	case IRQ_EXIT:
		walk->path->own_unknown = true;
		return (struct taken){.n = 1, .kind = REMOVED_INTERRUPT};
	case IRQ_ALONE:
		return (struct taken){.n = 1, .kind = REMOVED_INTERRUPT};
	case IRQ_TAIL:
		return (struct taken){.n = 1,
				      .kind = preempts(walk, level->children[i])
						      ? REMOVED_PREEMPTED
						      : REMOVED_INTERRUPT};
	case PREEMPT:
	case LATER:
		return (struct taken){.n = 1, .kind = REMOVED_PREEMPTED};
	case SWITCH_BEGIN:
		return take_switch(walk, level, i);
	default:
		return (struct taken){0};
	}
}

static uint32_t clean_node(struct walk *walk, uint32_t node, uint32_t index);

/* The calls directly below a node that stay, their own insides cleaned. */
static void clean_children(struct walk *walk, struct level *level)
{
	uint32_t index = level->parent + 1;
	bool gap = false;

	for (uint32_t i = 0; i < level->n;) {
		struct taken taken = take_siblings(walk, level, i);
		uint32_t first = index, node;

		if (taken.n == 0) {
			node = clean_node(walk, level->children[i], index);
			ARRAY_RESERVE(walk->kept, walk->n_kept, walk->kept_room);
			walk->kept[walk->n_kept++] = node;
			index += trees_size(walk->trees, level->children[i++]);
			continue;
		}
		gap |= taken.gap;
		for (; taken.n; taken.n--) {
			add_term(walk, index, taken.kind, TERM_ADD);
			index += trees_size(walk->trees, level->children[i++]);
		}
		add_piece(walk, first, index - first, taken.kind);
	}
	if (gap)
		add_gap(walk, level);
}

/* A call that stays without its inside. */
static uint32_t hollow_node(struct walk *walk, uint32_t node, uint32_t index, enum role role)
{
	static const uint8_t kinds[] = {[SLEEP] = REMOVED_OFF_CPU,
					[LATER_INSIDE] = REMOVED_PREEMPTED,
					[OPAQUE] = N_REMOVED_KINDS};
	uint32_t n, child = index + 1;
	const uint32_t *children = trees_children(walk->trees, node, &n);

	add_piece(walk, index + 1, trees_size(walk->trees, node) - 1, kinds[role]);
	if (role == SLEEP)
		add_term(walk, index, REMOVED_OFF_CPU, TERM_ADD);
	for (uint32_t i = 0; role == LATER_INSIDE && i < n; i++) {
		add_term(walk, child, REMOVED_PREEMPTED, TERM_ADD);
		child += trees_size(walk->trees, children[i]);
	}
	return trees_node(walk->trees, trees_function(walk->trees, node), NULL, 0);
}

static uint32_t clean_node(struct walk *walk, uint32_t node, uint32_t index)
{
	uint32_t function = trees_function(walk->trees, node), first = walk->n_kept, clean;
	enum role role = role_of(walk->rules, function);
	struct level level = {.parent = index};
	const uint32_t *children = trees_children(walk->trees, node, &level.n);

	if (level.n == 0)
		return node;
	if (role == SLEEP || role == LATER_INSIDE || role == OPAQUE)
		return hollow_node(walk, node, index, role);
	level.children = mem_alloc(level.n * sizeof *level.children);
	memcpy(level.children, children, level.n * sizeof *level.children);
	clean_children(walk, &level);
	free(level.children);
	clean = trees_node(walk->trees, function, walk->kept + first, walk->n_kept - first);
	walk->n_kept = first;
	return clean;
}

void clean_path_init(struct clean_path *path, struct clean_rules *rules, struct trees *trees,
		     uint32_t raw_root)
{
	struct walk walk = {.rules = rules, .trees = trees, .path = path};

	*path = (struct clean_path){0};
	/* room from the start: where nothing is kept there is a place to point to */
	ARRAY_RESERVE(walk.kept, walk.n_kept, walk.kept_room);
	path->root = clean_node(&walk, raw_root, 0);
	free(walk.kept);
	/* these stay, for every raw path: no more than needed */
	if (path->n_pieces)
		path->pieces = mem_resize(path->pieces, path->n_pieces, sizeof *path->pieces);
	if (path->n_terms)
		path->terms = mem_resize(path->terms, path->n_terms, sizeof *path->terms);
}

void clean_path_release(struct clean_path *path)
{
	free(path->pieces);
	free(path->terms);
	*path = (struct clean_path){0};
}

static uint64_t known(uint64_t duration_ns)
{
	return duration_ns == DURATION_NONE ? 0 : duration_ns;
}

void clean_path_times(const struct clean_path *path, const uint64_t *node_ns,
		      uint64_t removed_ns[N_REMOVED_KINDS])
{
	for (int kind = 0; kind < N_REMOVED_KINDS; kind++)
		removed_ns[kind] = 0;
	for (uint32_t i = 0; i < path->n_terms;) {
		uint64_t time = known(node_ns[path->terms[i].index]);
		uint8_t kind = path->terms[i].kind;

		if (path->terms[i++].part == TERM_GAP_PARENT)
			for (; i < path->n_terms && path->terms[i].part == TERM_GAP_CHILD; i++) {
				uint64_t child = known(node_ns[path->terms[i].index]);

				time = time > child ? time - child : 0;
			}
		removed_ns[kind] += time;
	}
}
