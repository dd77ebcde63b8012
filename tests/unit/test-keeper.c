/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sources without end: millions of executions of two paths that interrupts hit
 * at random places, so that there are raw paths without end. Counts, extremes
 * and the maxima of blocks are compared with those counted beside; what is kept
 * is a draw of all; memory stays below a bound. KEEPER_EXECUTIONS: how many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "evtop/analysis.h"
#include "evtop/keeper.h"

#define N_HANDLERS 60

/* One stream of values, counted independently. */
struct beside {
	uint64_t n, max, min, in_block, block_max;
	double sum;
	uint64_t *maxima; /* of blocks of so many */
	uint32_t block;
	size_t n_maxima, room;
};

static void count(struct beside *beside, uint64_t ns)
{
	beside->min = beside->n == 0 || ns < beside->min ? ns : beside->min;
	beside->max = ns > beside->max ? ns : beside->max;
	beside->sum += (double)ns;
	beside->n++;
	beside->block_max = ns > beside->block_max ? ns : beside->block_max;
	if (++beside->in_block < beside->block)
		return;
	ARRAY_RESERVE(beside->maxima, beside->n_maxima, beside->room);
	beside->maxima[beside->n_maxima++] = beside->block_max;
	beside->in_block = beside->block_max = 0;
}

struct world {
	struct keeper *keeper;
	uint32_t root, vfs, a, b, c, enter, leave, sysvec, handler[N_HANDLERS];
	uint64_t random;
	struct event events[64];
	size_t n;
	/* by path: undisturbed, disturbed; and the call as a whole by stratum */
	struct beside path[2][2], path_all[2], call[3], own[2];
};

static uint64_t draw(struct world *world)
{
	/* xorshift64* */
	world->random ^= world->random >> 12;
	world->random ^= world->random << 25;
	world->random ^= world->random >> 27;
	return world->random * 0x2545f4914f6cdd1du >> 16;
}

static void put(struct world *world, enum event_kind kind, uint32_t function, int depth,
		uint64_t ns)
{
	world->events[world->n++] = (struct event){
		.kind = kind,
		.function = function,
		.depth = depth,
		.task = 1,
		.comm = NAME_NONE,
		.duration_ns = ns,
		.time_ns = TIME_NONE,
	};
}

/* An interrupt of one of 216,000 shapes; its time. */
static uint64_t interrupt(struct world *world, int depth)
{
	put(world, EVENT_LEAF, world->enter, depth, 100);
	put(world, EVENT_ENTRY, world->sysvec, depth, DURATION_NONE);
	for (int i = 0; i < 3; i++)
		put(world, EVENT_LEAF, world->handler[draw(world) % N_HANDLERS], depth + 1, 200);
	put(world, EVENT_EXIT, world->sysvec, depth, 1000);
	put(world, EVENT_LEAF, world->leave, depth, 50);
	return 1150;
}

static void execute(struct world *world)
{
	bool second = draw(world) % 8 == 0, disturbed = draw(world) % 50 == 0;
	unsigned place = (unsigned)(draw(world) % 3);
	uint64_t own = 1000 + draw(world) % 1000000 * (draw(world) % 100 == 0 ? 7 : 1);
	uint64_t gone = 0, whole;

	put(world, EVENT_ENTRY, world->root, 0, DURATION_NONE);
	if (disturbed && place == 0)
		gone = interrupt(world, 1);
	put(world, EVENT_ENTRY, world->vfs, 1, DURATION_NONE);
	put(world, EVENT_LEAF, world->a, 2, 300);
	if (disturbed && place == 1)
		gone = interrupt(world, 2);
	put(world, EVENT_LEAF, second ? world->c : world->b, 2, 400);
	put(world, EVENT_EXIT, world->vfs, 1, 800 + gone);
	if (disturbed && place == 2)
		gone = interrupt(world, 1);
	whole = own + gone;
	put(world, EVENT_EXIT, world->root, 0, whole);
	keeper_events(world->keeper, world->events, world->n);
	world->n = 0;
	count(&world->path[second][disturbed], whole);
	count(&world->path_all[second], whole);
	count(&world->own[second], own);
	count(&world->call[disturbed ? STRATUM_DISTURBED : STRATUM_UNDISTURBED], whole);
	count(&world->call[STRATUM_ALL], whole);
}

static uint32_t name(struct world *world, const char *text)
{
	return names_intern(keeper_names(world->keeper), text, strlen(text));
}

static void set_blocks(struct beside *beside, size_t n, uint32_t block)
{
	for (size_t i = 0; i < n; i++)
		beside[i].block = block;
}

static const struct load_options load = {.node_times = true};

static void build(struct world *world, const struct keeper_options *options, uint32_t block)
{
	*world = (struct world){.random = 88172645463325252u, .keeper = keeper_new(options)};
	world->root = name(world, "__x64_sys_read");
	world->vfs = name(world, "vfs_read");
	world->a = name(world, "fdget");
	world->b = name(world, "fast");
	world->c = name(world, "slow");
	world->enter = name(world, "irq_enter_rcu");
	world->leave = name(world, "irq_exit_rcu");
	world->sysvec = name(world, "__sysvec_apic_timer_interrupt");
	for (int i = 0; i < N_HANDLERS; i++) {
		char text[16];

		snprintf(text, sizeof text, "handler_%d", i);
		world->handler[i] = name(world, text);
	}
	set_blocks(world->path[0], 4, block);
	set_blocks(world->path_all, 2, block);
	set_blocks(world->call, 3, block);
	set_blocks(world->own, 2, block);
}

static void tear_down(struct world *world)
{
	keeper_free(world->keeper);
	for (int i = 0; i < 2; i++) {
		for (int j = 0; j < 2; j++)
			free(world->path[i][j].maxima);
		free(world->path_all[i].maxima);
		free(world->own[i].maxima);
	}
	for (int i = 0; i < 3; i++)
		free(world->call[i].maxima);
}

static uint64_t max_of(const uint64_t *values, size_t n)
{
	uint64_t max = 0;

	for (size_t i = 0; i < n; i++)
		max = values[i] > max ? values[i] : max;
	return max;
}

static void check_tally(const struct tally *tally, const struct beside *beside)
{
	uint32_t times;

	assert_int_equal(tally->n, beside->n);
	if (!beside->n)
		return;
	assert_int_equal(tally->min_ns, beside->min);
	assert_int_equal(tally->max_ns, beside->max);
	assert_true(tally->sum_ns == beside->sum);
	if (tally->block_size % beside->block)
		return;
	times = tally->block_size / beside->block;
	assert_int_equal(tally->n_maxima, beside->n / tally->block_size);
	assert_true(tally->n_maxima <= 16384);
	for (uint32_t i = 0; i < tally->n_maxima; i++)
		assert_int_equal(tally->maxima_ns[i],
				 max_of(beside->maxima + (size_t)i * times, times));
}

static struct recording *record(struct world *world)
{
	return keeper_recording(world->keeper, &(struct keeper_source){.name = "world"});
}

/* What is kept of a path: in order, of each stretch of 2^thinning one, and kept ones apart. */
static void check_kept(const struct call *call, const struct path *path, uint32_t most)
{
	uint32_t drawn = 0;

	for (uint32_t i = 0; i < path->n_executions; i++) {
		uint32_t execution = call->order[IDENTITY_CLEAN][path->first + i];

		drawn += !(call->flags[execution] & EXECUTION_APART);
	}
	assert_true(drawn <= most);
	assert_true(drawn >= path->n_seen >> path->thinning);
	assert_true(drawn <= (path->n_seen >> path->thinning) + 1);
}

/* Executions kept whole are to be found, with their times, however much went. */
static void check_whole(const struct recording *recording, const struct call *call,
			const struct path *path)
{
	const struct path_times *times = path->times;

	assert_non_null(times);
	assert_int_equal(times->n_slowest, KEPT_SLOWEST);
	if (path->tallies)
		assert_int_equal(times->slowest[0].duration_ns,
				 path->tallies->of[STRATUM_ALL][TIME_WHOLE].max_ns);
	for (uint32_t i = 0; i < times->n_slowest; i++) {
		const struct kept_execution *kept = &times->slowest[i];

		assert_int_equal(call->duration_ns[kept->execution], kept->duration_ns);
		assert_true(trees_size(recording->trees, kept->raw_root) >= 4);
		assert_int_equal(kept->node_ns[0], kept->duration_ns);
	}
	assert_int_equal(times->nodes[0].n, path->n_seen - path->n_disturbed_seen);
}

static void check_call(const struct recording *recording, struct world *world, uint32_t most)
{
	const struct call *call = &recording->calls[0];
	uint64_t raw_seen = 0;

	assert_int_equal(recording->n_calls, 1);
	assert_int_equal(call->n_seen, world->call[STRATUM_ALL].n);
	assert_int_equal(call->n_disturbed_seen, world->call[STRATUM_DISTURBED].n);
	assert_int_equal(call->interrupt_ns, 1150 * world->call[STRATUM_DISTURBED].n);
	assert_int_equal(call->n_paths[IDENTITY_CLEAN], 2);
	for (enum stratum i = STRATUM_UNDISTURBED; i <= STRATUM_ALL; i++)
		check_tally(&call->tallies->of[i][TIME_WHOLE], &world->call[i]);
	for (int p = 0; p < 2; p++) {
		const struct path *path = &call->paths[IDENTITY_CLEAN][p];
		const struct tallies *tallies = path->tallies;

		assert_int_equal(path->n_seen, world->path_all[p].n);
		assert_int_equal(path->n_disturbed_seen, world->path[p][1].n);
		check_kept(call, path, most);
		check_whole(recording, call, path);
		if (!tallies) {
			assert_int_equal(path->n_executions, path->n_seen);
			continue;
		}
		check_tally(&tallies->of[STRATUM_UNDISTURBED][TIME_WHOLE], &world->path[p][0]);
		check_tally(&tallies->of[STRATUM_DISTURBED][TIME_WHOLE], &world->path[p][1]);
		check_tally(&tallies->of[STRATUM_ALL][TIME_WHOLE], &world->path_all[p]);
		check_tally(&tallies->of[STRATUM_ALL][TIME_OWN], &world->own[p]);
	}
	for (uint32_t i = 0; i < call->n_paths[IDENTITY_RAW]; i++) {
		raw_seen += call->paths[IDENTITY_RAW][i].n_seen;
		if (i)
			assert_true(call->paths[IDENTITY_RAW][i].n_seen <=
				    call->paths[IDENTITY_RAW][i - 1].n_seen);
	}
	assert_int_equal(raw_seen, call->n_seen);
}

/* Shares of values below the deciles, which are known: a draw of all has them too. */
static void check_even(const struct recording *recording)
{
	struct sample sample;
	uint32_t below = 0;
	double share;

	sample_select(recording, &recording->calls[0],
		      &(struct selection){.identity = IDENTITY_CLEAN,
					  .path = PATH_ALL,
					  .stratum = STRATUM_UNDISTURBED},
		      &sample);
	for (uint32_t i = 0; i < sample.n; i++)
		below += sample.value_ns[i] < 501000;
	/* 99 of 100 are even up to 1001000, one in 100 up to 7001000 */
	share = (double)below / sample.n;
	assert_true(sample.n > 1000);
	assert_true(share > 0.4957 - 2.5 / __builtin_sqrt(sample.n));
	assert_true(share < 0.4957 + 2.5 / __builtin_sqrt(sample.n));
	sample_release(&sample);
}

/*
 * A fit is of the maxima of all: the same as one of every value, block by block,
 * and it says which blocks it took. Numbers and extremes are of all too.
 */
static void check_fit(const struct recording *recording, const struct world *world)
{
	const struct beside *all = &world->path[0][0];
	struct settings settings;
	struct summary summary;
	struct sample sample;
	struct sorted sorted;
	struct fit fit;
	uint32_t together;

	settings_init(&settings);
	sample_select(recording, &recording->calls[0], &(struct selection){.path = 0}, &sample);
	assert_non_null(sample.tally);
	sorted_from(&sample, &sorted);
	sample_summarise(&sample, &sorted, &summary);
	assert_int_equal(summary.n, all->n);
	assert_int_equal(summary.n_kept, sample.n);
	assert_int_equal(summary.min_ns, all->min);
	assert_int_equal(summary.max_ns, all->max);
	assert_true(summary.mean_ns == all->sum / (double)all->n);
	fit_compute(&sample, &settings, 0, &fit);
	assert_int_equal(fit.n_executions, all->n);
	assert_int_equal(fit.longest_ns, all->max);
	assert_int_equal(fit.block_size_asked, 50);
	assert_true(fit.block_size >= 50);
	assert_int_equal(fit.n_maxima, all->n / fit.block_size);
	assert_int_equal(fit.block_size % all->block, 0);
	together = fit.block_size / all->block;
	for (size_t i = 0; i < fit.n_maxima; i++)
		assert_true(fit.maxima_ns[i] ==
			    (double)max_of(all->maxima + i * together, together));
	assert_true(fit.n_warnings > 0);
	assert_non_null(strstr(fit.warnings[0].text, "drawn evenly"));
	fit_release(&fit);
	sorted_release(&sorted);
	sample_release(&sample);
}

static double resident_mib(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long size = 0, resident = 0;

	if (!file || fscanf(file, "%lu %lu", &size, &resident) != 2)
		resident = 0;
	if (file)
		fclose(file);
	return (double)resident * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

static uint64_t wanted(void)
{
	const char *text = getenv("KEEPER_EXECUTIONS");

	return text ? strtoull(text, NULL, 10) : 1500000;
}

static void run(uint64_t n, const struct keeper_options *options, double bound_mib)
{
	struct world world;
	double most_mib = 0, mib, longest = 0, made = 0;
	uint32_t block = n > 5000000 ? 320 : 5;

	build(&world, options, block);
	for (uint64_t i = 0; i < n; i++) {
		execute(&world);
		if (i % 10000 == 0)
			keeper_tick(world.keeper, i);
		if ((i + 1) % (n / 4) == 0) {
			struct timespec before, after;
			struct recording *recording;

			clock_gettime(CLOCK_MONOTONIC, &before);
			recording = record(&world);
			clock_gettime(CLOCK_MONOTONIC, &after);
			made = (double)(after.tv_sec - before.tv_sec) +
			       (double)(after.tv_nsec - before.tv_nsec) / 1e9;
			longest = made > longest ? made : longest;
			check_call(recording, &world, options->kept_per_path);
			check_even(recording);
			if (block == 5)
				check_fit(recording, &world);
			mib = resident_mib();
			most_mib = mib > most_mib ? mib : most_mib;
			if (i + 1 == n)
				print_message("# %u raw paths, %u executions kept of %llu, %u "
					      "nodes\n",
					      recording->calls[0].n_paths[IDENTITY_RAW],
					      recording->calls[0].n_executions,
					      (unsigned long long)n, trees_count(recording->trees));
			recording_free(recording);
		}
	}
	print_message("# at most %.0f MiB with a recording, made in %.0f ms\n", most_mib,
		      1000 * longest);
	if (bound_mib > 0)
		assert_true(most_mib < bound_mib);
	tear_down(&world);
}

/* Small limits, so that everything happens often. */
static void test_small(void **state)
{
	(void)state;
	run(400000,
	    &(struct keeper_options){.load = &load,
				     .name = "world",
				     .kept_per_path = 4096,
				     .kept_in_all = 6000,
				     .nodes_max = 20000,
				     .raw_paths_max = 3000,
				     .seed = 7},
	    0);
}

static void test_large(void **state)
{
	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	run(wanted(),
	    &(struct keeper_options){
		    .load = &load, .name = "world", .kept_per_path = 65536, .seed = 1},
	    512);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests_name("keeper", tests, NULL, NULL);
}
