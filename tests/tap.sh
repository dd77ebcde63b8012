# SPDX-License-Identifier: GPL-3.0-or-later
# TAP for shell tests. Source it, call ok / is / skip, end with done_testing.
#   . "$top_srcdir/tests/tap.sh"
tap_n=0
tap_failed=0

# A folder for the test alone, removed at the end.
tmp=$(mktemp -d "${TMPDIR:-/tmp}/evtop-test.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM

# ok STATUS NAME: passes where STATUS is 0.
ok()
{
	tap_n=$((tap_n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_n - $2"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_n - $2"
	fi
}

# is GOT WANTED NAME
is()
{
	[ "$1" = "$2" ]
	ok $? "$3"
	if [ "$1" != "$2" ]; then
		printf 'got:\n%s\nwanted:\n%s\n' "$1" "$2" | sed 's/^/# /'
	fi
}

# has TEXT PART NAME: passes where TEXT contains PART.
has()
{
	case $1 in
	*"$2"*) ok 0 "$3" ;;
	*)
		ok 1 "$3"
		printf 'wanted %s in:\n%s\n' "$2" "$1" | sed 's/^/# /'
		;;
	esac
}

# skip NAME REASON
skip()
{
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1 # SKIP $2"
}

done_testing()
{
	echo "1..$tap_n"
	[ "$tap_failed" -eq 0 ]
	exit $?
}
