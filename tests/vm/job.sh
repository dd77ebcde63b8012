# SPDX-License-Identifier: GPL-3.0-or-later
# What test-live.sh runs on the target, in busybox's shell: lines for TAP into
# /mnt/results. The workload is dd of busybox, static: of N blocks it reads N
# times and writes N times, and its summary once more.
tracing=/sys/kernel/tracing
work="dd if=/dev/zero of=/dev/null bs=1 count=500"
n=0
mkdir -p /root /tmp/t
cd /tmp/t || exit 1

ok()
{
	if [ "$1" -eq 0 ]; then echo "ok - $2"; else echo "not ok - $2"; fi >>/mnt/results
}

# All settings, a line each; what the kernel itself changes at the first use is left out.
settings()
{
	(
		cd $tracing || exit
		for f in current_tracer tracing_on trace_clock set_ftrace_pid set_ftrace_notrace_pid \
			set_event_pid set_event_notrace_pid set_graph_function set_graph_notrace \
			set_ftrace_filter set_ftrace_notrace max_graph_depth tracing_thresh \
			tracing_cpumask set_event buffer_size_kb options/*; do
			[ -e "$f" ] && echo "$f: $(cat "$f")"
		done
		echo "instances: $(ls instances)"
	)
}

same()
{
	settings >after
	cmp -s before after
	ok $? "$1: all settings are as before"
	diff before after | sed 's/^/# /' >>/mnt/results
}

# wait_for COMMAND: until it succeeds, at most 60 s.
wait_for()
{
	for _ in $(seq 600); do
		"$@" && return 0
		sleep 0.1
	done
	return 1
}

traces()
{
	cat $tracing/current_tracer $tracing/instances/*/current_tracer 2>/dev/null | grep -q function_graph &&
		cat $tracing/tracing_on $tracing/instances/*/tracing_on 2>/dev/null | grep -q 1 &&
		grep -q sleep /proc/[0-9]*/comm
}

gone()
{
	[ ! -e /run/evtop/ftrace-state ] && [ ! -e /var/tmp/evtop-0/ftrace-state ] && [ ! -e /tmp/evtop-0/ftrace-state ]
}

count()
{
	awk -v call="$1" '$1 == call && $2 ~ /^[0-9,]+$/ { gsub(",", "", $2); print $2; exit }' "$2"
}

# As somebody left it: not the defaults, so that restoring them would be seen.
echo 1408 >$tracing/buffer_size_kb
echo 3 >$tracing/max_graph_depth
echo vfs_read >$tracing/set_graph_function
echo vfs_write >>$tracing/set_graph_function
echo 1 >$tracing/options/funcgraph-overrun
settings >before

# shellcheck disable=SC2086
evtop live --syscall=read --syscall=write --buffer-size=8192 --identity=raw -- $work >out 2>err
ok $? "live ends well"
[ "$(count read out) $(count write out)" = "500 501" ]
ok $? "live: read and write are counted exactly"
grep -q "lost events, as the tracer counted them  *0" out
ok $? "live: nothing is lost"
same "live"
gone
ok $? "live: no state file is left"
sed 's/^/# /' err >>/mnt/results

# As sudo would begin it: it reads and reports with the rights of the user.
SUDO_UID=1000 SUDO_GID=1000 evtop live --buffer-size=8192 >out 2>err &
evtop=$!
wait_for sh -c "cat $tracing/tracing_on $tracing/instances/*/tracing_on 2>/dev/null | grep -q 1 && grep -q function_graph $tracing/current_tracer $tracing/instances/*/current_tracer 2>/dev/null"
wait_for grep -q "^Uid:.1000.1000.1000" /proc/$evtop/status
ok $? "the rights of root are given up"
ls / >/dev/null
kill -INT $evtop
wait $evtop
ok $? "live of all tasks: an interrupt gives the report"
same "an interrupt"

for signal in TERM HUP KILL SEGV; do
	evtop live -- sleep 1000 >out 2>&1 &
	evtop=$!
	wait_for traces
	ok $? "SIG$signal: it traces"
	kill -$signal $evtop
	wait_for gone
	same "SIG$signal"
	killall sleep 2>/dev/null
done

evtop live -- sleep 1000 >out 2>&1 &
evtop=$!
wait_for traces
evtop live -- true >out2 2>&1
[ $? -eq 1 ] && grep -q "pid $evtop) is tracing" out2
ok $? "a second evtop is refused, and the first one named"
keeper=$(grep -l evtop-keeper /proc/[0-9]*/comm | cut -d/ -f3)
kill -KILL "$keeper" $evtop
sleep 0.5
settings >after
! cmp -s before after
ok $? "with its keeper killed nothing is restored"
evtop live --undo >out
ok $? "undo ends well"
same "undo"
killall sleep 2>/dev/null

evtop live -- sleep 1000 >out 2>&1 &
evtop=$!
wait_for traces
kill -KILL "$(grep -l evtop-keeper /proc/[0-9]*/comm | cut -d/ -f3)" $evtop
sleep 0.5
killall sleep 2>/dev/null
evtop live --syscall=getuid -- true >out 2>&1
same "the next start"

echo function_graph >$tracing/current_tracer
settings >before
evtop live -- true >out 2>&1
[ $? -eq 1 ] && grep -q "in use" out
ok $? "ftrace in use is refused"
same "refused"
evtop live --take-over --syscall=write -- echo >out 2>&1
ok $? "taking over ends well"
same "taking over"
echo nop >$tracing/current_tracer
settings >before

# shellcheck disable=SC2086
evtop record -c 2 -r 2 -o /mnt/raw --syscall=read --syscall=write --buffer-size=8192 -- $work >out 2>err
ok $? "record ends well"
same "record"
# shellcheck disable=SC2086
evtop record -c 1 -r 1 -o /mnt/text --text --syscall=read --syscall=write --buffer-size=8192 -- $work >out 2>err
ok $? "record of text ends well"
same "record of text"
mkdir small && mount -t tmpfs -o size=6m none small
evtop record -r 50 -o small/r --syscall=read --buffer-size=4096 -- dd if=/dev/zero of=/dev/null bs=1 count=2000 >out 2>err
[ $? -eq 1 ] && grep -q "no room in" err
ok $? "record: a disk too small is told"
[ -s small/r/campaign-001/run-0001.dat ]
ok $? "record: what was whole stays"
same "record on a full disk"
echo done >>/mnt/results
