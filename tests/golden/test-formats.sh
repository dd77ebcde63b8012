#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The same executions from every source: text, trace-cmd's report, trace.dat, raw
# pages, a parsed file; and events of system calls where there is no graph.
# shellcheck disable=SC2154
. "${top_srcdir:?is set by make check}/tests/tap.sh" || exit 99

if ! command -v xz >/dev/null; then
	skip "the same executions from every source" "xz is not here"
	done_testing
fi
data=$top_srcdir/tests/data/traces
whole=${EVTOP_TEST_DATA:-$top_srcdir/tests/data}/traces

# paths FILE...: a line a raw path: call, id, executions, shortest and longest in ns.
paths()
{
	"$EVTOP" report --digest=none --tests=quick --identity=raw --top=0 --format=csv "$@" 2>"$tmp/err" |
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			$at["path"] != "" { print $at["syscall"], $at["path"], $at["executions"], $at["min_ns"], $at["max_ns"] }' |
		sort
}

# same A B: the same paths as often, times within the digits of text (1 ns, or 7 digits).
same()
{
	awk 'function far(x, y) { d = x > y ? x - y : y - x; return d > 1 && d > 1.1e-6 * x }
		NR == FNR { n++; count[$1, $2] = $3; low[$1, $2] = $4; high[$1, $2] = $5; next }
		{ m++; if (count[$1, $2] != $3 || far($4, low[$1, $2]) || far($5, high[$1, $2])) bad++ }
		END { exit !(n && n == m && !bad) }' "$1" "$2"
}

format()
{
	"$EVTOP" report --digest=none --tests=quick "$@" 2>/dev/null | awk '$1 == "format" { print $2 }' | tr -d ,
}

# lost FILE: the events that the tracer lost; incomplete FILE: executions that are not whole.
lost()
{
	"$EVTOP" report --digest=none --tests=quick "$1" 2>/dev/null |
		awk '/^  lost events/ { gsub(",", "", $NF); print $NF }'
}
incomplete()
{
	"$EVTOP" report --digest=none --tests=quick "$1" 2>/dev/null |
		awk '/^DISCARDED/ { on = 1 } /^CALLS/ { on = 0 }
			on && /cut by|open at the end|broken/ && $NF ~ /^[0-9,]+$/ { n += $NF } END { print n + 0 }'
}

xz -dc "$data/binary/report.txt.xz" >"$tmp/report.txt"
xz -dc "$data/binary/v6.dat.xz" >"$tmp/v6.dat"
xz -dc "$data/binary/v7_none.dat.xz" >"$tmp/v7.dat"
xz -dc "$data/binary/same_as_text.txt.xz" >"$tmp/same_as_text.txt"

# ---- trace.dat ----

paths "$tmp/report.txt" >"$tmp/wanted"
is "$(($(awk '{ n += $3 } END { print n }' "$tmp/wanted") + $(incomplete "$tmp/report.txt")))" \
	"$(grep funcgraph_entry "$tmp/report.txt" | grep -c '__x64_sys_\|__do_sys')" \
	"grep counts as many system calls in trace-cmd's report"
for file in "$tmp/v6.dat" "$tmp/v7.dat" "$data/binary/v6.dat.xz" "$data/binary/v7_zlib.dat" "$data/binary/v7_zstd.dat"; do
	paths "$file" >"$tmp/got"
	same "$tmp/got" "$tmp/wanted"
	ok $? "${file##*/}: executions, identities and times are those of trace-cmd's report"
done
is "$(format "$tmp/v6.dat")" trace.dat "its format has a name"
paths - <"$tmp/v6.dat" >"$tmp/got"
same "$tmp/got" "$tmp/wanted"
ok $? "from standard input"
mkdir -p "$tmp/c/campaign-1" && cp "$tmp/v6.dat" "$tmp/c/campaign-1/run-1.dat" && (cd "$tmp/c" && tar cf "$tmp/c.tar" .)
paths "$tmp/c.tar" >"$tmp/got"
same "$tmp/got" "$tmp/wanted"
ok $? "in an archive"

# ---- raw pages ----

paths "$tmp/same_as_text.txt" >"$tmp/wanted-raw"
paths "$data/binary/raw" >"$tmp/got"
is "$(cat "$tmp/got")" "$(cat "$tmp/wanted-raw")" "raw pages: exactly what their text shows"
paths "$data/binary/raw/cpu1.raw.xz" >"$tmp/got"
is "$(cat "$tmp/got")" "$(cat "$tmp/wanted-raw")" "one CPU's pages by themselves"
cp "$data/binary/raw/cpu1.raw.xz" "$tmp/cpu1.raw.xz"
has "$("$EVTOP" report "$tmp/cpu1.raw.xz" 2>&1)" "--event-formats=FOLDER" "without formats: what is missing, and how to give it"
paths "--event-formats=$data/binary/raw/fmt" "$tmp/cpu1.raw.xz" >"$tmp/got"
is "$(cat "$tmp/got")" "$(cat "$tmp/wanted-raw")" "formats from elsewhere"

# ---- events of system calls ----

for kind in raw_syscalls syscalls; do
	xz -dc "$data/events/$kind.txt.xz" >"$tmp/$kind.txt"
	paths "$tmp/$kind.txt" >"$tmp/got"
	is "$(awk '{ n += $3 } END { print n }' "$tmp/got")" \
		"$(grep -c 'sys_exit: NR\|sys_[a-z0-9_]* -> ' "$tmp/$kind.txt" | awk '{ print $1 - 1 }')" \
		"$kind: as many executions as grep counts exits, the first of a call that began before"
	is "$(format "$tmp/$kind.txt")" text-events "$kind: its format has a name"
done
"$EVTOP" report --digest=none --identity=raw --format=csv "$tmp/syscalls.txt" >"$tmp/csv"
has "$(cat "$tmp/csv")" "$(printf '0 sys_read\n' | md5sum | cut -c1-32)" "a call by itself is its path"
has "$("$EVTOP" report --digest=none "$tmp/syscalls.txt")" "There is no function_graph" "what cannot be seen is said first"
is "$(awk '$1 == "read" { print $3 }' "$tmp/got")" 300 "the 300 reads of dd count=300"

# ---- a parsed file ----

sample=$top_srcdir/sample-data/loaded.tar.zst
"$EVTOP" import -o "$tmp/x.evtop" "$sample" 2>"$tmp/err"
ok $? "import"
for form in text json csv "csv --identity=raw --top=0"; do
	# shellcheck disable=SC2086
	"$EVTOP" report --digest=none --format=$form "$sample" | grep -v 'loaded.tar.zst\|format  ' >"$tmp/a"
	# shellcheck disable=SC2086
	"$EVTOP" report --digest=none --format=$form "$tmp/x.evtop" | grep -v 'x\.evtop\|format  \|loaded.tar.zst\|sha256' >"$tmp/b"
	grep -v sha256 "$tmp/a" | cmp -s - "$tmp/b"
	ok $? "a report ($form) cannot tell it from its source"
done
script='key 2
key j
key Enter
wait
screen
key 4
key 6
wait
screen'
echo "$script" >"$tmp/script"
"$EVTOP" --script="$tmp/script" --size=100x30 "$sample" | sed 1,3d >"$tmp/a"
"$EVTOP" --script="$tmp/script" --size=100x30 "$tmp/x.evtop" | sed 1,3d >"$tmp/b"
is "$(grep -v ' loaded ' "$tmp/b" | grep -v 'x.evtop\| x  ')" "$(grep -v ' loaded ' "$tmp/a")" "nor can the explorer"
"$EVTOP" report --syscall=read --digest=none --format=csv "$sample" >"$tmp/a"
"$EVTOP" report --syscall=read --digest=none --format=csv "$tmp/x.evtop" >"$tmp/b"
cmp -s "$tmp/a" "$tmp/b"
ok $? "one system call of it"
has "$("$EVTOP" report --pid=7 "$tmp/x.evtop" 2>&1)" "--pid can choose no longer" "what cannot be chosen any more is said"
"$EVTOP" import -o "$tmp/y.evtop" "$tmp/x.evtop" && "$EVTOP" report --digest=none --format=csv --identity=raw "$tmp/y.evtop" >"$tmp/a"
"$EVTOP" report --digest=none --format=csv --identity=raw "$sample" >"$tmp/b"
cmp -s "$tmp/a" "$tmp/b"
ok $? "imported again"
"$EVTOP" report --digest=none --format=csv "$tmp/x.evtop" "$tmp/v6.dat" >"$tmp/a" 2>&1
"$EVTOP" report --digest=none --format=csv "$sample" "$tmp/v6.dat" >"$tmp/b" 2>&1
cmp -s "$tmp/a" "$tmp/b"
ok $? "together with a trace"
is "$("$EVTOP" import -o "$tmp/no/x.evtop" "$sample" 2>&1; echo $?)" \
	"evtop: cannot write '$tmp/no/x.evtop': No such file or directory
1" "a folder that is not there"
cp "$tmp/v6.dat" "$tmp/mine.dat" && mkfifo "$tmp/fifo" && ln -s mine.dat "$tmp/link"
for place in mine.dat fifo link; do
	has "$("$EVTOP" import -o "$tmp/$place" "$tmp/mine.dat" 2>&1; echo " $?")" \
		"cannot write '$tmp/$place': it is there, and" "import takes the place of no $place"
done
cmp -s "$tmp/mine.dat" "$tmp/v6.dat" && [ -p "$tmp/fifo" ] && [ -L "$tmp/link" ]
ok $? "what stood there stands there still"
"$EVTOP" import -o "$tmp/y.evtop" "$sample" 2>"$tmp/err"
ok $? "an .evtop file may be written anew"
is "$(ls "$tmp" | grep -c '\.tmp$')" 0 "no temporary file is left"
if command -v sqlite3 >/dev/null; then
	is "$(sqlite3 "$tmp/x.evtop" "select count(*) from executions where call = 'openat'")" \
		"$(paths --syscall=openat "$sample" | awk '{ n += $3 } END { print n }')" \
		"its tables are open to others"
	cp "$tmp/x.evtop" "$tmp/new.evtop" && sqlite3 "$tmp/new.evtop" "pragma user_version = 2"
	has "$("$EVTOP" report "$tmp/new.evtop" 2>&1)" "version 2, and this evtop knows those up to 1" "a newer version is refused by its number"
	sqlite3 "$tmp/other.evtop" "create table t(a)"
	has "$("$EVTOP" report "$tmp/other.evtop" 2>&1)" "database of another program" "so is another program's"
	cp "$tmp/x.evtop" "$tmp/bad.evtop" && sqlite3 "$tmp/bad.evtop" "update execution set path = 99999 where id = 7"
	has "$("$EVTOP" report "$tmp/bad.evtop" 2>&1)" "a row of its table execution makes no sense" "a row that makes no sense"
else
	skip "its tables are open to others" "sqlite3 is not here"
fi

# ---- what is broken ----

# A file cut off anywhere is an error or gives what is whole, never more than that.
for file in v6.dat v7.dat x.evtop; do
	bad=
	for part in 1 9 15 40 300 3000 20000 30000 40000 60000 100000; do
		head -c $part "$tmp/$file" >"$tmp/cut"
		timeout 20 "$EVTOP" report --digest=none --tests=quick "$tmp/cut" >/dev/null 2>"$tmp/err"
		status=$?
		[ $status -le 1 ] && [ -s "$tmp/err" ] || bad="$bad $part($status)"
	done
	is "$bad" "" "$file cut off anywhere"
done
# patch FILE OFFSET BYTES(octal)
patch()
{
	# shellcheck disable=SC2059
	printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
cp "$tmp/v6.dat" "$tmp/future" && patch "$tmp/future" 10 9
has "$("$EVTOP" report "$tmp/future" 2>&1)" "version '9'; versions 6 and 7 are read" "a future version"
cp "$tmp/v6.dat" "$tmp/magic" && patch "$tmp/magic" 0 x
has "$("$EVTOP" report "$tmp/magic" 2>&1)" "is binary, not a trace" "a wrong magic"
cp "$data/binary/v7_zstd.dat" "$tmp/lies"
at=$(LC_ALL=C grep -abo 'zstd' "$tmp/lies" | head -n 1 | cut -d: -f1)
patch "$tmp/lies" $((at + 9)) '\377\377\377\377\377\377\377\177'
has "$("$EVTOP" report "$tmp/lies" 2>&1)" "cut off or broken in its header" "an offset out of range"
bad=
i=0
while [ $i -lt 60 ]; do
	for file in v6.dat x.evtop; do
		cp "$tmp/$file" "$tmp/flip"
		patch "$tmp/flip" $((i * i * i * 13 % 100000 + i)) "\\$(printf %o $((i * 37 % 255 + 1)))"
		timeout 20 "$EVTOP" report --digest=none --tests=quick "$tmp/flip" >/dev/null 2>&1
		[ $? -le 1 ] || bad="$bad $file:$i"
	done
	i=$((i + 1))
done
is "$bad" "" "single bytes changed: an answer or an error, each time"

# ---- recordings of others, where they are ----

if [ -d "$whole/tracecmd" ]; then
	for name in work-61 work-73; do
		xz -dc "$whole/tracecmd/$name.report.txt.xz" >"$tmp/report.txt"
		paths "$tmp/report.txt" >"$tmp/wanted"
		paths "$whole/tracecmd/$name.dat" >"$tmp/got"
		same "$tmp/got" "$tmp/wanted"
		ok $? "$name.dat: all of trace-cmd's report"
	done
	is "$(paths "$whole/tracecmd/syscalls-events-61.dat" | awk '{ n += $3 } END { print n }')" 127 \
		"events of 128 exits, the first of a call that began before"
	paths "$whole/x86_64-5.10/raw/cpu1.raw" >"$tmp/got"
	paths "$whole/x86_64-5.10/raw/same_as_text.txt" >"$tmp/wanted"
	is "$(cat "$tmp/got")" "$(cat "$tmp/wanted")" "x86_64-5.10/raw"
	for file in trappy_raw_trace.dat trappy_trace.dat trappy_trace_idle.dat; do
		is "$("$EVTOP" report "$whole/container/$file" 2>&1 >/dev/null; echo $?)" \
			"evtop: '$file': holds neither function_graph nor system calls' events
0" "$file opens, and says what is not in it"
	done
	has "$("$EVTOP" report "$whole/x86_64-6.1/dat/truncated_v7_zstd.dat" 2>&1)" \
		"is cut off or broken in its header" "a file that ends before its events"
	has "$("$EVTOP" report "$whole/x86_64-6.1/dat/truncated_late_v7_zstd.dat" 2>&1)" \
		"is cut off: what is whole in it is read" "a file that ends within its events"
	# what trace-cmd calls dropped in the whole file, up to where this one ends
	is "$(lost "$whole/x86_64-6.1/dat/truncated_late_v7_zstd.dat")" 4320 "whose whole part is read"
else
	skip "trace.dat and pages of others" "they are not here"
fi
done_testing
