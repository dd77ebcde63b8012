#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How fast trace.dat and .evtop files are opened, measured in turns.
#   tests/bench/bench-sources.sh [TRACE.dat]    (of some millions of records; made of a small one when none is given)
# EVTOP names the program (./evtop), RUNS how often each is measured (3).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
evtop=${EVTOP:-./evtop}
runs=${RUNS:-3}
for tool in trace-cmd python3 taskset xz mawk; do
	command -v $tool >/dev/null || { echo "$tool is needed: install it"; exit 1; }
done
[ -x "$evtop" ] || { echo "no '$evtop': build it, or name it in EVTOP"; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# cpu COMMAND...: CPU seconds on one core
cpu()
{
	taskset -c 0 python3 - "$@" <<-'END'
		import resource, subprocess, sys
		done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
		used = resource.getrusage(resource.RUSAGE_CHILDREN)
		print("%.3f" % (used.ru_utime + used.ru_stime))
	END
}

median()
{
	sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

dat=${1:-}
if [ -z "$dat" ]; then
	xz -dc "$here/../data/traces/binary/v6.dat.xz" >"$tmp/small.dat"
	dat=$tmp/large.dat
	# the pages of the small one again and again, their time stamps going on
	python3 - "$tmp/small.dat" "$dat" <<-'END'
		import struct, sys
		b = open(sys.argv[1], 'rb').read()
		i = b.rindex(b'flyrecord\0') + 10
		table = [struct.unpack('<QQ', b[i + 16 * k:i + 16 * k + 16]) for k in range(2)]
		pages = [[b[o + p:o + p + 4096] for p in range(0, n, 4096)] for o, n in table]
		stamp = lambda page: struct.unpack('<Q', page[:8])[0]
		step = max(stamp(p) for c in pages for p in c) - min(stamp(p) for c in pages for p in c) + 10**7
		times = 620
		out, at = bytearray(b[:table[0][0]]), table[0][0]
		for k, (o, n) in enumerate(table):
		    struct.pack_into('<QQ', out, i + 16 * k, at, n * times)
		    at += n * times
		with open(sys.argv[2], 'wb') as f:
		    f.write(out)
		    for c in pages:
		        for t in range(times):
		            for p in c:
		                f.write(struct.pack('<Q', stamp(p) + t * step) + p[8:])
	END
fi
records=$(trace-cmd report "$dat" 2>/dev/null | grep -c funcgraph)
for _ in $(seq "$runs"); do
	cpu trace-cmd report "$dat" >>"$tmp/trace-cmd"
	cpu "$evtop" report --digest=none --tests=quick --jobs=1 --format=csv "$dat" >>"$tmp/evtop"
done
awk -v n="$records" -v a="$(median <"$tmp/trace-cmd")" -v b="$(median <"$tmp/evtop")" 'BEGIN {
	printf "trace.dat: %d records; trace-cmd report %.2f s, evtop %.2f s of CPU: %.1f times faster (aim 10), %.1f million records a second (aim 5)\n", n, a, b, a / b, n / b / 1e6 }'

# 3 million executions of 80,000 raw paths: the inner calls of each are drawn.
mawk 'BEGIN { srand(1)
	print "# tracer: function_graph\n#\n# CPU  DURATION                  FUNCTION CALLS\n# |     |   |                     |   |   |   |"
	for (e = 0; e < 3000000; e++) {
		i = int(rand() * 283); j = int(rand() * 283); d = 10 + int(rand() * 90)
		printf " 0)               |  __x64_sys_read() {\n 0)   0.1%d us    |    fn_%d();\n", d, i
		printf " 0)   0.1%d us    |    fn_%d();\n 0)   %d.1%d us   |  }\n", d, j, d, d
	} }' | "$evtop" import -o "$tmp/large.evtop" -
for _ in $(seq "$runs"); do
	cpu "$evtop" report --digest=none --tests=quick --jobs=1 --format=csv --top=1 --syscall=none "$tmp/large.evtop" >>"$tmp/nothing"
	cpu "$evtop" report --digest=none --tests=quick --jobs=1 --format=csv --top=1 "$tmp/large.evtop" >>"$tmp/open"
done
awk -v a="$(median <"$tmp/open")" -v b="$(median <"$tmp/nothing")" 'BEGIN {
	printf ".evtop: 3 million executions, 80,000 paths, opened and reported in %.2f s of CPU (aim of opening: 2); stepped over in %.2f s\n", a, b }'
