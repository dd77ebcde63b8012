#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Screens of a live source that the scripts feed: what stands where while data
# flow. EVTOP_GOLDEN=keep writes what is seen now: look at every screen before.
. "$top_srcdir/tests/tap.sh"

folder=$top_srcdir/tests/golden/live

# trace OPENAT CLOSE READ: so many executions of each, openat on two paths.
trace()
{
	awk -v openat="$1" -v close_="$2" -v read_="$3" 'BEGIN {
		print "# tracer: function_graph\n#\n# CPU  DURATION                  FUNCTION CALLS"
		print "# |     |   |                     |   |   |   |"
		for (i = 0; i < openat; i++) {
			print " 0)               |  __x64_sys_openat() {"
			if (i % 4 == 3)
				print " 0)   0.500 us    |    getname();"
			printf " 0) + %d.%03d us   |    do_filp_open();\n", 20 + i % 3, i * 37 % 1000
			printf " 0) + %d.%03d us   |  }\n", 30 + i % 7, i * 61 % 1000
		}
		for (i = 0; i < close_; i++)
			printf " 0) ! 1%02d.%03d us  |  __x64_sys_close();\n", i % 50, i * 71 % 1000
		for (i = 0; i < read_; i++)
			printf " 0)   %d.%03d us    |  __x64_sys_read();\n", 1 + i % 5, i * 13 % 1000
	}'
}
trace 400 20 100 >"$tmp/first"
trace 40 3000 0 >"$tmp/second"
trace 0 10 9000 >"$tmp/third"
{ trace 10 10 10; echo 'CPU:0 [LOST 1912 EVENTS]'; trace 10 10 10; } >"$tmp/lossy"

for script in "$folder"/*.script; do
	name=$(basename "$script" .script)
	size=$(sed -n 's/^# size: //p' "$script")
	(cd "$tmp" && "$EVTOP" --script="$script" --size="$size" - </dev/null) \
		>"$tmp/$name" 2>"$tmp/err"
	status=$?
	[ "$EVTOP_GOLDEN" = keep ] && cp "$tmp/$name" "$folder/$name.screens"
	is "$status $(cat "$tmp/err")" "0 " "$name: ends well"
	diff -u "$folder/$name.screens" "$tmp/$name" >"$tmp/diff"
	ok $? "$name: screens"
	sed 's/^/# /' "$tmp/diff"
done

# A pipe that nobody feeds by script: wait is until it ends, and all is the same as from a file.
printf 'wait\nscreen\n' >"$tmp/s"
"$EVTOP" --script="$tmp/s" "$tmp/first" | sed 1,2d >"$tmp/of-file"
"$EVTOP" --script="$tmp/s" - <"$tmp/first" | sed 1,2d >"$tmp/of-input"
cmp -s "$tmp/of-file" "$tmp/of-input"
ok $? "a file on standard input is read as a file"
(sed -n 1,200p "$tmp/first"; sed -n '201,$p' "$tmp/first") |
	"$EVTOP" --script="$tmp/s" - >"$tmp/of-pipe"
has "$(sed -n 2p "$tmp/of-pipe")" "ENDED 520 exec" "a pipe is live until it ends"
has "$(cat "$tmp/of-pipe")" "openat     400" "all executions of the pipe"
mkfifo "$tmp/fifo"
cat "$tmp/first" >"$tmp/fifo" &
has "$("$EVTOP" --script="$tmp/s" "$tmp/fifo")" "ENDED 520 exec" "a FIFO, too"
wait

# What is no text of a trace is read whole, as it always was.
gzip -c "$tmp/first" | "$EVTOP" --script="$tmp/s" - | sed 1,2d >"$tmp/of-gzip"
cmp -s "$tmp/of-file" "$tmp/of-gzip"
ok $? "a packed pipe is unpacked"
printf 'syscall,path,duration_ns\nopenat,a0,5\n' | "$EVTOP" --script="$tmp/s" - >"$tmp/of-csv"
has "$(sed -n 2p "$tmp/of-csv")" " 1 exec" "samples through a pipe"

# What was seen can be saved, and is the same when it is opened.
printf 'feed first\nwait\nkey W\nwait\nscreen\n' >"$tmp/w"
said=$(cd "$tmp" && "$EVTOP" --script=w - </dev/null)
saved=$(echo "$tmp"/evtop-live-*.evtop)
if [ -f "$saved" ]; then
	has "$said" "saved in 'evtop-live-" "W says where it saves"
	is "$("$EVTOP" report --digest=none --format=csv "$saved" 2>&1)" \
		"$("$EVTOP" report --digest=none --format=csv "$tmp/first" 2>&1)" \
		"what was saved is what was seen"
else
	has "$said" "SQLite" "W says why it cannot save"
fi

refused()
{
	printf '%b' "$2" >"$tmp/s"
	said=$("$EVTOP" --script="$tmp/s" - 2>&1 </dev/null)
	is "$? $(echo "$said" | tail -n 1)" "2 evtop: $tmp/s:$3" "$1"
}
refused "a file that is not there" 'feed nothing\n' \
	"1: cannot open 'nothing': No such file or directory"
refused "feeding after the end" "feed $tmp/first\\nend\\nfeed $tmp/first\\n" "3: there is nothing to feed"
done_testing
