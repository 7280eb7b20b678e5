#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# ucoretool export on a fake device: pages, faults of the machine, clients of all kinds.
# B is the directory of the test programs. UCORE_PROMETHEUS, if set, is the directory of promtool.

setup()
{
	export UCORE_FAKE=
	TMP=$BATS_TEST_TMPDIR
	TOP=$BATS_TEST_DIRNAME/../..
	exporter=
}

teardown()
{
	[ -n "$exporter" ] || return 0
	kill -KILL "$exporter" || true
	wait "$exporter" 2>/dev/null || true
}

scrape()
{
	python3 "$BATS_TEST_DIRNAME/scrape.py" "$@"
}

# Run ucoretool export until it exits; set $output (stdout), $err (stderr) and $status
export_run()
{
	status=0
	output=$(timeout 100 "$B/fake_tool" export "$@" 2>"$TMP/err") || status=$?
	err=$(cat "$TMP/err")
}

# Start ucoretool export in the background; set $address
export_begin()
{
	# create the file before the first read
	: >"$TMP/err"
	"$B/fake_tool" export "$@" >"$TMP/out" 2>"$TMP/err" 3>&- &
	exporter=$!
	for _ in $(seq 600); do
		address=$(sed -n 's/^ucoretool export: listening on //p' "$TMP/err" 2>/dev/null)
		[ -z "$address" ] || return 0
		kill -0 "$exporter" || break
		sleep 0.1
	done
	cat "$TMP/err"
	return 1
}

export_end()
{
	kill "-${1:-TERM}" "$exporter"
	status=0
	wait "$exporter" || status=$?
	exporter=
	err=$(cat "$TMP/err")
	[ "$status" -eq 0 ] || { echo "status $status: $err"; return 1; }
}

# Write one page to $TMP/page, without a server
page()
{
	"$B/fake_tool" export --textfile - --count 1 "$@" >"$TMP/page" 2>"$TMP/err" || {
		cat "$TMP/err"
		return 1
	}
}

# Check that the last page has all of these lines
says()
{
	for line; do
		grep -qxF -- "$line" "$TMP/page" || {
			echo "no '$line'; there is"
			grep -F -- "${line%%[\{ ]*}" "$TMP/page"
			return 1
		}
	done
}

says_nothing_of()
{
	for name; do
		! grep -E "^$name[{ ]" "$TMP/page" || return 1
	done
}

complains()
{
	[ "$status" -eq "$1" ] || { echo "status $status, not $1: $err"; return 1; }
	[ -z "$output" ] || { echo "output: $output"; return 1; }
	[ "$(wc -l <"$TMP/err")" -eq 1 ] || { echo "not one line: $err"; return 1; }
	shift
	for word; do
		[[ $err == *"$word"* ]] || { echo "no '$word' in: $err"; return 1; }
	done
}

needs_promtool()
{
	[ -n "${UCORE_PROMETHEUS-}" ] || skip "no promtool: make tools-test brings it"
}

# ---- usage ------------------------------------------------------------------

@test "wrong options: one line of error, exit 2" {
	while IFS='|' read -r args words; do
		echo "$args"
		# shellcheck disable=SC2086
		export_run $args
		complains 2 "$words"
	done <<-'EOT'
	extra|unexpected argument 'extra'
	-l|option -l needs a value
	-l localhost|address 'localhost': not valid. Use HOST:PORT
	-l 127.0.0.1:|address '127.0.0.1:': not valid
	-l ::1:9739|address '::1:9739': not valid. Use HOST:PORT, [HOST]:PORT
	-l [::1:9739|address '[::1:9739'
	-l []:9739|address '[]:9739'
	-l 127.0.0.1:70000|port 70000: out of range. Use 0 to 65535
	-l 127.0.0.1:-1|port '-1'
	-l 127.0.0.1:9739/metrics|port '9739/metrics'
	-l localhost:http|port 'http'
	-l unix:|unix socket '': the path must have 1 to 107 characters
	-l /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|the path must have 1 to 107 characters
	--socket-mode 0660|--socket-mode: applies to a unix socket only
	--socket-mode 0660 -l :9739|--socket-mode: applies to a unix socket only
	--socket-mode 0888 -l unix:/x|socket mode '0888'
	--socket-mode 01777 -l unix:/x|socket mode '01777'
	--textfile ucore.txt|does not end in .prom
	--textfile /run/.prom|does not end in .prom
	--textfile x.prom -I 10ms|interval '10ms': out of range. Use 100ms to 3600s
	--textfile x.prom -I 15|interval '15': not a time
	--textfile x.prom --count 0|count 0: out of range. Use 1
	-I 15s|Give --textfile too
	--count 1|Give --textfile too
	--cache 5s --textfile x.prom|--cache: applies to HTTP only
	--cache 2000s|cache '2000s': out of range. Use 0s to 60s
	--collect cpu|collector 'cpu': unknown. Use memory, links, llc, io or none
	--collect memory,|collector '': unknown
	--collect none|nothing to count
	-e imc/CAS_COUNT.RD|two slashes
	-e imc/CAS_COUNT.RD/ -e imc/CAS_COUNT.RD/|event 'imc/CAS_COUNT.RD/': given twice
	-e imc/CAS_COUNT.RD/,imc/CAS_COUNT.RD*/|event 'imc/CAS_COUNT.RD/': given twice
	-e imc0/CAS_COUNT.RD,name=x/,imc/CAS_COUNT.WR,name=x/|event 'x': given twice
	-e imc/ZZ*/|no event of imc matches 'ZZ*'
	-e imc/CAS_COUNT.DR/|did you mean 'CAS_COUNT.
	-e imc9/CAS_COUNT.RD/|no imc9
	--collect io|collector 'io': not available on this processor
	EOT
}

@test "more events of -e than counters: exit 2" {
	export_run -e "$(printf 'imc/CAS_COUNT.RD,thresh=%d/,' 1 2 3 4)imc/CAS_COUNT.WR/"
	complains 2 "imc0 of die 0 has no free counter"
}

@test "a processor without named events: the error says what to do, exit 2" {
	UCORE_FAKE="machine=generic" export_run
	complains 2 "nothing left to count. Choose events with -e"
	UCORE_FAKE="machine=generic dies=1" page -e type_33/event=1/
	says 'ucore_events_total{event="type_33/event=1/",box="type_330",socket="0"} 5000'
}

@test "addresses that cannot be used: exit 1" {
	export_begin -l 127.0.0.1:0
	first=$exporter
	export_run -l "$(sed 's,http://\(.*\)/metrics,\1,' <<<"$address")"
	complains 1 "cannot listen on 127.0.0.1:" "Address already in use"
	export_run -l nowhere.invalid:9739
	complains 1 "cannot listen on nowhere.invalid:9739"
	export_run -l 192.0.2.1:9739
	complains 1 "cannot listen on 192.0.2.1:9739" "Cannot assign requested address"
	export_run -l "unix:$TMP/nowhere/s"
	complains 1 "cannot listen on unix:$TMP/nowhere/s" "No such file"
	exporter=$first
}

# ---- the page ---------------------------------------------------------------

@test "counts are converted to bytes, by socket and channel" {
	# box number n of the fake device adds n * 1000 + counter number at each read; imc0 is number 8
	UCORE_FAKE="dies=1" page
	says 'ucore_memory_read_bytes_total{socket="0",channel="0"} 512000' \
	     'ucore_memory_read_bytes_total{socket="0",channel="3"} 704000' \
	     'ucore_memory_written_bytes_total{socket="0",channel="0"} 512064' \
	     'ucore_up 1' 'ucore_machine_info{platform="ivbep",family="6",model="62",stepping="4",abi="1"} 1'
	page
	says 'ucore_memory_read_bytes_total{socket="1",channel="0"} 1600000' \
	     'ucore_boxes{socket="1",type="imc"} 4' 'ucore_dead_boxes{socket="1",type="imc"} 0'
	# a QPI data flit is 8 bytes; nine UPI data flits are a cache line
	says 'ucore_link_transmit_bytes_total{socket="0",link="1"} 112000'
	UCORE_FAKE="machine=spr dies=1" page --collect links
	upi=$(UCORE_FAKE="machine=spr dies=1" "$B/fake_tool" export --textfile - --count 1 --collect none \
		-e upi0/TxL_FLITS.ALL_DATA/ | sed -n 's/^ucore_events_total{.*} //p')
	[ "$upi" -gt 0 ]
	says "ucore_link_transmit_bytes_total{socket=\"0\",link=\"0\"} $((upi * 64 / 9))"
	# Granite Rapids counts the halves of each channel separately
	UCORE_FAKE="machine=gnr dies=1" page --collect memory
	both=$(UCORE_FAKE="machine=gnr dies=1" "$B/fake_tool" export --textfile - --count 1 --collect none \
		-e imc3/CAS_COUNT_SCH0.RD/,imc3/CAS_COUNT_SCH1.RD/ |
		awk '/^ucore_events_total/ { sum += $2 } END { print sum }')
	says "ucore_memory_read_bytes_total{socket=\"0\",channel=\"3\"} $((both * 64))"
}

@test "counts of events that had to wait for other sessions are scaled" {
	local whole half
	page
	whole=$(sed -n 's/^ucore_memory_read_bytes_total{socket="0",channel="0"} //p' "$TMP/page")
	UCORE_FAKE="share=50" page
	half=$(sed -n 's/^ucore_memory_read_bytes_total{socket="0",channel="0"} //p' "$TMP/page")
	[ $((whole - half)) -le $((whole / 50)) ]
	[ $((half - whole)) -le $((whole / 50)) ]
}

@test "boxes without a label of their own are added" {
	UCORE_FAKE="dies=1" page --collect llc
	# four C-Boxes: occupancy on counter 0, misses on counter 1, and the clock of the first on 2
	sum=$(grep -c '^ucore_llc_read_misses_total{' "$TMP/page")
	[ "$sum" -eq 1 ]
	misses=$(sed -n 's/^ucore_llc_read_misses_total{socket="0"} //p' "$TMP/page")
	[ "$misses" -gt 10000 ]
	[ "$misses" -le 10012 ]
	clock=$(sed -n 's/^ucore_llc_clock_cycles_total{socket="0"} //p' "$TMP/page")
	[ "$clock" -ge 1000 ]
	[ "$clock" -le 1003 ]
}

@test "events of -e, also of CPUs" {
	UCORE_FAKE="dies=1 cpus=2" page --collect none -e imc1/CAS_COUNT.RD/,core/INSTRUCTIONS_RETIRED/
	says 'ucore_events_total{event="imc1/CAS_COUNT.RD/",box="imc1",socket="0"} 9000' \
	     'ucore_events_total{event="core/INSTRUCTIONS_RETIRED/",box="core0",socket="0",cpu="1"} 19000'
	says_nothing_of ucore_memory_read_bytes_total ucore_collector_success
	# patterns, ranges, names
	UCORE_FAKE="dies=1" page --collect none -e 'imc2-3/CAS_COUNT.WR_*MM/,imc0/CAS_COUNT.RD,name=reads/'
	says 'ucore_events_total{event="imc2-3/CAS_COUNT.WR_RMM/",box="imc2",socket="0"} 10000' \
	     'ucore_events_total{event="imc2-3/CAS_COUNT.WR_WMM/",box="imc3",socket="0"} 11001' \
	     'ucore_events_total{event="reads",box="imc0",socket="0"} 8000'
	[ "$(grep -c '^ucore_events_total{' "$TMP/page")" -eq 5 ]
}

@test "times: enabled, running, frozen" {
	UCORE_FAKE="dies=1" page
	says 'ucore_enabled_seconds_total{socket="0"} 1.000000000' \
	     'ucore_running_seconds_total{socket="0"} 0.900000000' \
	     'ucore_read_skew_seconds 0.000000120' 'ucore_frozen_seconds_total{socket="0"} 0.000000000'
}

@test "collectors: all that the machine has, or the selected ones" {
	page
	says 'ucore_collector_success{collector="memory"} 1' 'ucore_collector_success{collector="llc"} 1'
	says_nothing_of 'ucore_io_read_bytes_total'
	! grep -q 'collector="io"' "$TMP/page"
	page --collect memory
	says_nothing_of ucore_link_transmit_bytes_total ucore_llc_read_misses_total
	for machine in spr gnr skx icx; do
		UCORE_FAKE="machine=$machine" page
		for name in memory links llc io; do
			says "ucore_collector_success{collector=\"$name\"} 1"
		done
		for name in $(grep -o 'ucore_[a-z_]*_total' "$TOP/tools/ucoretool/export/families.c"); do
			grep -q "^$name{socket=\"1\"" "$TMP/page" || { echo "$machine: no $name"; return 1; }
		done
	done
	for machine in hswep bdxde snr; do
		UCORE_FAKE="machine=$machine dies=1" page
		says 'ucore_collector_success{collector="memory"} 1'
	done
	# a collector has the metrics that the processor has
	UCORE_FAKE="machine=skl dies=1" page
	says 'ucore_collector_success{collector="llc"} 1' 'ucore_memory_read_bytes_total{socket="0",channel="0"} 450048'
	grep -q '^ucore_llc_read_misses_total{' "$TMP/page"
	says_nothing_of ucore_llc_read_miss_cycles_total
	UCORE_FAKE="machine=tgl dies=1" page
	grep -q '^ucore_llc_clock_cycles_total{' "$TMP/page"
	says_nothing_of ucore_llc_read_misses_total
}

@test "promtool accepts the page of each machine" {
	needs_promtool
	for machine in ivbep hswep bdxde skx icx snr spr gnr skl tgl; do
		clock=ubox/UCLK/
		[[ $machine != skl && $machine != tgl ]] || clock=clock/CLOCK.SOCKET/
		UCORE_FAKE="machine=$machine cpus=2" page -e "core/INSTRUCTIONS_RETIRED/,$clock"
		"$UCORE_PROMETHEUS/promtool" check metrics <"$TMP/page"
	done
	UCORE_FAKE="open=2" page
	"$UCORE_PROMETHEUS/promtool" check metrics <"$TMP/page"
	# promtool rejects a wrong page
	! sed 's/_total/_Total/' "$TMP/page" | "$UCORE_PROMETHEUS/promtool" check metrics
}

# ---- faults of the machine --------------------------------------------------

@test "no driver: up is 0, and 1 after the driver is loaded" {
	UCORE_FAKE="open=2:2" export_begin -l 127.0.0.1:0 --cache 0s
	scrape page "$address" >"$TMP/page"
	says 'ucore_up 0'
	says_nothing_of ucore_memory_read_bytes_total ucore_boxes ucore_machine_info
	for _ in $(seq 60); do
		scrape page "$address" >"$TMP/page"
		! grep -qx 'ucore_up 1' "$TMP/page" || break
		sleep 0.5
	done
	says 'ucore_up 1'
	grep -q '^ucore_memory_read_bytes_total' "$TMP/page"
	export_end
	# each message is printed once, regardless of the number of requests
	[ "$(grep -c 'not counting: .*modprobe ucore' "$TMP/err")" -eq 1 ]
	[ "$(grep -c ': counting$' "$TMP/err")" -eq 1 ]
}

@test "no permission, no boxes: up is 0, and the reason is printed" {
	UCORE_FAKE="open=13" page
	says 'ucore_up 0'
	grep -q "permission denied" "$TMP/err"
	UCORE_FAKE="state=3 empty=1 reason=hidden_by_firmware" page
	says 'ucore_up 0'
	grep -q "hidden_by_firmware" "$TMP/err"
	UCORE_FAKE="fail=20:11" page
	says 'ucore_up 0'
	grep -q "cannot start" "$TMP/err"
}

@test "a lost device: up is 0, then counters continue from their last values" {
	# the third and the fourth READ fail
	UCORE_FAKE="dies=1 fail=23:19:2:2" export_begin -l 127.0.0.1:0 --cache 0s
	scrape page "$address" >"$TMP/page"
	scrape page "$address" >"$TMP/page"
	says 'ucore_up 1' 'ucore_memory_read_bytes_total{socket="0",channel="0"} 1024000'
	scrape page "$address" >"$TMP/page"
	says 'ucore_up 0' 'ucore_read_failures_total 1'
	says_nothing_of ucore_memory_read_bytes_total ucore_enabled_seconds_total
	sleep 2.2
	scrape page "$address" >"$TMP/page"
	says 'ucore_up 0' 'ucore_read_failures_total 2'
	sleep 2.2
	scrape page "$address" >"$TMP/page"
	says 'ucore_up 1' 'ucore_memory_read_bytes_total{socket="0",channel="0"} 1536000' \
	     'ucore_enabled_seconds_total{socket="0"} 3.000000000' 'ucore_reads_total 3'
	export_end
	[[ $err == *"not counting: session: cannot read the counters: No such device"*": counting"* ]]
}

@test "counters never decrease" {
	# a READ that fails, a READ with smaller counts, a die without CPUs
	UCORE_FAKE="fail=23:5:4:1 back=9 offline=1" export_begin -l 127.0.0.1:0 --cache 0s \
		-e imc/CAS_COUNT.RD,thresh=1/
	[ "$(scrape steady "$address" 20 0.3)" -gt 30 ]
	scrape page "$address" >"$TMP/page"
	says 'ucore_die_online{socket="0"} 1' 'ucore_die_online{socket="1"} 0' \
	     'ucore_read_failures_total 1'
	export_end
}

@test "a dead box does not affect the others" {
	UCORE_FAKE="dies=1 dead=8" page
	says 'ucore_dead_boxes{socket="0",type="imc"} 1' 'ucore_boxes{socket="0",type="imc"} 4' \
	     'ucore_memory_read_bytes_total{socket="0",channel="2"} 640000' \
	     'ucore_collector_success{collector="memory"} 1'
	says 'ucore_box_missing{socket="0",box="imc1",reason="dead"} 1'
	grep -q "not counted: imc1 of die 0: does not respond" "$TMP/err"
	! grep -q 'ucore_memory_read_bytes_total.*channel="1"' "$TMP/page"
	# all boxes of a collector are dead: the collector is left out, with one message
	UCORE_FAKE="dies=1 dead=7 dead=8 dead=9 dead=10" export_begin -l 127.0.0.1:0 --cache 0s
	scrape steady "$address" 5 2
	scrape page "$address" >"$TMP/page"
	says 'ucore_collector_success{collector="memory"} 0' 'ucore_up 1' 'ucore_reads_total 6' \
	     'ucore_collector_missing{collector="memory",reason="dead"} 1'
	export_end
	[ "$(grep -c "collector 'memory': left out: .*imc0 of die 0 does not respond" "$TMP/err")" -eq 1 ]
	[ "$(wc -l <"$TMP/err")" -eq 2 ]
	UCORE_FAKE="dies=1 dead=8" export_run --collect none -e imc1/CAS_COUNT.RD/ --textfile - --count 1
	[[ $output == *"ucore_up 0"* && $err == *"imc1 of die 0 does not respond"* ]]
}

@test "a box that dies is missing until it responds again" {
	UCORE_FAKE="dies=1 dies-at=8:3:5" export_begin -l 127.0.0.1:0 --cache 0s
	for nr in 1 2 3 4 5; do
		scrape page "$address" >"$TMP/page"
		case $nr in
		3|4)
			says 'ucore_box_missing{socket="0",box="imc1",reason="dead"} 1'
			! grep -q 'ucore_memory_read_bytes_total{socket="0",channel="1"}' "$TMP/page" ;;
		*)
			says_nothing_of ucore_box_missing
			grep -q 'ucore_memory_read_bytes_total{socket="0",channel="1"}' "$TMP/page" ;;
		esac
	done
	export_end
}

@test "a box that firmware hides on one die is missing" {
	UCORE_FAKE="hide=26" page
	says 'ucore_box_missing{socket="1",box="imc2",reason="hidden"} 1' \
	     'ucore_collector_success{collector="memory"} 1'
}

@test "partial values are not published" {
	UCORE_FAKE="dies=1 flags=16" page -e ubox/UCLK/
	says 'ucore_up 1'
	says_nothing_of ucore_memory_read_bytes_total ucore_events_total
}

@test "boxes in use are reported, and counted when they are free" {
	UCORE_FAKE="own=imc0 own=imc1 own=imc2 own=imc3" page
	says 'ucore_collector_success{collector="memory"} 0' \
	     'ucore_collector_missing{collector="memory",reason="busy"} 1' \
	     'ucore_collector_success{collector="links"} 1' 'ucore_up 1'
	says_nothing_of ucore_memory_read_bytes_total
	grep -q "collector 'memory': left out: .*process 4711 (other)" "$TMP/err"
	UCORE_FAKE="own=0/imc1" page
	says 'ucore_collector_success{collector="memory"} 1' \
	     'ucore_box_missing{socket="0",box="imc1",reason="busy"} 1'
	says_nothing_of ucore_collector_missing
	! grep -q 'ucore_memory_read_bytes_total{socket="0",channel="1"}' "$TMP/page"
	UCORE_FAKE="own=imc1:40" export_begin -l 127.0.0.1:0 --cache 0s
	for _ in $(seq 60); do
		scrape page "$address" >"$TMP/page"
		grep -q 'ucore_box_missing{' "$TMP/page" || break
		sleep 0.5
	done
	says 'ucore_collector_success{collector="memory"} 1' 'ucore_up 1'
	says_nothing_of ucore_box_missing
	grep -q '^ucore_memory_read_bytes_total{socket="0",channel="1"}' "$TMP/page"
	export_end
}

@test "collectors that do not fit next to the events of -e are left out" {
	UCORE_FAKE="dies=1" page -e "$(printf 'imc/CAS_COUNT.RD,thresh=%d/,' 1 2 3)ubox/UCLK/"
	says 'ucore_collector_success{collector="memory"} 0' 'ucore_collector_success{collector="llc"} 1'
	grep -q "collector 'memory': left out: .*has no free counter" "$TMP/err"
	[ "$(grep -c '^ucore_events_total' "$TMP/page")" -eq 13 ]
}

# ---- HTTP -------------------------------------------------------------------

@test "HTTP: types, methods, paths" {
	export_begin -l 127.0.0.1:0
	scrape get "$address" >"$TMP/got"
	[ "$(head -n1 "$TMP/got")" = 200 ]
	grep -qx 'Content-Type: text/plain; version=0.0.4; charset=utf-8' "$TMP/got"
	grep -qx 'Connection: close' "$TMP/got"
	[ "$(scrape get "$address" '/metrics?collect[]=x' | head -n1)" = 200 ]
	scrape get "$address" /metrics HEAD >"$TMP/got"
	[ "$(head -n1 "$TMP/got")" = 200 ]
	[ "$(tail -n1 "$TMP/got")" = "" ]
	[ "$(scrape get "$address" / | head -n1)" = 200 ]
	[ "$(scrape get "$address" /metricsx | head -n1)" = 404 ]
	for method in POST PUT DELETE; do
		scrape get "$address" /metrics $method >"$TMP/got"
		[ "$(head -n1 "$TMP/got")" = 405 ]
		grep -qx 'Allow: GET, HEAD' "$TMP/got"
	done
	export_end
}

@test "many simultaneous scrapes cost one read" {
	export_begin -l 127.0.0.1:0 --cache 60s
	[ "$(scrape together "$address" 50)" = 1 ]
	scrape page "$address" >"$TMP/page"
	says 'ucore_reads_total 1'
	export_end
}

@test "without a cache, each scrape costs one read" {
	export_begin -l 127.0.0.1:0 --cache 0s
	scrape together "$address" 20
	scrape page "$address" >"$TMP/page"
	says 'ucore_reads_total 21'
	[ "$(sed -n 's/^ucore_memory_read_bytes_total{socket="0",channel="0"} //p' "$TMP/page")" -eq $((21 * 512000)) ]
	export_end
}

@test "a hundred slow or malformed clients do not disturb others" {
	export_begin -l 127.0.0.1:0 --cache 0s
	[ "$(scrape crowd "$address" 100)" = undisturbed ]
	export_end
	[ "$(wc -l <"$TMP/err")" -eq 1 ]
	export_begin -l "unix:$TMP/s" --cache 0s
	[ "$(scrape crowd "$address" 100)" = undisturbed ]
	export_end
}

@test "a slow connection is closed" {
	export_begin -l 127.0.0.1:0
	[ "$(scrape patience "$address")" = ended ]
	export_end
}

@test "SIGTERM and SIGINT end the exporter immediately, also with open connections" {
	for signal in TERM INT; do
		export_begin -l "unix:$TMP/s"
		python3 -c '
import socket, sys, time
there = [socket.socket(socket.AF_UNIX) for _ in range(20)]
for sock in there:
    sock.connect(sys.argv[1])
    sock.send(b"GET /metrics HTTP/1.1\r\n")
print("there", flush=True)
time.sleep(100)' "$TMP/s" >"$TMP/clients" 3>&- &
		clients=$!
		for _ in $(seq 200); do [ ! -s "$TMP/clients" ] || break; sleep 0.1; done
		[ -S "$TMP/s" ]
		begin=$(date +%s)
		export_end $signal
		[ $(($(date +%s) - begin)) -lt 8 ]
		[ ! -e "$TMP/s" ]
		kill $clients
	done
}

# ---- unix sockets -----------------------------------------------------------

@test "unix socket: mode, stale socket, socket in use, other file" {
	umask 022
	export_begin -l "unix:$TMP/s"
	[ "$(stat -c %a "$TMP/s")" = 660 ]
	scrape page "$address" >"$TMP/page"
	says 'ucore_up 1'
	first=$exporter
	cp "$TMP/err" "$TMP/first"
	export_run -l "$TMP/s"
	complains 1 "unix:$TMP/s: another process listens there"
	[ -S "$TMP/s" ]
	# a killed exporter leaves its file, and the next exporter replaces it
	kill -KILL "$first"
	wait "$first" || true
	[ -S "$TMP/s" ]
	export_begin -l "unix:$TMP/s" --socket-mode 0600
	[ "$(stat -c %a "$TMP/s")" = 600 ]
	# a file that another program created is not removed
	rm "$TMP/s"
	echo mine >"$TMP/s"
	export_end
	[ "$(cat "$TMP/s")" = mine ]
	export_run -l "unix:$TMP/s"
	complains 1 "the file exists and is not a socket"
	[ "$(cat "$TMP/s")" = mine ]
}

# ---- the textfile -----------------------------------------------------------

@test "textfile: written at each interval, readable for all users" {
	umask 077
	export_run --textfile "$TMP/u.prom" -I 100ms --count 3
	[ "$status" -eq 0 ]
	[ -z "$err" ]
	[ -z "$output" ]
	[ "$(stat -c %a "$TMP/u.prom")" = 644 ]
	grep -qx 'ucore_reads_total 3' "$TMP/u.prom"
	[ "$(ls -A "$TMP" | grep -c prom)" -eq 1 ]
	export_run --textfile - -I 100ms --count 2
	[ "$(grep -c '^ucore_up 1$' <<<"$output")" -eq 2 ]
}

@test "textfile: readers find whole files only, and no file after the exit" {
	# a temporary file of a killed process, replaced by a link of another user
	ln -s "$TMP/victim" "$TMP/.u.prom.tmp"
	export_begin --textfile "$TMP/u.prom" -I 100ms -l 127.0.0.1:0
	for _ in $(seq 300); do [ ! -e "$TMP/u.prom" ] || break; sleep 0.1; done
	python3 -c '
import sys, time
end, seen, families = time.monotonic() + 3, set(), set()
while time.monotonic() < end:
    text = open(sys.argv[1]).read()
    assert text.startswith("# HELP ucore_up") and text.endswith("\n"), text[-100:]
    families.add(text.count("# TYPE"))
    seen.add(text)
assert len(seen) > 3 and len(families) == 1, (len(seen), families)' "$TMP/u.prom"
	# the same process also serves HTTP
	scrape page "$address" >"$TMP/page"
	says 'ucore_up 1'
	export_end
	[ ! -e "$TMP/u.prom" ]
	[ ! -e "$TMP/.u.prom.tmp" ]
	[ ! -e "$TMP/victim" ]
}

@test "textfile: a path that cannot be written is an error at the start" {
	export_run --textfile "$TMP/nowhere/u.prom"
	complains 1 "nowhere/u.prom: cannot write: No such file"
	export_run --textfile - --count 1 >/dev/full || true
	status=0
	"$B/fake_tool" export --textfile - --count 1 >/dev/full 2>"$TMP/err" || status=$?
	[ "$status" -eq 1 ]
	grep -q "No space left" "$TMP/err"
}

@test "textfile: a later write error is reported once, and writing continues" {
	mkdir "$TMP/d"
	export_begin --textfile "$TMP/d/u.prom" -I 100ms -l 127.0.0.1:0
	for _ in $(seq 300); do [ ! -e "$TMP/d/u.prom" ] || break; sleep 0.1; done
	mv "$TMP/d" "$TMP/e"
	for _ in $(seq 300); do ! grep -q "cannot write" "$TMP/err" || break; sleep 0.1; done
	sleep 1
	mkdir "$TMP/d"
	for _ in $(seq 300); do [ ! -e "$TMP/d/u.prom" ] || break; sleep 0.1; done
	[ -e "$TMP/d/u.prom" ]
	export_end
	[ "$(grep -c "cannot write: No such file" "$TMP/err")" -eq 1 ]
}

# ---- without the library ----------------------------------------------------

@test "built without libmicrohttpd: the textfile works, and --listen reports what is missing" {
	status=0
	"$B/fake_tool_plain" export -l 127.0.0.1:0 >"$TMP/out" 2>"$TMP/err" || status=$?
	[ "$status" -eq 1 ]
	grep -q "built without libmicrohttpd" "$TMP/err"
	"$B/fake_tool_plain" export --textfile - --count 1 >"$TMP/page"
	says 'ucore_up 1'
}

@test "only export loads libmicrohttpd" {
	! ldd "$B/tools/ucoretool" | grep -E 'microhttpd|gnutls'
}

# ---- dashboard and unit -----------------------------------------------------

@test "queries of dashboard and documentation parse, and all their metrics exist" {
	needs_promtool
	scrape queries >"$TMP/rules.yml"
	"$UCORE_PROMETHEUS/promtool" check rules "$TMP/rules.yml"
	UCORE_FAKE="machine=spr" page -e imc/CLOCKTICKS/
	[ -z "$(scrape names - "$TMP/page")" ]
	# a query that does not parse is detected
	! sed 's/sum by/sum bye/' "$TMP/rules.yml" >"$TMP/bad.yml" ||
		! "$UCORE_PROMETHEUS/promtool" check rules "$TMP/bad.yml"
	# a missing metric is detected
	grep -v ucore_dead_boxes "$TMP/page" >"$TMP/less"
	[ "$(scrape names - "$TMP/less")" = ucore_dead_boxes ]
}

@test "Debian's Prometheus scrapes the page, and each panel of the dashboard has data" {
	needs_promtool
	UCORE_FAKE="machine=spr" export_begin -l 127.0.0.1:0 -e imc/CLOCKTICKS/
	[ "$(scrape dashboard "$address")" = "all panels" ]
	export_end
}

@test "the dashboard is complete: panels do not overlap, each has a title and a query" {
	python3 -c '
import json, sys
board = json.load(open(sys.argv[1]))
taken, idents = set(), set()
for panel in board["panels"]:
    assert panel["title"] and panel["id"] not in idents, panel["title"]
    idents.add(panel["id"])
    pos = panel["gridPos"]
    cells = {(x, y) for x in range(pos["x"], pos["x"] + pos["w"])
             for y in range(pos["y"], pos["y"] + pos["h"])}
    assert not cells & taken and max(x for x, _ in cells) < 24, panel["title"]
    taken |= cells
    assert panel["type"] == "row" or all(t["expr"] for t in panel["targets"]), panel["title"]
    assert panel["type"] == "row" or panel["targets"], panel["title"]
assert len(idents) > 20' "$TOP/tools/export/grafana-dashboard.json"
}

@test "systemd accepts the unit and rates it as confined" {
	command -v systemd-analyze || skip "no systemd-analyze"
	unit=$TMP/ucore-export.service
	sed "s|@bindir@/ucoretool|$B/tools/ucoretool|" "$TOP/tools/export/ucore-export.service.in" >"$unit"
	[ -z "$(systemd-analyze verify --man=no "$unit" 2>&1)" ]
	systemd-analyze security --offline=true --threshold=15 "$unit"
	# both checks fail for a worse unit
	sed -i '/^Protect/d;/^Restrict/d;/^Capability/d' "$unit"
	! systemd-analyze security --offline=true --threshold=15 "$unit"
	echo 'NoSuchThing=1' >>"$unit"
	[ -n "$(systemd-analyze verify --man=no "$unit" 2>&1)" ]
	# the options in the unit are valid
	options=$(sed -n 's/^Environment="UCORE_EXPORT=\(.*\)"/\1/p' "$TOP/tools/export/ucore-export.service.in")
	# shellcheck disable=SC2086
	export_run $options --textfile "$TMP/u.prom" --count 1
	[ "$status" -eq 0 ]
}
