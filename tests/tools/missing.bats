#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Boxes and metrics that cannot be counted: the others are counted, and what is missing is named.
# The fake device has two dies with imc0 to imc3.  Box ids: imc0 to imc3 of die 0 are 7 to 10, those
# of die 1 are 24 to 27.  B is the directory of the test programs.

setup()
{
	export UCORE_FAKE=
	TMP=$BATS_TEST_TMPDIR
}

# Run ucoretool; stdout in $output, stderr in $err, status in $status
tool()
{
	status=0
	output=$(timeout 60 "$B/fake_tool" "$@" 2>"$TMP/err") || status=$?
	err=$(cat "$TMP/err")
}

has()
{
	for line; do
		grep -qxF -- "$line" <<<"$output" || { echo "no '$line' in:"; echo "$output"; return 1; }
	done
}

matches()
{
	for line; do
		grep -qE -- "$line" <<<"$output" || { echo "no /$line/ in:"; echo "$output"; return 1; }
	done
}

ONE="dead=26"			# imc2 of die 1 does not respond
TWO="dead=26 own=0/imc0"	# and another process has imc0 of die 0

@test "stat counts the other boxes and names the missing ones" {
	UCORE_FAKE=$TWO tool stat -e imc/CAS_COUNT.RD/ --timeout 1
	[ "$status" -eq 0 ]
	[ -z "$err" ]
	has "# not counted: imc0 of die 0: in use by process 4711 (other)" \
	    "# not counted: imc2 of die 1: does not respond"
	matches "  109,000 .*imc/CAS_COUNT.RD/ +6 of 8 imc$"
	UCORE_FAKE=$ONE tool stat -e imc/CAS_COUNT.RD/ --timeout 1 --per-socket
	matches "^     0 .*RD/$" "^     1 .*RD/ +3 of 4 imc$"
	UCORE_FAKE=$ONE tool stat -M memory_bandwidth_total --timeout 1 --per-socket
	matches "memory_bandwidth_total$" "memory_bandwidth_total +3 of 4 imc$"
}

@test "stat names missing boxes in CSV and JSON" {
	UCORE_FAKE=$TWO tool stat -e imc/CAS_COUNT.RD/ --timeout 1 -x,
	[ "$status" -eq 0 ]
	matches "^1000000000,0,0,,imc0,,,,,missing: in use by process 4711 \(other\),20" \
		"^1000000000,1,1,,imc2,,,,,missing: does not respond,20" \
		"^1000000000,,,,,109000,.*,imc/CAS_COUNT.RD/,6 of 8 imc,20"
	[[ $err == *"ucoretool stat: not counted: imc2 of die 1: does not respond"* ]]
	UCORE_FAKE=$TWO tool stat -e imc/CAS_COUNT.RD/ --timeout 1 -j
	matches '"socket":1,"die":1,"box":"imc2","note":"missing: does not respond"' \
		'"count":109000,.*"note":"6 of 8 imc"'
	# only once, not in each interval
	UCORE_FAKE=$TWO tool stat -e imc/CAS_COUNT.RD/ -I 1 --count 3 -j
	[ "$(grep -c '"missing' <<<"$output")" -eq 2 ]
	[ "$(grep -c '6 of 8 imc' <<<"$output")" -eq 3 ]
}

@test "many boxes with one reason are one line" {
	UCORE_FAKE="dead=24 dead=25 dead=27" tool stat -e imc/CAS_COUNT.RD/ --timeout 1
	has "# not counted: imc0-1,3 of die 1: does not respond"
}

@test "a box that firmware hides on one die is named" {
	UCORE_FAKE="hide=26" tool stat -e imc/CAS_COUNT.RD/ --timeout 1 --per-socket
	[ "$status" -eq 0 ]
	has "# not counted: imc2 of die 1: not found on this die, unlike on another die"
	matches "^     1 .*RD/ +3 of 4 imc$"
	UCORE_FAKE="hide=26" tool top --batch --count 1 -I 10 memory
	matches "^  not counted: imc2 of die 1: not found" "^socket 1 .* 3 of 4 imc$" "^socket 0 .*[0-9]$"
	UCORE_FAKE="hide=26" tool top --count 1 -I 10 memory -x,
	matches ",memory,1,1,imc2,,,,\"missing: not found" ",memory,1,,,.*,3 of 4 imc,"
}

@test "nothing that can be counted is an error with each cause" {
	UCORE_FAKE=$ONE tool stat -e imc2/CAS_COUNT.RD,die=1/ --timeout 1
	[ "$status" -eq 1 ]
	[ "$err" = "ucoretool stat: event 'imc2/CAS_COUNT.RD,die=1/': imc2 of die 1 does not respond. Use another box, or try again later" ]
	UCORE_FAKE="dead=26 own=0/imc2" tool stat -e imc2/CAS_COUNT.RD/ --timeout 1
	[ "$status" -eq 1 ]
	[ "$err" = "ucoretool stat: event 'imc2/CAS_COUNT.RD/': no box can count it: imc2 of die 0: in use by process 4711 (other); imc2 of die 1: does not respond" ]
}

@test "stat --strict refuses to count if anything is missing" {
	UCORE_FAKE=$ONE tool stat --strict -e imc/CAS_COUNT.RD/ --timeout 1
	[ "$status" -eq 1 ] && [ -z "$output" ]
	[[ $err == *"imc2 of die 1 does not respond"* ]]
	UCORE_FAKE="hide=26" tool stat --strict -e imc/CAS_COUNT.RD/ --timeout 1
	[ "$status" -eq 1 ] && [ -z "$output" ]
	[[ $err == *"imc2 of die 1: not found"*"--strict: something is missing"* ]]
	tool stat --strict -e imc/CAS_COUNT.RD/ --timeout 1
	[ "$status" -eq 0 ]
}

@test "a box that dies while stat counts is named until it responds again" {
	UCORE_FAKE="dies-at=26:2:4" tool stat -e imc/CAS_COUNT.RD/ -I 1 --count 5
	[ "$status" -eq 0 ]
	[ "$(grep -c "^# imc2 of die 1 does not respond and is not counted$" <<<"$output")" -eq 1 ]
	[ "$(grep -c "^# imc2 of die 1 responds again" <<<"$output")" -eq 1 ]
	[ "$(grep -c "box dead, 7 of 8 imc$" <<<"$output")" -eq 2 ]
	[ "$(grep -c "  gap$" <<<"$output")" -eq 1 ]
	UCORE_FAKE="dies-at=26:2:4" tool stat -e imc/CAS_COUNT.RD/ -I 1 --count 5 -x,
	[ "$(grep -c ",1,1,,imc2,,,,,missing: does not respond," <<<"$output")" -eq 2 ]
	[ "$(grep -c "responds again" <<<"$err")" -eq 1 ]
	UCORE_FAKE="dies-at=26:2:4" tool stat -M memory_bandwidth_total -I 1 --count 5 -j
	[ "$(grep -c '"note":"box dead, 7 of 8 imc"' <<<"$output")" -eq 2 ]
	UCORE_FAKE="dies-at=26:2:4" tool stat --strict -e imc/CAS_COUNT.RD/ -I 1 --count 5
	[ "$status" -eq 1 ]
	[[ $err == *"a box did not count all the time"* ]]
}

@test "stat -M leaves out metrics of a category that cannot be counted, and names them" {
	local busy="own=qpi0 own=qpi1"

	UCORE_FAKE=$busy tool stat -M 'qpi_data_transmit_bw,memory_bandwidth_read' --timeout 1
	[ "$status" -eq 1 ]
	UCORE_FAKE=$busy tool stat -M '*_b*' --timeout 1 -x,
	[ "$status" -eq 0 ]
	matches ",memory_bandwidth_read," "missing: event .*qpi0 of die 0: in use by process 4711 \(other\).*,qpi_"
	[[ $err == *"not counted: "*qpi_data_transmit_bw*"in use by process 4711"* ]]
	UCORE_FAKE=$busy tool stat -M '*_b*' --timeout 1
	matches "^# not counted: .*qpi_data_transmit_bw.*: event .*: in use by process 4711"
	UCORE_FAKE=$busy tool stat --strict -M '*_b*' --timeout 1
	[ "$status" -eq 1 ]
	# all fail: each cause once
	UCORE_FAKE=$busy tool stat -M 'qpi_*' --timeout 1
	[ "$status" -eq 1 ]
	[ "$(grep -o "in use by process" <<<"$err" | wc -l)" -eq 1 ]
}

@test "top counts the other boxes and names the missing ones" {
	UCORE_FAKE=$TWO tool top --batch --count 1 -I 10 memory
	[ "$status" -eq 0 ]
	has "  not counted: imc0 of die 0: in use by process 4711 (other)" \
	    "  not counted: imc2 of die 1: does not respond"
	matches "^socket 0 .*  3 of 4 imc$" "^socket 1 .*  3 of 4 imc$"
	UCORE_FAKE=$TWO tool top --count 1 -I 10 memory -j
	matches '"panel":"memory","socket":1,"die":1,"box":"imc2","note":"missing: does not respond"' \
		'"socket":1,"value":.*"note":"3 of 4 imc"'
	UCORE_FAKE=$TWO tool top --strict --count 1 -I 10 memory
	[ "$status" -eq 1 ]
	UCORE_FAKE="hide=26" tool top --strict --count 1 -I 10 memory
	[ "$status" -eq 1 ]
	[[ $err == *"imc2 of die 1: not found"* ]]
}

@test "top names the reason of each missing column" {
	UCORE_FAKE="own=imc0 own=imc1 own=imc2 own=imc3" tool top --batch --count 1 -I 10
	[ "$status" -eq 0 ]
	matches "^  not counted: READ MB/s, WRITE MB/s, BUSY %: imc0 of die 0: in use by process 4711 \(other\)"
	[[ $output != *PEAK* ]]
	UCORE_FAKE="own=imc0 own=imc1 own=imc2 own=imc3" tool top --count 1 -I 10 -x,
	matches ",memory,,,,,,memory_bandwidth_read,\"missing: imc0 of die 0: in use"
}

@test "a box that dies while top counts is missing in its interval" {
	UCORE_FAKE="dies-at=26:2:3" tool top --batch --count 3 -I 10 memory
	[ "$status" -eq 0 ]
	[ "$(grep -c "^socket 1 .* box dead, 3 of 4 imc$" <<<"$output")" -eq 1 ]
	[ "$(grep -c "^socket 1 .*[0-9]$" <<<"$output")" -eq 2 ]
	UCORE_FAKE="dies-at=26:2:3" tool top --strict --batch --count 3 -I 10 memory
	[ "$status" -eq 1 ]
}

@test "record counts the other boxes, and report names the missing ones" {
	UCORE_FAKE=$TWO tool record --timer 1ms --count 8 -M memory_bandwidth_total -o "$TMP/data"
	[ "$status" -eq 0 ]
	[[ $err == *"ucoretool record: not counted: imc0 of die 0: in use by process 4711 (other)"* ]]
	[[ $err == *"ucoretool record: not counted: imc2 of die 1: does not respond"* ]]
	tool report -i "$TMP/data" -M memory_bandwidth_total
	[ "$status" -eq 0 ]
	has "# not counted: imc0 of die 0: in use by process 4711 (other)" \
	    "# not counted: imc2 of die 1: does not respond"
	matches memory_bandwidth_total
	tool report -i "$TMP/data" -j
	matches '"missing":\[\{"die":0,"box":"imc0","reason":"busy","text":"in use by process 4711 \(other\)"\},\{"die":1,"box":"imc2","reason":"dead",'
	tool script -i "$TMP/data"
	[ "$status" -eq 0 ]
	# not what nobody asked to record
	tool record --timer 1ms --count 8 -e imc0/CAS_COUNT.RD/ -o "$TMP/data"
	tool report -i "$TMP/data" -M memory_bandwidth_read
	[ "$status" -eq 2 ]
	[[ $err == *"not recorded on imc1 of die 0"* ]]
}

@test "record --strict refuses to count if anything is missing" {
	UCORE_FAKE=$ONE tool record --strict --timer 1ms --count 8 -e imc/CAS_COUNT.RD/ -o "$TMP/data"
	[ "$status" -eq 1 ]
	[ ! -e "$TMP/data" ]
	UCORE_FAKE="hide=26" tool record --strict --timer 1ms --count 8 -e imc/CAS_COUNT.RD/ -o "$TMP/data"
	[ "$status" -eq 1 ]
	[ ! -e "$TMP/data" ]
	UCORE_FAKE="gap=3" tool record --timer 1ms --count 8 -e imc/CAS_COUNT.RD/ -o "$TMP/data"
	[ "$status" -eq 0 ]
	[[ $err == *"ucoretool record: imc2 of die 1 does not respond and is not counted"* ]]
	UCORE_FAKE="gap=3" tool record --strict --timer 1ms --count 8 -e imc/CAS_COUNT.RD/ -o "$TMP/data"
	[ "$status" -eq 1 ]
}
