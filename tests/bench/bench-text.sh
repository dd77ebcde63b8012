#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How fast text is read and analysed, as a ratio to mawk on the same file, measured in turns.
#   tests/bench/bench-text.sh [TRACE]     (a function_graph trace of some 300 MB; made when none is given)
# EVTOP names the program (./evtop), RUNS how often each is measured (5), MEGABYTES the size (300).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
samples=$here/../../sample-data
evtop=${EVTOP:-./evtop}
runs=${RUNS:-5}
megabytes=${MEGABYTES:-300}
command -v mawk >/dev/null || { echo "mawk is what it is measured against: install it"; exit 1; }
command -v python3 >/dev/null || { echo "python3 measures: install it"; exit 1; }
[ -x "$evtop" ] || { echo "no '$evtop': build it, or name it in EVTOP"; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# measure COMMAND...: CPU seconds, wall seconds, peak memory in MiB
measure()
{
	python3 - "$@" <<-'END'
		import os, resource, subprocess, sys, time
		start = time.monotonic()
		done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
		wall = time.monotonic() - start
		used = resource.getrusage(resource.RUSAGE_CHILDREN)
		if done.returncode:
		    sys.exit("failed: " + " ".join(sys.argv[1:]))
		print("%.4f %.4f %.1f" % (used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024))
	END
}

median()
{
	sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# of NAME COLUMN: the median of what was measured under that name
of()
{
	awk -v c="$2" '{ print $c }' "$tmp/$1.times" | median
}

ratio()
{
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'
}

# Recordings one after the other, until there is enough.
make_trace()
{
	mkdir "$tmp/$1"
	zstd -qdc "$samples/$1.tar.zst" | tar -x -C "$tmp/$1"
	cat "$tmp/$1"/campaign-*/run-* >"$tmp/$1.once"
	times=$(($megabytes * 1000000 / $(stat -c %s "$tmp/$1.once") + 1))
	for ((i = 0; i < times; i++)); do cat "$tmp/$1.once"; done >"$tmp/$1.txt"
	rm "$tmp/$1.once"
}


# compare NAME FILE: prints the ratios of one trace
compare()
{
	for ((i = 0; i < runs; i++)); do
		measure taskset -c 0 mawk '/__x64_sys_/{n++} END{print n}' "$2" >>"$tmp/$1-mawk.times"
		measure taskset -c 0 "$evtop" report --jobs=1 --tests=quick --digest=none "$2" >>"$tmp/$1-plain.times"
		measure taskset -c 0 "$evtop" report --jobs=1 --tests=quick --digest=sha256 "$2" >>"$tmp/$1-digest.times"
	done
	mawk_s=$(of "$1-mawk" 1)
	plain_s=$(of "$1-plain" 1)
	digest_s=$(of "$1-digest" 1)
	echo "$1: $(($(stat -c %s "$2") / 1000000)) MB on one core, CPU time, medians of $runs"
	printf '  %-28s %6s s\n' "mawk, one pattern" "$mawk_s"
	printf '  %-28s %6s s  %s times mawk (aim: 2)\n' "evtop report, no digest" "$plain_s" "$(ratio "$plain_s" "$mawk_s")"
	printf '  %-28s %6s s  %s times mawk (aim: 3)\n' "evtop report, SHA-256" "$digest_s" "$(ratio "$digest_s" "$mawk_s")"
	printf '  %-28s %6s MiB\n' "peak memory" "$(of "$1-plain" 3)"
}

if [ $# -gt 0 ]; then
	compare trace "$1"
	exit 0
fi
make_trace counted-quiet
sed -i 's/__arm64_sys_/__x64_sys_/' "$tmp/counted-quiet.txt" # so that mawk finds as many lines
compare counted-quiet "$tmp/counted-quiet.txt"
echo "  (few raw paths; aim: below 64 MB)"
rm "$tmp/counted-quiet.txt"
make_trace loaded
compare loaded "$tmp/loaded.txt"
echo "  (some 1,000 raw paths; aim: below 96 MB)"
rm "$tmp/loaded.txt"

mkdir "$tmp/many"
copies=$((megabytes * 1000 / $(du -sk "$tmp/loaded" | awk '{ print $1 }') + 1))
for ((i = 0; i < copies; i++)); do
	for campaign in "$tmp"/loaded/campaign-*; do
		cp -r "$campaign" "$tmp/many/$(basename "$campaign")-$i"
	done
done
for ((i = 0; i < runs; i++)); do
	measure "$evtop" report --jobs=1 --syscall=write --tests=quick --digest=none "$tmp/many" >>"$tmp/one.times"
	measure "$evtop" report --jobs=2 --syscall=write --tests=quick --digest=none "$tmp/many" >>"$tmp/two.times"
done
echo "a directory of $(find "$tmp/many" -type f | wc -l) runs, wall time, medians of $runs"
printf '  %-28s %6s s\n' "one worker" "$(of one 2)"
printf '  %-28s %6s s  %s of one (aim: 0.5), on %s processors\n' "two workers" "$(of two 2)" \
	"$(ratio "$(of two 2)" "$(of one 2)")" "$(ratio "$(of two 1)" "$(of two 2)")"
echo "  (on fewer than 2 processors, others had the machine: measure again)"
