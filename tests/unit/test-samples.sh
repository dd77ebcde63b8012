#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What the documents say of sample-data. The figures of whole recordings are those
# of tests/golden/test-campaigns.sh.
# shellcheck disable=SC2154
. "${top_srcdir:?is set by make check}/tests/tap.sh" || exit 99

if ! command -v jq >/dev/null; then
	skip "sample-data" "no jq"
	done_testing
fi

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

# What README.md and sample-data/README.md say of the known tail, in us: the truth
# at 1e-9 is 120.28; a GEV that believes in its end falls short, a Gumbel does not.
level()
{
	"$EVTOP" report --format=json --digest=none --tests=quick --syscall=readv --model="$1" \
		"$top_srcdir/sample-data/counted-readv.tar.zst" |
		jq -r '.syscalls[0].paths[0].fit.return_levels[] | select(.probability == 1e-9).estimate_ns / 100 | round / 10'
}
is "$(level gev)" "114.8" "counted-readv: GEV at 1e-9"
is "$(level gumbel)" "147.2" "counted-readv: Gumbel at 1e-9"

# The number of workers changes no byte.
for jobs in 1 4; do
	"$EVTOP" report --jobs=$jobs --tests=quick "$top_srcdir/sample-data/loaded.tar.zst" >"$tmp/jobs-$jobs"
done
cmp -s "$tmp/jobs-1" "$tmp/jobs-4"
ok $? "one worker and four write the same report"

# The identity of a path is the MD5 of its lines.
id=$("$EVTOP" report --format=json --digest=none --tests=quick --syscall=openat \
	"$top_srcdir/sample-data/rt.tar.zst" | jq -r '.syscalls[] | select(.name == "openat").paths[1].id')
is "$("$EVTOP" path "$id" --calls "$top_srcdir/sample-data/rt.tar.zst" | md5sum | cut -d ' ' -f 1)" \
	"$id" "evtop path ID --calls | md5sum gives ID"
done_testing
