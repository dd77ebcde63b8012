# SPDX-License-Identifier: GPL-3.0-or-later
# Exit statuses, and the one line on standard error that goes with them.
. "$top_srcdir/tests/tap.sh"

export XDG_CONFIG_HOME="$tmp/config"
mkdir -p "$XDG_CONFIG_HOME/evtop"

# run STATUS NAME ARGUMENTS...: keeps $tmp/out and $tmp/err
run()
{
	wanted=$1
	name=$2
	shift 2
	"$EVTOP" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	got=$?
	is "$got" "$wanted" "$name: status"
}

# says TEXT NAME: standard error is one lower-case line of ours that has TEXT
says()
{
	is "$(wc -l <"$tmp/err" | tr -d ' ')" 1 "$2: one line"
	case $(cat "$tmp/err") in
	evtop:\ *"$1"*) ok 0 "$2: says '$1'" ;;
	*)
		ok 1 "$2: says '$1'"
		sed 's/^/# /' "$tmp/err"
		;;
	esac
}

cat >"$tmp/good.txt" <<'TRACE'
# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |
 0)               |  __x64_sys_openat() {
 0)   1.500 us    |    getname();
 0)   4.000 us    |  }
 0)               |  __x64_sys_openat() {
 0)   1.250 us    |    getname();
 0)   3.000 us    |  }
 0)   0.750 us    |  __x64_sys_close();
TRACE
cat >"$tmp/none.txt" <<'TRACE'
# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |
 0)   0.750 us    |  do_nothing();
TRACE
: >"$tmp/empty.txt"
head -c 3000 /dev/zero >"$tmp/zeros"

# usage
run 2 "no arguments"
says "no recording named" "no arguments"
run 2 "an unknown option" report --unheard-of x
says "--unheard-of" "an unknown option"
run 2 "a theme that is not there" report --theme=nope "$tmp/good.txt"
says "'nope'" "a theme that is not there"
run 2 "a model of the future" report --model=gpd "$tmp/good.txt"
says "not available in this version" "a model of the future"
run 2 "a command of the future" monitor
says "'monitor' is not available" "a command of the future"
run 2 "report without a recording" report
says "no recording named" "report without a recording"
run 2 "path without a recording" path abc
says "no recording named" "path without a recording"
run 0 "--help" --help
has "$(cat "$tmp/out")" "--block-size=N" "--help names options"
run 0 "report --help" report --help
has "$(cat "$tmp/out")" "Usage: evtop report" "report --help is of report"
run 0 "--version" --version
has "$(cat "$tmp/out")" "evtop " "--version"

# what cannot be read
run 1 "a file that is not there" report "$tmp/nothing"
says "nothing" "a file that is not there"
is "$(cat "$tmp/out")" "" "a file that is not there: no report"
run 1 "an empty file" report "$tmp/empty.txt"
says "empty.txt" "an empty file"
run 1 "a file of zeros" report "$tmp/zeros"
says "zeros" "a file of zeros"
run 1 "a call that is not there" report --syscall=nosuchcall "$tmp/good.txt"
says "nosuchcall" "a call that is not there"
run 1 "a path that is not there" report --path=ffffff "$tmp/good.txt"
says "ffffff" "a path that is not there"
run 1 "a tree that is not there" path ffffff "$tmp/good.txt"
says "ffffff" "a tree that is not there"

# what can
run 0 "a good trace" report "$tmp/good.txt"
is "$(cat "$tmp/err")" "" "a good trace: nothing on standard error"
has "$(cat "$tmp/out")" "CALL openat" "a good trace: its call"
run 0 "a trace without an execution" report "$tmp/none.txt"
has "$(cat "$tmp/out")" "No complete execution" "a trace without an execution: said"
run 0 "a good and a bad one" report --format=json "$tmp/good.txt" "$tmp/empty.txt"
says "empty.txt" "a good and a bad one"
if command -v jq >/dev/null 2>&1; then
	is "$(jq -c '[.inputs[] | .error != null]' "$tmp/out")" "[false,true]" \
		"a good and a bad one: which is which"
	is "$(jq '.syscalls[] | select(.name == "openat").duration_ns.sum' "$tmp/out")" 7000 \
		"a good and a bad one: the sum"
	"$EVTOP" report --format=json - <"$tmp/good.txt" >"$tmp/out" 2>"$tmp/err"
	is "$(jq '[.syscalls[].executions] | add' "$tmp/out")" 3 "standard input is read"
	mkfifo "$tmp/fifo"
	cat "$tmp/good.txt" >"$tmp/fifo" &
	writer=$!
	"$EVTOP" report --format=json "$tmp/fifo" >"$tmp/out" 2>"$tmp/err"
	kill "$writer" 2>/dev/null # it waits for ever where nobody has read
	is "$(jq '[.syscalls[].executions] | add' "$tmp/out")" 3 "a FIFO is read"
else
	skip "what JSON says" "no jq"
fi

# one path
id=$(printf '0 __x64_sys_openat\n1 getname\n' | md5sum | cut -d' ' -f1)
run 0 "the lines of a path" path "$id" --calls "$tmp/good.txt"
is "$(md5sum <"$tmp/out" | cut -d' ' -f1)" "$id" "their MD5 is the id"
run 0 "a beginning of an id" path "$(echo "$id" | cut -c1-5)" "$tmp/good.txt"
has "$(cat "$tmp/out")" "$id" "the tree of a path names it"
has "$(cat "$tmp/out")" "  getname" "the tree of a path has its calls"
# with path_openat closed the clean path has another id; the raw one stays
run 0 "an id of the other identity" path 8c559e --opaque=path_openat "$top_srcdir/sample-data/rt.tar.zst"
says "no clean path has an id that begins with '8c559e'" "an id of the other identity"
run 2 "an empty id" path "" "$tmp/good.txt"

# no terminal
run 0 "the explorer without a terminal" "$tmp/good.txt"
says "text report" "the explorer without a terminal"
has "$(cat "$tmp/out")" "CALL openat" "the explorer without a terminal: the report"

# output
run 0 "-o" report -o "$tmp/report.txt" "$tmp/good.txt"
"$EVTOP" report "$tmp/good.txt" >"$tmp/out"
cmp -s "$tmp/out" "$tmp/report.txt"
ok $? "-o writes what standard output gets"
run 1 "-o into a folder that is not there" report -o "$tmp/no/report.txt" "$tmp/good.txt"
says "no/report.txt" "-o into a folder that is not there"
if [ -c /dev/full ]; then
	"$EVTOP" report "$tmp/good.txt" >/dev/full 2>"$tmp/err"
	is $? 1 "a full device: status"
	says "standard output" "a full device"
	run 1 "-o to a full device" report -o /dev/full "$tmp/good.txt"
	says "/dev/full" "-o to a full device"
else
	skip "a full device" "no /dev/full"
fi
"$EVTOP" report --jobs=1 "$tmp/good.txt" >"$tmp/one"
"$EVTOP" report --jobs=3 "$tmp/good.txt" >"$tmp/three"
cmp -s "$tmp/one" "$tmp/three"
ok $? "one worker and three: the same bytes"
has "$(cat "$tmp/one")" "  good.txt" "the base name of an input"
case $(cat "$tmp/one") in
*"$tmp"*) ok 1 "no absolute path in a report" ;;
*) ok 0 "no absolute path in a report" ;;
esac

# configuration
echo 'block-size = 20' >"$XDG_CONFIG_HOME/evtop/config"
run 0 "a configuration file" report "$tmp/good.txt"
has "$(cat "$tmp/out")" "block-size 20" "a configuration file is used"
run 0 "the command line" report --block-size=30 "$tmp/good.txt"
has "$(cat "$tmp/out")" "block-size 30" "the command line comes first"
printf '\nblok-size = 20\n' >"$XDG_CONFIG_HOME/evtop/config"
run 2 "a wrong configuration file" report "$tmp/good.txt"
says "config:2: unknown option 'blok-size'" "a wrong configuration file"

done_testing
