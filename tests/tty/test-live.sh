#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A live source in a real terminal: a FIFO that is written while keys are
# pressed, and ends that leave the terminal sane. Nothing sleeps for a guess.
. "$top_srcdir/tests/tap.sh"

if ! command -v tmux >/dev/null 2>&1; then
	skip "live in a terminal" "tmux is not installed"
	done_testing
fi

TMUX_TMPDIR=$tmp
export TMUX_TMPDIR
unset TMUX
pane()
{
	tmux -f /dev/null -L evtop-live "$@"
}
writer=
trap 'pane kill-server 2>/dev/null; [ -n "$writer" ] && kill $writer 2>/dev/null; rm -rf "$tmp"' EXIT

until_screen()
{
	tries=0
	while [ $tries -lt 300 ]; do
		pane capture-pane -p -t t | grep -qE -- "$1" && return 0
		tries=$((tries + 1))
		sleep 0.05
	done
	echo "# waited for '$1' on:"
	pane capture-pane -p -t t | sed 's/^/# /'
	return 1
}

cat >"$tmp/rc" <<'RC'
PS1='ready> '
PS2=
RC
if ! pane new-session -d -s t -x 80 -y 24 "LC_ALL=C.UTF-8 ENV='$tmp/rc' sh -i" 2>"$tmp/err"; then
	skip "live in a terminal" "tmux cannot start: $(head -n 1 "$tmp/err")"
	done_testing
fi
until_screen 'ready>'
ok $? "an interactive shell stands"
run()
{
	pane send-keys -t t "$1" Enter
}
run "stty -g >$tmp/before; clear"

# begin COMMAND SCREEN: a FIFO that this shell holds open for writing.
begin()
{
	rm -f "$tmp/fifo" "$tmp/after"
	mkfifo "$tmp/fifo"
	run "clear; TERM=screen-256color $EVTOP $tmp/fifo; echo status \$?"
	# the screen stands before anybody writes
	until_screen 'no execution of a system call has completed yet'
	ok $? "$1: the screen stands before there is anything"
	exec 9>"$tmp/fifo"
}

# executions NAME N
executions()
{
	i=0
	while [ $i -lt "$2" ]; do
		echo " 0)   1.$((100 + i % 900)) us    |  __x64_sys_$1();"
		i=$((i + 1))
	done
}
head='# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |'

begin "flow"
echo "$head" >&9
executions read 20 >&9
until_screen ' live .* 20 exec'
ok $? "what is written is on the screen"
until_screen '[0-9] MB'
ok $? "what evtop itself takes is on the screen"
pane send-keys -t t p
until_screen 'PAUSED'
ok $? "p: the screen says that it stands still"
executions read 30 >&9
until_screen 'PAUSED \+30 exec'
ok $? "what came since is counted"
until_screen ' 20 exec'
ok $? "but the picture stays"
pane send-keys -t t p
until_screen ' live .* 50 exec'
ok $? "p: it goes on"

# a call that comes late is new, the first ones are not
tries=0
until pane capture-pane -p -t t | grep -qE '^ +late +[0-9]+ +1/1 +\+1 '; do
	executions "late" 1 >&9
	tries=$((tries + 1))
	[ $tries -gt 100 ] && break
	executions "call$tries" 1 >&9
	until_screen "call$tries " >/dev/null || break
	until [ $tries -lt 5 ] || pane capture-pane -p -t t | grep -q 'new path'; do
		executions read 1 >&9
		sleep 0.05
	done
	[ $tries -ge 5 ] && break
done
pane capture-pane -p -t t | grep -qE '(call5|late) .* \+1 '
ok $? "paths that come late are marked as new"
pane capture-pane -p -t t | grep -qE '[0-9]+ new paths?, '
ok $? "and told at the bottom"

pane send-keys -t t R
until_screen 'R again'
ok $? "R asks once"
pane send-keys -t t R
until_screen ' live .* 0 exec'
ok $? "R R: counts begin anew"
executions read 7 >&9
until_screen ' live .* 7 exec'
ok $? "and count on"
exec 9>&-
until_screen 'ENDED 7 exec'
ok $? "the end of the source is told"
pane send-keys -t t 2
until_screen '»2 PATHS of read'
ok $? "and it can still be explored"
pane send-keys -t t q
until_screen 'status 0'
ok $? "q leaves with status 0"

# killed SIGNAL STATUS
killed()
{
	begin "SIG$1"
	echo "$head" >&9
	executions read 20 >&9
	until_screen ' live .* 20 exec'
	ok $? "SIG$1: it flows"
	pid=$(pgrep -f "^$EVTOP $tmp/fifo" | head -n 1)
	[ -n "$pid" ] && kill -"$1" "$pid"
	until_screen "status $2"
	ok $? "SIG$1: it ends as the signal says"
	exec 9>&-
	run "clear; stty -g >$tmp/after; echo sane \$((6*7))"
	until_screen 'sane 42'
	is "$(cat "$tmp/after")" "$(cat "$tmp/before")" "SIG$1: the terminal is as it was"
	is "$(pane display-message -p -t t '#{cursor_flag}#{alternate_on}')" 10 \
		"SIG$1: cursor shown and main screen"
}
if command -v pgrep >/dev/null 2>&1; then
	killed TERM 143
	killed HUP 129
else
	skip "signals" "pgrep is not installed"
fi

# A flood on standard input: keys come from the terminal behind it, and at once.
{ echo "$head"; executions read 2000; } >"$tmp/some"
run "clear; (while cat $tmp/some; do :; done) | TERM=screen-256color $EVTOP -"
until_screen ' live .*[0-9,]{5,} exec'
ok $? "a flood is counted"
pane send-keys -t t 2
until_screen '»2 PATHS of read'
ok $? "keys are taken in it"
pane send-keys -t t q
until_screen 'ready> *$'
ok $? "q leaves it"
done_testing
