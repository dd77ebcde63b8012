#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The explorer in a real terminal: start, a storm of resizes, ^Z and fg in an
# interactive shell, a kill and an abort that leave the terminal sane. Nothing
# sleeps for a guess: each step waits for what must appear.
. "$top_srcdir/tests/tap.sh"

if ! command -v tmux >/dev/null 2>&1; then
	skip "real terminal" "tmux is not installed"
	done_testing
fi

# Samples without call trees are enough to stand on a screen.
csv=$tmp/samples.csv
awk 'BEGIN {
	print "syscall,path,duration_ns,campaign,run"
	for (i = 0; i < 400; i++)
		printf "openat,%s,%d,c%d,r%d\n", i % 3 ? "aa" : "bb",
			1000 + i * 7 % 101, int(i / 200), int(i / 100)
}' >"$csv"

# A server of our own, without anybody's configuration. TMUX_TMPDIR must be short.
TMUX_TMPDIR=$tmp
export TMUX_TMPDIR
unset TMUX
pane()
{
	tmux -f /dev/null -L evtop "$@"
}
trap 'pane kill-server 2>/dev/null; rm -rf "$tmp"' EXIT

# until_screen TEXT: at most some seconds, but no longer than needed.
until_screen()
{
	tries=0
	while [ $tries -lt 200 ]; do
		pane capture-pane -p -t t | grep -qF -- "$1" && return 0
		tries=$((tries + 1))
		sleep 0.05
	done
	echo "# waited for '$1' on:"
	pane capture-pane -p -t t | sed 's/^/# /'
	return 1
}

until_gone()
{
	tries=0
	while [ $tries -lt 200 ]; do
		pane capture-pane -p -t t | grep -qF -- "$1" || return 0
		tries=$((tries + 1))
		sleep 0.05
	done
	return 1
}

# The shell answers only where the terminal is as it was: stty says how.
cat >"$tmp/rc" <<'RC'
PS1='ready> '
PS2=
RC
if ! pane new-session -d -s t -x 80 -y 24 "LC_ALL=C.UTF-8 ENV='$tmp/rc' sh -i" 2>"$tmp/err"; then
	skip "real terminal" "tmux cannot start: $(head -n 1 "$tmp/err")"
	done_testing
fi
until_screen 'ready>'
ok $? "an interactive shell stands"
run()
{
	pane send-keys -t t "$1" Enter
}
run "stty -g >$tmp/before; clear"
until_gone 'stty'
explore="TERM=screen-256color $EVTOP $csv"

run "$explore"
until_screen 'CALLS'
ok $? "the explorer opens"
pane send-keys -t t 5
until_screen '»5 FIT'
ok $? "a key is taken"
pane send-keys -t t Up Down
pane send-keys -t t Escape '[A'
pane send-keys -t t Tab
until_screen '»6 I.I.D.'
ok $? "arrows in either form are no Escape"

# Faster than anybody draws.
for size in 40x10 200x50 17x4 80x5 100x30 41x11 132x43 80x24; do
	pane resize-window -t t -x "${size%x*}" -y "${size#*x}" 2>/dev/null
done
until_screen '»6 I.I.D.'
ok $? "a storm of resizes is survived"
is "$(pane display-message -p -t t '#{pane_width}x#{pane_height}')" 80x24 "the size is the last one"
until_screen '? help'
ok $? "the footer stands at the new bottom"

pane send-keys -t t C-z
until_screen 'topped'
ok $? "^Z gives the shell back"
run "stty -g >$tmp/stopped; echo shell \$((6*7))"
until_screen 'shell 42'
ok $? "the shell can be used"
is "$(cat "$tmp/stopped")" "$(cat "$tmp/before")" "the terminal is as it was while stopped"
run "fg; echo status \$?"
until_screen '»6 I.I.D.'
ok $? "fg brings the screen back"
pane send-keys -t t 1
until_screen '»1 CALLS'
ok $? "keys go on"
pane send-keys -t t q
until_screen 'status 0'
ok $? "q leaves with status 0"
run "clear; stty -g >$tmp/after"
until_gone 'status 0'
is "$(cat "$tmp/after")" "$(cat "$tmp/before")" "the terminal is as it was"

# killed SIGNAL: the shell's line is sane after it.
killed()
{
	rm -f "$tmp/after"
	run "clear; $explore"
	until_screen 'CALLS'
	ok $? "it opens before SIG$1"
	pid=$(pgrep -f "^$EVTOP $csv" | head -n 1)
	[ -n "$pid" ] && kill -"$1" "$pid"
	until_gone 'CALLS'
	ok $? "SIG$1 ends it, and its screen"
	run "stty -g >$tmp/after; echo sane \$((6*7))"
	until_screen 'sane 42'
	ok $? "the shell answers after SIG$1"
	is "$(cat "$tmp/after")" "$(cat "$tmp/before")" "the terminal is as it was after SIG$1"
	is "$(pane display-message -p -t t '#{cursor_flag}#{alternate_on}')" 10 \
		"cursor shown and main screen after SIG$1"
}

if command -v pgrep >/dev/null 2>&1; then
	killed TERM
	killed HUP
	killed ABRT
else
	skip "kill" "pgrep is not installed"
fi

run "clear; NO_COLOR=1 $explore"
until_screen 'CALLS'
pane capture-pane -p -e -t t >"$tmp/mono"
! grep -q "$(printf '\033')\[[0-9;]*[34][0-8]" "$tmp/mono"
ok $? "NO_COLOR: no colours"
pane send-keys -t t q
until_gone 'CALLS'

run "clear; TERM=vt100 $EVTOP $csv"
until_screen 'CALLS'
pane capture-pane -p -t t >"$tmp/vt100"
! LC_ALL=C grep -q "[^ -~]" "$tmp/vt100"
ok $? "a vt100 gets ASCII alone"
pane send-keys -t t q
until_gone 'CALLS'

run "clear; TERM=dumb $EVTOP $csv 2>$tmp/dumb.err; echo done \$((6*7))"
until_screen 'done 42'
has "$(cat "$tmp/dumb.err")" "evtop: " "a dumb terminal: one line says why"
done_testing
