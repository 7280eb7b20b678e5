#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What a user sees of ucoretool: on a fake device (UCORE_FAKE says which), so
# that it runs anywhere.  B is where the test programs are.

setup()
{
	export UCORE_FAKE=
	TMP=$BATS_TEST_TMPDIR
}

# Run ucoretool; stdout in $output, stderr in $TMP/err, status in $status
tool()
{
	status=0
	output=$("$B/fake_tool" "$@" 2>"$TMP/err") || status=$?
	err=$(cat "$TMP/err")
}

# One line on stderr, nothing on stdout, and the exit code
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

record_file()
{
	tool record -c 1000 -e imc/CAS_COUNT.RD/,cbo/CLOCKTICKS/ -n 8 -o "$TMP/data" "$@"
	[ "$status" -eq 0 ]
}

# ---- usage ------------------------------------------------------------------

@test "no command shows the usage and exits 2" {
	tool
	[ "$status" -eq 2 ]
	[[ $err == usage:* ]]
}

@test "an unknown command is one line and exit 2" {
	tool frobnicate
	complains 2 "no command 'frobnicate'"
}

@test "help goes to stdout and exits 0" {
	for args in --help -h help "help stat" "stat --help" "list --help" "report --help"; do
		tool $args
		[ "$status" -eq 0 ]
		[[ $output == usage:* ]]
		[ -z "$err" ]
	done
}

@test "--version" {
	tool --version
	[ "$status" -eq 0 ]
	[[ $output == "ucoretool "* ]]
}

@test "wrong options are one line and exit 2" {
	while IFS='|' read -r args words; do
		echo "$args"
		# shellcheck disable=SC2086
		tool $args
		complains 2 "$words"
	done <<-'EOF'
	list -q|unknown option -q
	list --frob|unknown option --frob
	list -x|option -x needs a value
	list events --platform|needs a value
	list events --platform 8086|no event names for platform '8086'
	list nonsense|cannot list 'nonsense'
	list boxes a b|one word too many
	list -x ab|separator 'ab'
	list -x 1|separator '1'
	info extra|one word too many
	report extra|one word too many
	stat|no event: give -e
	stat -e|option -e needs a value
	stat -e imc|a box without an event
	stat -e imc/|two slashes
	stat -e imc/CAS_COUNT.RD|two slashes
	stat -e imc/NOSUCH/|no event or field 'NOSUCH'
	stat -e imc/CAS_COUNT.DR/|did you mean 'CAS_COUNT.
	stat -e imc9/CAS_COUNT.RD/|no imc9
	stat -e imc/CAS_COUNT.RD,die=9/|no die 9
	stat -e imc/event=0x1000/|does not fit
	stat -e cbo/TOR_INSERTS.OPCODE/|add filter_opc=VALUE
	stat -e imc/CAS_COUNT.RD,period=5/|period= makes samples: use record
	stat -I 0 -e imc/CAS_COUNT.RD/|interval 0: from 1
	stat -I x -e imc/CAS_COUNT.RD/|interval 'x' is not a number
	stat -n 3 -e imc/CAS_COUNT.RD/|-n counts intervals
	stat -C a -e imc/CAS_COUNT.RD/|CPU 'a' is not a number
	stat -C 1, -e imc/CAS_COUNT.RD/|CPU '' is not a number
	stat -C 99 -e imc/CAS_COUNT.RD/|CPU 99: no such CPU
	record -e imc/CAS_COUNT.RD/|nothing ends an interval
	record -c 0 -e imc/CAS_COUNT.RD/|period 0: from 1
	record -c 5 -e imc/CAS_COUNT.RD,period=6/|a period of its own
	record -c 1000 -e cbo/CLOCKTICKS/|cbo cannot interrupt
	record --timer 5 -e imc/CAS_COUNT.RD/|a number with ns, us, ms or s
	record --timer 5us -e imc/CAS_COUNT.RD/|from 100us
	record --timer 99999999999999999999s -e imc/CAS_COUNT.RD/|a number with
	record -m 5000 --timer 1ms -e imc/CAS_COUNT.RD/|a power of two
	record -m 128M --timer 1ms -e imc/CAS_COUNT.RD/|a power of two
	EOF
}

@test "more events than counters: which box, exit 2" {
	tool stat -e "$(printf 'imc/CAS_COUNT.RD/%.0s,' 1 2 3 4)imc/CAS_COUNT.WR/"
	complains 2 "imc0 of die 0 is full" "no multiplexing"
}

@test "events that disagree on a filter: both names, exit 2" {
	tool stat -e cbo/TOR_INSERTS.OPCODE,filter_opc=0x182/ \
	     -e cbo/TOR_INSERTS.MISS_OPCODE,filter_opc=0x180/
	complains 2 "filter_opc" "MISS_OPCODE" "TOR_INSERTS.OPCODE,filter_opc=0x182"
}

# ---- a machine that refuses -------------------------------------------------

@test "no driver, no permission: exit 1 and what to do" {
	for command in list info "stat -e imc/CAS_COUNT.RD/" "record -c 9 -e imc/CAS_COUNT.RD/"; do
		UCORE_FAKE="open=2" tool $command
		complains 1 "modprobe ucore"
		UCORE_FAKE="open=13" tool $command
		complains 1 "permission denied"
	done
}

@test "no boxes: the driver's reason" {
	UCORE_FAKE="state=3 empty=1 reason=hidden_by_firmware" tool list
	complains 1 "hidden_by_firmware"
	UCORE_FAKE="state=3 empty=1 reason=hidden_by_firmware" tool stat -e imc/CAS_COUNT.RD/
	complains 1 "hidden_by_firmware"
	UCORE_FAKE="state=3 empty=1 reason=hidden_by_firmware" tool info
	[ "$status" -eq 0 ]
	[[ $output == *"boxes hidden"*hidden_by_firmware* ]]
}

@test "the in-tree driver: exit 1" {
	UCORE_FAKE="state=4 reason=rmmod_it" tool stat -e imc/CAS_COUNT.RD/
	complains 1 "rmmod_it"
	UCORE_FAKE="state=4 reason=rmmod_it" tool list
	[ "$status" -eq 0 ]
	[[ $err == *rmmod_it ]]
}

@test "a box in use names its holder, exit 1" {
	UCORE_FAKE="own=imc1" tool stat -e imc/CAS_COUNT.RD/
	complains 1 "imc1 of die 0" "process 4711 (other)"
	UCORE_FAKE="own=imc1" tool list
	[[ $output == *"4711 (other)"* ]]
}

@test "each command the driver fails is one line and exit 1" {
	# nr of the command, errno 5
	for nr in 1 2 4 18 19 22 23; do
		UCORE_FAKE="fail=$nr:5" tool stat -C 0 -e imc/CAS_COUNT.RD/ -I 1 -n 1 -x,
		echo "$nr: $err"
		[ "$status" -eq 1 ]
	done
	for nr in 20 24; do
		UCORE_FAKE="fail=$nr:5" tool record --timer 1ms -e imc/CAS_COUNT.RD/ -n 1 -o "$TMP/d"
		echo "$nr: $err"
		complains 1 "Input/output error"
	done
}

@test "a ring too small for two samples: use a larger one" {
	UCORE_FAKE="fail=19:28" tool record --timer 1ms -e imc/CAS_COUNT.RD/ -o "$TMP/d"
	complains 2 "larger ring"
}

# ---- list and info ----------------------------------------------------------

@test "list shows every box" {
	tool list
	[ "$status" -eq 0 ]
	[ "$(wc -l <<<"$output")" -eq 35 ]
	[[ $output == *"  1  imc         3  ecam           4    48      1    48  overflow fixed-overflow freeze"* ]]
	tool list boxes imc
	[ "$(wc -l <<<"$output")" -eq 9 ]
}

@test "list as CSV and JSON" {
	tool list -x,
	[[ $(sed -n 1p <<<"$output") == die,type,instance,access,counters,width,fixed,fixed_width,caps,owner ]]
	[[ $(sed -n 2p <<<"$output") == 0,cbo,0,msr,4,44,0,,freeze, ]]
	tool list -j
	[[ $(sed -n 1p <<<"$output") == '{"die":0,"type":"cbo","instance":0,"access":"msr","counters":4,"width":44,"fixed":0,"caps":"freeze"}' ]]
}

@test "list events: all of the platform's, with and without a device" {
	tool list events -x,
	[ "$status" -eq 0 ]
	[ "$(wc -l <<<"$output")" -eq 1077 ]
	[[ $output == *$'\n'imc,CAS_COUNT.RD,UNC_M_CAS_COUNT.RD,0x04,0x03,"0 1 2 3",,$'\n'* ]]
	[[ $output == *$'\n'qpi,CTO_COUNT,UNC_Q_CTO_COUNT,0x138,0x00,* ]]
	UCORE_FAKE="open=2" tool list events --platform ivbep cas_count.rd
	[ "$status" -eq 0 ]
	[ "$(wc -l <<<"$output")" -eq 6 ]
	tool list events '*llc_LOOKUP.*'
	[ "$(wc -l <<<"$output")" -eq 6 ]
}

@test "every event of the CSV is listed with its code" {
	tool list events -x,
	awk -F, '!/^#/ && $1 != "Unit" {
		event = $3; sub(/^0[xX]/, "", event); if (length(event) == 1) event = "0" event
		if ($5 == 1) event = "1" event
		umask = $4; sub(/^0[xX]/, "", umask); if (length(umask) == 1) umask = "0" umask
		print toupper($2) ",0x" tolower(event) ",0x" tolower(umask) }' "$BATS_TEST_DIRNAME/../../tools/events/ivbep.csv" |
		sort >"$TMP/want"
	awk -F, 'NR > 1 && $4 != "" { print toupper($3) "," $4 "," $5 }' <<<"$output" | sort >"$TMP/have"
	[ "$(wc -l <"$TMP/want")" -eq 1074 ]
	diff "$TMP/want" "$TMP/have"
}

@test "list fields" {
	tool list fields cbo
	[ "$status" -eq 0 ]
	[[ $output == *filter_opc*0x1ff*yes* ]]
}

@test "info shows machine, dies and, to root, addresses" {
	tool info
	[ "$status" -eq 0 ]
	[[ $output == *"platform   ivbep"*"model 62"*"34 on 2 dies"*"ecam 0000:7f:10.0+0xf4"* ]]
	tool info -j
	command -v python3 || skip "no python3"
	python3 -c 'import json,sys; i = json.loads(sys.argv[1]); assert len(i["dies"]) == 2' "$output"
}

# ---- stat -------------------------------------------------------------------

@test "stat: total, per socket, per box" {
	tool stat -e imc/CAS_COUNT.RD/ -I 1 -n 1 -x,
	[ "$status" -eq 0 ]
	[[ $(sed -n 1p <<<"$output") == time_ns,socket,die,box,count,mib_per_s,running_percent,event,note ]]
	[[ $(sed -n 2p <<<"$output") == 1000000000,,,,144000,9.77,90.00,imc/CAS_COUNT.RD/, ]]
	[ "$(wc -l <<<"$output")" -eq 2 ]
	tool stat -e imc/CAS_COUNT.RD/ -I 1 -n 1 -x, --per-socket
	[[ $(sed -n 2p <<<"$output") == 1000000000,0,,,38000,* ]]
	[[ $(sed -n 3p <<<"$output") == 1000000000,1,,,106000,* ]]
	tool stat -e imc/CAS_COUNT.RD/ -I 1 -n 1 -x, --per-box
	[ "$(wc -l <<<"$output")" -eq 9 ]
	[[ $(sed -n 4p <<<"$output") == 1000000000,0,0,imc2,10000,* ]]
}

@test "stat -I: each interval its own counts, one READ each" {
	tool stat -e imc2/CAS_COUNT.RD,die=0/ -I 1 -n 3 -x';'
	[ "$status" -eq 0 ]
	[ "$(cut -d';' -f1,5 <<<"$output")" = $'time_ns;count\n1000000000;10000\n2000000000;10000\n3000000000;10000' ]
	[[ $err == "# 3.000000 s counted, 3 reads, 12.0 register accesses each"* ]]
}

@test "stat -I waits for each interval" {
	start=$(date +%s%N)
	tool stat -e imc/CAS_COUNT.RD/ -I 40 -n 3 -x,
	[ "$status" -eq 0 ]
	[ $(($(date +%s%N) - start)) -ge 120000000 ]
}

@test "stat as a table ends with its cost" {
	tool stat -e imc/CAS_COUNT.RD/ --timeout 5
	[ "$status" -eq 0 ]
	[[ $output == *"144,000        9.77      90.00  imc/CAS_COUNT.RD/"* ]]
	[[ $output == *"# 1.000000 s counted, 1 reads"*"skew between them at most 0.1 us" ]]
	[ -z "$err" ]
}

@test "stat as JSON: rows and a summary" {
	tool stat -j -e imc/CAS_COUNT.RD/,ubox/UCLK/ --timeout 1
	[ "$status" -eq 0 ]
	[[ $(sed -n 1p <<<"$output") == '{"time_ns":1000000000,"count":144000,"mib_per_s":9.766,"running_percent":90.000,"event":"imc/CAS_COUNT.RD/"}' ]]
	[[ $(sed -n 3p <<<"$output") == '{"summary":{"time_ns":1000000000,"reads":1,'* ]]
}

@test "stat -o writes to a file" {
	tool stat -e imc/CAS_COUNT.RD/ --timeout 1 -o "$TMP/out"
	[ "$status" -eq 0 ] && [ -z "$output" ]
	grep -q "imc/CAS_COUNT.RD/" "$TMP/out"
	tool stat -e imc/CAS_COUNT.RD/ --timeout 1 -o /nonexistent/out
	complains 1 "/nonexistent/out: cannot create"
	tool stat -e imc/CAS_COUNT.RD/ --timeout 1 -o /dev/full
	complains 1 "/dev/full: cannot write"
}

@test "stat marks what cannot be counted" {
	UCORE_FAKE="flags=2" tool stat -e imc/CAS_COUNT.RD/ --timeout 1 -x,
	[[ $output == *"box dead"* ]]
	UCORE_FAKE="flags=4" tool stat -e imc/CAS_COUNT.RD/ --timeout 1 -x,
	[[ $output == *"die offline"* ]]
}

@test "stat runs a program, with its options and its end" {
	tool stat -e imc/CAS_COUNT.RD/ -x, -- sh -c 'echo "ran $0"' -n
	[ "$status" -eq 0 ]
	[[ $output == "ran -n"* ]]
	tool stat -e imc/CAS_COUNT.RD/ -x, echo -I
	[ "$status" -eq 0 ]
	[[ $output == "-I"* ]]
	tool stat -D 20 -e imc/CAS_COUNT.RD/ -x, sleep 0.05
	[ "$status" -eq 0 ]
}

@test "stat: the program's failure is told" {
	tool stat -e imc/CAS_COUNT.RD/ -x, -- sh -c 'exit 7'
	[ "$status" -eq 1 ]
	[[ $err == *"ended with status 7"* ]]
	[[ $output == *144000* ]]
	tool stat -e imc/CAS_COUNT.RD/ -x, -- sh -c 'kill -9 $$'
	[[ $err == *"died of signal 9"* ]]
	tool stat -e imc/CAS_COUNT.RD/ -x, -- /nonexistent/program
	complains 1 "cannot run '/nonexistent/program': No such file"
}

@test "stat ends a program that outlives the timeout" {
	tool stat -e imc/CAS_COUNT.RD/ -x, --timeout 20 -- sleep 100
	[ "$status" -eq 0 ]
	[[ $output == *144000* ]]
}

@test "stat ends at Ctrl-C with its counts" {
	"$B/fake_tool" stat -e imc/CAS_COUNT.RD/ -x, >"$TMP/out" 2>/dev/null &
	pid=$!
	# it is ready once it has blocked the signals it waits for
	until grep -q '^SigBlk:.*[1-9a-f]' /proc/$pid/status; do :; done
	kill -INT $pid
	wait $pid
	grep -q 144000 "$TMP/out"
}

@test "perf's -a is accepted, -C chooses the PMI core" {
	tool stat -a -C 0,8 -e imc/CAS_COUNT.RD/ --timeout 1
	[ "$status" -eq 0 ]
}

# ---- record and report ------------------------------------------------------

@test "record says what it wrote and what it cost" {
	record_file
	[[ $err == "8 samples of 2 dies in "*"written to $TMP/data, 0 records lost"* ]]
	[[ $err == *"cost: 2.50 us and 13.0 register accesses a sample"* ]]
	[ -z "$output" ]
}

@test "report as a table" {
	record_file
	tool report -i "$TMP/data"
	[ "$status" -eq 0 ]
	[ "$(grep -c '  die 0  cpu 0  overflow of imc0 imc/CAS_COUNT.RD/  frozen 1.50 us  pid 42/43 ip 0xffffffff81000123 kernel' <<<"$output")" -eq 4 ]
	[[ $output == *"38,000  imc       imc/CAS_COUNT.RD/"*"overflow"* ]]
	[[ $output == *"# 8 samples, 0 records lost, 0 gaps; 500.0 samples/s on each die"* ]]
	[[ $output == *"# cost of a sample: 2.50 us, 13.0 register accesses" ]]
}

@test "report: sums, boxes and totals" {
	record_file
	tool report -i "$TMP/data" -x,
	[ "$status" -eq 0 ]
	[ "$(wc -l <<<"$output")" -eq 17 ]
	[ "$(cut -d, -f1,3,4,16,17 <<<"$output" | grep sample,0 | sed -n 1,4p)" = \
	  $'sample,0,0,imc/CAS_COUNT.RD/,38000\nsample,0,0,cbo/CLOCKTICKS/,10000\nsample,0,1,imc/CAS_COUNT.RD/,38000\nsample,0,1,cbo/CLOCKTICKS/,10000' ]
	tool report -i "$TMP/data" -x, --totals
	[ "$(grep ^sample,[0-9]*,0,1 <<<"$output" | cut -d, -f17 | sed -n 1p)" = 76000 ]
	tool report -i "$TMP/data" -x, --per-box
	[ "$(wc -l <<<"$output")" -eq 65 ]
	[ "$(cut -d, -f15-17 <<<"$output" | sed -n 3p)" = imc1,imc/CAS_COUNT.RD/,9000 ]
}

@test "report as JSON is one object per record" {
	record_file
	tool report -i "$TMP/data" -j --per-box
	[ "$status" -eq 0 ]
	[ "$(wc -l <<<"$output")" -eq 9 ]
	[[ $(sed -n 1p <<<"$output") == '{"record":"sample",'*'"trigger":"overflow","trigger_event":"imc/CAS_COUNT.RD/","trigger_box":"imc0",'*'"values":[{"box":"imc0","event":"imc/CAS_COUNT.RD/","count":8000,"note":"overflow"},'* ]]
	[[ $(sed -n 9p <<<"$output") == '{"record":"summary","samples":8,"lost":0,'*'"complete":1,'* ]]
	command -v python3 || skip "no python3"
	python3 -c 'import json,sys; [json.loads(line) for line in sys.stdin]' <<<"$output"
}

@test "samples of several dies stand in the order of time" {
	UCORE_FAKE="batch=3" tool record -c 9 -e imc/CAS_COUNT.RD/ -n 40 -o "$TMP/data"
	tool report -i "$TMP/data" -x,
	sed 1d <<<"$output" | cut -d, -f2 >"$TMP/times"
	[ "$(wc -l <"$TMP/times")" -eq 40 ]
	sort -c -n "$TMP/times"
	[ "$(sed 1d <<<"$output" | cut -d, -f3 | uniq | wc -l)" -eq 40 ]
}

@test "a timer triggers too" {
	tool record --timer 1ms -e imc/CAS_COUNT.RD/ -n 4 -o "$TMP/data"
	[ "$status" -eq 0 ]
	tool report -i "$TMP/data" -x,
	[[ $output == *,timer,,,* ]]
}

@test "record to a pipe, report from it" {
	set -o pipefail
	"$B/fake_tool" record -c 9 -e imc/CAS_COUNT.RD/ -n 4 -o - 2>/dev/null |
		"$B/fake_tool" report -i - -x, >"$TMP/out"
	[ "$(wc -l <"$TMP/out")" -eq 5 ]
}

@test "loss is survived, recorded and told" {
	UCORE_FAKE="batch=100" tool record -c 9 -e imc/CAS_COUNT.RD/ -m 4096 -n 60 -o "$TMP/data"
	[ "$status" -eq 0 ]
	[[ $err == *"try a larger ring (-m)"* ]]
	tool report -i "$TMP/data" -j
	[ "$status" -eq 0 ]
	[[ $output == *'{"record":"lost",'*'"lost":'* ]]
	[[ $output == *'{"record":"summary","samples":60,'* ]]
}

@test "a file that is none, damaged, or cut off" {
	tool report -i /nonexistent
	complains 1 "/nonexistent: cannot open"
	echo "hello, this is not what you are looking for, not at all, go away, please, now" >"$TMP/data"
	tool report -i "$TMP/data"
	complains 1 "not a file of samples"
	record_file
	head -c 3000 "$TMP/data" >"$TMP/short"
	tool report -i "$TMP/short" -x,
	[ "$status" -eq 1 ]
	[[ $err == *"cut off"* ]]
}

@test "a file without its end is reported as far as it goes" {
	record_file
	size=$(stat -c %s "$TMP/data")
	# the last entry is a head of 16 bytes and struct ucore_status, 96 bytes
	head -c $((size - 112)) "$TMP/data" >"$TMP/short"
	tool report -i "$TMP/short"
	[ "$status" -eq 0 ]
	[[ $output == *"# 8 samples"*"cut short: its cost is not known" ]]
}

@test "records out of order are damage" {
	record_file
	# the head, then the same first entry twice
	head=$((72 + 2 * 8 + 16 * 240))
	entry=$((16 + 88 + 8 * 16))
	{ head -c $((head + entry)) "$TMP/data"; tail -c +$((head + 1)) "$TMP/data" | head -c $entry; } >"$TMP/twice"
	tool report -i "$TMP/twice" -j
	[ "$status" -eq 1 ]
	[[ $err == *"out of order"* ]]
}

@test "a sample with an event twice, or one of another die, is damage" {
	head=$((72 + 2 * 8 + 16 * 240))
	for id in '\x01' '\x09'; do
		record_file
		# the event of the second value of the first sample
		printf "$id" | dd of="$TMP/data" bs=1 seek=$((head + 16 + 88 + 16)) conv=notrunc status=none
		tool report -i "$TMP/data" -j --per-box
		[ "$status" -eq 1 ]
		[[ $err == *"did not announce"* ]]
	done
}

@test "damaged files do no harm" {
	record_file
	"$B/fuzz_report" "$TMP/data" "${FUZZ_ROUNDS:-3000}"
}

# ---- what is generated ------------------------------------------------------

@test "completion knows every command and option" {
	tool --completion
	[ "$status" -eq 0 ]
	bash -n <(printf '%s\n' "$output")
	eval "$output"
	COMP_WORDS=(ucoretool "") COMP_CWORD=1
	_ucoretool
	[[ " ${COMPREPLY[*]} " == *" list info stat record report "* ]]
	COMP_WORDS=(ucoretool record --ti) COMP_CWORD=2
	_ucoretool
	[ "${COMPREPLY[*]}" = "--timeout --timer" ]
}

@test "the man page has every command and option" {
	page=$BATS_TEST_DIRNAME/../../Documentation/man/ucoretool.1.scd
	for command in list info stat record report; do
		grep -q "^## .*$command" "$page" || { echo "no $command"; return 1; }
		tool "$command" --help
		for option in $(grep -oE -- '^  +-[a-zA-Z]|--[a-z-]+' <<<"$output"); do
			grep -q -- "\*$option\*" "$page" || { echo "$command: no $option"; return 1; }
		done
	done
}

@test "headers compile alone, in C and C++" {
	dir=$BATS_TEST_DIRNAME/../..
	for lang in c c++; do
		echo '#include <libucore.h>' |
			${CC:-gcc} -x $lang -Wall -Wextra -Werror -I"$dir/tools/lib" -I"$dir/uapi" -fsyntax-only -
	done
}

@test "the example of libucore(3) compiles" {
	dir=$BATS_TEST_DIRNAME/../..
	{
		printf '#include <stdlib.h>\n#include <unistd.h>\n#include <libucore.h>\n'
		printf 'static void die(const char *text) { fputs(text, stderr); exit(1); }\n'
		echo 'int main(void) {'
		# shellcheck disable=SC2016
		sed -n '/^```$/,/^```$/{/^```$/d;s/\\\\n/\\n/;p}' "$dir/Documentation/man/libucore.3.scd"
		echo '}'
	} >"$TMP/example.c"
	${CC:-gcc} -Wall -Wextra -Werror -I"$dir/tools/lib" -I"$dir/uapi" -fsyntax-only "$TMP/example.c"
}

@test "the library exports what its header declares, and nothing else" {
	lib=$B/tools/libucore.so.0
	nm -D --defined-only "$lib" | awk '$2 ~ /[TDBR]/ { print $3 }' | grep '^ucore_' | sort >"$TMP/have"
	grep -oE '\bucore_[a-z_]+\(' "$BATS_TEST_DIRNAME/../../tools/lib/libucore.h" |
		tr -d '(' | sort -u >"$TMP/want"
	diff "$TMP/want" "$TMP/have"
}
