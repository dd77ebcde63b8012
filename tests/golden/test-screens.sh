#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Scripts of keys and the screens that they make, as text. A script's first
# lines say its size, its data (of sample-data) and its options.
# EVTOP_GOLDEN=keep writes what is seen now: look at every screen before.
. "$top_srcdir/tests/tap.sh"

folder=$top_srcdir/tests/golden/screens
says()
{
	sed -n "s/^# $1: //p" "$2" | head -n 1
}
for script in "$folder"/*.script; do
	name=$(basename "$script" .script)
	data=$top_srcdir/sample-data/$(says data "$script").tar.zst
	if [ ! -f "$data" ]; then
		skip "$name" "no $data"
		continue
	fi
	# shellcheck disable=SC2046 # options are words
	(cd "$tmp" && "$EVTOP" --script="$script" --size="$(says size "$script")" \
		$(says options "$script") "$data") >"$tmp/$name" 2>"$tmp/err"
	status=$?
	[ "$EVTOP_GOLDEN" = keep ] && cp "$tmp/$name" "$folder/$name.screens"
	is "$status $(cat "$tmp/err")" "0 " "$name: ends well"
	diff -u "$folder/$name.screens" "$tmp/$name" >"$tmp/diff"
	ok $? "$name: screens"
	sed 's/^/# /' "$tmp/diff"
done

# Every screen has exactly its lines, whatever is on it.
awk '/^=== [0-9]+ [0-9]+x[0-9]+$/ { if (n) bad = 1; split($3, size, "x"); n = size[2]; next }
	{ if (!n) bad = 1; n-- }
	END { exit bad || n }' "$tmp"/*-*x*
ok $? "every screen has its number of lines"
! grep -n ' $' "$tmp"/*-*x* >/dev/null
ok $? "no blanks at the ends of lines"
# One screen is one screen, however often it is made.
script=$folder/lists-80x24.script
"$EVTOP" --script="$script" --size=80x24 "$top_srcdir/sample-data/rt.tar.zst" >"$tmp/again" 2>&1
cmp -s "$tmp/again" "$tmp/lists-80x24"
ok $? "the same screens again"

refused()
{
	printf '%b' "$2" >"$tmp/s"
	said=$("$EVTOP" --script="$tmp/s" --size=80x24 "$top_srcdir/sample-data/rt.tar.zst" 2>&1)
	is "$? $said" "2 evtop: $tmp/s:$3" "$1"
}
refused "an unknown word" 'wait\nkye j\n' "2: 'kye' is none of key, type, resize, wait, screen, feed, end"
refused "an unknown key" 'key Hyper\n' "1: 'Hyper' is no key"
done_testing
