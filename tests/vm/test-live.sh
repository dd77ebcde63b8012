# SPDX-License-Identifier: GPL-3.0-or-later
# evtop live and record on real kernels under emulation: what is counted is
# exact, and all settings are as before whatever ended it.
#   EVTOP_TEST_VM          a program that boots a kernel and runs OUTDIR/job.sh there:
#                          boot -k KERNEL -b BINARY -t SECONDS OUTDIR
#   EVTOP_TEST_VM_KERNELS  default "6.1 6.12"
#   EVTOP_TEST_VM_WORK     its -w, where its kernels are kept
. "$top_srcdir/tests/tap.sh"

if [ -z "${EVTOP_TEST_VM:-}" ]; then
	skip "live on real kernels" "EVTOP_TEST_VM names no program that boots them"
	done_testing
fi
if [ "$SANITIZED" = yes ]; then
	skip "live on real kernels" "the sanitizers' memory is too large for the targets"
	done_testing
fi

# The text of a run as trace-cmd prints it, a neighbour's reading of what we wrote.
check_trace_cmd()
{
	if ! command -v trace-cmd >/dev/null; then
		skip "$1: trace-cmd report reads a run" "no trace-cmd"
		return
	fi
	trace-cmd report "$2" >"$tmp/report.txt" 2>"$tmp/err"
	ok $? "$1: trace-cmd report reads a run"
	"$EVTOP" report --format=json --top=0 --identity=raw "$2" | ids >"$tmp/a"
	"$EVTOP" report --format=json --top=0 --identity=raw "$tmp/report.txt" | ids >"$tmp/b"
	[ -s "$tmp/a" ] && diff "$tmp/a" "$tmp/b" >"$tmp/diff"
	ok $? "$1: the same paths in trace-cmd's text as in the file"
	sed 's/^/# /' "$tmp/diff" | head -n 20
}

ids()
{
	grep -oE '"id": *"[0-9a-f]{32}", *"executions": *[0-9]+'
}

executions()
{
	"$EVTOP" report --format=csv --top=0 --identity=raw "$1" |
		awk -F, -v call="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
			NR > 1 && $at["syscall"] == call { n += $at["executions"] } END { print n + 0 }'
}

for kernel in ${EVTOP_TEST_VM_KERNELS:-6.1 6.12}; do
	out=$tmp/$kernel
	mkdir "$out"
	cp "$top_srcdir/tests/vm/job.sh" "$out/job.sh"
	"$EVTOP_TEST_VM" -k "$kernel" ${EVTOP_TEST_VM_WORK:+-w "$EVTOP_TEST_VM_WORK"} -b "$EVTOP" \
		-t 900 "$out" >"$tmp/log" 2>&1 </dev/null
	if [ ! -e "$out/results" ]; then
		skip "live on $kernel" "the kernel cannot be had or does not start: $(tail -n 1 "$tmp/log" | tr -d '\r')"
		continue
	fi
	while read -r line; do
		case $line in
		"ok - "*) ok 0 "$kernel: ${line#ok - }" ;;
		"not ok - "*) ok 1 "$kernel: ${line#not ok - }" ;;
		"# "*) echo "$line" ;;
		esac
	done <"$out/results"
	is "$(tail -n 1 "$out/results")" done "$kernel: the job ran to its end"
	is "$(executions "$out/raw" read) $(executions "$out/raw" write)" "2000 2004" \
		"$kernel: a raw recording holds every call"
	is "$(executions "$out/text" read) $(executions "$out/text" write)" "500 501" \
		"$kernel: a recording of text holds every call"
	check_trace_cmd "$kernel" "$out/raw/campaign-001/run-0001.dat"
done
done_testing
