#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# libucore as programs find it: what the shared library shows, and the examples.  B is where
# the test programs are.

setup()
{
	TOOLS=$BATS_TEST_DIRNAME/../../tools
	TMP=$BATS_TEST_TMPDIR
}

# The functions that libucore.h declares, without its comments and what it includes
declared()
{
	cc -fpreprocessed -dD -E -P "$TOOLS/lib/libucore.h" | tr '\n' ' ' |
		grep -oE '\bucore_[a-z0-9_]+\(' | tr -d '(' | sort -u
}

@test "libucore.so shows the functions of libucore.h and no other symbol, all with the version" {
	nm -D --defined-only "$B/tools/libucore.so.0" | awk '{ print $NF }' | sort >"$TMP/shown"
	{ echo "LIBUCORE_0"; declared | sed 's/$/@@LIBUCORE_0/'; } | sort >"$TMP/declared"
	diff "$TMP/declared" "$TMP/shown"
	# that both are not empty
	[ "$(wc -l <"$TMP/shown")" -gt 90 ]
}

@test "the version of the symbols is that of the soname" {
	soname=$(readelf -d "$B/tools/libucore.so.0" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')
	[ "$soname" = libucore.so.0 ]
	grep -q "^LIBUCORE_${soname##*.} {" "$TOOLS/lib/libucore.map"
}

@test "a program of the shared library asks for its symbols by version" {
	cat >"$TMP/program.c" <<-END
	#include <libucore.h>
	int main(void)
	{
		return ucore_region_begin("a") == -3 ? 0 : 1;
	}
	END
	ln -s "$B/tools/libucore.so.0" "$TMP/libucore.so"
	cc -I"$TOOLS/lib" -I"$TOOLS/../uapi" -o "$TMP/program" "$TMP/program.c" -L"$TMP" -lucore \
		-Wl,--allow-shlib-undefined
	nm -D "$TMP/program" | grep -q 'U ucore_region_begin@LIBUCORE_0'
}

@test "the example of regions: each phase with its times and its bandwidth" {
	run "$B/fake_regions"
	echo "$output"
	[ "$status" -eq 0 ]
	# the fake reads once a second: solve has 17 steps, the phases within it 4 each
	[[ $output == *"solve: 1 times, 17.000000 s"* ]]
	[[ $output == *"fill: 4 times, 4.000000 s"* ]]
	[[ $output == *"copy: 4 times, 4.000000 s"* ]]
	# at constant rates all phases have the same one
	[ "$(grep memory_bandwidth_read <<<"$output" | awk '{ print $2 }' | sort -u | wc -l)" -eq 1 ]
	[ "$(grep -c 'memory_bandwidth_write .* MB/s' <<<"$output")" -eq 3 ]
	run "$B/fake_regions" memory_bandwidth_raed
	[ "$status" -eq 1 ]
	[[ $output == *"memory_bandwidth_read"* ]]
}

@test "the example readbw refuses wrong arguments before it opens the device" {
	for arguments in x 0 "1 2"; do
		# shellcheck disable=SC2086
		run "$B/tools/examples/readbw" $arguments
		[ "$status" -eq 2 ]
		[ "$output" = "usage: readbw [N]" ]
	done
}
