#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The whole program on whole recordings: counts, identities, times and removed
# times of every system call and its ten most common paths, raw and clean.
# shellcheck disable=SC2154
. "${top_srcdir:?is set by make check}/tests/tap.sh" || exit 99

if ! command -v jq >/dev/null; then
	skip "recordings" "no jq"
	done_testing
fi

call='{executions, disturbed, own_unknown, removed_ns}'
path='[.id, .executions, .duration_ns.min, .duration_ns.max, .duration_ns.sum]'

# is_as_expected RECORDING EXPECTED NAME
is_as_expected()
{
	for identity in raw clean; do
		"$EVTOP" report --format=json --identity=$identity --stratum=all --top=10 --tests=quick \
			--digest=none "$1" >"$tmp/report.json"
		jq -S "[.syscalls[] | {key: .name, value: ($call + {unique: .unique_paths,
			min: .duration_ns.min, max: .duration_ns.max, sum: .duration_ns.sum,
			top: [.paths[] | $path]})}] | from_entries" "$tmp/report.json" >"$tmp/got"
		if [ $identity = raw ]; then
			jq -S ".syscalls | map_values($call + {unique, min, max, sum, top})" "$2" >"$tmp/wanted"
		else
			jq -S ".syscalls | map_values($call + {unique: .clean.unique, min, max, sum,
				top: .clean.top})" "$2" >"$tmp/wanted"
		fi
		diff "$tmp/wanted" "$tmp/got" >"$tmp/diff"
		ok $? "$3, $identity"
		sed 's/^/# /' "$tmp/diff" | head -n 40
	done
}

for expected in "$top_srcdir"/tests/data/campaigns/*.expected.json; do
	name=$(basename "$expected" .expected.json)
	is_as_expected "$top_srcdir/sample-data/$name.tar.zst" "$expected" "sample-data/$name"
done
# Whole recordings that are not part of the package.
for expected in "$EVTOP_TEST_DATA"/campaigns/*.expected.json; do
	name=$(basename "$expected" .expected.json)
	recording=$EVTOP_TEST_DATA/campaigns/$name.tar.zst
	[ -r "$recording" ] || continue
	is_as_expected "$recording" "$expected" "$name"
done

# What the manifests say reaches the report.
manifest()
{
	"$EVTOP" report --format=json --digest=none --tests=quick "$top_srcdir/sample-data/$1.tar.zst" |
		jq -r '.inputs[0] | [.emulated, .kernel, .campaigns, .runs] | map(tostring) | join(", ")'
}
is "$(manifest rt)" "host, 6.12 PREEMPT_RT x86_64, 15, 1500" "rt: manifest, campaigns, runs"
is "$(manifest quiet)" "host, 6.1 x86_64, 10, 1000" "quiet: manifest, campaigns, runs"
is "$(manifest loaded)" "host, 6.1 x86_64, 5, 500" "loaded: manifest, campaigns, runs"
is "$(manifest counted-readv)" "counted, 6.1 arm64, 20, 2000" "counted-readv: manifest, campaigns, runs"

# A chosen call stands alone.
is "$("$EVTOP" report --format=json --digest=none --tests=quick --syscall=openat \
	"$top_srcdir/sample-data/rt.tar.zst" | jq -r '[.syscalls[] | .name, .executions] | map(tostring) | join(", ")')" \
	"openat, 3000" "--syscall=openat leaves openat alone"

# The identity of a path is the MD5 of its lines.
id=$("$EVTOP" report --format=json --digest=none --tests=quick --syscall=openat \
	"$top_srcdir/sample-data/rt.tar.zst" | jq -r '.syscalls[] | select(.name == "openat").paths[1].id')
is "$("$EVTOP" path "$id" --calls "$top_srcdir/sample-data/rt.tar.zst" | md5sum | cut -d ' ' -f 1)" \
	"$id" "evtop path ID --calls | md5sum gives ID"
done_testing
