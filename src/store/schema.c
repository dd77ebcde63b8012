/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of an .evtop file. What stands in the comments stands in the file: `.schema` shows it.
 */
#include "evtop/store.h"

/* clang-format off */
const struct store_table_info store_tables[N_STORE_TABLES] = {
	[STORE_ABOUT] = {"about", "how the file was made", "\n"
		"  key TEXT PRIMARY KEY, -- evtop, date, options, has_durations, live\n"
		"  value TEXT", 2, false},
	[STORE_ORIGIN] = {"origin", "the recordings that it was made of", "\n"
		"  id INTEGER PRIMARY KEY,\n"
		"  name TEXT NOT NULL,\n"
		"  sha256 TEXT, -- of the file, or of a folder's sorted lines 'digest  name'\n"
		"  format TEXT,\n"
		"  kernel TEXT, -- NULL where not known\n"
		"  scope TEXT, -- what was traced\n"
		"  emulated TEXT, -- no, host, counted; NULL where not known\n"
		"  differs INTEGER NOT NULL, -- manifests that contradict each other: 1 kernel, 2 machine, 4 scope\n"
		"  error TEXT -- why nothing was read of it", 9, true},
	[STORE_COMPLAINT] = {"complaint", "files of which not all could be read", "\n"
		"  id INTEGER PRIMARY KEY,\n"
		"  file TEXT NOT NULL,\n"
		"  reason TEXT NOT NULL", 3, true},
	[STORE_CAMPAIGN] = {"campaign", "campaigns of runs, in their order", "\n"
		"  id INTEGER PRIMARY KEY,\n"
		"  origin INTEGER NOT NULL,\n"
		"  name TEXT NOT NULL", 3, true},
	[STORE_RUN] = {"run", "runs, in their order", "\n"
		"  id INTEGER PRIMARY KEY,\n"
		"  campaign INTEGER NOT NULL,\n"
		"  name TEXT NOT NULL", 3, true},
	[STORE_DISCARD] = {"discard", "what became no execution, by reason", "\n"
		"  reason TEXT PRIMARY KEY,\n"
		"  count INTEGER NOT NULL -- longest_broken_ns: nanoseconds", 2, false},
	[STORE_UNREAD] = {"unread", "the first lines that no rule explains", "\n"
		"  id INTEGER PRIMARY KEY,\n"
		"  line TEXT NOT NULL", 2, true},
	[STORE_FUNCTION] = {"function", "names of functions", "\n"
		"  id INTEGER PRIMARY KEY,\n"
		"  name TEXT NOT NULL", 2, true},
	[STORE_NODE] = {"node", "calls with all that they call: equal ones are one row", "\n"
		"  id INTEGER PRIMARY KEY,\n"
		"  function INTEGER NOT NULL,\n"
		"  children TEXT -- JSON array of nodes in call order, all with lower ids; NULL: none", 3, true},
	[STORE_CALL] = {"call", "system calls, or other roots of executions", "\n"
		"  id INTEGER PRIMARY KEY,\n"
		"  name TEXT NOT NULL,\n"
		"  seen INTEGER NOT NULL, -- executions, kept below or not; as all figures here\n"
		"  disturbed INTEGER NOT NULL, own_unknown INTEGER NOT NULL,\n"
		"  interrupt_ns INTEGER NOT NULL, preempted_ns INTEGER NOT NULL, off_cpu_ns INTEGER NOT NULL", 8, true},
	[STORE_PATH] = {"path", "execution paths, raw and clean", "\n"
		"  id INTEGER PRIMARY KEY,\n"
		"  call INTEGER NOT NULL,\n"
		"  clean INTEGER, -- the clean path of a raw one; NULL: this is a clean one\n"
		"  digest TEXT NOT NULL, -- its identity: MD5 of its calls, or what a CSV file says\n"
		"  node INTEGER, -- the root of its tree; NULL: not known\n"
		"  disturbed INTEGER NOT NULL, -- 1: its executions were interrupted or preempted\n"
		"  seen INTEGER NOT NULL, -- executions, kept below or not\n"
		"  disturbed_seen INTEGER NOT NULL,\n"
		"  thinning INTEGER NOT NULL -- of 2^thinning executions one is kept, drawn evenly", 9, true},
	[STORE_EXECUTION] = {"execution", "executions, call by call in order of arrival", "\n"
		"  id INTEGER PRIMARY KEY,\n"
		"  path INTEGER NOT NULL, -- raw\n"
		"  run INTEGER NOT NULL,\n"
		"  duration_ns INTEGER, -- NULL: not in the trace\n"
		"  flags INTEGER NOT NULL -- 1 disturbed, 2 own time not known exactly, 8 not one of those\n"
		"    -- drawn: kept whole alone", 5, true},
	[STORE_REMOVED] = {"removed", "times that the machine took from executions that lost any", "\n"
		"  execution INTEGER PRIMARY KEY,\n"
		"  interrupt_ns INTEGER NOT NULL,\n"
		"  preempted_ns INTEGER NOT NULL,\n"
		"  off_cpu_ns INTEGER NOT NULL", 4, true},
	[STORE_NODE_TIME] = {"node_time", "times of single calls of clean paths, of undisturbed executions", "\n"
		"  path INTEGER NOT NULL,\n"
		"  position INTEGER NOT NULL, -- of the call in call order, 0 for the root\n"
		"  n INTEGER NOT NULL,\n"
		"  sum_ns INTEGER NOT NULL, min_ns INTEGER NOT NULL, max_ns INTEGER NOT NULL,\n"
		"  self_sum_ns INTEGER NOT NULL, self_min_ns INTEGER NOT NULL, self_max_ns INTEGER NOT NULL,\n"
		"  squares_low INTEGER NOT NULL, -- sum of squares of sum_ns' terms: low 64 bits, as signed\n"
		"  squares_high INTEGER NOT NULL", 11, false},
	[STORE_KEPT] = {"kept", "executions kept whole: the slowest of a clean path, and typical ones", "\n"
		"  path INTEGER NOT NULL,\n"
		"  kind TEXT NOT NULL, -- slowest, typical\n"
		"  rank INTEGER NOT NULL,\n"
		"  execution INTEGER NOT NULL,\n"
		"  raw INTEGER NOT NULL, -- its raw path\n"
		"  durations_ns TEXT NOT NULL -- JSON array by call order of the raw path; -1: not known", 6, false},
	[STORE_TALLY] = {"tally", "figures of all executions of a live source, of which not all are kept", "\n"
		"  call INTEGER NOT NULL,\n"
		"  path INTEGER, -- NULL: of the whole call\n"
		"  stratum TEXT NOT NULL,\n"
		"  time TEXT NOT NULL,\n"
		"  n INTEGER NOT NULL, min_ns INTEGER NOT NULL, max_ns INTEGER NOT NULL, sum_ns REAL NOT NULL,\n"
		"  block_size INTEGER NOT NULL,\n"
		"  maxima_ns TEXT NOT NULL -- JSON array of block maxima in order of arrival", 10, false},
};

const char *const store_views[] = {
	"CREATE VIEW executions AS -- with names instead of numbers\n"
	"SELECT execution.id AS id, call.name AS call, raw.digest AS raw_path, clean.digest AS clean_path,\n"
	"  campaign.name AS campaign, run.name AS run, duration_ns, execution.flags & 1 AS disturbed,\n"
	"  coalesce(removed.interrupt_ns, 0) AS interrupt_ns, coalesce(removed.preempted_ns, 0) AS preempted_ns,\n"
	"  coalesce(removed.off_cpu_ns, 0) AS off_cpu_ns\n"
	"FROM execution JOIN path AS raw ON raw.id = execution.path JOIN call ON call.id = raw.call\n"
	"  JOIN path AS clean ON clean.id = raw.clean JOIN run ON run.id = execution.run\n"
	"  JOIN campaign ON campaign.id = run.campaign\n"
	"  LEFT JOIN removed ON removed.execution = execution.id",
	"CREATE VIEW nodes AS -- with names, and a row a child\n"
	"SELECT node.id AS id, function.name AS function, child.key AS position, child.value AS child\n"
	"FROM node JOIN function ON function.id = node.function LEFT JOIN json_each(node.children) AS child",
};
const size_t n_store_views = COUNT_OF(store_views);
/* clang-format on */
