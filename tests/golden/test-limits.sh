#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Inputs made to take time or memory out of all proportion, and what a folder or
# an archive holds besides traces. A minute and a half is a hang.
# shellcheck disable=SC2154
. "${top_srcdir:?is set by make check}/tests/tap.sh" || exit 99

good=$top_srcdir/tests/data/traces/x86_64-6.1/h_depth2.txt

# run ARGUMENTS: leaves status, out and err.
run()
{
	timeout 90 "$EVTOP" "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
	out=$(cat "$tmp/out")
	err=$(cat "$tmp/err")
}
report()
{
	run report --digest=none --tests=quick --jobs=1 "$@"
}

# Names of 16 bytes that a hash without a key takes for one and the same.
LC_ALL=C awk 'BEGIN {
	a = "AAAAAAAAAAAAAAAA"; b = "AAAAAAA\301AAA\301AAA\301"
	print " 0)               |  __x64_sys_read() {"
	for (i = 0; i < 131072; i++) {
		name = ""
		for (bit = 1; bit < 131072; bit *= 2)
			name = name (int(i / bit) % 2 ? b : a)
		print " 0)   1.000 us    |    " name "();"
	}
	print " 0)   1.000 us    |  }"
}' >"$tmp/names.txt"
report "$tmp/names.txt"
is "$status" 0 "131,072 names that fall together"

# The beginnings of interrupts and switches without an end, side by side.
for name in irq_enter rcu_note_context_switch; do
	awk -v name=$name 'BEGIN {
		print " 0)               |  __x64_sys_read() {"
		for (i = 0; i < 400000; i++)
			print " 0)   1.000 us    |    " name "();"
		print " 0)   1.000 us    |  }"
	}' >"$tmp/siblings.txt"
	report "$tmp/siblings.txt"
	is "$status" 0 "400,000 times $name"
done

# Losses beside many open executions.
awk 'BEGIN {
	print "# CPU  TASK/PID         DURATION                  FUNCTION CALLS"
	for (i = 1; i <= 12000; i++)
		printf " 1)   a-%-11d |               |  __x64_sys_read() {\n", i
	for (i = 0; i < 300000; i++) {
		print " 0)   b-99999       |               |  __x64_sys_read() {"
		print "CPU:0 [LOST 3 EVENTS]"
	}
}' >"$tmp/losses.txt"
report "$tmp/losses.txt"
is "$status" 0 "300,000 losses beside 12,000 open executions"
has "$out" "executions cut by a loss                      300,000" "losses: each cuts its own"
has "$out" "executions open at the end of a run            12,000" "losses: others stay open"

# Calls, paths and runs by the hundred thousand.
awk 'BEGIN {
	print "syscall,path,run,duration_ns"
	for (i = 0; i < 300000; i++)
		printf "c%d,p%d,%d,5\n", i, i, i
}' >"$tmp/many.csv"
run path p299999 --jobs=2 "$tmp/many.csv"
is "$status" 0 "300,000 calls in as many runs"
has "$out" "c299999" "300,000 calls: the last is there"

# More names than there is room for: counted, and no crash.
awk 'BEGIN {
	print "path,duration_ns"
	for (i = 0; i < 2097200; i++)
		printf "p%d,5\n", i
}' >"$tmp/names.csv"
run path p2097000 --jobs=2 --digest=none "$tmp/names.csv"
is "$status" 0 "more than two million names"
has "$err" "rows without a sample" "more than two million names: what is left out is counted"
rm -f "$tmp/names.csv" "$tmp/many.csv"

# A comment that never ends hides nothing in silence.
{
	echo ' f() {'
	echo '   /* a marker without an end'
	yes '   g();' | head -n 200
	echo ' }'
} >"$tmp/comment.txt"
report --root=f "$tmp/comment.txt"
has "$out" "lines that nothing explains                        64" "an open comment: its lines are counted"

# What strtod() reads is not all a duration.
printf '%s\n' duration_ns 5 0x10 nan inf infinity -0 1e400 1e3 >"$tmp/numbers.csv"
report "$tmp/numbers.csv"
has "$err" "6 rows without a sample" "CSV: no hexadecimal numbers, none without end"

# What a folder holds besides files.
folder=$tmp/folder
mkdir -p "$folder/c1" "$folder/c2"
cp "$good" "$folder/c1/run.txt"
cp "$good" "$folder/c2/run.txt"
mkfifo "$folder/c1/pipe"
ln -s nowhere "$folder/c1/dangling"
ln -s .. "$folder/c1/around"
ln -s . "$folder/c2/self"
ln -s . "$folder/c2/same"
ln -s /dev/zero "$folder/c2/zero"
report "$folder"
is "$status" 0 "a folder with pipes, devices and circles"
has "$out" "2 campaigns, 2 runs" "a folder: its files are read, once"
for name in c1/pipe c1/dangling c1/around c2/self c2/same c2/zero; do
	has "$err" "'$name'" "a folder: $name is named"
done
run report --tests=quick /dev/zero
is "$status" 1 "a device without an end"
if [ "$(id -u)" -ne 0 ]; then
	mkdir "$folder/locked"
	chmod 000 "$folder/locked"
	report "$folder"
	has "$err" "'locked'" "a folder: one without permission is named"
	chmod 700 "$folder/locked"
else
	skip "a folder: one without permission is named" "root reads everything"
fi

# Links in an archive.
mkdir -p "$tmp/links/c1"
cp "$good" "$tmp/links/c1/1.txt"
ln "$tmp/links/c1/1.txt" "$tmp/links/c1/2.txt"
ln -s 1.txt "$tmp/links/c1/3.txt"
tar -C "$tmp/links" -cf "$tmp/links.tar" c1
report "$tmp/links.tar"
has "$out" " 1 run" "links in an archive: one run"
is "$(grep -c 'is a link' "$tmp/err")" 2 "links in an archive: both are named"
done_testing
