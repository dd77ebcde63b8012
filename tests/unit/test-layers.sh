#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The layers hold, and the check that says so sees what breaks them.
. "${top_srcdir:?is set by make check}/tests/tap.sh" || exit 99
check="$top_srcdir/build-aux/check-layers"

faults=$(sh "$check" "$top_srcdir" 2>&1)
is "$faults" "$(printf '%s\n' "$faults" | grep '^check-layers: no universal-ctags')" \
	"every include, call, file and function keeps the rules"

# One small tree; each case adds a fault to it.
tree()
{
	rm -rf "$tmp/tree"
	mkdir -p "$tmp/tree/include/evtop" "$tmp/tree/src/stats" "$tmp/tree/src/tui"
	for file in include/evtop/base.h src/stats/fit.c src/tui/screen.c; do
		echo '/* SPDX-License-Identifier: GPL-3.0-or-later */' >"$tmp/tree/$file"
	done
	echo '#include <gsl/gsl_cdf.h>' >>"$tmp/tree/src/stats/fit.c"
	echo '#include <ncurses.h>' >>"$tmp/tree/src/tui/screen.c"
	echo '/* strcpy() in a comment, "system(" in a string */ char *s = "system(1)";' \
		>>"$tmp/tree/src/tui/screen.c"
}

# fault FILE LINE WHAT-IS-SAID NAME
fault()
{
	tree
	printf '%s\n' "$2" >>"$tmp/tree/$1"
	has "$(sh "$check" "$tmp/tree" 2>&1)" "$3" "$4"
}

tree
is "$(sh "$check" "$tmp/tree" 2>/dev/null)" "" "a tree that keeps the rules passes"
fault src/stats/fit.c '#include "evtop/recording.h"' 'stats may not include' "an edge that is not allowed"
fault src/stats/fit.c '#include "../tui/keys.h"' 'private to another folder' "another folder's private header"
fault src/stats/fit.c '#include <curses.h>' 'belongs in src/tui/' "curses outside src/tui"
fault src/tui/screen.c '#include <gsl/gsl_fit.h>' 'belongs in src/stats/' "GSL outside src/stats"
fault src/tui/screen.c 'strcpy(a, b);' 'strcpy() is banned' "a banned function"
fault src/tui/screen.c 'setlocale(LC_ALL, "");' 'LC_CTYPE only' "a locale with commas in numbers"
fault src/tui/screen.c "$(yes | head -n 800)" '803 lines, at most 800' "a file too long"
if ctags --version 2>/dev/null | grep -q ^Universal; then
	fault src/stats/fit.c "void f(void)
{
$(yes ';' | head -n 80)
}" 'f() has 83 lines, at most 80' "a function too long"
else
	skip "a function too long" "no universal-ctags"
fi
done_testing
