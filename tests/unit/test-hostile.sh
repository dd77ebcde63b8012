#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What bad input gets: one clear line that names file and reason, everything else
# loaded, never a crash, a hang or unbounded memory.
# shellcheck disable=SC2154
. "${top_srcdir:?is set by make check}/tests/tap.sh" || exit 99

good=$tmp/good.txt
cp "$top_srcdir/tests/data/traces/x86_64-6.1/h_depth2.txt" "$good"
cp "$top_srcdir/tests/data/traces/x86_64-6.1/a_default.txt.xz" "$tmp/whole.txt.xz"

# report ARGUMENTS: leaves status, out and err; more than a minute is a hang.
report()
{
	timeout 120 "$EVTOP" report --digest=none --tests=quick "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
	out=$(cat "$tmp/out")
	err=$(cat "$tmp/err")
}

# refused FILE NAME: status 1, and one line that names the file.
refused()
{
	report "$1"
	is "$status" 1 "$2: status 1"
	is "$(grep -c . "$tmp/err")" 1 "$2: one line"
	has "$err" "'$1'" "$2: names the file"
	echo "# $err"
	report "$1" "$good"
	is "$status" 0 "$2: beside a good file, status 0"
	has "$err" "'$1'" "$2: beside a good file, named"
	has "$out" "openat" "$2: beside a good file, that one is reported"
}

: >"$tmp/empty"
refused "$tmp/empty" "an empty file"
head -c 100000 /bin/sh >"$tmp/binary"
refused "$tmp/binary" "a binary"
seq 1 20000 | sed 's/^/not a trace, line /' >"$tmp/prose"
refused "$tmp/prose" "a text that is no trace"
refused "$tmp/none" "a file that does not exist"
mkdir "$tmp/hollow"
refused "$tmp/hollow" "an empty folder"
if [ "$(id -u)" -ne 0 ]; then
	cp "$good" "$tmp/locked"
	chmod 000 "$tmp/locked"
	refused "$tmp/locked" "an unreadable file"
else
	skip "an unreadable file" "root reads everything"
fi
printf 'syscall,path\nread,A\n' >"$tmp/columns.csv"
refused "$tmp/columns.csv" "a CSV without durations"

# A folder with one bad file among good ones.
mkdir -p "$tmp/mixed/c1"
cp "$good" "$tmp/mixed/c1/run-1.txt"
cp "$tmp/binary" "$tmp/mixed/c1/run-2.txt"
cp "$good" "$tmp/mixed/c1/run-3.txt"
report --format=csv "$tmp/mixed"
is "$status" 0 "a folder with one bad file: status 0"
has "$err" "run-2.txt" "a folder with one bad file: it is named"
report "$good" "$good"
twice=$(awk '$1 == "openat" { print $2; exit }' "$tmp/out")
report "$tmp/mixed"
is "$twice $(awk '$1 == "openat" { print $2; exit }' "$tmp/out")" "10 10" \
	"a folder with one bad file: the good ones are all there"

# Cut short: what is whole is there, and it is said that something is missing.
head -c 3000 "$tmp/whole.txt.xz" >"$tmp/cut.txt.xz"
report "$tmp/cut.txt.xz" "$good"
is "$status" 0 "a truncated xz: status 0"
has "$err" "cut.txt.xz" "a truncated xz: it is named"
head -c 200000 "$top_srcdir/sample-data/counted-readv.tar.zst" >"$tmp/cut.tar.zst"
report "$tmp/cut.tar.zst"
is "$status" 0 "a truncated archive: status 0"
has "$err" "cut.tar.zst" "a truncated archive: it is named"
has "$out" "readv" "a truncated archive: what is whole is reported"
head -c 5000 "$good" >"$tmp/cut.txt"
report "$tmp/cut.txt"
is "$status" 0 "a truncated trace: status 0"

# Durations from nothing to more than there is.
printf 'syscall,duration_ns\nread,0\nread,5\nread,9223372036854775808\nread,-1\n' >"$tmp/durations.csv"
report --format=json "$tmp/durations.csv"
is "$status" 0 "durations of 0 and 2^63: status 0"
has "$out" '"executions": 2' "durations of 0 and 2^63: those that are possible are kept"
has "$err" "durations.csv" "durations of 0 and 2^63: the others are told of"
printf ' 0) $ 9223372036854775808 us |  __x64_sys_read();\n 0)   0.000 us    |  __x64_sys_read();\n' >"$tmp/durations.txt"
report "$tmp/durations.txt"
is "$status" 0 "a trace with 2^63 us: status 0"

# What steers a terminal does not reach one.
printf ' 0)   1.000 us    |  __x64_sys_\033[2Jread();\n 0)   1.000 us    |  __x64_sys_read();\n\033]0;title\007\n' >"$tmp/escape.txt"
report "$tmp/escape.txt"
! cat "$tmp/out" "$tmp/err" | LC_ALL=C grep -q "$(printf '[\033\007]')"
ok $? "no escape of a trace is printed"
cp "$tmp/prose" "$tmp/$(printf 'name\033[2J')"
report "$tmp/$(printf 'name\033[2J')"
! cat "$tmp/out" "$tmp/err" | LC_ALL=C grep -q "$(printf '[\033\007]')"
ok $? "no escape of a file's name is printed"

# Without end, or as good as: memory must not follow. The sanitizers need address
# space of their own. reads_from_pipe leaves status, out and err.
reads_from_pipe()
{
	(
		[ "${SANITIZED:-no}" = yes ] || ulimit -v 400000
		timeout 120 "$EVTOP" report --jobs=1 --tests=quick - >"$tmp/out" 2>"$tmp/err"
		echo $? >"$tmp/status"
	)
}
megabytes=${HOSTILE_MEGABYTES:-1000}
head -c "${megabytes}000000" /dev/zero | tr '\0' x | reads_from_pipe
is "$(cat "$tmp/status")" 1 "a line of $megabytes MB without an end: status 1"
is "$(grep -c . "$tmp/err")" 1 "a line of $megabytes MB: one line is said of it"
{
	cat "$good"
	printf ' 0)               |  __x64_sys_read() {\n'
	printf ' 0)               |  %2000000sf() {\n' ''
	printf ' 0)   1.000 us    |  %2000000s}\n' ''
	cat "$good"
} | reads_from_pipe
is "$(cat "$tmp/status")" 0 "a depth of a million: status 0"
name=$(head -c 65536 /dev/zero | tr '\0' n)
for i in 1 2 3 4; do
	printf ' 0)   1.000 us    |  __x64_sys_%s%s();\n' "$name" $i
done >"$tmp/names.txt"
report "$tmp/names.txt"
[ "$status" -eq 0 ] || [ "$status" -eq 1 ]
ok $? "names of 64 KiB: status $status"
done_testing
