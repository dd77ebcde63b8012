#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The whole program on every trace of expected.csv: executions, raw paths, times
# and the most common path of each system call.
# shellcheck disable=SC2154
. "${top_srcdir:?is set by make check}/tests/tap.sh" || exit 99

traces=$EVTOP_TEST_DATA/traces
if ! command -v jq >/dev/null; then
	skip "traces" "no jq"
	done_testing
fi
if [ ! -r "$traces/expected.csv" ]; then
	skip "traces" "no $traces/expected.csv"
	done_testing
fi

# One file has durations that expected.csv does not judge; other empty cells stand
# for what a trace does not hold.
# A row in the form of expected.csv for each call; what is empty there is empty here.
rows='
.syscalls[] | [.name, .executions, .raw_paths]
	+ (if .duration_ns.min == null then ["", "", "", ""]
	   else [.duration_ns.min, .duration_ns.max, .duration_ns.sum, .paths[0].id] end)
| map(tostring) | join(",")'

sed 1d "$traces/expected.csv" | cut -d, -f1 | LC_ALL=C sort -u >"$tmp/files"
while read -r file; do
	if [ ! -r "$traces/$file" ]; then
		skip "$file" "not there"
		continue
	fi
	wanted=$(awk -F, -v OFS=, -v file="$file" '
		$1 == file && $2 != "-" { $1 = ""; print substr($0, 2) }' "$traces/expected.csv" | LC_ALL=C sort)
	got=$("$EVTOP" report --format=json --identity=raw --top=1 --tests=quick --digest=none "$traces/$file" |
		jq -r "$rows" | LC_ALL=C sort)
	case $file in
	*/c2_nocpu_nooverhead.txt*) got=$(printf '%s\n' "$got" | sed 's/,[^,]*,[^,]*,[^,]*,[^,]*$/,,,,/') ;;
	esac
	is "$got" "$wanted" "$file"
done <"$tmp/files"
done_testing
