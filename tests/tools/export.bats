#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# ucoretool export on a fake device: what scrapers see, whatever they are like.
# B is where the test programs are; PROMTOOL, if set, is Debian's.

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

# Run ucoretool export to its end; stdout in $output, stderr in $err, status in $status
export_run()
{
	status=0
	output=$(timeout 100 "$B/fake_tool" export "$@" 2>"$TMP/err") || status=$?
	err=$(cat "$TMP/err")
}

# Start it; its address in $address
export_begin()
{
	# there before anybody looks
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

# One page, without a server
page()
{
	"$B/fake_tool" export --textfile - -n 1 "$@" >"$TMP/page" 2>"$TMP/err" || {
		cat "$TMP/err"
		return 1
	}
}

# The samples of the last page: all of these lines
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

@test "wrong options are one line and exit 2" {
	while IFS='|' read -r args words; do
		echo "$args"
		# shellcheck disable=SC2086
		export_run $args
		complains 2 "$words"
	done <<-'EOT'
	extra|one word too many: 'extra'
	-l|option -l needs a value
	-l localhost|address 'localhost': HOST:PORT
	-l 127.0.0.1:|address '127.0.0.1:': HOST:PORT
	-l ::1:9739|address '::1:9739': HOST:PORT, [HOST]:PORT
	-l [::1:9739|address '[::1:9739'
	-l []:9739|address '[]:9739'
	-l 127.0.0.1:70000|port 70000: from 0 to 65535
	-l 127.0.0.1:-1|port '-1'
	-l 127.0.0.1:9739/metrics|port '9739/metrics'
	-l localhost:http|port 'http'
	-l unix:|unix socket '': a path of 1 to 107 letters
	-l /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|a path of 1 to 107 letters
	--socket-mode 0660|--socket-mode is about a unix socket
	--socket-mode 0660 -l :9739|--socket-mode is about a unix socket
	--socket-mode 0888 -l unix:/x|socket mode '0888'
	--socket-mode 01777 -l unix:/x|socket mode '01777'
	--textfile ucore.txt|names end in .prom
	--textfile /run/.prom|names end in .prom
	--textfile x.prom -I 10ms|interval '10ms': from 100ms to 3600s
	--textfile x.prom -I 15|interval '15': a number with
	--textfile x.prom -n 0|count 0: from 1
	-I 15s|give --textfile too
	-n 1|give --textfile too
	--cache 5s --textfile x.prom|--cache is about HTTP
	--cache 2000s|cache '2000s': from 0s to 60s
	--collect cpu|no collector 'cpu': there are memory, links, llc, io
	--collect memory,|no collector ''
	--collect none|nothing to count
	-e imc/CAS_COUNT.RD|two slashes
	-e imc/CAS_COUNT.RD/ -e imc/CAS_COUNT.RD/|event 'imc/CAS_COUNT.RD/' is given twice
	-e imc/CAS_COUNT.RD/,imc/CAS_COUNT.RD*/|event 'imc/CAS_COUNT.RD/' is given twice
	-e imc0/CAS_COUNT.RD,name=x/,imc/CAS_COUNT.WR,name=x/|event 'x' is given twice
	-e imc/ZZ*/|no event of imc matches 'ZZ*'
	-e imc/CAS_COUNT.DR/|did you mean 'CAS_COUNT.
	-e imc9/CAS_COUNT.RD/|no imc9
	--collect io|this machine has no events for collector 'io'
	EOT
}

@test "more events than counters, none of them the collectors': exit 2" {
	export_run -e "$(printf 'imc/CAS_COUNT.RD,thresh=%d/,' 1 2 3 4)imc/CAS_COUNT.WR/"
	complains 2 "imc0 of die 0 has no free counter"
}

@test "a processor without names: what to do, exit 2" {
	UCORE_FAKE="machine=generic" export_run
	complains 2 "nothing left to count; choose events with -e"
	UCORE_FAKE="machine=generic dies=1" page -e type_33/event=1/
	says 'ucore_events_total{event="type_33/event=1/",box="type_330",socket="0"} 5000'
}

@test "addresses that cannot be had: exit 1" {
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

@test "counts become bytes, by socket and channel" {
	# the fake's n-th box counts n * 1000 and its counter each time: imc0 is the eighth
	UCORE_FAKE="dies=1" page
	says 'ucore_memory_read_bytes_total{socket="0",channel="0"} 512000' \
	     'ucore_memory_read_bytes_total{socket="0",channel="3"} 704000' \
	     'ucore_memory_written_bytes_total{socket="0",channel="0"} 512064' \
	     'ucore_up 1' 'ucore_machine_info{platform="ivbep",family="6",model="62",stepping="4",abi="1"} 1'
	page
	says 'ucore_memory_read_bytes_total{socket="1",channel="0"} 1600000' \
	     'ucore_boxes{socket="1",type="imc"} 4' 'ucore_dead_boxes{socket="1",type="imc"} 0'
	# data flits of QPI are 8 bytes; of UPI nine are a line
	says 'ucore_link_transmit_bytes_total{socket="0",link="1"} 112000'
	UCORE_FAKE="machine=spr dies=1" page --collect links
	upi=$(UCORE_FAKE="machine=spr dies=1" "$B/fake_tool" export --textfile - -n 1 --collect none \
		-e upi0/TxL_FLITS.ALL_DATA/ | sed -n 's/^ucore_events_total{.*} //p')
	[ "$upi" -gt 0 ]
	says "ucore_link_transmit_bytes_total{socket=\"0\",link=\"0\"} $((upi * 64 / 9))"
	# Granite Rapids counts each channel's halves
	UCORE_FAKE="machine=gnr dies=1" page --collect memory
	both=$(UCORE_FAKE="machine=gnr dies=1" "$B/fake_tool" export --textfile - -n 1 --collect none \
		-e imc3/CAS_COUNT_SCH0.RD/,imc3/CAS_COUNT_SCH1.RD/ |
		awk '/^ucore_events_total/ { sum += $2 } END { print sum }')
	says "ucore_memory_read_bytes_total{socket=\"0\",channel=\"3\"} $((both * 64))"
}

@test "what is not told apart is added up" {
	UCORE_FAKE="dies=1" page --collect llc
	# four C-Boxes: the occupancy takes counter 0 of each, the misses 1, the first one's clock 2
	sum=$(grep -c '^ucore_llc_read_misses_total{' "$TMP/page")
	[ "$sum" -eq 1 ]
	misses=$(sed -n 's/^ucore_llc_read_misses_total{socket="0"} //p' "$TMP/page")
	[ "$misses" -gt 10000 ] && [ "$misses" -le 10012 ]
	clock=$(sed -n 's/^ucore_llc_clock_cycles_total{socket="0"} //p' "$TMP/page")
	[ "$clock" -ge 1000 ] && [ "$clock" -le 1003 ]
}

@test "events of your choice, of CPUs too" {
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

@test "collectors: all that the machine has, or those chosen" {
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
}

@test "promtool finds nothing wrong with the page of any machine" {
	needs_promtool
	for machine in ivbep hswep bdxde skx icx snr spr gnr; do
		UCORE_FAKE="machine=$machine cpus=2" page -e core/INSTRUCTIONS_RETIRED/,ubox/UCLK/
		"$UCORE_PROMETHEUS/promtool" check metrics <"$TMP/page"
	done
	UCORE_FAKE="open=2" page
	"$UCORE_PROMETHEUS/promtool" check metrics <"$TMP/page"
	# and does when there is something
	! sed 's/_total/_Total/' "$TMP/page" | "$UCORE_PROMETHEUS/promtool" check metrics
}

# ---- what goes wrong in the machine -----------------------------------------

@test "no driver: up is 0, and 1 when it comes" {
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
	# once each, however often they ask
	[ "$(grep -c 'not counting: .*modprobe ucore' "$TMP/err")" -eq 1 ]
	[ "$(grep -c ': counting$' "$TMP/err")" -eq 1 ]
}

@test "no permission, no boxes: up is 0 and the reason is told" {
	UCORE_FAKE="open=13" page
	says 'ucore_up 0'
	grep -q "permission denied" "$TMP/err"
	UCORE_FAKE="state=3 empty=1 reason=hidden_by_firmware" page
	says 'ucore_up 0'
	grep -q "hidden_by_firmware" "$TMP/err"
	UCORE_FAKE="fail=19:11" page
	says 'ucore_up 0'
	grep -q "cannot start" "$TMP/err"
}

@test "a device that is lost: up is 0, then counters go on from where they were" {
	# the third and the fourth READ fail
	UCORE_FAKE="dies=1 fail=22:19:2:2" export_begin -l 127.0.0.1:0 --cache 0s
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

@test "counters never fall" {
	# a READ that fails, one that tells less than the one before, a die without CPUs
	UCORE_FAKE="fail=22:5:4:1 back=9 offline=1" export_begin -l 127.0.0.1:0 --cache 0s \
		-e imc/CAS_COUNT.RD,thresh=1/
	[ "$(scrape steady "$address" 20 0.3)" -gt 30 ]
	scrape page "$address" >"$TMP/page"
	says 'ucore_die_online{socket="0"} 1' 'ucore_die_online{socket="1"} 0' \
	     'ucore_read_failures_total 1'
	export_end
}

@test "a dead box takes nothing from the others" {
	UCORE_FAKE="dies=1 dead=8" page
	says 'ucore_dead_boxes{socket="0",type="imc"} 1' 'ucore_boxes{socket="0",type="imc"} 4' \
	     'ucore_memory_read_bytes_total{socket="0",channel="2"} 640000' \
	     'ucore_collector_success{collector="memory"} 1'
	! grep -q 'ucore_memory_read_bytes_total.*channel="1"' "$TMP/page"
	# nor do several that are all that a collector has: it is left out, once
	UCORE_FAKE="dies=1 dead=7 dead=8 dead=9 dead=10" export_begin -l 127.0.0.1:0 --cache 0s
	scrape steady "$address" 5 2
	scrape page "$address" >"$TMP/page"
	says 'ucore_collector_success{collector="memory"} 0' 'ucore_up 1' 'ucore_reads_total 6'
	export_end
	[ "$(grep -c "memory is left out: .*none of its boxes answers" "$TMP/err")" -eq 1 ]
	[ "$(wc -l <"$TMP/err")" -eq 2 ]
	UCORE_FAKE="dies=1 dead=8" export_run --collect none -e imc1/CAS_COUNT.RD/ --textfile - -n 1
	[[ $output == *"ucore_up 0"* && $err == *"none of its boxes answers"* ]]
}

@test "what counts something else than it was asked for is not told" {
	UCORE_FAKE="dies=1 flags=16" page -e ubox/UCLK/
	says 'ucore_up 1'
	says_nothing_of ucore_memory_read_bytes_total ucore_events_total
}

@test "boxes that somebody else has are told, and taken when they are free" {
	UCORE_FAKE="own=imc1" page
	says 'ucore_collector_success{collector="memory"} 0' \
	     'ucore_collector_success{collector="links"} 1' 'ucore_up 1'
	says_nothing_of ucore_memory_read_bytes_total
	grep -q "memory is left out: .*process 4711 (other)" "$TMP/err"
	UCORE_FAKE="own=imc1:9" export_begin -l 127.0.0.1:0 --cache 0s
	for _ in $(seq 60); do
		scrape page "$address" >"$TMP/page"
		! grep -q 'collector="memory"} 1' "$TMP/page" || break
		sleep 0.5
	done
	says 'ucore_collector_success{collector="memory"} 1' 'ucore_up 1'
	grep -q '^ucore_memory_read_bytes_total' "$TMP/page"
	export_end
}

@test "collectors that do not fit beside your events are left out" {
	UCORE_FAKE="dies=1" page -e "$(printf 'imc/CAS_COUNT.RD,thresh=%d/,' 1 2 3)ubox/UCLK/"
	says 'ucore_collector_success{collector="memory"} 0' 'ucore_collector_success{collector="llc"} 1'
	grep -q "memory is left out: .*has no free counter" "$TMP/err"
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
	[ "$(head -n1 "$TMP/got")" = 200 ] && [ "$(tail -n1 "$TMP/got")" = "" ]
	[ "$(scrape get "$address" / | head -n1)" = 200 ]
	[ "$(scrape get "$address" /metricsx | head -n1)" = 404 ]
	for method in POST PUT DELETE; do
		scrape get "$address" /metrics $method >"$TMP/got"
		[ "$(head -n1 "$TMP/got")" = 405 ]
		grep -qx 'Allow: GET, HEAD' "$TMP/got"
	done
	export_end
}

@test "many scrapers at once cost one reading" {
	export_begin -l 127.0.0.1:0 --cache 60s
	[ "$(scrape together "$address" 50)" = 1 ]
	scrape page "$address" >"$TMP/page"
	says 'ucore_reads_total 1'
	export_end
}

@test "one reading for each scrape without a cache" {
	export_begin -l 127.0.0.1:0 --cache 0s
	scrape together "$address" 20
	scrape page "$address" >"$TMP/page"
	says 'ucore_reads_total 21'
	[ "$(sed -n 's/^ucore_memory_read_bytes_total{socket="0",channel="0"} //p' "$TMP/page")" -eq $((21 * 512000)) ]
	export_end
}

@test "a hundred slow and nonsensical clients disturb nothing" {
	export_begin -l 127.0.0.1:0 --cache 0s
	[ "$(scrape crowd "$address" 100)" = undisturbed ]
	export_end
	[ "$(wc -l <"$TMP/err")" -eq 1 ]
	export_begin -l "unix:$TMP/s" --cache 0s
	[ "$(scrape crowd "$address" 100)" = undisturbed ]
	export_end
}

@test "a connection that dribbles is ended" {
	export_begin -l 127.0.0.1:0
	[ "$(scrape patience "$address")" = ended ]
	export_end
}

@test "SIGTERM and SIGINT end it at once, also with connections that wait" {
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

@test "unix socket: its mode, a stale one, one in use, another file" {
	umask 022
	export_begin -l "unix:$TMP/s"
	[ "$(stat -c %a "$TMP/s")" = 660 ]
	scrape page "$address" >"$TMP/page"
	says 'ucore_up 1'
	first=$exporter
	cp "$TMP/err" "$TMP/first"
	export_run -l "$TMP/s"
	complains 1 "unix:$TMP/s: somebody else does"
	[ -S "$TMP/s" ]
	# killed, it leaves its file; the next one takes its place
	kill -KILL "$first"
	wait "$first" || true
	[ -S "$TMP/s" ]
	export_begin -l "unix:$TMP/s" --socket-mode 0600
	[ "$(stat -c %a "$TMP/s")" = 600 ]
	# what somebody else puts there is not ours to remove
	rm "$TMP/s"
	echo mine >"$TMP/s"
	export_end
	[ "$(cat "$TMP/s")" = mine ]
	export_run -l "unix:$TMP/s"
	complains 1 "there is a file that is no socket"
	[ "$(cat "$TMP/s")" = mine ]
}

# ---- the file ---------------------------------------------------------------

@test "textfile: written so often, readable for all" {
	umask 077
	export_run --textfile "$TMP/u.prom" -I 100ms -n 3
	[ "$status" -eq 0 ] && [ -z "$err" ] && [ -z "$output" ]
	[ "$(stat -c %a "$TMP/u.prom")" = 644 ]
	grep -qx 'ucore_reads_total 3' "$TMP/u.prom"
	[ "$(ls -A "$TMP" | grep -c prom)" -eq 1 ]
	export_run --textfile - -I 100ms -n 2
	[ "$(grep -c '^ucore_up 1$' <<<"$output")" -eq 2 ]
}

@test "textfile: readers find whole files only, and none afterwards" {
	# what a killed process left, and what somebody laid there
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
	# the same process, over HTTP
	scrape page "$address" >"$TMP/page"
	says 'ucore_up 1'
	export_end
	[ ! -e "$TMP/u.prom" ] && [ ! -e "$TMP/.u.prom.tmp" ] && [ ! -e "$TMP/victim" ]
}

@test "textfile: a place that cannot be written is told at once" {
	export_run --textfile "$TMP/nowhere/u.prom"
	complains 1 "nowhere/u.prom: cannot write: No such file"
	export_run --textfile - -n 1 >/dev/full || true
	status=0
	"$B/fake_tool" export --textfile - -n 1 >/dev/full 2>"$TMP/err" || status=$?
	[ "$status" -eq 1 ]
	grep -q "No space left" "$TMP/err"
}

@test "textfile: a disk that fills up later is told once, and written when there is room" {
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

@test "built without libmicrohttpd: the file works, and who listens is told what is missing" {
	status=0
	"$B/fake_tool_plain" export -l 127.0.0.1:0 >"$TMP/out" 2>"$TMP/err" || status=$?
	[ "$status" -eq 1 ]
	grep -q "built without libmicrohttpd" "$TMP/err"
	"$B/fake_tool_plain" export --textfile - -n 1 >"$TMP/page"
	says 'ucore_up 1'
}

@test "the library is loaded by export alone" {
	! ldd "$B/tools/ucoretool" | grep -E 'microhttpd|gnutls'
}

# ---- what comes with it -----------------------------------------------------

@test "the queries of dashboard and documentation parse, and name what there is" {
	needs_promtool
	scrape queries >"$TMP/rules.yml"
	"$UCORE_PROMETHEUS/promtool" check rules "$TMP/rules.yml"
	UCORE_FAKE="machine=spr" page -e imc/CLOCKTICKS/
	[ -z "$(scrape names - "$TMP/page")" ]
	# a query that does not parse is found
	! sed 's/sum by/sum bye/' "$TMP/rules.yml" >"$TMP/bad.yml" ||
		! "$UCORE_PROMETHEUS/promtool" check rules "$TMP/bad.yml"
	# and a metric that is not there
	grep -v ucore_dead_boxes "$TMP/page" >"$TMP/less"
	[ "$(scrape names - "$TMP/less")" = ucore_dead_boxes ]
}

@test "Debian's Prometheus scrapes it, and each panel of the dashboard has something to show" {
	needs_promtool
	UCORE_FAKE="machine=spr" export_begin -l 127.0.0.1:0 -e imc/CLOCKTICKS/
	[ "$(scrape dashboard "$address")" = "all panels" ]
	export_end
}

@test "the dashboard is whole: panels do not overlap, each has a title and a query" {
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

@test "systemd takes the unit, and finds it closed enough" {
	command -v systemd-analyze || skip "no systemd-analyze"
	unit=$TMP/ucore-export.service
	sed "s|@bindir@/ucoretool|$B/tools/ucoretool|" "$TOP/tools/export/ucore-export.service.in" >"$unit"
	[ -z "$(systemd-analyze verify --man=no "$unit" 2>&1)" ]
	systemd-analyze security --offline=true --threshold=15 "$unit"
	# neither is so of any unit
	sed -i '/^Protect/d;/^Restrict/d;/^Capability/d' "$unit"
	! systemd-analyze security --offline=true --threshold=15 "$unit"
	echo 'NoSuchThing=1' >>"$unit"
	[ -n "$(systemd-analyze verify --man=no "$unit" 2>&1)" ]
	# the options in it are options
	options=$(sed -n 's/^Environment="UCORE_EXPORT=\(.*\)"/\1/p' "$TOP/tools/export/ucore-export.service.in")
	# shellcheck disable=SC2086
	export_run $options --textfile "$TMP/u.prom" -n 1
	[ "$status" -eq 0 ]
}
