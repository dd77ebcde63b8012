#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What README.md shows is what the program does: its screens, its commands, its
# options.
. "${top_srcdir:?is set by make check}/tests/tap.sh" || exit 99
readme=$top_srcdir/README.md

sh "$top_srcdir/tests/golden/readme-screens" >"$tmp/README.md" 2>"$tmp/err"
ok $? "its screens can be made"
diff "$readme" "$tmp/README.md" >"$tmp/diff"
ok $? "its screens are the program's (tests/golden/readme-screens makes them anew)"
sed 's/^/# /' "$tmp/err" "$tmp/diff" | head -n 80

# Every command line on sample-data that is no explorer.
grep -E '^ {4}\./evtop (report|path) .*sample-data/' "$readme" >"$tmp/commands"
ln -s "$top_srcdir/sample-data" "$tmp/sample-data"
ln -s "$EVTOP" "$tmp/evtop"
while read -r command; do
	(cd "$tmp" && sh -c "$command") >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ $status -eq 0 ] && [ -s "$tmp/out" ] && [ ! -s "$tmp/err" ]
	ok $? "$command"
done <"$tmp/commands"

# Every option has its place in the table, and no other has.
"$EVTOP" --help | grep -oE -- '^ +(-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u >"$tmp/help"
for command in report path live record; do
	"$EVTOP" $command --help | grep -oE -- '^ +(-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+'
done | sort -u - "$tmp/help" >"$tmp/options"
sed -n '/^| options/,/^$/p' "$readme" | grep -oE -- '`--[a-z-]+`' | tr -d '`' | sort -u >"$tmp/table"
is "$(cat "$tmp/table")" "$(cat "$tmp/options")" "its table of options is that of --help"
done_testing
