/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entries and exits to executions, task by task. */
#include "evtop/path.h"

#include <stdlib.h>
#include <string.h>

#include "evtop/hash.h"

/* The kernel's own stack of traced calls ends far below this. */
#define FRAMES_MAX 512
#define CALLS_MAX (1u << 22)
#define OPEN_TASKS_MAX (1u << 14)
/* In all open executions together, and what a task keeps from one to the next. */
#define OPEN_CALLS_MAX (1u << 24)
#define CALLS_KEPT_MAX (1u << 16)

#define ROOT_NOT_ASKED (NAME_NONE - 1)

struct frame {
	uint32_t function;
	int32_t depth;
	uint32_t call;	      /* number of the call in the execution */
	uint32_t first_child; /* in the task's children */
};

struct task {
	int32_t id;
	int32_t cpu;   /* of its last event */
	uint32_t call; /* the execution's, NAME_NONE when none is open */
	uint64_t begin_ns, last_ns;
	struct frame *frames;
	uint32_t n_frames;
	uint64_t *node_ns; /* by call, in order of entry */
	uint32_t n_calls, calls_room;
	uint32_t *children; /* nodes of closed calls whose parents are open */
	uint32_t n_children, children_room;
	struct task *before, *behind; /* open ones whose last event was on the same CPU */
};

struct assembler {
	struct names *names;
	struct trees *trees;
	const struct assembler_options *options;
	execution_sink *sink;
	void *context;
	struct assembler_counts counts;
	uint32_t *call_of; /* by function: call, NAME_NONE or ROOT_NOT_ASKED */
	uint32_t call_of_room;
	struct task **table; /* by id, open addressing */
	uint32_t table_size, n_tasks, n_open;
	struct task *last;
	struct task **open_on; /* by CPU, those without a number first */
	uint32_t open_on_room;
	uint32_t n_open_calls;
	uint32_t max_nodes;
	struct hash_key key;
};

struct assembler *assembler_new(struct names *names, struct trees *trees,
				const struct assembler_options *options, execution_sink *sink,
				void *context)
{
	struct assembler *assembler = mem_zero(1, sizeof *assembler);

	assembler->names = names;
	assembler->trees = trees;
	assembler->options = options;
	assembler->sink = sink;
	assembler->context = context;
	assembler->max_nodes = options->max_nodes ? options->max_nodes : UINT32_MAX;
	hash_key_init(&assembler->key);
	assembler->table_size = 64;
	assembler->table = mem_zero(assembler->table_size, sizeof(struct task *));
	return assembler;
}

static void free_task(struct task *task)
{
	if (!task)
		return;
	free(task->frames);
	free(task->node_ns);
	free(task->children);
	free(task);
}

void assembler_free(struct assembler *assembler)
{
	if (!assembler)
		return;
	for (uint32_t i = 0; i < assembler->table_size; i++)
		free_task(assembler->table[i]);
	free(assembler->table);
	free(assembler->open_on);
	free(assembler->call_of);
	free(assembler);
}

static uint32_t ask_call(struct assembler *assembler, uint32_t function)
{
	const struct assembler_options *options = assembler->options;
	const char *text = names_text(assembler->names, function), *name;
	size_t n = names_length(assembler->names, function), name_n;

	if (options->n_roots == 0) {
		uint32_t call;

		if (!syscall_of_function(text, n, &name, &name_n))
			return NAME_NONE;
		call = names_intern(assembler->names, name, name_n);
		/* no room for one name more: under the function's own */
		return call == NAME_NONE ? function : call;
	}
	for (size_t i = 0; i < options->n_roots; i++)
		if (strcmp(options->roots[i], text) == 0)
			return function;
	return NAME_NONE;
}

/* The call that a function is the root of, or NAME_NONE. */
static uint32_t call_of_function(struct assembler *assembler, uint32_t function)
{
	if (function >= assembler->call_of_room) {
		uint32_t room = assembler->call_of_room ? assembler->call_of_room : 256;

		while (room <= function)
			room *= 2;
		assembler->call_of =
			mem_resize(assembler->call_of, room, sizeof *assembler->call_of);
		for (uint32_t i = assembler->call_of_room; i < room; i++)
			assembler->call_of[i] = ROOT_NOT_ASKED;
		assembler->call_of_room = room;
	}
	if (assembler->call_of[function] == ROOT_NOT_ASKED) {
		uint32_t call = ask_call(assembler, function);

		assembler->call_of[function] = call;
	}
	return assembler->call_of[function];
}

static uint32_t place_of(const struct assembler *assembler, int32_t id)
{
	uint64_t hash = hash_add(&assembler->key, assembler->key.start, (uint32_t)id);
	uint32_t at = (uint32_t)hash & (assembler->table_size - 1);

	while (assembler->table[at] && assembler->table[at]->id != id)
		at = (at + 1) & (assembler->table_size - 1);
	return at;
}

static struct task *find_task(struct assembler *assembler, int32_t id)
{
	struct task *task = assembler->last;

	if (task && task->id == id)
		return task;
	task = assembler->table[place_of(assembler, id)];
	if (task)
		assembler->last = task;
	return task;
}

/* A table of the given size with the tasks that have an execution open. */
static void rebuild_table(struct assembler *assembler, uint32_t size)
{
	struct task **old = assembler->table;
	uint32_t old_size = assembler->table_size;

	assembler->last = NULL;
	assembler->table = mem_zero(size, sizeof *assembler->table);
	assembler->table_size = size;
	assembler->n_tasks = 0;
	for (uint32_t i = 0; i < old_size; i++) {
		if (!old[i])
			continue;
		if (old[i]->call == NAME_NONE) {
			free_task(old[i]);
			continue;
		}
		assembler->table[place_of(assembler, old[i]->id)] = old[i];
		assembler->n_tasks++;
	}
	free(old);
}

static struct task *make_task(struct assembler *assembler, int32_t id)
{
	struct task *task = find_task(assembler, id);

	if (task)
		return task;
	if (assembler->n_open >= OPEN_TASKS_MAX)
		return NULL;
	if (assembler->n_tasks >= assembler->table_size / 2)
		rebuild_table(assembler, assembler->n_open >= assembler->table_size / 4
						 ? 2 * assembler->table_size
						 : assembler->table_size);
	task = mem_zero(1, sizeof *task);
	task->id = id;
	task->call = NAME_NONE;
	task->frames = mem_alloc(FRAMES_MAX * sizeof *task->frames);
	assembler->table[place_of(assembler, id)] = task;
	assembler->n_tasks++;
	assembler->last = task;
	return task;
}

static struct task **open_on(struct assembler *assembler, int32_t cpu)
{
	uint32_t index = cpu < 0 ? 0 : (uint32_t)cpu + 1;

	if (index >= assembler->open_on_room) {
		uint32_t room = 2 * index + 16;

		assembler->open_on =
			mem_resize(assembler->open_on, room, sizeof *assembler->open_on);
		memset(assembler->open_on + assembler->open_on_room, 0,
		       (room - assembler->open_on_room) * sizeof *assembler->open_on);
		assembler->open_on_room = room;
	}
	return &assembler->open_on[index];
}

/* An open task joins those of its CPU, for a loss there to find it. */
static void enlist(struct assembler *assembler, struct task *task)
{
	struct task **first = open_on(assembler, task->cpu);

	task->before = NULL;
	task->behind = *first;
	if (*first)
		(*first)->before = task;
	*first = task;
}

static void strike_off(struct assembler *assembler, struct task *task)
{
	if (task->behind)
		task->behind->before = task->before;
	if (task->before)
		task->before->behind = task->behind;
	else
		*open_on(assembler, task->cpu) = task->behind;
}

static inline void note_event(struct assembler *assembler, struct task *task,
			      const struct event *event)
{
	task->last_ns = event->time_ns;
	if (task->cpu == event->cpu)
		return;
	strike_off(assembler, task);
	task->cpu = event->cpu;
	enlist(assembler, task);
}

static void close_execution(struct assembler *assembler, struct task *task)
{
	task->call = NAME_NONE;
	strike_off(assembler, task);
	assembler->n_open--;
	assembler->n_open_calls -= task->n_calls;
}

/* What a very long execution took is not kept for those to come. */
static void trim_task(struct task *task)
{
	if (task->calls_room > CALLS_KEPT_MAX) {
		free(task->node_ns);
		task->node_ns = NULL;
		task->calls_room = 0;
	}
	if (task->children_room > CALLS_KEPT_MAX) {
		free(task->children);
		task->children = NULL;
		task->children_room = 0;
	}
}

/* Gives an open execution up, for the reason counted. */
static void give_up(struct assembler *assembler, struct task *task, uint64_t *reason)
{
	if (task->begin_ns != TIME_NONE && task->last_ns != TIME_NONE &&
	    task->last_ns >= task->begin_ns) {
		uint64_t seen = task->last_ns - task->begin_ns;

		if (seen > assembler->counts.longest_broken_ns)
			assembler->counts.longest_broken_ns = seen;
	}
	++*reason;
	close_execution(assembler, task);
	trim_task(task);
}

static bool is_chosen(const struct assembler *assembler, const struct event *event)
{
	const struct assembler_options *options = assembler->options;
	bool pid = options->n_pids == 0, comm = options->n_comms == 0, cpu = options->n_cpus == 0;

	for (size_t i = 0; i < options->n_pids; i++)
		pid |= options->pids[i] == (event->task < 0 ? 0 : event->task);
	for (size_t i = 0; i < options->n_comms && event->comm != NAME_NONE; i++)
		comm |= strcmp(options->comms[i], names_text(assembler->names, event->comm)) == 0;
	for (size_t i = 0; i < options->n_cpus; i++)
		cpu |= options->cpus[i] == event->cpu;
	return pid && comm && cpu;
}

/* Opens a call; false where the execution is longer or deeper than any can be. */
static inline bool push_call(struct assembler *assembler, struct task *task,
			     const struct event *event)
{
	if (task->n_frames == FRAMES_MAX || task->n_calls == CALLS_MAX)
		return false;
	if (assembler->n_open_calls == OPEN_CALLS_MAX) {
		assembler->counts.no_room++;
		return false;
	}
	assembler->n_open_calls++;
	task->frames[task->n_frames++] = (struct frame){
		.function = event->function,
		.depth = event->depth,
		.call = task->n_calls,
		.first_child = task->n_children,
	};
	ARRAY_RESERVE(task->node_ns, task->n_calls, task->calls_room);
	task->node_ns[task->n_calls++] = DURATION_NONE;
	return true;
}

/* Closes the innermost call and hands its node to its parent. */
static inline uint32_t pop_call(struct assembler *assembler, struct task *task,
				uint64_t duration_ns)
{
	const struct frame *frame = &task->frames[--task->n_frames];
	uint32_t node;

	task->node_ns[frame->call] = duration_ns;
	/* room for the node itself; also, a first leaf has no children to point to */
	ARRAY_RESERVE(task->children, task->n_children, task->children_room);
	node = trees_node_within(assembler->trees, assembler->max_nodes, frame->function,
				 task->children + frame->first_child,
				 task->n_children - frame->first_child);
	if (node == NODE_NONE)
		assembler->counts.no_room++;
	task->n_children = frame->first_child;
	task->children[task->n_children++] = node;
	return node;
}

static void finish(struct assembler *assembler, struct task *task, uint32_t root)
{
	const struct execution execution = {
		.call = task->call,
		.root = root,
		.n_calls = task->n_calls,
		.node_ns = task->node_ns,
	};

	close_execution(assembler, task);
	if (root == NODE_NONE)
		assembler->counts.broken++;
	else
		assembler->sink(assembler->context, &execution);
	trim_task(task);
}

static void begin(struct assembler *assembler, const struct event *event, uint32_t call)
{
	struct task *task;

	if (!is_chosen(assembler, event))
		return;
	task = make_task(assembler, event->task);
	if (!task) {
		assembler->counts.broken++;
		assembler->counts.no_room++;
		return;
	}
	task->call = call;
	assembler->n_open++;
	task->cpu = event->cpu;
	enlist(assembler, task);
	task->begin_ns = task->last_ns = event->time_ns;
	task->n_frames = task->n_calls = task->n_children = 0;
	if (!push_call(assembler, task, event))
		give_up(assembler, task, &assembler->counts.broken);
	else if (event->kind == EVENT_LEAF)
		finish(assembler, task, pop_call(assembler, task, event->duration_ns));
}

static void take_call(struct assembler *assembler, const struct event *event)
{
	struct task *task = find_task(assembler, event->task);
	uint32_t call;

	if (task && task->call != NAME_NONE) {
		note_event(assembler, task, event);
		/* one root cannot begin beside or around another that is still open */
		if (event->depth > task->frames[0].depth ||
		    call_of_function(assembler, event->function) == NAME_NONE) {
			if (!push_call(assembler, task, event))
				give_up(assembler, task, &assembler->counts.broken);
			else if (event->kind == EVENT_LEAF &&
				 pop_call(assembler, task, event->duration_ns) == NODE_NONE)
				give_up(assembler, task, &assembler->counts.broken);
			return;
		}
		give_up(assembler, task, &assembler->counts.broken);
	}
	call = call_of_function(assembler, event->function);
	if (call != NAME_NONE)
		begin(assembler, event, call);
}

static inline bool closes(const struct frame *frame, const struct event *event)
{
	return frame->depth == event->depth &&
	       (event->function == NAME_NONE || event->function == frame->function);
}

static void take_exit(struct assembler *assembler, const struct event *event)
{
	struct task *task = find_task(assembler, event->task);
	uint32_t node;

	if (!task || task->call == NAME_NONE) {
		if (event->function != NAME_NONE &&
		    call_of_function(assembler, event->function) != NAME_NONE)
			assembler->counts.orphans++;
		return;
	}
	note_event(assembler, task, event);
	/* the innermost call must be the one that ends: calls above it cannot be left open */
	if (!closes(&task->frames[task->n_frames - 1], event)) {
		give_up(assembler, task, &assembler->counts.broken);
		return;
	}
	node = pop_call(assembler, task, event->duration_ns);
	if (task->n_frames == 0)
		finish(assembler, task, node);
	else if (node == NODE_NONE)
		give_up(assembler, task, &assembler->counts.broken);
}

/* Lost events on a CPU break what is open there. */
static void take_loss(struct assembler *assembler, int32_t cpu)
{
	struct task **first = open_on(assembler, cpu);

	while (*first)
		give_up(assembler, *first, &assembler->counts.cut_by_loss);
}

/* A CPU's unknown owner gets its name. */
static void take_owner(struct assembler *assembler, const struct event *event)
{
	struct task *former = find_task(assembler, event->former_task);
	struct task *task;

	if (!former || former->call == NAME_NONE)
		return;
	task = find_task(assembler, event->task);
	if (task && task->call != NAME_NONE) {
		give_up(assembler, former, &assembler->counts.broken);
		return;
	}
	task = make_task(assembler, event->task);
	/* making room may have moved or dropped tasks */
	former = find_task(assembler, event->former_task);
	if (!task || !former)
		return;
	/* the tasks change places and names */
	assembler->table[place_of(assembler, event->task)] = former;
	assembler->table[place_of(assembler, event->former_task)] = task;
	former->id = event->task;
	task->id = event->former_task;
	assembler->last = NULL;
}

void assembler_feed(struct assembler *assembler, const struct event *events, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		switch (events[i].kind) {
		case EVENT_ENTRY:
		case EVENT_LEAF:
			take_call(assembler, &events[i]);
			break;
		case EVENT_EXIT:
			take_exit(assembler, &events[i]);
			break;
		case EVENT_LOST:
			take_loss(assembler, events[i].cpu);
			break;
		case EVENT_OWNER:
			take_owner(assembler, &events[i]);
			break;
		case EVENT_TRACE:
			assembler_end_run(assembler);
			break;
		}
	}
}

void assembler_end_run(struct assembler *assembler)
{
	for (uint32_t i = 0; i < assembler->table_size && assembler->n_open; i++) {
		struct task *task = assembler->table[i];

		if (task && task->call != NAME_NONE)
			give_up(assembler, task, &assembler->counts.unfinished);
	}
}

void assembler_renew(struct assembler *assembler, struct trees *trees,
		     uint32_t (*map)(void *context, uint32_t node), void *context)
{
	assembler->trees = trees;
	for (uint32_t i = 0; i < assembler->table_size; i++) {
		struct task *task = assembler->table[i];

		if (!task || task->call == NAME_NONE)
			continue;
		for (uint32_t j = 0; j < task->n_children; j++)
			task->children[j] = map(context, task->children[j]);
	}
}

const struct assembler_counts *assembler_counts(const struct assembler *assembler)
{
	return &assembler->counts;
}

void assembler_forget_longest(struct assembler *assembler)
{
	assembler->counts.longest_broken_ns = 0;
}
