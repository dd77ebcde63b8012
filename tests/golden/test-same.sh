#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The same executions, paths, times and counts however a recording is stored and
# by however many it is read.
# shellcheck disable=SC2154
. "${top_srcdir:?is set by make check}/tests/tap.sh" || exit 99

if ! command -v xz >/dev/null; then
	skip "the same recording in every form" "xz is not here"
	done_testing
fi
traces=$top_srcdir/tests/data/traces/x86_64-6.1
rec=$tmp/rec
mkdir -p "$rec/c1" "$rec/c2"
xz -dc "$traces/n_threads_names.txt.xz" >"$rec/c1/run-1.txt"
xz -dc "$traces/a_default.txt.xz" >"$rec/c1/run-2.txt"
xz -dc "$traces/o_migrate.txt.xz" >"$rec/c1/run-10.txt"
xz -dc "$traces/k_pipe_lost_head.txt.xz" >"$rec/c2/run-1.txt"
cp "$traces/h_depth2.txt" "$rec/c2/run-2.txt"

# result ARGUMENTS: every path and its times, and what was left out.
result()
{
	"$EVTOP" report --digest=none --tests=quick --identity=raw --top=0 --format=csv "$@" 2>&1
	"$EVTOP" report --digest=none --tests=quick "$@" | sed -n '/^DISCARDED/,/^CALLS/p'
}

wanted=$(result --jobs=1 "$rec")
has "$wanted" openat "a folder is read"
is "$(result --jobs=2 "$rec")" "$wanted" "two workers"
is "$(result --jobs=5 "$rec")" "$wanted" "five workers"
(cd "$rec" && tar cf "$tmp/rec.tar" c1 c2 && tar cf "$tmp/back.tar" c2 c1/run-2.txt c1/run-10.txt c1/run-1.txt)
is "$(result --jobs=1 "$tmp/rec.tar")" "$wanted" "an archive"
is "$(result --jobs=4 "$tmp/rec.tar")" "$wanted" "an archive, four workers"
is "$(result --jobs=3 "$tmp/back.tar")" "$wanted" "an archive in another order"
is "$("$EVTOP" report --digest=none --tests=quick --identity=raw --top=0 --format=csv - <"$tmp/rec.tar")" \
	"$(echo "$wanted" | sed '/^DISCARDED/,$d')" "an archive from standard input"
for packer in gzip xz zstd bzip2; do
	if ! command -v $packer >/dev/null; then
		skip "packed by $packer" "no $packer here"
		continue
	fi
	rm -rf "$tmp/packed"
	cp -R "$rec" "$tmp/packed"
	for file in "$tmp"/packed/*/*.txt; do
		$packer -c <"$file" >"$file.p" && mv "$file.p" "$file"
	done
	is "$(result "$tmp/packed")" "$wanted" "a folder of files packed by $packer"
	$packer -c <"$tmp/rec.tar" >"$tmp/rec.packed"
	is "$(result --jobs=4 "$tmp/rec.packed")" "$wanted" "an archive packed by $packer"
done

cp -R "$rec" "$tmp/dos"
for file in "$tmp"/dos/*/*.txt; do
	sed 's/$/\r/' "$file" >"$file.r" && mv "$file.r" "$file"
done
is "$(result "$tmp/dos")" "$wanted" "lines that end with CR LF"

# The order of campaigns changes no path's sample: only where it stands.
mv "$rec/c1" "$rec/c3"
sorted()
{
	result "$1" | sort
}
is "$(sorted "$rec")" "$(echo "$wanted" | sort)" "campaigns in another order"

# One trace behind another is both.
cat "$traces/h_depth2.txt" "$traces/h_depth2.txt" >"$tmp/twice.txt"
is "$(result "$tmp/twice.txt")" "$(result "$traces/h_depth2.txt" "$traces/h_depth2.txt")" \
	"a trace behind another"

# Rows of several CSV files stay together, whoever reads them.
mkdir "$tmp/csv"
for i in 1 2 3; do
	printf 'campaign,run,duration_ns\nz,1,%d5\nz,2,%d6\na,1,%d7\n' $i $i $i
done | awk '/^campaign/ { n++ } { print > "'"$tmp"'/csv/" n ".csv" }'
wanted=$("$EVTOP" report --tests=quick --jobs=1 "$tmp/csv" | sed -n '/^INPUTS/,/^OPTIONS/p')
has "$wanted" "6 campaigns, 9 runs" "CSV: rows of one file are not mixed with others'"
is "$("$EVTOP" report --tests=quick --jobs=4 "$tmp/csv" | sed -n '/^INPUTS/,/^OPTIONS/p')" "$wanted" \
	"CSV: four workers"
done_testing
