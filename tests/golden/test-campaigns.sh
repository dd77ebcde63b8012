#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Whole recordings through the report: counts, identities and removed times
# equal the answers that were computed by other means.
top_srcdir=${top_srcdir:-.}
. "$top_srcdir/tests/tap.sh"

if ! command -v jq >/dev/null; then
	skip "whole recordings" "jq is not here"
	done_testing
fi

# Both sides in one form: a line a call, then a line a path among the most
# common ones, as far as their counts tell which ones those are.
wanted='.syscalls | to_entries | sort_by(.key)[] | .key as $call | .value |
	"\($call) \(.executions) \(.unique) \(.clean.unique) \(.min) \(.max) \(.sum) \(.removed_ns.interrupt) \(.removed_ns.preempted) \(.removed_ns.off_cpu) \(.disturbed) \(.own_unknown)",
	((if $identity == "raw" then .top else .clean.top end) | (map(.[1]) | min) as $least | length as $n |
	 map(select($n < 10 or .[1] > $least)) | sort_by(.[0])[] | "\($call) \(.[0]) \(.[1]) \(.[2]) \(.[3]) \(.[4])")'
got='.syscalls | sort_by(.name)[] | .name as $call |
	"\($call) \(.executions) \(.raw_paths) \(.clean_paths) \(.duration_ns.min) \(.duration_ns.max) \(.duration_ns.sum) \(.removed_ns.interrupt) \(.removed_ns.preempted) \(.removed_ns.off_cpu) \(.disturbed) \(.own_unknown)",
	(.paths | (map(.executions) | min) as $least | length as $n |
	 map(select($n < 10 or .executions > $least)) | sort_by(.id)[] |
	 "\($call) \(.id) \(.executions) \(.duration_ns.min) \(.duration_ns.max) \(.duration_ns.sum)")'

compare()
{
	for identity in raw clean; do
		"$EVTOP" report --format=json --identity=$identity --stratum=all --digest=none --tests=quick --interval=delta --top=10 \
			"$2" >"$tmp/report.json" 2>"$tmp/errors"
		jq -r --arg identity $identity "$wanted" "$1" | sort >"$tmp/wanted"
		jq -r "$got" "$tmp/report.json" | sort >"$tmp/got"
		cmp -s "$tmp/wanted" "$tmp/got"
		ok $? "$(basename "$2"), $identity"
		diff "$tmp/wanted" "$tmp/got" | head -n 10 | sed 's/^/# /'
	done
}

for expected in "$top_srcdir"/tests/data/campaigns/*.expected.json; do
	name=$(basename "$expected" .expected.json)
	compare "$expected" "$top_srcdir/sample-data/$name.tar.zst"
done
found=no
for expected in "${EVTOP_TEST_DATA:-}"/campaigns/*.expected.json; do
	recording=${expected%.expected.json}.tar.zst
	[ -r "$recording" ] || continue
	found=yes
	compare "$expected" "$recording"
done
[ $found = yes ] || skip "the recordings that the samples were cut from" "EVTOP_TEST_DATA has none"
done_testing
