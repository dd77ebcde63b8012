#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How fast a live source is read, on one processor together with what feeds it, with a recording a
# second: text from a pipe, and pages of the ring buffer from a FIFO; the ratio is to cat and wc.
#   tests/bench/bench-live.sh TRACE [FORMATS PAGES]
# TRACE: a function_graph text; PAGES: a file of trace_pipe_raw; FORMATS: a folder with header_page,
# funcgraph_entry.format, funcgraph_exit.format and kallsyms. Each is repeated up to MEGABYTES (600).
# BENCH names the program (tests/bench/bench-live), CORE the processor (1).
set -eu

bench=${BENCH:-tests/bench/bench-live}
megabytes=${MEGABYTES:-600}
core=${CORE:-1}
[ $# = 1 ] || [ $# = 3 ] || { sed -n '5,8s/^# //p' "$0"; exit 2; }
[ -x "$bench" ] || { echo "no '$bench': make $bench"; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# repeat FILE: as often as it takes
repeat()
{
	n=$((megabytes * 1000000 / $(stat -c %s "$1") + 1))
	for _ in $(seq "$n"); do echo "$1"; done | xargs cat
}


repeat "$1" > "$tmp/text"
start=$(date +%s.%N)
lines=$(taskset -c "$core" sh -c "cat '$tmp/text' | wc -l")
end=$(date +%s.%N)
taskset -c "$core" sh -c "cat '$tmp/text' | '$bench'" > "$tmp/result"
cat "$tmp/result"
awk -v lines="$lines" -v base="$(awk -v a="$start" -v b="$end" 'BEGIN { print b - a }')" '{
	printf "text: %.2f million lines a second, %.1f times the time of cat | wc -l\n",
	       lines / $2 / 1e6, $2 / base }' "$tmp/result"
rm "$tmp/text"
[ $# = 3 ] || exit 0

repeat "$3" > "$tmp/pages"
mkfifo "$tmp/cpu0"
start=$(date +%s.%N)
taskset -c "$core" sh -c "cat '$tmp/pages' | wc -c" > "$tmp/bytes"
end=$(date +%s.%N)
taskset -c "$core" cat "$tmp/pages" > "$tmp/cpu0" &
taskset -c "$core" "$bench" "$2" "$tmp/cpu0" > "$tmp/result"
cat "$tmp/result"
awk -v base="$(awk -v a="$start" -v b="$end" 'BEGIN { print b - a }')" '{
	printf "pages: %.2f million events a second, %.1f times the time of cat | wc -c\n",
	       $6 / $2 / 1e6, $2 / base }' "$tmp/result"
