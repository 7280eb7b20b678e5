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
	tool record -c 1000 -e imc/CAS_COUNT.RD/,cbo/CLOCKTICKS/ --count 8 -o "$TMP/data" "$@"
	[ "$status" -eq 0 ]
}

# Bytes before the first entry of that file: 2 dies, 34 boxes, the fields of two types, 16 events
file_head()
{
	local fields
	fields=$(od -An -tu4 -j 40 -N 4 "$TMP/data")
	echo $((96 + 2 * 24 + 34 * 32 + fields * 56 + 16 * 432))
}

# A file of samples that are known, see samples.py
samples()
{
	command -v python3 || skip "no python3"
	python3 -B "$BATS_TEST_DIRNAME/samples.py" "$TMP/data" "$@"
}

# ---- usage ------------------------------------------------------------------

@test "no command shows the usage and exits 2" {
	tool
	[ "$status" -eq 2 ]
	[[ $err == usage:* ]]
}

@test "an unknown command prints one line and exits 2" {
	tool frobnicate
	complains 2 "unknown command 'frobnicate'"
}

@test "help goes to stdout and exits 0" {
	for args in --help -h help "help stat" "stat --help" "top --help" "export --help" "list --help" "report --help" "stat -h" "list -h"; do
		tool $args
		[ "$status" -eq 0 ]
		[[ $output == usage:* ]]
		[ -z "$err" ]
	done
}

@test "an unknown command suggests a command that exists" {
	local nr=0 word line

	while read -r word line; do
		tool "$word"
		complains 2 "unknown command '$word' (did you mean 'ucoretool $line'?)"
		# shellcheck disable=SC2086
		tool $line --help
		[ "$status" -eq 0 ] || { echo "ucoretool $line: $err"; return 1; }
		nr=$((nr + 1))
	done < <(sed -n '/command_hints\[\] = {/,/^};/s/.*{ "\(.*\)", "\(.*\)" },/\1 \2/p' \
		 "$BATS_TEST_DIRNAME/../../tools/ucoretool/hints/hints.c")
	[ "$nr" -ge 20 ]
	tool lst
	complains 2 "(did you mean 'ucoretool list'?)"
	tool --verison
	complains 2 "(did you mean 'ucoretool --version'?)"
	tool help recrod
	complains 2 "(did you mean 'ucoretool record'?)"
}

@test "help for an unknown command prints one line and exits 2" {
	tool help frobnicate
	complains 2 "unknown command 'frobnicate'"
}

@test "--version prints the version and exits 0" {
	for word in --version -V version; do
		tool $word
		[ "$status" -eq 0 ]
		[[ $output == "ucoretool "* ]]
	done
}

@test "wrong arguments print one line and exit 2" {
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
	list events --platform 8086|platform '8086': unknown
	list nonsense|'nonsense': not a list. Use boxes, events, metrics or fields
	list event|'event': not a list (did you mean 'events'?)
	list --all=3|option --all takes no value
	list -V|unknown option -V. Use 'ucoretool --version'
	stat --verison|unknown option --verison. Use 'ucoretool --version'
	stat --hepl|unknown option --hepl (did you mean --help?)
	stat --evnet x|unknown option --evnet (did you mean --event?)
	stat --evnet=x|unknown option --evnet=x (did you mean --event?)
	stat -r 3|unknown option -r. There is no repetition. Print intervals with -I TIME --count N
	stat --repeat=3|There is no repetition
	stat -p 1|unknown option -p. Uncore counters count all processes
	stat -C 0|unknown option -C. Uncore boxes belong to dies. Select a die by die=N
	stat --per-core|unknown option --per-core. Count core/EVENT/ with --per-box
	stat --per-die|unknown option --per-die (did you mean --per-socket?)
	stat --per-node --per-box -e imc/CAS_COUNT.RD/|--per-node and --per-box: cannot be combined
	stat -A|unknown option -A (did you mean --per-box?)
	stat -n 3|unknown option -n (did you mean --count?)
	revoke -n 3|unknown option -n. See
	record -F 99|unknown option -F. Use the period of a timer
	record -m 8|unknown option -m (did you mean --ring-size?)
	top -d 1|unknown option -d (did you mean --interval?)
	top -b|unknown option -b (did you mean --batch?)
	export -M x|unknown option -M. Use -e for events
	list boxes a b|unexpected argument
	list -x ab|separator 'ab'
	list -x 1|separator '1'
	list events --platform x|Use one of adl arl bdw bdxde bdxep clx core cpx cwf emr gnr grr hsw hswep icl icx ivb ivbep lnl mtl nhm ptl rkl skl skx snb snbep snr spr srf tgl tglh wsm atom
	list events --rejected|--rejected: only for boxes, not for events
	list fields -v|--all: only for boxes, events and metrics, not for fields
	list metrics --rejected|--rejected: only for boxes, not for metrics
	doctor extra|unexpected argument
	doctor --root|needs a value
	verify extra|unexpected argument
	verify --seconds 0|seconds 0: out of range. Use 1 to
	verify --report|needs a value
	revoke|no session
	revoke x|session 'x'
	revoke 0|session 0: out of range. Use 1 to
	info extra|unexpected argument
	report extra|unexpected argument
	report --device x|unknown option --device
	stat|no event. Add -e
	stat -e|option -e needs a value
	stat -e imc|a box without an event
	stat -e imc/|two slashes
	stat -e imc/CAS_COUNT.RD|Write 'imc/CAS_COUNT.RD/'
	stat -e imc/NOSUCH/|no event or field 'NOSUCH'
	stat -e imc/CAS_COUNT.DR/|did you mean 'CAS_COUNT.
	stat -e icm/CAS_COUNT.RD/|did you mean 'imc'?
	stat -e {imc/CAS_COUNT.RD/}|braces are not supported
	stat -e imc1-9/CAS_COUNT.RD/|no imc9 on any die
	stat -e imc2-1/CAS_COUNT.RD/|'imc2-1' is not a box type
	stat -e imc/ZZ*/|no event of imc matches 'ZZ*'
	stat -e zz*/CAS_COUNT.RD/|matches 'zz*'
	stat -e imc/CAS_COUNT.W*,name=w/|3 events. Leave it out
	stat -e imc/CAS_COUNT.RD,name/|name takes a word
	stat -e imc9/CAS_COUNT.RD/|no imc9
	stat -e imc/CAS_COUNT.RD,die=9/|no die 9
	stat -e imc/event=0x1000/|is out of range
	stat -e cbo/TOR_INSERTS.OPCODE/|Add filter_opc=VALUE
	stat -e imc/CAS_COUNT.RD,period=5/|period= is for samples. Use 'ucoretool record'
	stat -I 0 -e imc/CAS_COUNT.RD/|interval '0': out of range. Use 1ms to
	stat -I 0.5ms -e imc/CAS_COUNT.RD/|interval '0.5ms': out of range. Use 1ms to
	stat -I x -e imc/CAS_COUNT.RD/|interval 'x': not a time. Use a number with ns, us, ms or s
	stat -I 1. -e imc/CAS_COUNT.RD/|interval '1.': not a time
	stat -I 1.0000001us -e imc/CAS_COUNT.RD/|not a time
	stat -D -1 -e imc/CAS_COUNT.RD/|delay '-1': not a time
	stat --timeout 1h -e imc/CAS_COUNT.RD/|timeout '1h': not a time
	list boxes --platform spr|--platform: only for events and metrics, not for boxes
	record -c 1.0005k -e imc/CAS_COUNT.RD/|period '1.0005k': not a number
	record -c 1T -e imc/CAS_COUNT.RD/|period '1T': not a number
	stat --count 3 -e imc/CAS_COUNT.RD/|--count: stops after N intervals
	stat -M|option -M needs a value
	stat -M memory_bandwith_read|did you mean 'memory_bandwidth_read'?
	stat -M @memroy|(did you mean '@memory'?). Use one of
	stat -M a=b|'b' is no alias, event, metric or constant. Write events
	stat -M x=imc/CAS_COUNT.RD/|Write it in braces: {imc/CAS_COUNT.RD/}
	stat -e CAS_COUNT.RD|did you mean 'imc/CAS_COUNT.RD/'?
	stat -e uncore_imc_0/cas_count_read/|did you mean 'imc0/CAS_COUNT.RD/'?
	record --timer 1ms -e CAS_COUNT_RD:MBOX0C0|did you mean 'imc0/CAS_COUNT.RD/'?
	stat -e LLC-load-misses|perf counts it: perf stat -e LLC-load-misses
	stat -M @nothing|metric category 'nothing': unknown on this machine. Use one of
	stat -M memory_bandwidth_read,|a metric is empty
	stat -M pcie_write_bandwidth|cannot be counted at one instant
	stat -M frequency_band0_residency|Write frequency_band0_residency:band0=NUMBER
	stat -M x=1+|metric 'x': formula '1+': missing number or name
	stat -M x=nosuch+1|metric 'x': 'nosuch' is no alias, event, metric or constant
	stat --metric-file f|Choose the metrics with -M
	stat --metric-file|needs a value
	top nonsense|panel 'nonsense': unknown. Choose from: memory llc links io power
	top -I 1|interval '1': out of range. Use 10ms to
	top --count 0|count 0: out of range. Use 1 to
	top -x ab|separator 'ab'
	stat --pmi-cpus a -e imc/CAS_COUNT.RD/|CPU 'a': not a number
	stat --pmi-cpus 1, -e imc/CAS_COUNT.RD/|CPU '': not a number
	stat --pmi-cpus 99 -e imc/CAS_COUNT.RD/|CPU 99: no such CPU
	record -e imc/CAS_COUNT.RD/|no trigger. Add --timer TIME
	record -c 0 -e imc/CAS_COUNT.RD/|period 0: out of range. Use 1 to
	record -c 5 -e imc/CAS_COUNT.RD,period=6/|has both -c and period=
	record -c 1000 -e cbo/CLOCKTICKS/|cbo has no overflow interrupt, so the period is polled
	record -c 1000000 --no-poll -e cbo/CLOCKTICKS/|cbo has no overflow interrupt
	record --timer 5 -e imc/CAS_COUNT.RD/|not a time. Use a number with ns, us, ms or s
	record --timer 5us -e imc/CAS_COUNT.RD/|out of range. Use 10us to 1000s
	record --timer 99999999999999999999s -e imc/CAS_COUNT.RD/|not a time
	record --ring-size 5000 --timer 1ms -e imc/CAS_COUNT.RD/|Use a power of two
	record --ring-size 128M --timer 1ms -e imc/CAS_COUNT.RD/|Use a power of two
	record --readers 0 --timer 1ms -e imc/CAS_COUNT.RD/|readers 0: out of range. Use 1 to 8
	stat --readers 9 -e imc/CAS_COUNT.RD/|readers 9: out of range. Use 1 to 8
	top -C 0|unknown option -C. See
	stat --readers 2 --rotate 5ms -e imc/CAS_COUNT.RD/|--rotate and --readers: cannot be combined
	stat --readers 2 --no-freeze -e imc/CAS_COUNT.RD/|--no-freeze and --readers: cannot be combined
	EOF
}

@test "an option with a value that is given twice names both values and exits 2" {
	# the options of all commands that take a value, from their help texts; those that repeat
	repeat=" --event --pmi-cpus --metric --metric-file --pid --cpu --collect "
	tool help
	for command in $(sed -n 's/^  \([a-z]*\) .*/\1/p' <<<"$output"); do
		tool "$command" --help
		for option in $(sed -nE 's/^  ( |-.,) *(--[a-z-]+) [A-Z].*/\2/p' <<<"$output"); do
			letter=$(sed -nE "s/^  (-.), $option .*/\\1/p" <<<"$output")
			case $option in
			--device | --input | --output | --root | --html | --ctf | --report)
				values="a b" ;;
			--field-separator) values=", ;" ;;
			--platform) values="spr spr" ;;
			--time) values="1,2 3,4" ;;
			--when) values="a>1 b>1" ;;
			--sort) values="pid cpu" ;;
			--core-event) values="cycles instructions" ;;
			--listen) values="unix:a unix:b" ;;
			--textfile) values="a.prom b.prom" ;;
			--socket-mode) values="0660 0600" ;;
			--ring-size) values="64K 128K" ;;
			--interval | --delay | --timeout | --timer | --keep | --after | --rotate | --cache)
				values="200ms 300ms" ;;
			*) values="1 2" ;;
			esac
			read -r one two <<<"$values"
			export status=0
			if [[ $repeat == *" $option "* ]]; then continue; fi
			seen=$((${seen-0} + 1))
			"$B/fake_tool" "$command" "$option" "$one" "$option" "$two" >/dev/null 2>"$TMP/err" ||
				status=$?
			[ "$status" -eq 2 ]
			name=${letter:-$option}
			grep -qF -- ": $name $one and $name $two: only one is possible. Remove one of them" "$TMP/err" ||
				{ echo "$command $option: $(cat "$TMP/err")"; return 1; }
		done
	done
	[ "$seen" -gt 40 ]
}

@test "options that exclude each other are both named and exit 2" {
	while read -r command one two; do
		for args in "$one $two" "$two $one"; do
			# shellcheck disable=SC2086
			tool "$command" $args
			complains 2 "cannot be combined. Remove one of them"
			for word in "$one" "$two"; do
				# without the value
				[[ $word == --* ]] && word=${word%%=*} || word=${word:0:2}
				[[ $err == *" $word"[\ :]* ]] || { echo "$err"; return 1; }
			done
		done
	done <<-'EOF'
	list -j -x,
	list --rejected --topology
	stat -j -x,
	stat --per-socket --per-box
	stat --per-socket --per-device
	stat --per-box --per-device
	stat --rotate=5ms --no-rotate
	top -j -x,
	record --per-socket --per-box
	record -p1 -C1
	report -j -x,
	report -j --html=a
	report -x, --ctf=a
	report --html=a --ctf=a
	report --per-socket --per-box
	script -j -x,
	script --per-socket --per-box
	EOF
}

@test "options that may be repeated add up" {
	tool stat -x, -e imc/CAS_COUNT.RD/ -e imc/CAS_COUNT.WR/ -M memory_bandwidth_read -M memory_bandwidth_write --timeout 1
	[ "$status" -eq 0 ]
	[ "$(sed 1d <<<"$output" | wc -l)" -eq 4 ]
	tool list -j -j -v -v
	[ "$status" -eq 0 ]
}

@test "more events than counters without rotation name the full box and exit 2" {
	local five="$(printf 'imc/CAS_COUNT.RD/%.0s,' 1 2 3 4)imc/CAS_COUNT.WR/"

	tool stat --no-rotate -e "$five"
	complains 2 "imc0 of die 0 has no free counter" "no rotation"
	tool record --timer 1ms -e "$five" -o "$TMP/data"
	complains 2 "imc0 of die 0 has no free counter" "no rotation"
	tool stat --rotate 5ms --no-rotate -e "$five"
	complains 2 "cannot be combined"
	tool stat --rotate 5us -e "$five"
	complains 2 "rotate"
}

@test "stat rotates more events than counters, scales the counts and shows the measured share" {
	local five="$(printf 'imc/CAS_COUNT.RD/%.0s,' 1 2 3 4)imc/CAS_COUNT.WR/" alone

	tool stat -x , -e imc/CAS_COUNT.RD/ -- true
	alone=$(sed -n 2p <<<"$output" | cut -d, -f6)
	tool stat -e "$five" -- true
	[ "$status" -eq 0 ]
	[ "$(grep -c '(50.0%)' <<<"$output")" -eq 5 ]
	tool stat -x , -e "$five" -- true
	[ "$(grep -c ',45.00,.*,scaled,' <<<"$output")" -eq 5 ]
	# an event that is counted half of the time is scaled to the whole
	[ $(($(sed -n 2p <<<"$output" | cut -d, -f6) - alone)) -le 8 ]
	[ $((alone - $(sed -n 2p <<<"$output" | cut -d, -f6))) -le 8 ]
	tool stat -j -e "$five" -- true
	[ "$(grep -c '"running_percent":45.000.*"note":"scaled"' <<<"$output")" -eq 5 ]
	# what fits takes no turns
	tool stat -x , -e imc/CAS_COUNT.RD/ -- true
	[[ $output != *scaled* ]]
}

@test "stat scales the counts of a session that counts in turns with others" {
	local alone

	tool stat -x , -e imc/CAS_COUNT.RD/ -- true
	alone=$(sed -n 2p <<<"$output" | cut -d, -f6)
	UCORE_FAKE="share=50" tool stat -e imc/CAS_COUNT.RD/ -- true
	[ "$status" -eq 0 ]
	[[ $output == *"(50.0%)"* ]]
	UCORE_FAKE="share=50" tool stat -x , -e imc/CAS_COUNT.RD/ -- true
	[[ $output == *",45.00,"*",scaled,"* ]]
	[ $(($(sed -n 2p <<<"$output" | cut -d, -f6) - alone)) -le 100 ]
	[ $((alone - $(sed -n 2p <<<"$output" | cut -d, -f6))) -le 100 ]
	# a session that keeps its counters is not scaled, because it never waits
	UCORE_FAKE="share=50" tool stat -x , --no-rotate -e imc/CAS_COUNT.RD/ -- true
	[[ $output != *scaled* ]]
	[ "$(sed -n 2p <<<"$output" | cut -d, -f6)" -eq "$alone" ]
}

@test "stat -M keeps all events of a metric in one rotation group" {
	local a='a={imc/event=1/}+{imc/event=2/}+{imc/event=4/}'
	local b='b={imc/event=5/}+{imc/event=6/}+{imc/event=7/}'

	tool stat -x , -M "$a" -M "$b" --timeout 1
	[ "$status" -eq 0 ]
	[ "$(grep -c ',50.00,.*,scaled,' <<<"$output")" -eq 2 ]
	tool stat -M "$a" -M "$b" -e imc0/event=9/ --timeout 1
	[ "$(grep -c '(50.0%)$' <<<"$output")" -eq 3 ]
	tool stat --no-rotate -M "$a" -M "$b" --timeout 1
	complains 2 "has no free counter"
}

@test "events with different values for one filter are both named and exit 2" {
	tool stat -e cbo/TOR_INSERTS.OPCODE,filter_opc=0x182/ \
	     -e cbo/TOR_INSERTS.MISS_OPCODE,filter_opc=0x180/
	complains 2 "filter_opc" "MISS_OPCODE" "TOR_INSERTS.OPCODE,filter_opc=0x182"
}

# ---- a machine that refuses -------------------------------------------------

@test "without a driver or permission commands exit 1 and say what to do" {
	for command in list info "stat -e imc/CAS_COUNT.RD/" "record -c 9 -e imc/CAS_COUNT.RD/"; do
		UCORE_FAKE="open=2" tool $command
		complains 1 "modprobe ucore"
		UCORE_FAKE="open=13" tool $command
		complains 1 "permission denied"
	done
}

@test "without boxes commands print the driver's reason" {
	UCORE_FAKE="state=3 empty=1 reason=hidden_by_firmware" tool list
	complains 1 "hidden_by_firmware"
	UCORE_FAKE="state=3 empty=1 reason=hidden_by_firmware" tool stat -e imc/CAS_COUNT.RD/
	complains 1 "hidden_by_firmware"
	UCORE_FAKE="state=3 empty=1 reason=hidden_by_firmware" tool info
	[ "$status" -eq 0 ]
	[[ $output == *"boxes hidden"*hidden_by_firmware* ]]
}

@test "boxes hidden by firmware are explained by stat and top" {
	export UCORE_FAKE="without=qpi reason=hidden:r3qpi,qpi"
	tool stat -e qpi/CLOCKTICKS/
	complains 2 "this machine has no qpi: hidden:r3qpi,qpi. See 'ucoretool doctor'"
	tool stat -M qpi_data_transmit_bw
	complains 2 "this machine has no qpi: hidden:r3qpi,qpi"
	tool top --batch --count 1 links
	complains 1 "nothing to show: " "this machine has no qpi: hidden:r3qpi,qpi"
	tool top --batch --count 1
	[ "$status" -eq 0 ]
	[[ $output == *"has no qpi: hidden:r3qpi,qpi"* ]]
	# a type that the reason does not name
	UCORE_FAKE="without=qpi reason=hidden:r3qpi" tool stat -e qpi/CLOCKTICKS/
	complains 2 "this machine has no qpi. See 'ucoretool list'"
}

@test "with the in-tree driver stat exits 1 and list prints the reason" {
	UCORE_FAKE="state=4 reason=rmmod_it" tool stat -e imc/CAS_COUNT.RD/
	complains 1 "rmmod_it"
	UCORE_FAKE="state=4 reason=rmmod_it" tool list
	[ "$status" -eq 0 ]
	[[ $err == *rmmod_it ]]
}

@test "a box in use by another process names the process and exits 1" {
	UCORE_FAKE="own=imc1" tool stat -e imc1/CAS_COUNT.RD/ --timeout 1
	complains 1 "imc1 of die 0" "process 4711 (other)"
	UCORE_FAKE="own=imc1" tool list
	[[ $output == *"4711 (other)"* ]]
}

@test "a box in use by a process outside of the container names the program" {
	UCORE_FAKE="foreign= own=imc0" tool stat -e imc0/CAS_COUNT.RD/ -- true
	complains 1 "a process outside of this container (other)" "imc0 of die 0: in use by"
	UCORE_FAKE="foreign= own=imc0" tool list
	[[ $output == *"imc           0  "*"? (other)"* ]]
}

@test "each failing ioctl makes stat and record print one line and exit 1" {
	# nr of the command, errno 5
	for nr in 1 2 10 19 20 23 24; do
		UCORE_FAKE="fail=$nr:5" tool stat --pmi-cpus 0 -e imc/CAS_COUNT.RD/ -I 1 --count 1 -x,
		echo "$nr: $err"
		[ "$status" -eq 1 ]
	done
	for nr in 21 26; do
		UCORE_FAKE="fail=$nr:5" tool record --timer 1ms -e imc/CAS_COUNT.RD/ --count 1 -o "$TMP/d"
		echo "$nr: $err"
		complains 1 "Input/output error"
	done
}

@test "each failing ioctl makes top print one line and exit 1" {
	# of the commands that add events one alone is left out
	for nr in 0 1 2 10 16 20 23; do
		UCORE_FAKE="fail=$nr:5" tool top --count 1 -I 10
		echo "$nr: $err"
		complains 1
	done
}

@test "a ring too small for two samples asks for a larger ring" {
	UCORE_FAKE="fail=20:28" tool record --timer 1ms -e imc/CAS_COUNT.RD/ -o "$TMP/d"
	complains 2 "larger ring"
}

# ---- list and info ----------------------------------------------------------

@test "list shows every box, with runs of equal boxes on one line" {
	tool list
	[ "$status" -eq 0 ]
	[ "$(wc -l <<<"$output")" -eq 19 ]
	[[ $output == *"  1  imc         0-3  ecam           4    48      1    48  overflow fixed-overflow freeze"* ]]
	for all in -v --all; do
		tool list $all
		[ "$(wc -l <<<"$output")" -eq 35 ]
		[[ $output == *"  1  imc           3  ecam           4    48      1    48  overflow fixed-overflow freeze"*"0000:ff:10.3+0xf4"* ]]
	done
	tool list boxes imc
	[ "$(wc -l <<<"$output")" -eq 9 ]
	tool list boxes imc2
	[ "$(wc -l <<<"$output")" -eq 3 ]
}

@test "list of a large machine stays readable" {
	UCORE_FAKE="machine=gnr" tool list
	[ "$status" -eq 0 ]
	[ "$(wc -l <<<"$output")" -eq 33 ]
	[[ $output == *"  0  cha       0-119  msr            4    48      0        freeze "*"0x2000 .. 0x2770"* ]]
	[[ $output == *"  1  imc        0-11  mmio           4    48      1    48  freeze "*" 0x108aa2800 .. 0x108afa800"* ]]
	[[ $output == *"  0  pciex16     0-3  pci  "*" 0001:7c:01.0+0x440 .. 0001:7c:04.0+0x440"* ]]
	# numbers that do not follow each other are not one run
	UCORE_FAKE="machine=spr hole=7" tool list
	[[ $output == *" cha         0-6  "*" cha         207  "*" cha        8-59  "* ]]
	# a box that differs stands alone
	UCORE_FAKE="machine=spr own=imc3" tool list
	[[ $output == *"  0  imc         0-2  mmio "*"  0  imc           3  mmio "*"4711 (other)"*"  0  imc         4-7  mmio "* ]]
	UCORE_FAKE="machine=spr dead=7" tool list
	[[ $output == *" cha         0-6 "*" cha           7 "*"DEAD"*" cha        8-59 "* ]]
	[[ $output == *" iio_free   0-11  msr            0    48     17    48  free-running"* ]]
}

@test "boxes that have not responded since the module was loaded are not counted or warned of" {
	root
	UCORE_FAKE="machine=gnr" tool info -j
	before=$output
	# the UPI links of die 0 and one of die 1 are powered down
	ids=$(UCORE_FAKE="machine=gnr" "$B/fake_tool" list -j | grep -n '"type":"upi"' | head -n 7 | cut -d: -f1)
	[ -n "$ids" ]
	absent=
	for i in $ids; do absent+=" absent=$((i - 1))"; done
	UCORE_FAKE="machine=gnr$absent" tool info -j
	[[ $before =~ \"boxes\":([0-9]+).*\"domains\":.*\"boxes\":([0-9]+) ]]
	boxes=${BASH_REMATCH[1]} of_die=${BASH_REMATCH[2]}
	[[ $output =~ \"boxes\":([0-9]+).*\"domains\":.*\"boxes\":([0-9]+) ]]
	[ "${BASH_REMATCH[1]}" -eq $((boxes - 7)) ]
	[ "${BASH_REMATCH[2]}" -eq $((of_die - 1)) ]
	UCORE_FAKE="machine=gnr$absent" tool list
	[[ $output != *DEAD* && $output != *"  0  upi "* && $output == *"  1  upi "* ]]
	UCORE_FAKE="machine=gnr$absent" tool list -j boxes upi
	[ "$(wc -l <<<"$output")" -eq $(($(UCORE_FAKE="machine=gnr" "$B/fake_tool" list -j boxes upi | wc -l) - 7)) ]
	UCORE_FAKE="machine=gnr$absent" tool doctor --root "$R"
	[ "$status" -eq 0 ]
	[[ $output == *"ok       units      "*"; 7 of them are empty, powered down or"* ]]
	[[ $output != *"no longer respond"* && $output != *"cannot be used"* ]]
	# counting needs no word about them, and naming one gets a reason
	UCORE_FAKE="machine=gnr$absent" tool stat -e upi/CLOCKTICKS/ --timeout 1 -j
	[ "$status" -eq 0 ]
	[[ $output != *missing* && $output != *respond* ]]
	UCORE_FAKE="machine=gnr$absent" tool stat -e upi0/CLOCKTICKS,die=0/ --timeout 1
	complains 2 "upi0 on any die does not respond"
	UCORE_FAKE="machine=gnr$absent" tool stat -e upi1/CLOCKTICKS,die=0/ --timeout 1
	complains 2 "upi1 on die 0 does not respond"
}

@test "list -v shows the discovery record of each box" {
	UCORE_FAKE="machine=spr dies=1" tool list -v boxes imc
	[[ $output == *"TYPE ID  RECORD    CTL    CTR  ADDRESS"* ]]
	[[ $output == *"  0  imc           2  mmio           4    48      1    48  freeze "*"  6     101   0x40    0x8  0xc8ab2800"* ]]
	UCORE_FAKE="machine=spr user=1" tool list -v
	[[ $output != *ADDRESS* ]]
	UCORE_FAKE="machine=spr dies=1" tool list -j boxes m2m1
	[ "$output" = '{"die":0,"type":"m2m","instance":1,"access":"ecam","counters":4,"width":48,"fixed":0,"caps":"freeze","type_id":7,"record":108,"ctl_offset":"0x40","ctr_offset":"0x8","address":"0000:7e:0d.0+0x438"}' ]
	# no line for several boxes in programs' formats
	UCORE_FAKE="machine=spr" tool list -j
	[ "$(wc -l <<<"$output")" -eq 290 ]
	UCORE_FAKE="machine=spr" tool list -x,
	[ "$(wc -l <<<"$output")" -eq 291 ]
	UCORE_FAKE="machine=spr fail=6:5" tool list
	complains 1 "GET_UNITS: Input/output error"
	# a driver from before GET_TABLES
	UCORE_FAKE="machine=spr old=1" tool list
	[ "$status" -eq 0 ]
}

@test "list prints CSV and JSON" {
	tool list -x,
	[[ $(sed -n 1p <<<"$output") == die,cpu,type,instance,access,counters,width,fixed,fixed_width,caps,owner,type_id,record,ctl_offset,ctr_offset,address ]]
	[[ $(sed -n 2p <<<"$output") == 0,,cbo,0,msr,4,44,0,,freeze,,,,,,0xd04 ]]
	UCORE_FAKE="user=1" tool list -j
	[[ $(sed -n 1p <<<"$output") == '{"die":0,"type":"cbo","instance":0,"access":"msr","counters":4,"width":44,"fixed":0,"caps":"freeze"}' ]]
}

@test "list events prints all events of a platform, with and without a device" {
	tool list events -x,
	[ "$status" -eq 0 ]
	[ "$(wc -l <<<"$output")" -eq 1078 ]
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
	[ "$(wc -l <"$TMP/want")" -eq 1075 ]
	diff "$TMP/want" "$TMP/have"
}

@test "list events names an event once, however many boxes count it" {
	UCORE_FAKE="machine=spr" tool list -x,
	[ "$(grep -c '^0,.*cha' <<<"$output")" -ge 1 ]
	UCORE_FAKE="machine=spr" tool list events -x,
	[ "$status" -eq 0 ]
	[ "$(wc -l <<<"$output")" -gt 100 ]
	[ -z "$(cut -d, -f1,2 <<<"$output" | sort | uniq -d)" ]
}

@test "list events matches patterns and the form of -e, and fails without a match" {
	tool list events imc/CAS_COUNT.RD/
	[ "$(wc -l <<<"$output")" -eq 2 ]
	tool list events 'CAS_COUNT*'
	[ "$(wc -l <<<"$output")" -eq 10 ]
	tool list events 'imc/CAS_COUNT.*'
	[ "$(wc -l <<<"$output")" -eq 10 ]
	for pattern in 'imc/CAS_COUNT.?D' 'imc/CAS_COUNT.?D/'; do
		tool list events "$pattern"
		[ "$(wc -l <<<"$output")" -eq 2 ]
	done
	tool list events nosuchthing
	[ "$status" -eq 1 ]
	[[ $err == *"pattern 'nosuchthing': no event matches on this machine" ]]
}

@test "the text of each metric in percent names the whole" {
	local percent=0
	for platform in snbep ivbep hswep bdxep bdxde skx clx cpx icx snr spr emr gnr srf grr cwf \
			snb ivb hsw bdw skl icl rkl tgl tglh adl mtl arl lnl ptl nhm wsm; do
		tool list metrics -v -j --platform "$platform"
		percent=$((percent + $(grep -c '"unit":"%"' <<<"$output" || true)))
		if grep '"unit":"%"' <<<"$output" | grep -v -i '"text":"[^"]*\(share of\|time\) '; then
			return 1
		fi
	done
	[ "$percent" -gt 100 ]
}

@test "each CAS_COUNT of HBM is explained as 32 bytes" {
	tool list events --platform spr -v -x, mchbm/CAS_COUNT
	[ "$(grep -c '^mchbm,CAS_COUNT' <<<"$output")" -eq 11 ]
	[ "$(grep -c '^mchbm,CAS_COUNT.*32 bytes each' <<<"$output")" -eq 11 ]
}

@test "list prints no heading without a match, and suggests a name" {
	tool list boxes imx
	complains 1 "pattern 'imx': no box matches on this machine (did you mean 'imc'?)"
	tool list fields imx
	complains 1 "pattern 'imx': no box type matches on this machine (did you mean 'imc'?)"
	tool list events imx -x,
	complains 1 "pattern 'imx': no event matches on this machine (did you mean 'imc'?)"
	tool list metrics memory_bandwith_total
	complains 1 "(did you mean 'memory_bandwidth_total'?)"
	tool list metrics watt
	complains 1 "pattern 'watt': no metric matches on this machine"
}

@test "list with the exact name of a box type lists no other type" {
	for what in boxes events fields; do
		tool list $what -x, qpi
		[ "$status" -eq 0 ]
		[[ $output == *qpi* && $output != *r3qpi* ]]
	done
	tool list boxes -x, 'r3*'
	[[ $output == *r3qpi* ]]
	UCORE_FAKE="cpus=2" tool list events -x, core
	[ "$(sed 1d <<<"$output" | cut -d, -f1 | sort -u)" = core ]
	# a part of a name, as before
	tool list events -x, RING_BOUNCES
	[ "$status" -eq 0 ]
}

@test "list events -v describes each event in a line" {
	tool list events -v imc/CAS_COUNT.RD/
	[ "$status" -eq 0 ]
	[ "$output" = "$(printf '%-8s  %-40s  %s\n' TYPE EVENT "DESCRIPTION" imc CAS_COUNT.RD "Cache lines read from DRAM, 64 bytes each")" ]
	tool list events -v -x,
	[ "$(wc -l <<<"$output")" -eq 1078 ]
	[[ $(sed -n 1p <<<"$output") == type,event,name,code,umask,counters,filter,masks,explained,text ]]
	! sed 1d <<<"$output" | grep ',$' || false
	tool list events -v -j imc/RD_CAS_RANK3.BANK5/
	[[ $output == *'"explained":true,"text":"reads of rank 3: bank 5"}' ]]
}

@test "list metrics prints all metrics of a platform, with and without a device" {
	tool list metrics
	[ "$status" -eq 0 ]
	[ "$(wc -l <<<"$output")" -eq 105 ]
	[[ $output == *$'\n'"memory_bandwidth_read "*" MB/s    memory bandwidth        system socket box"$'\n'* ]]
	# what cannot be counted at one instant is not offered
	[[ $output != *pcie_write_bandwidth* ]]
	tool list metrics -v memory_bandwidth_read
	[[ $output == *"MB/s    Data read from DRAM"* ]]
	[ "$(wc -l <<<"$output")" -eq 2 ]
	tool list metrics @qpi
	[ "$(wc -l <<<"$output")" -eq 12 ]
	tool list metrics nosuch
	[ "$status" -eq 1 ]
	[[ $err == *"pattern 'nosuch': no metric matches on this machine" ]]
	for platform in snbep ivbep hswep bdxep bdxde skx clx cpx icx snr spr emr gnr srf grr cwf \
			snb ivb hsw bdw skl icl rkl tgl tglh adl mtl arl lnl ptl nhm wsm; do
		UCORE_FAKE="open=2" tool list metrics -x, --platform "$platform"
		[ "$status" -eq 0 ]
		[[ $(sed -n 1p <<<"$output") == metric,unit,category,levels,formula,where,text ]]
		[[ $output == *$'\n'memory_bandwidth_total,MB/s,* ]]
	done
	tool list metrics --platform core
	complains 1 "platform 'core': no metrics"
	tool list metrics -j
	command -v python3 || skip "no python3"
	python3 -c 'import json,sys; assert all(json.loads(line)["text"] for line in sys.stdin)' <<<"$output"
}

@test "the page of Intel's event names is generated from the tables" {
	top=$BATS_TEST_DIRNAME/../..
	sh "$top/tools/metrics/page.sh" "$B/fake_tool" >"$TMP/page"
	diff "$TMP/page" "$top/Documentation/event-names.md"
	# and of each platform nine tenths at least are explained whole
	[ "$(awk -F'|' '/^\| [a-z]+ \| [0-9]+ \|/ { n++; if ($4 + 0 < 90) exit 1 } END { print n }' "$TMP/page")" -eq 33 ]
}

@test "list fields prints the fields of a box type" {
	tool list fields cbo
	[ "$status" -eq 0 ]
	[[ $output == *filter_opc*0x1ff*yes* ]]
}

@test "info shows the machine, the dies and, for root, addresses" {
	tool info
	[ "$status" -eq 0 ]
	[[ $output == *"platform   ivbep"*"model 62"*"34 on 2 dies"*"ecam 0000:7f:10.0+0xf4"* ]]
	tool info -j
	command -v python3 || skip "no python3"
	python3 -c 'import json,sys; i = json.loads(sys.argv[1]); assert [d["scope"] for d in i["domains"]] == ["die", "die"]' "$output"
}

# ---- stat -------------------------------------------------------------------

@test "stat prints counts in total, per socket and per box" {
	tool stat -e imc/CAS_COUNT.RD/ -I 1 --count 1 -x,
	[ "$status" -eq 0 ]
	[[ $(sed -n 1p <<<"$output") == time_ns,socket,die,cpu,box,count,mb_per_s,running_percent,event,note,time ]]
	[[ $(sed -n 2p <<<"$output") == 1000000000,,,,,144000,10.24,90.00,imc/CAS_COUNT.RD/,,20*Z ]]
	[ "$(wc -l <<<"$output")" -eq 2 ]
	tool stat -e imc/CAS_COUNT.RD/ -I 1 --count 1 -x, --per-socket
	[[ $(sed -n 2p <<<"$output") == 1000000000,0,,,,38000,* ]]
	[[ $(sed -n 3p <<<"$output") == 1000000000,1,,,,106000,* ]]
	tool stat -e imc/CAS_COUNT.RD/ -I 1 --count 1 -x, --per-box
	[ "$(wc -l <<<"$output")" -eq 9 ]
	[[ $(sed -n 4p <<<"$output") == 1000000000,0,0,,imc2,10000,* ]]
}

@test "stat -I prints the counts of each interval with one READ each" {
	tool stat -e imc2/CAS_COUNT.RD,die=0/ -I 1 --count 3 -x';'
	[ "$status" -eq 0 ]
	[ "$(cut -d';' -f1,6 <<<"$output")" = $'time_ns;count\n1000000000;10000\n2000000000;10000\n3000000000;10000' ]
	[[ $err == "# 3.000000 s counted until 20"*", 3 reads, 12.0 register accesses each;"* ]]
}

@test "stat --readers shows the number of helper CPUs and refuses rotation" {
	# of the fake's helpers the last one never comes
	tool stat --readers 4 -e imc/CAS_COUNT.RD/ -I 1 --count 3 -x,
	[ "$status" -eq 0 ]
	[[ $err == *", 3 reads, 12.0 register accesses and 4.0 helper CPUs each;"* ]]
	tool stat --readers 4 -e imc/CAS_COUNT.RD,die=0/ -I 1 --count 3 -j
	[[ $(tail -n1 <<<"$output") == '{"summary":'*'"parallel_reads":6,'* ]]
	tool stat --readers 1 -e imc/CAS_COUNT.RD/ --timeout 1
	[[ $output != *helpers* ]]
	tool stat --readers 2 -e "$(printf 'imc/CAS_COUNT.RD/%.0s,' 1 2 3 4)imc/CAS_COUNT.WR/"
	complains 2 "imc0 of die 0 has no free counter"
	record_file --readers 3
	[[ $err == *"helper CPUs: 1.0 of 2 took part in a sample on average"* ]]
}

@test "events accept box ranges, patterns of types and events, and name=" {
	tool stat -e imc1-2/CAS_COUNT.RD/ -x, --timeout 1 --per-box
	[ "$(cut -d, -f3,5,9 <<<"$output")" = "$(printf '%s\n' die,box,event \
		{0,1},imc{1,2},imc1-2/CAS_COUNT.RD/)" ]
	tool stat -e 'imc/CAS_COUNT.W*/' -x, --timeout 1
	[ "$(cut -d, -f9 <<<"$output")" = "$(printf '%s\n' event imc/CAS_COUNT.WR/ imc/CAS_COUNT.WR_RMM/ imc/CAS_COUNT.WR_WMM/)" ]
	tool stat -e 'r*/CLOCKTICKS/' -x, --timeout 1
	[ "$(cut -d, -f9 <<<"$output")" = "$(printf '%s\n' event r2pcie/CLOCKTICKS/ r3qpi/CLOCKTICKS/)" ]
	UCORE_FAKE="machine=gnr" tool stat -e 'imc/CAS_COUNT*.RD/' -x, --timeout 1
	[ "$(cut -d, -f9 <<<"$output")" = "$(printf '%s\n' event imc/CAS_COUNT_SCH{0,1}.RD/)" ]
	tool stat -e imc/CAS_COUNT.RD,name=reads/ -x, --timeout 1
	[[ $(sed -n 2p <<<"$output") == *,144000,*,reads,* ]]
	tool record -c 1000 -e 'imc/CAS_COUNT.W?,name=writes/' --count 2 -o "$TMP/data"
	[ "$status" -eq 0 ]
	tool script -i "$TMP/data" -x,
	[[ $output == *,writes,* ]]
	# metrics find the event by what it was, whatever it is called
	tool record --timer 1ms -e imc/CAS_COUNT.RD,name=reads/ --count 8 -o "$TMP/data"
	tool report -i "$TMP/data" -x, -M memory_bandwidth_read
	[ "$status" -eq 0 ]
	[[ $output == *,reads,* && $output == *,memory_bandwidth_read,* ]]
}

@test "times accept units, and periods accept k, M and G" {
	start=$(date +%s%N)
	tool stat -e imc/CAS_COUNT.RD/ -I 0.04s --count 3 -x, --timeout 9.5s
	[ "$status" -eq 0 ]
	[ $(($(date +%s%N) - start)) -ge 120000000 ]
	for time in 5 5ms 5000us 0.005s 5000000ns; do
		tool stat -e imc/CAS_COUNT.RD/ --timeout $time -D 1.5ms
		[ "$status" -eq 0 ]
	done
	# a period of a thousand is refused of what is polled, one of a milliard is not
	tool record -c 1k -e cbo/CLOCKTICKS/ --count 1 -o "$TMP/data"
	complains 2 "can reach 1000 counts in less than 100 us"
	tool record -c 1.5M -e cbo/CLOCKTICKS/ --count 1 -o "$TMP/data"
	[ "$status" -eq 0 ]
}

# The example is to be read alone, so it has the codes of its own
@test "the example readbw uses the events of each platform's table" {
	top=$BATS_TEST_DIRNAME/../..
	for table in "$top"/tools/events/*.csv; do
		platform=$(basename "$table" .csv)
		[ "$platform" != core ] || continue
		for pattern in 'imc/CAS_COUNT*.RD/' 'uncore/QMC_NORMAL_READS.ANY/'; do
			tool list events --platform "$platform" -x, "$pattern"
			[ "$status" -ne 0 ] || break
		done
		# later client processors have no such event, but a free-running counter of reads
		if [ "$status" -ne 0 ]; then
			tool list events --platform "$platform" -x, 'imc_free/R*_FREERUN/'
			[[ $output == *,fixed0,, ]] || { echo "$platform: no counter 0"; return 1; }
			continue
		fi
		due=$(sed 1d <<<"$output" | awk -F, '{ printf("%s{ %s, %s }", NR > 1 ? ", " : "", $4, $5) }')
		grep -qF "{ \"$platform\", $(sed 1d <<<"$output" | wc -l), { $due } }," "$top/tools/examples/readbw.c" ||
			{ echo "$platform: $due"; return 1; }
	done
}

# What a newcomer types first must not fail anywhere
@test "README's first count works on every platform" {
	grep '^	ucoretool stat .* -- sleep 1$' "$BATS_TEST_DIRNAME/../../README.md" |
		sed 's/sleep 1/true/' >"$TMP/lines"
	[ "$(wc -l <"$TMP/lines")" -eq 1 ]
	ucoretool() { "$B/fake_tool" "$@"; }
	for machine in platform=snbep platform=ivbep machine=hswep "machine=hswep platform=bdxep" \
		       machine=bdxde machine=skx "machine=skx platform=clx" "machine=skx platform=cpx" \
		       machine=icx machine=snr machine=spr "machine=spr platform=emr" machine=gnr "machine=gnr platform=srf" \
		       "machine=gnr platform=grr" "machine=gnr platform=cwf" "machine=skl platform=snb" machine=skl \
		       machine=icl machine=adl machine=mtl machine=ptl machine=nhm; do
		export UCORE_FAKE=$machine
		while read -r line; do
			output=$(eval "$line" 2>&1) || { echo "$machine: $output"; return 1; }
			[ "$(wc -l <<<"$output")" -ge 3 ]
		done <"$TMP/lines"
	done
}

@test "an incomplete event name suggests the full one" {
	UCORE_FAKE="machine=gnr" tool stat -e imc/CAS_COUNT.RD/
	complains 2 "did you mean 'imc/CAS_COUNT_SCH0.RD/' or 'imc/CAS_COUNT_SCH1.RD/'?"
}

@test "names with UTF-8, invalid bytes or line breaks give valid JSON and CSV" {
	tool stat -M 'x={imc/CAS_COUNT.RD/}; unit=µs' --timeout 1 -j
	[[ $output == *'"unit":"µs"'* ]]
	tool stat -M $'x={imc/CAS_COUNT.RD/}; unit=\xb5s\xed\xa0\x80' --timeout 1 -j
	[[ $output == *'"unit":"\ufffds\ufffd\ufffd\ufffd"'* ]]
	tool stat -M $'x={imc/CAS_COUNT.RD/}; unit=a\nb' --timeout 1 -x,
	[[ $output == *$',"a\nb",x,20'*Z ]]
}

@test "stat prints the wall-clock time of each read, in UTC for CSV and JSON" {
	command -v python3 || skip "no python3"
	TZ=JST-9 tool stat -e imc/CAS_COUNT.RD/ -I 1 --count 3 -j
	# the fake's CLOCK_MONOTONIC is its own, and goes on by a second from READ to READ
	python3 - "$output" <<-'EOF'
	import calendar, json, re, sys, time
	ahead = time.clock_gettime_ns(time.CLOCK_REALTIME) - time.clock_gettime_ns(time.CLOCK_MONOTONIC)
	for nr, line in enumerate(sys.argv[1].splitlines()[:3], 1):
	    text = json.loads(line)["time"]
	    seconds, ns = re.fullmatch(r"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{9})Z", text).groups()
	    at = calendar.timegm(time.strptime(seconds, "%Y-%m-%dT%H:%M:%S")) * 10**9 + int(ns)
	    assert abs(at - (10**18 + nr * 10**9 + ahead)) < 10**8, (text, at)
	EOF
	TZ=JST-9 tool stat -e imc/CAS_COUNT.RD/ --timeout 1
	[[ $output == *" s counted until 20"*" +0900, 1 reads"* ]]
}

@test "stat -I waits for the whole interval" {
	start=$(date +%s%N)
	tool stat -e imc/CAS_COUNT.RD/ -I 40 --count 3 -x,
	[ "$status" -eq 0 ]
	[ $(($(date +%s%N) - start)) -ge 120000000 ]
}

# write(2) calls of a stat of so many intervals, each with 64 rows
writes()
{
	local four=imc/event=1/,imc/event=2/,imc/event=3/,imc/event=4/

	sh -c '"$@" && sed -n "s/^syscw: //p" /proc/$$/io' sh "$B/fake_tool" stat -I 1 --count "$1" \
		--per-box -e "$four" -e "${four//imc/cbo}" -j -o "$TMP/out"
}

@test "stat -I prints an interval with one write, whatever the number of rows" {
	[ -r /proc/self/io ] || skip "no /proc/self/io"
	local few many
	few=$(writes 5)
	many=$(writes 25)
	[ "$(wc -c <"$TMP/out")" -gt $((25 * 8192)) ]
	[ $((many - few)) -eq 20 ]
}

@test "stat ends a table with a summary of the cost" {
	tool stat -e imc/CAS_COUNT.RD/ --timeout 5
	[ "$status" -eq 0 ]
	[[ $output == *"144,000       10.24      90.00  imc/CAS_COUNT.RD/"* ]]
	[[ $output == *"# 1.000000 s counted until 20"*", 1 reads"*"skew between them at most 0.1 us" ]]
	[ -z "$err" ]
}

@test "stat -j prints rows and a summary" {
	tool stat -j -e imc/CAS_COUNT.RD/,ubox/UCLK/ --timeout 1
	[ "$status" -eq 0 ]
	[[ $(sed -n 1p <<<"$output") == '{"time_ns":1000000000,"count":144000,"mb_per_s":10.240,"running_percent":90.000,"event":"imc/CAS_COUNT.RD/","time":"20'*'Z"}' ]]
	[[ $(sed -n 3p <<<"$output") == '{"summary":{"time_ns":1000000000,"reads":1,'* ]]
}

@test "stat -M prints metrics in total, per socket and per box" {
	tool stat -M memory_bandwidth_read -I 1 --count 2 -x,
	[ "$status" -eq 0 ]
	[ "$(sed 's/,20[-0-9]*T[0-9:.]*Z$/,now/' <<<"$output")" = "$(printf '%s\n' \
		time_ns,socket,die,cpu,box,count,mb_per_s,running_percent,event,note,value,unit,metric,time \
		1000000000,,,,,,,,,,10.24,MB/s,memory_bandwidth_read,now \
		2000000000,,,,,,,,,,10.24,MB/s,memory_bandwidth_read,now)" ]
	tool stat -M memory_bandwidth_read --timeout 1 -x, --per-socket
	[[ $(sed -n 3p <<<"$output") == 1000000000,1,,,,,,,,,7.53777778,MB/s,memory_bandwidth_read,20* ]]
	tool stat -M memory_bandwidth_read --timeout 1 -j --per-box
	[ "$(wc -l <<<"$output")" -eq 9 ]
	[[ $(sed -n 3p <<<"$output") == '{"time_ns":1000000000,"socket":0,"die":0,"box":"imc2","value":0.711111111,"unit":"MB/s","metric":"memory_bandwidth_read","time":"20'* ]]
}

# CPUs of sockets and nodes ("socket:node") below $TMP/numa
numa()
{
	local cpu=0 pair

	rm -rf "$TMP/numa"
	for pair; do
		mkdir -p "$TMP/numa/sys/devices/system/cpu/cpu$cpu/"{topology,node"${pair#*:}"}
		echo "${pair%:*}" >"$TMP/numa/sys/devices/system/cpu/cpu$cpu/topology/physical_package_id"
		cpu=$((cpu + 1))
	done
}

@test "stat --per-node prints the node of each socket, and refuses divided sockets" {
	local socket1 node0

	tool stat -j --per-socket -e imc/CAS_COUNT.RD/ -M memory_bandwidth_read --timeout 1
	socket1=$(grep '"socket":1,' <<<"$output" | sed 's/.*"socket":1,//; s/"time":.*//')
	[ "$(wc -l <<<"$socket1")" -eq 2 ]
	# node 0 is on socket 1
	numa 0:1 1:0 0:1 1:0
	tool stat -j --per-node --root "$TMP/numa" -e imc/CAS_COUNT.RD/ -M memory_bandwidth_read --timeout 1
	[ "$status" -eq 0 ]
	node0=$(grep '"node":0,' <<<"$output" | sed 's/.*"node":0,//; s/"time":.*//')
	[ "$node0" = "$socket1" ]
	[[ $output == *'"node":1,'* && $output != *'"socket"'* ]]
	tool stat --per-node --root "$TMP/numa" -e imc/CAS_COUNT.RD/ --timeout 1
	[[ ${output%%$'\n'*} == *NODE* ]]
	numa 0:0 0:1 1:2 1:3
	tool stat --per-node --root "$TMP/numa" -e imc/CAS_COUNT.RD/ --timeout 1
	complains 1 "socket " " has the nodes " "(sub-NUMA clustering)" "not known which memory channels"
	numa 0:0 1:0
	tool stat --per-node --root "$TMP/numa" -e imc/CAS_COUNT.RD/ --timeout 1
	complains 1 "node 0 has CPUs of the sockets " "Use --per-socket"
	mkdir -p "$TMP/none"
	tool stat --per-node --root "$TMP/none" -e imc/CAS_COUNT.RD/ --timeout 1
	complains 1 "the kernel reports no NUMA nodes" "Use --per-socket"
}

@test "stat -M prints values in the columns of counts in a table" {
	tool stat -M memory_bandwidth_read,cores_in_c0 --timeout 1 --per-socket
	[ "$status" -eq 0 ]
	[ "$(head -4 <<<"$output")" = "$(printf '%6s  %20s  %10s  %s\n' SOCKET VALUE UNIT METRIC \
		0 2.70 MB/s memory_bandwidth_read 1 7.54 MB/s memory_bandwidth_read 0 1.00 "" cores_in_c0)" ]
	tool stat -e imc/CAS_COUNT.RD/ -M memory_bandwidth_read --timeout 1
	[[ $output == *"144,000       10.24      90.00  imc/CAS_COUNT.RD/"$'\n'*"10.24        MB/s             memory_bandwidth_read"* ]]
}

@test "stat warns about a timeout that is too short for rates" {
	UCORE_FAKE=read_ns=1000000 tool stat -e imc/CAS_COUNT.RD/ --timeout 1
	[ "$status" -eq 0 ]
	[ "$err" = "ucoretool stat: counted for only 1.0 ms (--timeout): the rates have large errors. A number without a unit is in ms. Use --timeout 1s for a second" ]
	UCORE_FAKE=read_ns=10000000 tool stat -e imc/CAS_COUNT.RD/ --timeout 1
	[ -z "$err" ]
	# without a timeout the program sets the time
	UCORE_FAKE=read_ns=1000000 tool stat -e imc/CAS_COUNT.RD/ -- true
	[ -z "$err" ]
}

@test "a table groups the digits of all columns, and aligns values at the decimal point" {
	UCORE_FAKE=scale=1000 tool stat -e imc/CAS_COUNT.RD/ -M memory_bandwidth_read --timeout 1
	[[ $output == *"144,000,000   10,240.00      90.00  imc/CAS_COUNT.RD/"* ]]
	[[ $output == *"10,240.57        MB/s             memory_bandwidth_read"* ]]
	one='{imc/CAS_COUNT.RD/}/{imc/CAS_COUNT.RD/}'
	tool stat -M "a=0.6091*$one" -M "b=31.87*$one" -M "c=0*$one" -M "d=0.00123*$one" -M "e=0-0.5*$one" --timeout 1
	[ "$(sed -n 2,6p <<<"$output" | awk '{ print $1 }' | paste -sd' ')" = "0.61 31.87 0.00 0.0012 -0.50" ]
	tool stat -M "a=0.6091*$one" --timeout 1 -x,
	[[ $output == *,0.6091,,a,* ]]
}

@test "stat -M accepts formulas, files of formulas and categories" {
	tool stat -M 'hit=1-A/B; A=imc/CAS_COUNT.RD,die=0/; B=imc/CAS_COUNT.RD/; unit=x' -x, --timeout 1
	[ "$(sed -n 2p <<<"$output" | cut -d, -f11-13)" = 0.736118441,x,hit ]
	printf '%s\n' '# mine' 'twice = 2 * memory_bandwidth_read; unit=MB/s' >"$TMP/mine"
	tool stat --metric-file "$TMP/mine" -M twice -x, --timeout 1
	[ "$(sed -n 2p <<<"$output" | cut -d, -f11-13)" = 20.48,MB/s,twice ]
	tool stat --metric-file "$TMP/none" -M twice
	complains 1 "none: cannot open"
	printf 'twice 2\n' >"$TMP/mine"
	tool stat --metric-file "$TMP/mine" -M twice
	complains 2 "mine, line 1: metric 'twice 2': not a definition. Write NAME=FORMULA"
	UCORE_FAKE="machine=spr" tool stat --no-rotate -M @io --timeout 1 -x,
	[ "$status" -eq 0 ]
	[[ $output == *,io_bandwidth_read,20* ]]
	[[ $err == *"not counted: "*": no free counters. Count this in another run"* ]]
	UCORE_FAKE="machine=spr" tool stat -M @io --timeout 1 -x,
	[ "$status" -eq 0 ]
	[[ $err != *"not counted"* && $output == *scaled*io_bandwidth_read,20* ]]
}

@test "a metric, category or event in the place of another gets a hint" {
	tool stat -M memory -- true
	complains 2 "metric 'memory': unknown on this machine. For the category, write '@memory'"
	tool stat -M imc/CAS_COUNT.RD/ -- true
	complains 2 "this is an event. Use -e, or write the metric 'x={imc/CAS_COUNT.RD/}'"
	tool stat -M unc_m_cas_count.rd -- true
	complains 2 "this is an event. Use -e"
	tool stat -M 'x={imc/CAS_COUNT.RD/}' -- true
	[ "$status" -eq 0 ]
	tool stat -e memory_bandwidth_read -- true
	complains 2 "event 'memory_bandwidth_read': 'memory_bandwidth_read' is a metric, not an event. Use -M"
	tool list metrics @memroy
	[ "$status" -eq 1 ]
	[[ $err == *"category 'memroy': no metric has a matching category. See 'ucoretool list metrics'"* ]]
}

@test "an invalid metric file names file and line" {
	printf 'a={imc/CAS_COUNT.RD/}\n\0\377\n' >"$TMP/metrics"
	tool stat --metric-file "$TMP/metrics" -M a -- true
	complains 2 "metrics, line 2: not a text file"
	tool stat --metric-file /dev/zero -M a -- true
	complains 2 "/dev/zero, line 1: not a text file"
	tool stat --metric-file "$TMP" -M a -- true
	complains 1 "cannot read: Is a directory"
	printf 'a={imc/CAS_COUNT.RD/}; unit=/s\r\n\n# the end, without a newline\nb=a' >"$TMP/metrics"
	tool stat --metric-file "$TMP/metrics" -M a,b -x, -- true
	[ "$status" -eq 0 ]
}

@test "stat -M prints no value for a division by zero" {
	tool stat -M 'x={imc/CAS_COUNT.RD/}/({imc/CAS_COUNT.RD/}-{imc/CAS_COUNT.RD/})' --timeout 1
	[ "$status" -eq 0 ]
	[[ $output == *$'\n'"$(printf '%20s  %10s  %s' - "" x)"$'\n'* ]]
	tool stat -M 'x=1/(seconds-seconds)+{imc/CAS_COUNT.RD/}' --timeout 1 -j
	[[ $(sed -n 1p <<<"$output") == '{"time_ns":1000000000,"metric":"x","time":"20'* ]]
	tool stat -M 'x=1/(seconds-seconds)+{imc/CAS_COUNT.RD/}' --timeout 1 -x,
	[[ $(sed -n 2p <<<"$output") == 1000000000,,,,,,,,,,,,x,20* ]]
}

@test "no output has nan or inf for a division by zero or an overflow" {
	local zero='y={imc/CAS_COUNT.RD/}/({imc/CAS_COUNT.RD/}-{imc/CAS_COUNT.RD/})'
	local large='x=1e308*1e308*{imc/CAS_COUNT.RD/}' form

	tool record --timer 1ms --count 8 -e imc/CAS_COUNT.RD/ -o "$TMP/data"
	for form in "" -j -x,; do
		tool stat --timeout 1 -M "$zero" -M "$large" $form
		[ "$status" -eq 0 ]
		[[ $output == *y* && ! $output =~ [^a-z](nan|inf)[^a-z] ]]
		tool report -i "$TMP/data" -M "$zero" -M "$large" $form
		[ "$status" -eq 0 ]
		[[ $output == *y* && ! $output =~ [^a-z](nan|inf)[^a-z] ]]
	done
	tool report -i "$TMP/data" -M "$zero" -M "$large" --html "$TMP/page.html"
	[ "$status" -eq 0 ]
	! grep -qiE '[:,[]-?(nan|inf)[],}]' "$TMP/page.html"
}

@test "stat -M marks values of boxes that cannot be counted" {
	UCORE_FAKE="flags=2" tool stat -M memory_bandwidth_read --timeout 1
	[[ $output == *"memory_bandwidth_read"*"box dead"* ]]
}

@test "stat -o writes to a file" {
	tool stat -e imc/CAS_COUNT.RD/ --timeout 1 -o "$TMP/out"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	grep -q "imc/CAS_COUNT.RD/" "$TMP/out"
	tool stat -e imc/CAS_COUNT.RD/ --timeout 1 -o /nonexistent/out
	complains 1 "/nonexistent/out: cannot create"
	tool stat -e imc/CAS_COUNT.RD/ --timeout 1 -o /dev/full
	complains 1 "/dev/full: cannot write"
}

@test "stat marks counts of boxes that cannot be counted" {
	UCORE_FAKE="flags=2" tool stat -e imc/CAS_COUNT.RD/ --timeout 1 -x,
	[[ $output == *"box dead"* ]]
	UCORE_FAKE="flags=4" tool stat -e imc/CAS_COUNT.RD/ --timeout 1 -x,
	[[ $output == *"die offline"* ]]
	UCORE_FAKE="flags=32" tool stat -e imc/CAS_COUNT.RD/ --timeout 1 -x,
	[[ $output == *",gap"* ]]
	UCORE_FAKE="flags=96" tool stat -e imc/CAS_COUNT.RD/ --timeout 1 -x,
	[[ $output == *",maybe wrapped"* ]]
	UCORE_FAKE="flags=192" tool stat -e imc/CAS_COUNT.RD/ --timeout 1 -x,
	[[ $output == *",conflict"* ]]
}

@test "stat runs a program with its options until it exits" {
	tool stat -e imc/CAS_COUNT.RD/ -x, -- sh -c 'echo "ran $0"' -n
	[ "$status" -eq 0 ]
	[[ $output == "ran -n"* ]]
	tool stat -e imc/CAS_COUNT.RD/ -x, echo -I
	[ "$status" -eq 0 ]
	[[ $output == "-I"* ]]
	tool stat -D 20 -e imc/CAS_COUNT.RD/ -x, sleep 0.05
	[ "$status" -eq 0 ]
}

@test "stat reports the failure of its program" {
	tool stat -e imc/CAS_COUNT.RD/ -x, -- sh -c 'exit 7'
	[ "$status" -eq 7 ]
	[[ $err == *"program: exited with status 7"* ]]
	[[ $output == *144000* ]]
	tool stat -e imc/CAS_COUNT.RD/ -x, -- sh -c 'kill -9 $$'
	[ "$status" -eq 137 ]
	[[ $err == *"program: killed by signal 9"* ]]
	tool stat -e imc/CAS_COUNT.RD/ -x, -- /nonexistent/program
	complains 1 "program '/nonexistent/program': cannot run: No such file"
}

@test "stat terminates a program that runs longer than the timeout" {
	tool stat -e imc/CAS_COUNT.RD/ -x, --timeout 20 -- sleep 100
	[ "$status" -eq 0 ]
	[[ $output == *144000* ]]
}

@test "stat kills a program that ignores SIGTERM" {
	start=$(date +%s)
	# ignored from the program's first instruction on: it inherits that
	trap "" TERM
	tool stat -e imc/CAS_COUNT.RD/ -x, --timeout 20 -- sleep 60
	trap - TERM
	[ $(($(date +%s) - start)) -lt 30 ]
	[[ $err == *"program: did not exit after SIGTERM, killed"* ]]
	[[ $output == *144000* ]]
}

@test "stat prints its counts at Ctrl-C" {
	"$B/fake_tool" stat -e imc/CAS_COUNT.RD/ -x, >"$TMP/out" 2>/dev/null &
	pid=$!
	# it is ready once it has blocked the signals it waits for; before it runs at all, the
	# shell's child blocks some, too
	until grep -q fake_tool /proc/$pid/comm &&
	      grep -q '^SigBlk:.*[1-9a-f]' /proc/$pid/status; do :; done
	kill -INT $pid
	wait $pid
	grep -q 144000 "$TMP/out"
}

@test "stat accepts perf's -a and sets the CPUs of --pmi-cpus" {
	tool stat -a --pmi-cpus 0,8 -e imc/CAS_COUNT.RD/ --timeout 1
	[ "$status" -eq 0 ]
}

# ---- record and script ------------------------------------------------------

@test "record prints the number of samples and their cost" {
	record_file
	[[ $err == "8 samples of 2 dies in "*"written to $TMP/data, 0 records lost"* ]]
	[[ $err == *"cost: 2.50 us and 13.0 register accesses a sample"* ]]
	[ -z "$output" ]
}

@test "script prints a table" {
	record_file
	tool script -i "$TMP/data"
	[ "$status" -eq 0 ]
	[ "$(grep -c '  die 0  cpu 0  overflow of imc0 imc/CAS_COUNT.RD/  frozen 1.50 us  pid 42/43 ip 0xffffffff81000123 kernel' <<<"$output")" -eq 4 ]
	[[ $output == *"38,000  imc       imc/CAS_COUNT.RD/"*"overflow"* ]]
	[[ $output == *"# 8 samples, 0 records lost, 0 gaps; 500.0 samples/s on each die"* ]]
	[[ $output == *"# cost of a sample: 2.50 us, 13.0 register accesses" ]]
}

@test "script prints local time in a table and UTC in CSV and JSON" {
	samples ramp
	TZ=UTC+1 tool script -i "$TMP/data"
	[[ $(sed -n 1p <<<"$output") == "# recorded 2026-01-02 02:04:05.000123 -0100 on ivbep; CLOCK_MONOTONIC was 4000.000000000" ]]
	[[ $(sed -n 2p <<<"$output") == "02:04:05.010123  0.010000000  die 0  cpu 0  timer  frozen"* ]]
	tool script -i "$TMP/data" -x,
	[[ $(sed -n 1p <<<"$output") == record,time_ns,*,note,time ]]
	[[ $(sed -n 2p <<<"$output") == sample,4000010000000,0,*,4000,,2026-01-02T03:04:05.010123456Z ]]
	tool script -i "$TMP/data" -j
	[[ $(sed -n 100p <<<"$output") == *'"time":"2026-01-02T03:04:06.000123456Z"'* ]]
	[[ $(tail -n 1 <<<"$output") == *'"start":"2026-01-02T03:04:05.000123456Z","first":"2026-01-02T03:04:05.010123456Z","last":"2026-01-02T03:04:06.000123456Z"'* ]]
	# what record writes: its start is now
	record_file
	before=$(date +%s)
	start=$("$B/fake_tool" script -i "$TMP/data" -j | sed -n 's/.*"start":"\([^"]*\)".*/\1/p')
	[ $(($(date -ud "$start" +%s) - before)) -ge -60 ]
	[ $(($(date -ud "$start" +%s) - before)) -le 0 ]
}

@test "script --time accepts seconds and times of day" {
	samples ramp
	export TZ=UTC
	for window in 0.5,0.6 500ms,600ms 03:04:05.500123,03:04:05.600124; do
		tool script -i "$TMP/data" -x, --time $window
		[ "$status" -eq 0 ]
		# samples at 500 ms, 510 ms ... 600 ms; counts are still since the one before
		[ "$(sed 1d <<<"$output" | wc -l)" -eq 11 ]
		[ "$(sed -n 2p <<<"$output" | cut -d, -f17)" -eq 200000 ]
	done
	tool script -i "$TMP/data" -x, --time ,0.02
	[ "$(sed 1d <<<"$output" | wc -l)" -eq 2 ]
	tool script -i "$TMP/data" -x, --time 0.99,
	[ "$(sed 1d <<<"$output" | wc -l)" -eq 2 ]
	tool script -i "$TMP/data" -x, --time 03:04,
	complains 2 "time '03:04': not a time of day. Write it as 14:03:05.5"
	tool script -i "$TMP/data" --time 5
	complains 2 "time '5': not a window. Write FROM,TO"
	tool script -i "$TMP/data" --time 5,4
	complains 2 "FROM is later than TO"
}

@test "script counts a flight recorder file from its first sample" {
	samples late
	tool script -i "$TMP/data" -x,
	[ "$(sed -n 2p <<<"$output" | cut -d, -f17,18)" = ,first ]
	[ "$(sed -n 3p <<<"$output" | cut -d, -f17,18)" = 8000, ]
	tool script -i "$TMP/data" -x, --totals
	[ "$(sed -n 2p <<<"$output" | cut -d, -f17)" -eq 4000000008000 ]
	tool report -i "$TMP/data" -x,
	[[ $(sed -n 2p <<<"$output") == event,0,0,,,99,792000,990000000,51.2,51.2,51.2,51.2,51.2,51.2,* ]]
}

@test "script prints sums, boxes and totals" {
	record_file
	tool script -i "$TMP/data" -x,
	[ "$status" -eq 0 ]
	[ "$(wc -l <<<"$output")" -eq 17 ]
	[ "$(cut -d, -f1,3,4,16,17 <<<"$output" | grep sample,0 | sed -n 1,4p)" = \
	  $'sample,0,0,imc/CAS_COUNT.RD/,38000\nsample,0,0,cbo/CLOCKTICKS/,10000\nsample,0,1,imc/CAS_COUNT.RD/,38000\nsample,0,1,cbo/CLOCKTICKS/,10000' ]
	tool script -i "$TMP/data" -x, --totals
	[ "$(grep ^sample,[0-9]*,0,1 <<<"$output" | cut -d, -f17 | sed -n 1p)" = 76000 ]
	tool script -i "$TMP/data" -x, --per-box
	[ "$(wc -l <<<"$output")" -eq 65 ]
	[ "$(cut -d, -f15-17 <<<"$output" | sed -n 3p)" = imc1,imc/CAS_COUNT.RD/,9000 ]
}

@test "script -j prints one object per record" {
	record_file
	tool script -i "$TMP/data" -j --per-box
	[ "$status" -eq 0 ]
	[ "$(wc -l <<<"$output")" -eq 9 ]
	[[ $(sed -n 1p <<<"$output") == '{"record":"sample",'*'"trigger":"overflow","trigger_event":"imc/CAS_COUNT.RD/","trigger_box":"imc0",'*'"values":[{"box":"imc0","event":"imc/CAS_COUNT.RD/","count":8000,"note":"overflow"},'* ]]
	[[ $(sed -n 9p <<<"$output") == '{"record":"summary","samples":8,"lost":0,'*'"complete":true,'* ]]
	command -v python3 || skip "no python3"
	python3 -c 'import json,sys; [json.loads(line) for line in sys.stdin]' <<<"$output"
}

@test "record writes the samples of several dies in the order of time" {
	UCORE_FAKE="batch=3" tool record -c 9 -e imc/CAS_COUNT.RD/ --count 40 -o "$TMP/data"
	tool script -i "$TMP/data" -x,
	sed 1d <<<"$output" | cut -d, -f2 >"$TMP/times"
	[ "$(wc -l <"$TMP/times")" -eq 40 ]
	sort -c -n "$TMP/times"
	[ "$(sed 1d <<<"$output" | cut -d, -f3 | uniq | wc -l)" -eq 40 ]
}

@test "record --timer takes samples" {
	tool record --timer 1ms -e imc/CAS_COUNT.RD/ --count 4 -o "$TMP/data"
	[ "$status" -eq 0 ]
	tool script -i "$TMP/data" -x,
	[[ $output == *,timer,,,* ]]
}

@test "record writes to a pipe and script reads from it" {
	set -o pipefail
	"$B/fake_tool" record -c 9 -e imc/CAS_COUNT.RD/ --count 4 -o - 2>/dev/null |
		"$B/fake_tool" script -i - -x, >"$TMP/out"
	[ "$(wc -l <"$TMP/out")" -eq 5 ]
}

@test "lost records are recorded and reported" {
	UCORE_FAKE="batch=100" tool record -c 9 -e imc/CAS_COUNT.RD/ --ring-size 4096 --count 60 -o "$TMP/data"
	[ "$status" -eq 0 ]
	[[ $err == *"Use a larger ring (--ring-size)"* ]]
	tool script -i "$TMP/data" -j
	[ "$status" -eq 0 ]
	[[ $output == *'{"record":"lost",'*'"lost":'* ]]
	[[ $output == *'{"record":"summary","samples":60,'* ]]
}

@test "record refuses a timer that is too short and prints the shortest possible one" {
	UCORE_FAKE="sample=300000" tool record --timer 500us --count 4 -e imc/CAS_COUNT.RD/ -o "$TMP/data"
	complains 2 "takes 300 us" "50 %" "at least 600 us" "fewer events"
}

@test "dropped periods are reported and the following samples marked" {
	UCORE_FAKE="stretch=2" tool record --timer 1ms --count 8 -e imc/CAS_COUNT.RD/ -o "$TMP/data"
	[ "$status" -eq 0 ]
	[[ $err == *"cost: 2.50 us and 13.0 register accesses a sample"* ]]
	[[ $err == *"16 periods of the timer were dropped because the CPU time limit was reached: a sample took 2.50 us on average. "* ]]
	UCORE_FAKE="stretch=2" tool record --timer 1ms -c 1000000 --count 8 -e imc/CAS_COUNT.RD/ -o "$TMP/both"
	[[ $err == *" periods of the timer and the events were dropped because "* ]]
	[[ $err != *"larger ring"* ]]
	tool script -i "$TMP/data"
	[ "$(grep -c '  timer  .* delayed' <<<"$output")" -eq 8 ]
	[[ $output == *"# die 0: 2 records lost before "* ]]
	tool script -i "$TMP/data" -j
	[ "$(grep -c '"delayed":true' <<<"$output")" -eq 8 ]
}

@test "script rejects files that are missing, damaged or cut off" {
	tool script -i /nonexistent
	complains 1 "/nonexistent: cannot open"
	echo "hello, this is not what you are looking for, not at all, go away, please, now" >"$TMP/data"
	tool script -i "$TMP/data"
	complains 1 "not a file of samples"
	record_file
	head -c $(($(file_head) + 300)) "$TMP/data" >"$TMP/short"
	tool script -i "$TMP/short" -x,
	[ "$status" -eq 1 ]
	[[ $err == *"truncated"* ]]
}

@test "script names the position at which a file is cut off" {
	record_file
	for size in 7 9 50 96 3000 $(($(file_head) - 1)); do
		head -c "$size" "$TMP/data" >"$TMP/short"
		tool script -i "$TMP/short"
		complains 1 "short: truncated in the header"
	done
	head -c $(($(file_head) + 40)) "$TMP/data" >"$TMP/short"
	tool report -i "$TMP/short"
	[ "$status" -eq 1 ]
	[[ $err == *"short: truncated in the middle of a record"* ]]
}

@test "script prints an incomplete file up to its last record" {
	record_file
	size=$(stat -c %s "$TMP/data")
	# the last entry is a head of 16 bytes and struct ucore_get_status, 120 bytes
	head -c $((size - 136)) "$TMP/data" >"$TMP/short"
	tool script -i "$TMP/short"
	[ "$status" -eq 0 ]
	[[ $output == *"# 8 samples"*"cut short: its cost is not known" ]]
}

@test "script reports records out of order as damage" {
	record_file
	# the head, then the same first entry twice
	head=$(file_head)
	entry=$((16 + 104 + 8 * 16))
	{ head -c $((head + entry)) "$TMP/data"; tail -c +$((head + 1)) "$TMP/data" | head -c $entry; } >"$TMP/twice"
	tool script -i "$TMP/twice" -j
	[ "$status" -eq 1 ]
	[[ $err == *"out of order"* ]]
}

@test "script reports a sample with a repeated or foreign event as damage" {
	for id in '\x01' '\x09'; do
		record_file
		head=$(file_head)
		# the event of the second value of the first sample
		printf "$id" | dd of="$TMP/data" bs=1 seek=$((head + 16 + 104 + 16)) conv=notrunc status=none
		tool script -i "$TMP/data" -j --per-box
		[ "$status" -eq 1 ]
		[[ $err == *"header lacks"* ]]
	done
}

@test "script survives randomly damaged files" {
	record_file
	"$B/fuzz_report" "$TMP/data" "${FUZZ_ROUNDS:-3000}"
}

# ---- report -----------------------------------------------------------------

@test "report prints the distribution of a known ramp of rates" {
	samples ramp
	tool report -i "$TMP/data" -x,
	[ "$status" -eq 0 ]
	[ "$(sed -n 1p <<<"$output")" = record,socket,die,cpu,box,samples,count,running_ns,rate,min,mean,p50,p99,max,histogram,unit,event,note ]
	# 4000 i counts of 64 bytes in each 10 ms, i from 1 to 100
	[ "$(sed -n 2p <<<"$output")" = \
	  "event,0,0,,,100,20200000,1000000000,1292.8,25.6,1292.8,1280,2534.4,2560,7 6 6 6 6 7 6 6 6 6 7 6 6 6 6 7,MB/s,imc/CAS_COUNT.RD/," ]
	tool report -i "$TMP/data" -x, --per-box
	[ "$(sed 1d <<<"$output" | cut -d, -f5,7,9)" = $'imc0,5050000,323.2\nimc1,5050000,323.2\nimc2,5050000,323.2\nimc3,5050000,323.2' ]
	tool report -i "$TMP/data" -j
	[[ $(sed -n 1p <<<"$output") == '{"record":"event","socket":0,"die":0,"samples":100,"count":20200000,'*'"p99":2534.4,'*'"histogram":[7,6,6,6,6,7,6,6,6,6,7,6,6,6,6,7]}' ]]
	[[ $(sed -n 2p <<<"$output") == '{"record":"summary","samples":100,"lost":0,'* ]]
	LC_ALL=C.UTF-8 tool report -i "$TMP/data"
	[[ $output == *"100          20,200,000       1293      25.60       1293       1280       2534       2560  █▇▇▇▇█▇▇▇▇█▇▇▇▇█  MB/s   imc/CAS_COUNT.RD/"* ]]
	LC_ALL=C tool report -i "$TMP/data"
	! grep -q '[^ -~	]' <<<"$output"
	[[ $output == *"# 100 samples, 0 records lost, 0 gaps; 100.0 samples/s on each die"*"# cost of a sample: 2.50 us, 12.0 register accesses" ]]
}

@test "report --time omits samples outside of the window" {
	samples ramp
	tool report -i "$TMP/data" -x, --time 0.5,0.6 -M memory_bandwidth_read
	# 50 to 60: 11 intervals, of which the rates are 1280 to 1536
	[[ $(sed -n 2p <<<"$output") == event,0,0,,,11,2420000,110000000,1408,1280,1408,1408,1536,1536,* ]]
	[[ $(sed -n 3p <<<"$output") == metric,0,,,,11,,,,1280,1408,1408,1536,1536,*,MB/s,memory_bandwidth_read, ]]
	[[ $err == *"# 11 samples, 0 records lost, 0 gaps; 100.0 samples/s on each die"* ]]
	tool script -i "$TMP/data" -x, --time 0.5,0.6
	[[ $err == *"# 11 samples, 0 records lost, 0 gaps; 100.0 samples/s on each die"* ]]
}

@test "a window without samples is an error that names the times of the recording" {
	samples ramp
	for args in "report -i data" "report -i data -j" "report -i data --sort cpu" "report -i data --html page" \
		    "report -i data -M memory_bandwidth_read" "report -i data --ctf trace"; do
		cd "$TMP"
		# shellcheck disable=SC2086
		tool $args --time 7,8
		complains 2 "--time: no samples in this window. The recording has samples from 0.010 to 1.000 s"
		[ ! -e page ]
	done
	tool script -i data --time 0.001,0.002
	[ "$status" -eq 2 ]
	[[ $err == *"The recording has samples from 0.010 to 1.000 s"* ]]
}

@test "report -M evaluates metrics of each interval for any event names" {
	samples raw
	tool report -i "$TMP/data" -x, -M memory_bandwidth_total,memory_read_share
	[ "$status" -eq 0 ]
	[ -z "$(grep -v '^#' <<<"$err")" ]
	# 4 channels with 1500 counts of 64 bytes in a ms; the second socket has twice as many
	[ "$(grep ^metric <<<"$output" | cut -d, -f2,6,10,12,14,16,17)" = \
	  $'0,10,384,384,384,MB/s,memory_bandwidth_total\n1,10,768,768,768,MB/s,memory_bandwidth_total\n0,10,66.6666667,66.6666667,66.6666667,%,memory_read_share\n1,10,66.6666667,66.6666667,66.6666667,%,memory_read_share' ]
	tool report -i "$TMP/data" -x, -M memory_bandwidth_read --per-box
	[ "$(grep -c '^metric,[01],[01],,imc[0-3],10,' <<<"$output")" -eq 8 ]
	tool report -i "$TMP/data" -x, -M 'share=100*{imc/CAS_COUNT.WR/}/{imc/CAS_COUNT.RD/}; unit=%'
	[[ $output == *metric,0,,,,10,,,,50,50,50,50,50,*,%,share,* ]]
	# of all sockets: when each has had a sample
	tool report -i "$TMP/data" -x, -M 'n={imc/CAS_COUNT.RD/}/SOCKET_COUNT'
	[[ $output == *metric,0,,,,10,,,,4000,4000,4000,4000,4000,* ]]
}

@test "report -M refuses metrics whose events were not recorded on all boxes" {
	samples ramp
	tool report -i "$TMP/data" -M memory_bandwidth_total
	complains 2 "event 'UNC_M_CAS_COUNT.WR': not recorded on imc0 of die 0"
	tool report -i "$TMP/data" -M llc_miss_latency
	[ "$status" -eq 2 ]
	tool report -i "$TMP/data" -M nosuch
	complains 2 "metric 'nosuch': unknown on this machine"
	tool record --timer 1ms -e imc0/CAS_COUNT.RD/ --count 4 -o "$TMP/data"
	tool report -i "$TMP/data" -M memory_bandwidth_read
	complains 2 "event 'UNC_M_CAS_COUNT.RD': not recorded on imc1 of die 0"
	tool report -i "$TMP/data" -M 'one={imc0/CAS_COUNT.RD/}' -x,
	[ "$(grep -c ^metric <<<"$output")" -eq 2 ]
}

@test "record -M records the events of metrics and report evaluates them" {
	export UCORE_FAKE="cpus=2"
	tool record --timer 1ms -M memory_bandwidth_total,memory_read_share --count 8 -o "$TMP/data"
	[ "$status" -eq 0 ]
	tool report -i "$TMP/data" -x, -M memory_bandwidth_total,memory_read_share
	[ "$(grep -c ^metric <<<"$output")" -eq 4 ]
	tool record --timer 1ms -M nosuch --count 1 -o "$TMP/data"
	complains 2 "metric 'nosuch': unknown on this machine"
	# the same interval as stat has: counts and time of the fake device are alike
	tool record --timer 1ms -M 'x={imc/CAS_COUNT.RD/}/seconds' --count 4 -o "$TMP/data"
	[ "$status" -eq 0 ]
}

@test "report --sort attributes counts to tasks with a note on coincidence" {
	samples who
	tool report -i "$TMP/data" -x, --sort comm
	[ "$status" -eq 0 ]
	# 5 intervals of 4 x 1000 reads, 4 known and 1 unknown of 4 x 10, 2 of 4 x 100
	[ "$output" = "$(printf '%s\n' event,count,percent,intervals,comm \
		imc/CAS_COUNT.RD/,20000,95.24,5,reader imc/CAS_COUNT.RD/,12160,57.90,7,idle \
		'imc/CAS_COUNT.RD/,800,3.81,2,?' 'imc/CAS_COUNT.RD/,160,0.76,4,a?[1m?' \
		imc/CAS_COUNT.WR/,140,70.00,7,idle imc/CAS_COUNT.WR/,100,50.00,5,reader \
		'imc/CAS_COUNT.WR/,80,40.00,4,a?[1m?' 'imc/CAS_COUNT.WR/,0,0.00,2,?')" ]
	[[ $err == *"# 12 intervals. The counts of each are attributed to every task that ran when it ended (core events: the interrupted task)."* ]]
	[[ $err == *"# 1 intervals have no known task"* ]]
	tool report -i "$TMP/data" -j --sort pid,cpu
	[[ $output == *'"count":8000,"percent":38.095,"intervals":2,"cpu":0,"pid":7}'* ]]
	tool report -i "$TMP/data" -x, --sort pid,ip --time 0.105,
	[ "$(sed -n 2p <<<"$output")" = 'imc/CAS_COUNT.RD/,800,100.00,2,8,0x401234,user' ]
	tool report -i "$TMP/data" --sort comm,cpu
	[[ $output == *"OF ALL  INTERVALS"*"coincidence, not causation"* ]]
	samples ramp
	tool report -i "$TMP/data" --sort comm
	[ "$status" -eq 0 ]
	[[ $output == *"# 100 intervals have no known task. Record with CAP_PERFMON"* ]]
	tool report -i "$TMP/data" --sort colour
	[ "$status" -eq 2 ]
	[[ $err == *"--sort 'colour': unknown key. Use comm, pid, tid, cpu or ip"* ]]
	tool report -i "$TMP/data" --sort comm,,pid
	complains 2 "--sort '': unknown key. Use comm"
	tool report -i "$TMP/data" --sort pid --per-box
	[ "$status" -eq 2 ]
	[[ $err == *"Omit --html, --ctf, -M and --per-box"* ]]
}

@test "report and script show the records of --tasks and --core-event" {
	tool record --timer 1ms --tasks -e imc/CAS_COUNT.RD/ --count 8 -o "$TMP/data"
	[ "$status" -eq 0 ]
	tool report -i "$TMP/data" -x, --sort comm,pid
	[ "$(sed 1d <<<"$output" | cut -d, -f3-)" = "$(printf '%s\n' 100.00,8,0,idle 100.00,8,42,worker)" ]
	[[ $err == *"attributed to every task that was running"*"shares can exceed 100 %"* ]]
	# a core's event names one task, whoever else ran
	tool record -C 1 --core-event page-faults:u -c 100 --tasks -e imc/CAS_COUNT.RD/ --count 8 -o "$TMP/data"
	[ "$status" -eq 0 ]
	tool script -i "$TMP/data"
	[[ $output == *"cpu 1  core  frozen 1.50 us late 1.70 us  pid 42/43 ip 0x401234 user"* ]]
	tool report -i "$TMP/data" -x, --sort pid,tid,ip
	[ "$(sed 1d <<<"$output" | cut -d, -f3-)" = 100.00,8,42,43,0x401234,user ]
	[[ $err == *"attributed to the task that the sample interrupted"* && $err != *"100 %"* ]]
	# of a program: itself
	tool record --core-event instructions -c 1M -e imc/CAS_COUNT.RD/ --count 8 -o "$TMP/data" -- sh -c 'echo $$; exec sleep 60'
	tool report -i "$TMP/data" -j --sort pid
	[[ $output == *'"percent":100.000,"intervals":8,"pid":'* ]]
}

@test "record --tasks and --core-event fail without permission or target" {
	UCORE_FAKE=user= tool record --timer 1ms --tasks -e imc/CAS_COUNT.RD/ --count 1 -o "$TMP/data"
	complains 1 "CAP_PERFMON"
	UCORE_FAKE=user= tool record --core-event cycles -c 1M -C 0 -e imc/CAS_COUNT.RD/ --count 1 -o "$TMP/data"
	complains 1 "core event of CPU 0: permission denied, because samples expose the code of other users. CAP_PERFMON is needed"
	tool record --core-event cycles -c 1M -C 99 -e imc/CAS_COUNT.RD/ --count 1 -o "$TMP/data"
	complains 1 "there is no CPU 99 online"
	tool record --core-event cycles -c 1M -p 99999999 -e imc/CAS_COUNT.RD/ --count 1 -o "$TMP/data"
	complains 1 "process 99999999: does not exist"
	UCORE_FAKE="fail=18:95" tool record --core-event cycles -c 1M -C 0 -e imc/CAS_COUNT.RD/ --count 1 -o "$TMP/data"
	complains 1 "the kernel's perf cannot count it here, or has no interrupt for it"
}

@test "script prints the tasks and escapes control characters of their names" {
	samples who
	tool script -i "$TMP/data"
	[[ $output == *"# ran: cpu 0 reader 7/7 cpu 1 reader 7/7"* ]]
	[[ $output == *"cpu 1 a?[1m? 9/9"* ]]
	[[ $output == *"cpu 0  core  frozen 1.50 us late 0.00 us  pid 8/8 ip 0x401234 user"* ]]
	tool script -i "$TMP/data" -j
	[[ $output == *'{"record":"tasks","time_ns":'*'{"cpu":1,"pid":7,"tid":7,"comm":"reader",'* ]]
}

@test "record --core-event refuses missing targets, periods and unknown names" {
	tool record -e imc0/CAS_COUNT.RD/ --core-event instructions -- true
	[ "$status" -eq 2 ]
	[[ $err == *"--core-event instructions: no period. Add -c N"* ]]
	tool record -e imc0/CAS_COUNT.RD/ --core-event instructions -c 1M
	[ "$status" -eq 2 ]
	[[ $err == *"Add -p PID, -C CPU, or a program"* ]]
	tool record -e imc0/CAS_COUNT.RD/ --core-event instructions -c 1M -p 1 -C 0
	[ "$status" -eq 2 ]
	[[ $err == *"-p and -C: cannot be combined"* ]]
	tool record -e imc0/CAS_COUNT.RD/ -p 1
	[ "$status" -eq 2 ]
	[[ $err == *"-p: chooses processes for --core-event"* ]]
	tool record -e imc0/CAS_COUNT.RD/ --timer 1ms -C 0
	[ "$status" -eq 2 ]
	[[ $err == *"-C: chooses CPUs for --core-event"*"--pmi-cpus"* ]]
	for name in instruction instructions:k r r12g r11112222333344445; do
		tool record -e imc0/CAS_COUNT.RD/ --core-event $name -c 1M -C 0
		[ "$status" -eq 2 ]
		[[ $err == *"core event '$name': "* ]]
	done
}

@test "report shows losses, gaps and incomplete files" {
	samples holes
	tool report -i "$TMP/data"
	[[ $output == *"# 1700 samples, 100 records lost, 2 gaps; "* ]]
	# an interval with lost samples is longer, and its rate is the mean
	tool report -i "$TMP/data" -x, --time 0.4005,0.4015
	[ "$(grep ^event,0 <<<"$output" | cut -d, -f6,8 | sort -u)" = 1,101000000 ]
	samples ramp cut
	tool report -i "$TMP/data"
	[ "$status" -eq 0 ]
	[[ $output == *"recording was cut short: its cost is not known"* ]]
	size=$(stat -c %s "$TMP/data")
	head -c $((size - 10)) "$TMP/data" >"$TMP/short"
	tool report -i "$TMP/short"
	[ "$status" -eq 1 ]
	[[ $output == *" 99 "*"imc/CAS_COUNT.RD/"* && $err == *"truncated"* ]]
}

@test "report refuses options that cannot be combined" {
	while IFS='|' read -r args words; do
		# shellcheck disable=SC2086
		tool report $args
		complains 2 "$words"
	done <<-'EOF'
	--ctf a -M x|Omit -M
	--metric-file f|Choose the metrics with -M
	--time 1|Write FROM,TO
	--time x,|time 'x': not a time
	EOF
}

@test "report --html writes a page that needs no other file" {
	samples holes
	tool report -i "$TMP/data" --html "$TMP/page.html"
	[ "$status" -eq 0 ]
	[ -z "$output$err" ]
	! grep -qE '(src|href)="?(https?:)?//|@import|url\((https?:)?//' "$TMP/page.html"
	grep -q "default-src 'none'" "$TMP/page.html"
	# the columns, decoded: when samples of the first axis ended, and all counts of a box
	python3 - "$TMP/page.html" "$BATS_TEST_DIRNAME" <<-'EOF'
	import base64, json, re, struct, sys
	sys.path.insert(0, sys.argv[2])
	sys.dont_write_bytecode = True
	import samples
	page = open(sys.argv[1]).read()
	columns = {name: (kind, base64.b64decode(text)) for name, kind, text in
	           re.findall(r'id="([trlv][0-9]+)" data-as="(f64|u32)">([^<]*)<', page)}
	says = json.loads(re.search(r'id="recording">(.*?)</script>', page, re.S).group(1))
	def column(name):
	    kind, data = columns[name]
	    size, letter = (8, "d") if kind == "f64" else (4, "I")
	    return struct.unpack(f"<{len(data) // size}{letter}", data)
	truth = samples.holes()
	assert says["axes"][:2] == [900, 800], says["axes"]
	assert column("t0")[0] == samples.MS and column("t0")[-1] == 1000 * samples.MS
	assert column("r0")[300] == 101 * samples.MS, column("r0")[299:302]
	for i, series in enumerate(says["series"]):
	    if "metric" in series:
	        continue
	    die, box = int(series["domain"][4:]), int(series["box"][3:])
	    assert sum(column(f"v{i}")) == truth.totals[die][series["index"]][box] == int(series["count"])
	names = {series.get("metric") for series in says["series"]}
	assert {"memory_bandwidth_total", "memory_bandwidth_read", "memory_read_share"} <= names, names
	assert [mark.get("lost") or mark["gap"] for mark in says["marks"]] == [100, "die offline", "die online"]
	EOF
	tool report -i "$TMP/data" --html "$TMP/none/page.html"
	complains 1 "none/page.html: cannot create"
	tool report -i "$TMP/data" --html /dev/full
	complains 1 "/dev/full: cannot write"
	[[ $(grep -o '"tasks":\[[^]]*\]' "$TMP/page.html") == '"tasks":[]' ]]
	tool report -i "$TMP/data" --html - -M memory_read_share
	[[ $output == "<!DOCTYPE html>"*'"metric":"memory_read_share"'*"</html>" ]]
	[[ $output != *'"metric":"memory_bandwidth_read"'* ]]
}

@test "report --html contains the tasks at the end of each interval" {
	samples who
	tool report -i "$TMP/data" --html "$TMP/page.html"
	[ "$status" -eq 0 ]
	python3 - "$TMP/page.html" <<-'EOF'
	import base64, json, re, struct, sys
	page = open(sys.argv[1]).read()
	columns = {name: base64.b64decode(text) for name, text in
	           re.findall(r'id="([nk][0-9]+)" data-as="u32">([^<]*)<', page)}
	says = json.loads(re.search(r'id="recording">(.*?)</script>', page, re.S).group(1))
	assert set(columns) == {"n0", "k0"}, columns.keys()
	numbers = {name: struct.unpack(f"<{len(data) // 4}I", data) for name, data in columns.items()}
	keys = iter(numbers["k0"])
	ran = [sorted(says["tasks"][next(keys)]["comm"] for _ in range(nr)) for nr in numbers["n0"]]
	odd = ["a?[1m?"]
	assert ran == [[], ["reader"], odd, ["reader"], odd, ["reader"], odd, ["reader"], odd,
	               ["reader"], ["?"], ["?"]], ran
	assert {(task["comm"], task["pid"]) for task in says["tasks"]} == {
	    ("idle", 0), ("reader", 7), ("a?[1m?", 9), ("?", 8)}
	EOF
	# the task that a timer interrupts is random, so that the report does not show it
	record_file
	tool report -i "$TMP/data" --html -
	[[ $output == *'"tasks":[]'* && $output != *'id="n0"'* ]]
}

@test "report --ctf writes the same counts, times and losses for babeltrace2" {
	command -v babeltrace2 || skip "no babeltrace2"
	samples holes
	tool report -i "$TMP/data" --ctf "$TMP/trace"
	[ "$status" -eq 0 ]
	[ -z "$output$err" ]
	babeltrace2 --clock-seconds --no-delta "$TMP/trace" >"$TMP/read" 2>"$TMP/said"
	python3 - "$TMP/read" "$TMP/said" "$BATS_TEST_DIRNAME" <<-'EOF'
	import re, sys
	sys.path.insert(0, sys.argv[3])
	sys.dont_write_bytecode = True
	import samples
	truth, messages = samples.holes(), open(sys.argv[2]).read()
	lines = open(sys.argv[1]).read().splitlines()
	read = [line for line in lines if "ucore_sample" in line]
	gaps = [line for line in lines if "ucore_gap" in line]
	field = lambda line, name: int(re.search(rf"\b{name} = (-?[0-9]+)", line).group(1))
	time = lambda line: int(re.match(r"\[([0-9]+)\.([0-9]{9})\]", line).expand(r"\1\2"))
	assert len(read) == truth.samples, len(read)
	last = {field(line, "die"): line for line in read}
	for die in (0, 1):
	    for channel in range(4):
	        for index, name in enumerate(("CAS_COUNT_RD", "CAS_COUNT_WR")):
	            have = field(last[die], f"imc{channel}_{name}")
	            assert have == truth.totals[die][index][channel], (die, channel, name, have)
	times = {die: [time(line) for line in read if field(line, "die") == die] for die in (0, 1)}
	assert times[0][0] == samples.REAL + samples.MS, times[0][0]
	assert times[0][-1] == samples.REAL + 1000 * samples.MS
	assert len(gaps) == 2 and "offline" in gaps[0] and "online" in gaps[1], gaps
	assert re.search(r"\b100 (event|message)s?\b|discarded 100 ", messages), messages
	EOF
	# the values in between are those of script, one by one
	tool script -i "$TMP/data" -x, --per-box --totals
	grep ^sample <<<"$output" | awk -F, '$3 == 1 && $15 == "imc2" && $16 ~ /RD/ { print $17 }' >"$TMP/want"
	grep 'ucore_sample.*die = 1,' "$TMP/read" | sed 's/.*imc2_CAS_COUNT_RD = \([0-9]*\).*/\1/' >"$TMP/have"
	[ "$(wc -l <"$TMP/want")" -eq 800 ]
	cmp "$TMP/want" "$TMP/have"
	tool report -i "$TMP/data" --ctf "$TMP/trace"
	complains 1 "trace: cannot create the directory: File exists"
}

@test "report --ctf numbers names that become equal" {
	command -v babeltrace2 || skip "no babeltrace2"
	tool record --timer 1ms -e 'imc0/event=4,umask=3,die=0/,imc0/event=4,umask=3,thresh=0,die=0/' -e 'imc0/event=4,umask=3,die=0/' --count 3 -o "$TMP/data"
	[ "$status" -eq 0 ]
	tool report -i "$TMP/data" --ctf "$TMP/trace"
	babeltrace2 "$TMP/trace" >"$TMP/read"
	[ "$(wc -l <"$TMP/read")" -eq 3 ]
	[ "$(sed -n 1p "$TMP/read" | grep -oE 'imc0_event_4_umask_3[a-z0-9_]*' | sort -u | wc -l)" -eq 3 ]
}

# ---- flight recorder ----------------------------------------------------------

@test "record --keep writes the samples before and after the condition" {
	cd "$TMP"
	# 2 dies and a ms for each sample; from the 2000th on counts are ten times as high
	UCORE_FAKE="step=2000:10" tool record --timer 1ms -M memory_bandwidth_read --keep 400ms \
		--when 'memory_bandwidth_read>20GB/s' --after 100ms --count 4000 -o 'inc-%t'
	[ "$status" -eq 0 ]
	[ "$(ls inc-*)" = "$(echo inc-[0-9]*-[0-9]*)" ]
	[ "$(ls inc-* | wc -l)" -eq 1 ]
	[[ $err == *": memory_bandwidth_read was "*" MB/s; "*" samples of 0.5"*" s written to inc-"* ]]
	[[ $err == *"4000 samples of 2 dies in "*" of them written to 1 files, 0 records lost"* ]]
	"$B/fake_tool" script -j -i inc-* >printed
	python3 - printed <<-'EOF'
	import json, sys
	records = [json.loads(line) for line in open(sys.argv[1])]
	times = [record["time_ns"] for record in records if record["record"] == "sample"]
	step = 10**18 + 2000 * 10**6        # the fake's clock and its samples
	first, last = min(times), max(times)
	# the condition is seen when both dies have had a sample that is higher
	assert 398e6 <= step - first <= 402e6, step - first
	assert 98e6 <= last - step <= 104e6, last - step
	assert len(times) == (last - first) // 10**6 + 1, len(times)
	EOF
	# the rates in it are those before and after
	tool report -i inc-* -x, -M memory_bandwidth_read
	[ "$status" -eq 0 ]
	[ "$(grep ^metric,0 <<<"$output" | awk -F, '{ print ($14 / $10 > 9.9 && $14 / $10 < 10.1) }')" = 1 ]
}

@test "record --keep writes one file for each time the condition becomes true" {
	cd "$TMP"
	UCORE_FAKE="step=1000:10" tool record --timer 1ms --keep 100ms --when 'memory_bandwidth_read>20000' --count 4000 -o 'one-%t'
	[ "$(ls one-* | wc -l)" -eq 1 ]
	# true for 200 samples of each 1000
	UCORE_FAKE="step=1000:10:200" tool record --timer 1ms --keep 100ms --when 'memory_bandwidth_read>20000' --after 20ms --count 4000 -o 'more-%t'
	[ "$(ls more-* | wc -l)" -eq 3 ]
	[[ $err == *" written to 3 files"* ]]
	# no sample is in two of them
	for file in more-*; do "$B/fake_tool" script -x, -i "$file" 2>/dev/null | grep ^sample | cut -d, -f2,3 | sort -u; done >all
	[ "$(sort all | uniq -d | wc -l)" -eq 0 ]
}

@test "record --keep does not trigger by a condition that is true at the start" {
	cd "$TMP"
	tool record --timer 1ms --keep 100ms --when 'memory_bandwidth_read>1' --count 4000 -o 'none-%t'
	[ "$status" -eq 0 ]
	[[ $err == *"condition 'memory_bandwidth_read>1' is true at the start (memory_bandwidth_read is "*" MB/s). It triggers when it has been false and becomes true"* ]]
	[ "$(grep -c "at the start" <<<"$err")" -eq 1 ]
	[[ $err == *" written to 0 files"* ]]
	# of one socket only, and not of the one whose samples come first
	tool record --timer 1ms --keep 100ms --when 'memory_bandwidth_read>3000' --per-socket --count 4000 -o 'none-%t'
	[[ $err == *"at the start"*" written to 0 files"* ]]
	[ -z "$(ls none-* 2>/dev/null)" ]
	# it becomes false, and true again at each step
	UCORE_FAKE="step=1000:10:200" tool record --timer 1ms --keep 100ms --when 'memory_bandwidth_read<20000' --count 4000 -o 'low-%t'
	[[ $err == *"at the start"* ]]
	[ "$(ls low-* | wc -l)" -eq 3 ]
	# false at the start: no message
	UCORE_FAKE="step=1000:10" tool record --timer 1ms --keep 100ms --when 'memory_bandwidth_read>20000' --count 4000 -o 'one-%t'
	[[ $err != *"at the start"* ]]
	[ "$(ls one-* | wc -l)" -eq 1 ]
}

@test "record --keep ignores rates of intervals shorter than half a period" {
	cd "$TMP"
	# the fake has a sample of each die every 2 ms, whatever the period
	UCORE_FAKE="step=1000:10" tool record --timer 4ms --keep 100ms --when 'memory_bandwidth_read>20000' --count 2000 -o 'a-%t'
	[ "$status" -eq 0 ]
	[[ $err == *" written to 1 files"* ]]
	UCORE_FAKE="step=1000:10" tool record --timer 5ms --keep 100ms --when 'memory_bandwidth_read>20000' --count 2000 -o 'b-%t'
	[ "$status" -eq 0 ]
	[[ $err == *" written to 0 files"* ]]
}

@test "record --keep accepts formulas, sockets and lower limits" {
	cd "$TMP"
	UCORE_FAKE="step=1000:10" tool record --timer 1ms --keep 50ms --when '{imc0/CAS_COUNT.RD,die=0/}/seconds < 1' --count 2000 -o 'a-%t'
	[ "$status" -eq 0 ]
	[[ $err == *" written to 0 files"* ]]
	UCORE_FAKE="step=1000:10" tool record --timer 1ms --keep 50ms --when '{imc0/CAS_COUNT.RD,die=0/}/seconds >= 10M' --count 2000 -o 'b-%t'
	[ "$status" -eq 0 ]
	[[ $err == *": condition was "*" written to 1 files"* ]]
	# the second socket alone has so much
	UCORE_FAKE="step=1000:10" tool record --timer 1ms --keep 50ms --when 'memory_bandwidth_read>16GB/s' --count 2000 --per-socket -o 'c-%t'
	[[ $err == *" written to 1 files"* ]]
}

@test "record --keep accepts units of the metric and paths of the files" {
	cd "$TMP"
	for when in 'memory_bandwidth_read>20000MB/s' 'memory_bandwidth_read > 20 GB/s' 'memory_bandwidth_read>20k'; do
		UCORE_FAKE="step=1000:10" tool record --timer 1ms --keep 50ms --when "$when" --count 2000 -o 'a-%t'
		[ "$status" -eq 0 ]
		[[ $err == *" written to 1 files"* ]]
	done
	UCORE_FAKE="step=1000:10" tool record --timer 1ms --keep 50ms --when 'memory_read_share<=100%' --count 10 -o 'b-%t'
	[ "$status" -eq 0 ]
	[[ $err == *"'memory_read_share<=100%' is true at the start"* ]]
	tool record --timer 1ms -e imc/CAS_COUNT.RD/ --keep 50ms --count 10 -o "$TMP/none/a-%t"
	complains 1 "$TMP/none/: cannot create files in this directory: No such file or directory"
}

@test "record --keep writes a file at SIGUSR2 and continues" {
	cd "$TMP"
	"$B/fake_tool" record --timer 1ms -e imc/CAS_COUNT.RD/ --keep 300ms -o 'asked-%t' 2>err &
	pid=$!
	# before it waits for the signal, that would end it
	until grep -q fake_tool /proc/$pid/comm && grep -q '^SigBlk:.*[89a-f]..$' /proc/$pid/status; do :; done
	for nr in 1 2; do
		sleep 1.5
		kill -USR2 $pid
		for _ in $(seq 100); do [ "$(ls asked-* 2>/dev/null | wc -l)" -ge $nr ] && break; sleep 0.1; done
	done
	sleep 0.5
	kill -INT $pid
	wait $pid
	[ "$(ls asked-* | wc -l)" -eq 2 ]
	[ "$(grep -c ' samples of 0\.3[0-9]* s written to asked-' err)" -eq 2 ]
	grep -q ' written to 2 files' err
	tool report -i "$(ls asked-* | head -n 1)"
	[ "$status" -eq 0 ]
}

@test "record --keep limits its memory and reports discarded samples" {
	cd "$TMP"
	UCORE_FAKE="batch=64 step=60000:10" tool record --timer 1ms --keep 1000s,1M --ring-size 1M \
		-e imc/CAS_COUNT.RD/,cbo/CLOCKTICKS/ --when 'memory_bandwidth_read>20000' --count 70000 -o 'full-%t'
	[ "$status" -eq 0 ]
	[[ $err == *"flight recorder: memory limit of 1 MiB reached. Raise the limit (--keep TIME,2M)"* ]]
	[ "$(stat -c %s full-*)" -lt 1200000 ]
	[ "$(stat -c %s full-*)" -gt 600000 ]
}

@test "record --keep with wrong arguments prints one line and exits 2" {
	while IFS='|' read -r args words; do
		echo "$args"
		# shellcheck disable=SC2086
		[[ $args == *-o* ]] || args+=" -o '$TMP/x'"
		eval "tool record --timer 1ms --count 1 -e imc/CAS_COUNT.RD/ $args"
		complains 2 "$words"
	done <<-'EOF'
	--when 'memory_bandwidth_read>1'|Give --keep too
	--keep 1s --after 1s|Give --when too
	--keep 1s --per-socket|apply to the condition of --when only
	--keep 1s -o -|--keep: cannot write to standard output
	--keep 1s -o a%n|are allowed after a per cent sign
	--keep 1|keep '1': not a time
	--keep 2d|keep '2d': not a time
	--keep 1s,3M|keep '3M': not valid. Use a power of two
	--keep 1s --when memory_bandwidth_read|Use METRIC>NUMBER
	--keep 1s --when 'memory_bandwidth_read=>1'|Use METRIC>NUMBER, or <, >= or <=
	--keep 1s --when 'memory_bandwidth_read!>1'|Use METRIC>NUMBER
	--keep 1s --when '@memory>1'|a category is not allowed
	--keep 1s --when 'memory_bandwidth_read>nan'|'nan' is not a number of MB/s
	--keep 1s --when 'memory_bandwidth_read>inf'|'inf' is not a number of MB/s
	--keep 1s --when 'memory_bandwidth_read>1e400'|'1e400' is not a number of MB/s
	--keep 1s --when 'memory_read_share>1ns'|is not a number of %
	--keep 1s --when 'memory_bandwidth_read>'|is not a number of MB/s
	--keep 1s --when 'memory_bandwidth_read>80e9'|Use 80GB/s if you mean bytes
	--keep 1s --when 'memory_bandwidth_read>8m'|'8m' is not a number
	--keep 1s --when 'memory_read_share>1GB/s'|is not a number of %
	--keep 1s --when 'nosuch>1'|metric 'nosuch': unknown on this machine
	EOF
}

# ---- domains ------------------------------------------------------------------

@test "boxes only on die 1 are shown on die 1, whatever the domain id" {
	export UCORE_FAKE="only=1"
	tool list
	[ "$(sed 1d <<<"$output" | cut -c-3 | sort -u)" = "  1" ]
	[[ $(sed -n 1p <<<"$output") != *CPU* ]]
	tool list -j boxes imc0
	[[ $output == '{"die":1,"type":"imc","instance":0,'* ]]
	tool info
	[[ $output == *"17 on 1 dies"*$'\n'"die      1       1       8 "* ]]
	[[ $output == *"  die 1   imc0 "* && $output != *"die 0"* ]]
	tool stat --timeout 1 --per-box -x, -e imc0/CAS_COUNT.RD,die=1/
	[[ $(sed -n 2p <<<"$output") == *,1,1,,imc0,* ]]
	tool stat --timeout 1 -e imc0/CAS_COUNT.RD,die=0/
	complains 2 "no die 0"
	UCORE_FAKE="only=1 own=imc0" tool stat --timeout 1 -e imc0/CAS_COUNT.RD/
	complains 1 "imc0 of die 1: in use by process 4711 (other)"
	tool record -c 9 -e imc0/CAS_COUNT.RD/ --count 2 -o "$TMP/data"
	[[ $err == "2 samples of 1 dies in "* ]]
	tool script -i "$TMP/data"
	[ "$(grep -c '  die 1  cpu 8  overflow of imc0 ' <<<"$output")" -eq 2 ]
	tool script -i "$TMP/data" -x,
	[ "$(sed 1d <<<"$output" | cut -d, -f3 | sort -u)" = 1 ]
	tool script -i "$TMP/data" -j
	[ "$(grep -c '"record":"sample",.*"die":1,' <<<"$output")" -eq 2 ]
}

@test "list and info show boxes of CPUs" {
	export UCORE_FAKE="cpus=4"
	tool list
	[[ $(sed -n 1p <<<"$output") == "DIE      CPU  TYPE  "* ]]
	[[ $output == *$'\n'"  1           imc         0-3  ecam "* ]]
	[[ $(tail -n 1 <<<"$output") == "         0-3  core          0  msr "*" 0x186" ]]
	UCORE_FAKE="cpus=4 dead=35" tool list
	[[ $(tail -n 3 <<<"$output") == *"  0  core "*"  1  core "*" DEAD "*"2-3  core "* ]]
	tool list boxes core
	[ "$(grep -c ' core   *0  msr' <<<"$output")" -eq 4 ]
	tool list -j boxes core
	[[ $(sed -n 3p <<<"$output") == '{"cpu":2,"type":"core","instance":0,'* ]]
	tool info
	[[ $output == *"38 on 2 dies and 4 CPUs"* ]]
	[[ $output == *$'\n'"cpu      0     3       0       3      1         7 "* ]]
	[[ $output == *"  cpu 3   core0    msr 0x186"* ]]
	tool info -j
	[[ $output == *'{"scope":"cpu","die":0,"cpu":3,"socket":0,"reader":3,'* ]]
	[[ $output == *'{"cpu":3,"type":"core","instance":0,'* ]]
}

@test "info decodes CPUID.0AH" {
	UCORE_FAKE="cpus=2" tool info
	[[ $output == *$'\n'"cores      ready"$'\n'"  version 3: 4 counters of 48 bits, 3 fixed ones of 48 bits"$'\n'* ]]
	[[ $output == *"periods up to 2^48, events can count for both threads (any)"* ]]
	[[ $output == *$'\n'"  lacks LLC_MISSES"$'\n'* ]]
	[[ $output == *"  has UNHALTED_CORE_CYCLES INSTRUCTIONS_RETIRED "*" BRANCH_MISSES_RETIRED"$'\n'* ]]
	[[ $output == *"CPUID.0AH: eax 0x07300403, ebx 0x00000010, ecx 0x00000000, edx 0x00000603"* ]]
	UCORE_FAKE="cpus=2 core=6" tool info
	[[ $output == *"cores      in use by perf: perf has the counters: sysctl kernel.nmi_watchdog=0"* ]]
	UCORE_FAKE="cpus=2" tool info -j
	[[ $output == *'"core":{"state":"ready","reason":"","version":3,"counters":4,'*'"events":111,'* ]]
	UCORE_FAKE="" tool info
	[[ $output != *"cores "* ]]
}

@test "both kinds of cores of a hybrid processor are listed, described and counted" {
	export UCORE_FAKE="cpus=2 atoms=2"
	tool list
	[[ $(tail -n 1 <<<"$output") == "         2-3  atom          0  msr "*" 0x186" ]]
	tool info
	[[ $output == *$'\n'"cores      core, 2 CPUs of type 0x40: ready"$'\n'"  version 3: 4 counters of 48 bits, 3 fixed"* ]]
	[[ $output == *$'\n'"cores      atom, 2 CPUs of type 0x20: ready"$'\n'"  version 3: 3 counters of 48 bits, 2 fixed"* ]]
	[[ $output == *"  lacks LLC_MISSES"*"  lacks BRANCH_INSTRUCTIONS_RETIRED"* ]]
	tool info -j
	[[ $output == *'"core":{"state":"ready",'*'"cpu_type":64,"boxes":2,"cpus":2},"atom":{"state":"ready",'* ]]
	tool list events
	[[ $output == *"core      TOPDOWN.SLOTS"*"atom      UNHALTED_CORE_CYCLES"* ]]
	[[ $output != *"atom      TOPDOWN.SLOTS"* ]]
	tool stat --timeout 1 -e LLC_REFERENCES -x,
	[ "$(sed 1d <<<"$output" | grep -c 'core/LLC_REFERENCES/\|atom/LLC_REFERENCES/')" -eq 2 ]
	tool stat --timeout 1 -e 'BRANCH_M*/usr/' -x,
	[ "$(sed 1d <<<"$output" | grep -c '/BRANCH_MISSES_RETIRED,usr/')" -eq 2 ]
	tool stat --timeout 1 -e LLC_REFERENCES/name=refs/
	complains 2 "name= is not possible for 2 events"
	tool stat --timeout 1 -e atom/LLC_MISSES/ -e core/BRANCH_INSTRUCTIONS_RETIRED/
	[ "$status" -eq 0 ]
	tool stat --timeout 1 -e atom/BRANCH_INSTRUCTIONS_RETIRED/
	complains 2 "box type 'atom' does not have BRANCH_INSTRUCTIONS_RETIRED"
	tool stat --timeout 1 -e LLC_MISSES -x,
	[ "$(sed 1d <<<"$output" | grep -c '/LLC_MISSES/')" -eq 1 ]
	[[ $output == *"atom/LLC_MISSES/"* ]]
	tool stat --timeout 1 -e 'BRANCH_INSTR*' -x,
	[ "$(sed 1d <<<"$output" | grep -c 'core/BRANCH_INSTRUCTIONS_RETIRED/')" -eq 1 ]
	tool stat --timeout 1 -e cpu_atom/cycles/
	complains 2 "did you mean 'atom/UNHALTED_CORE_CYCLES/'?"
	tool stat --timeout 1 -e cycles:u
	complains 2 "did you mean 'core/UNHALTED_CORE_CYCLES,usr/' or 'atom/UNHALTED_CORE_CYCLES,usr/'?"
	UCORE_FAKE="cpus=2" tool stat --timeout 1 -e atom/LLC_REFERENCES/
	complains 2 "the processor is not hybrid, or no efficient core was online when the module was loaded. Write core/EVENT/"
}

@test "list and stat know the events of cores in addition to the platform's" {
	export UCORE_FAKE="cpus=2"
	tool list events
	[[ $(tail -n 11 <<<"$output" | head -n 1) == "core      UNHALTED_CORE_CYCLES "*" 0x3c "* ]]
	[[ $output == *"CAS_COUNT.RD"* ]]
	tool list events --platform core
	[ "$(sed 1d <<<"$output" | wc -l)" -eq 11 ]
	tool stat --timeout 1 -e core/INSTRUCTIONS_RETIRED/ -e imc/CAS_COUNT.RD/
	[ "$status" -eq 0 ]
	tool stat --timeout 1 -e core/LLC_MISSES/
	[ "$status" -ne 0 ]
	[[ $err == *"box type 'core' does not have LLC_MISSES"* ]]
}

@test "stat of core events in use by perf says what to do" {
	UCORE_FAKE="cpus=2 core=6 fail=16:16" tool stat --timeout 1 -e core/event=0xc0/
	[ "$status" -ne 0 ]
	[[ $err == *"event 'core/event=0xc0/': perf has the counters: sysctl kernel.nmi_watchdog=0"* ]]
}

@test "stat counts core events while intel_uncore uses the uncore" {
	export UCORE_FAKE="cpus=2 state=4 reason=modprobe_-r_intel_uncore"
	tool stat --timeout 1 -e core/event=0xc0/
	[ "$status" -eq 0 ]
	UCORE_FAKE="$UCORE_FAKE fail=16:16" tool stat --timeout 1 -e imc/event=4/
	[ "$status" -ne 0 ]
	[[ $err == *"event 'imc/event=4/': modprobe_-r_intel_uncore"* ]]
	UCORE_FAKE="state=4" tool stat --timeout 1 -e imc/event=4/
	[ "$status" -ne 0 ]
}

@test "record with core events uses smaller rings unless --ring-size is given" {
	UCORE_FAKE="cpus=2 ring=131072" tool record -c 9 -e core/event=0x3c/ --count 4 -o "$TMP/data"
	[ "$status" -eq 0 ]
	UCORE_FAKE="cpus=2 ring=1048576" tool record -c 9 -e imc/event=4/ --count 4 -o "$TMP/data"
	[ "$status" -eq 0 ]
	UCORE_FAKE="cpus=2 ring=65536" tool record --ring-size 64K -c 9 -e imc/event=4/ -e core/event=1/ --count 4 -o "$TMP/data"
	[ "$status" -eq 0 ]
}

@test "stat shows boxes of CPUs" {
	export UCORE_FAKE="cpus=4"
	tool stat --timeout 1 --per-box -e core/event=0x3c,cpu=2/ -e imc0/CAS_COUNT.RD,die=1/
	[[ $(sed -n 1p <<<"$output") == "DIE   CPU  BOX "* ]]
	[[ $(sed -n 2p <<<"$output") == "        2  core0 "*"core/event=0x3c,cpu=2/" ]]
	[[ $(sed -n 3p <<<"$output") == "  1        imc0 "*"imc0/CAS_COUNT.RD,die=1/" ]]
	[[ $output == *"; dies and CPUs frozen for"* ]]
	tool stat --timeout 1 --per-box -x, -e core/event=0x3c/
	[ "$(sed 1d <<<"$output" | cut -d, -f2-5)" = "0,,0,core0
0,,1,core0
0,,2,core0
0,,3,core0" ]
	UCORE_FAKE="cpus=4 flags=4" tool stat --timeout 1 -e core/event=0x3c/
	[[ $output == *"cpu offline"*"; CPUs frozen for"* ]]
	tool stat --timeout 1 -e imc/event=1,cpu=2/
	complains 2 "cpu 2 has no imc"
	tool stat --timeout 1 -e core/event=1,cpu=9/
	complains 2 "cpu 9 has no core box"
	tool stat --timeout 1 -e core3/event=1/
	complains 2 "no core3 on any cpu"
}

@test "record and script show boxes of CPUs" {
	export UCORE_FAKE="cpus=4"
	tool record -c 9 -e core/event=0x3c/ -e imc0/CAS_COUNT.RD,die=1/ --count 10 -o "$TMP/data"
	[[ $err == "10 samples of 1 dies and 4 CPUs in "*"dies and CPUs frozen"* ]]
	tool script -i "$TMP/data"
	[ "$(grep -c '^[0-9:.]*  [0-9.]*  cpu 3  overflow of core0 core/event=0x3c/  frozen' <<<"$output")" -eq 2 ]
	[ "$(grep -c '^[0-9:.]*  [0-9.]*  die 1  cpu 8  timer  frozen' <<<"$output")" -eq 2 ]
	[[ $output == *"samples/s on each die and CPU"* ]]
	tool script -i "$TMP/data" -x,
	[ "$(sed 1d <<<"$output" | cut -d, -f3,5 | sort | uniq -c | tr -s ' ')" = " 2 ,0
 2 ,1
 2 ,2
 2 ,3
 2 1,8" ]
	tool script -i "$TMP/data" -j
	[ "$(grep -c '"time_ns":[0-9]*,"seq":[01],"cpu":3,"trigger":"overflow",' <<<"$output")" -eq 2 ]
	"$B/fuzz_report" "$TMP/data" "${FUZZ_ROUNDS:-1000}"
}

@test "script names the die or CPU of a gap" {
	UCORE_FAKE="cpus=2 gap=1" tool record -c 9 -e core/event=0x3c/ -e imc0/CAS_COUNT.RD,die=0/ --count 6 -o "$TMP/data"
	[ "$status" -eq 0 ]
	tool script -i "$TMP/data"
	[[ $output == *"# die 0: gap: die offline (CPU 0 to -1)"* ]]
	[[ $output == *"# cpu 1: gap: cpu offline (CPU 1 to -1)"* ]]
	tool script -i "$TMP/data" -j
	[[ $output == *'"die":0,"seq":0,"reason":"die offline","cpu_from":0,"time":"'* ]]
	[[ $output == *'"cpu":1,"seq":0,"reason":"cpu offline","cpu_from":1,"time":"'* ]]
	tool script -i "$TMP/data" -x,
	[[ $err == *"# cpu 1: gap: cpu offline"* ]]
	for gap in "4 suspended" "5 resumed" "6 frozen"; do
		UCORE_FAKE="gap=${gap% *}" tool record -c 9 -e imc0/CAS_COUNT.RD,die=0/ --count 6 -o "$TMP/data$gap"
		tool script -i "$TMP/data$gap"
		[[ $output == *"# die 0: gap: ${gap#* } (CPU"* ]]
	done
}

@test "doctor warns about dies without a CPU online" {
	root 62
	UCORE_FAKE="cpus=4" tool doctor --root "$R"
	[ "$status" -eq 0 ]
	finds "38 boxes on 2 dies and 4 CPUs, platform ivbep"
	finds "# problems: 0, warnings: 0"
	UCORE_FAKE="cpus=4 offline=1 offline=3 offline=4" tool doctor --root "$R"
	[ "$status" -eq 0 ]
	finds "warning  dies       die 1 has no CPU online" "cpuN/online"
	finds "ok       cpus       2 CPUs are offline"
	UCORE_FAKE="only=1 offline=0" tool doctor --root "$R"
	finds "die 1 has no CPU online"
}

# ---- discovery ----------------------------------------------------------------

@test "list --rejected prints rejected units, the reason and the conflicting record" {
	UCORE_FAKE="machine=gnr dies=1 reject=13:0:cha:5:6 reject=4:99:type_99:0:0 table=7 table=12" tool list --rejected
	[ "$status" -eq 0 ]
	[ -z "$err" ]
	[ "$(wc -l <<<"$output")" -eq 6 ]
	[[ $(sed -n 1p <<<"$output") == "table 1 (0000:fe:00.1 BAR 0) is not used: the table reads all ones, because the PCI function is hidden or powered down" ]]
	[[ $(sed -n 2p <<<"$output") == "table 2 (0000:7e:00.2 BAR 0): another table of the die has the same global registers; only the units of this one are used" ]]
	[[ $output == *"TABLE  RECORD  DIE  TYPE       (ID)     NO  ACCESS   WITH  REASON"* ]]
	[[ $output == *"    0     242    0  cha           0      5  msr         6  another unit of the die has the same type and id"* ]]
	[[ $output == *"    0     243    0  type_99      99      0  none           the access type, 3, is invalid"* ]]
	[[ $(tail -n1 <<<"$output") == "# 2 of 243 units rejected, 1 of 3 tables not used" ]]
	UCORE_FAKE="machine=gnr reject=13:0:cha:5:6 reject=4:99:type_99:0:0" tool list --rejected boxes cha
	[ "$(wc -l <<<"$output")" -eq 3 ]
}

@test "list --rejected has a sentence for each reason in the header" {
	words="machine=generic dies=1"
	for reason in $(seq 20); do words+=" reject=$reason:0:type_0:$reason:0"; done
	UCORE_FAKE=$words tool list --rejected -x,
	[ "$status" -eq 0 ]
	[ "$(cut -d, -f10- <<<"$output" | sed 1d | sort -u | wc -l)" -eq 20 ]
	[[ $output != *"does not know"* ]]
	[[ $err == "# 20 of 25 units rejected, 0 of 1 tables not used" ]]
	UCORE_FAKE="machine=generic reject=21:0:type_0:1:0" tool list --rejected
	[[ $output == *"does not know"* ]]
}

@test "list --rejected prints CSV and JSON" {
	UCORE_FAKE="machine=generic dies=1 reject=13:0:type_0:5:1 table=3" tool list --rejected -x,
	[ "$output" = "table,record,die,type,type_id,instance,access,code,conflict,reason
1,,1,,,,,3,,firmware did not assign an address to the BAR
0,6,0,type_0,0,5,msr,13,1,another unit of the die has the same type and id" ]
	UCORE_FAKE="machine=generic dies=1 reject=13:0:type_0:5:1 table=3" tool list --rejected -j
	[ "$output" = '{"table":1,"die":1,"code":3,"reason":"firmware did not assign an address to the BAR"}
{"table":0,"record":6,"die":0,"type":"type_0","type_id":0,"instance":5,"access":"msr","code":13,"conflict":1,"reason":"another unit of the die has the same type and id"}
{"summary":{"tables":2,"tables_unused":1,"tables_guessed":0,"units":6,"units_rejected":1}}' ]
}

@test "list --rejected without rejected units prints a summary or the reason" {
	UCORE_FAKE="machine=generic" tool list --rejected
	[ "$output" = "# 0 of 10 units rejected, 0 of 2 tables not used" ]
	tool list --rejected
	[ "$status" -eq 0 ]
	[[ $output == "discovery tables: none on this platform"* ]]
	[ "$(wc -l <<<"$output")" -eq 1 ]
	tool list --rejected -j
	[ "$output" = '{"summary":{"tables":0,"tables_unused":0,"tables_guessed":0,"units":0,"units_rejected":0}}' ]
	UCORE_FAKE="machine=spr notables=1" tool list --rejected
	[ "$output" = "discovery tables: none: see 'ucoretool doctor'" ]
	UCORE_FAKE="machine=spr notables=1 cause=3 reason=hidden_by_BIOS" tool list --rejected
	[ "$output" = "discovery tables: none: hidden_by_BIOS" ]
	UCORE_FAKE="machine=spr fail=5:5" tool list --rejected
	complains 1 "GET_TABLES: Input/output error"
}

@test "list --rejected and info --discovery show tables whose die is a guess" {
	UCORE_FAKE="machine=generic guess=1" tool list --rejected
	[ "$output" = "table 1 (0000:fe:00.1 BAR 0): its die, 1, is a guess
# 0 of 10 units rejected, 0 of 2 tables not used" ]
	UCORE_FAKE="machine=generic guess=1" tool list --rejected -j
	[ "$output" = '{"summary":{"tables":2,"tables_unused":0,"tables_guessed":1,"units":10,"units_rejected":0}}' ]
	UCORE_FAKE="machine=generic guess=1" tool info --discovery
	[[ $output == *"table 0: "*", die 0 (by the NUMA node or UBox of the bus)"* ]]
	[[ $output == *"table 1: "*", die 1 (a guess, in the order of the PCI buses)"* ]]
	UCORE_FAKE="machine=generic guess=1" tool info --discovery -j
	[[ $output == *'"die":1,"die_by":"a guess, in the order of the PCI buses",'* ]]
}

@test "info --discovery decodes every record" {
	UCORE_FAKE="machine=generic dies=1 reject=13:0:type_0:5:1 reject=2:0:type_0:0:0 table=7" tool info --discovery
	[ "$status" -eq 0 ]
	[[ $output == "discovery of platform generic, family 6, model 250 (0xfa), stepping 4: 2 tables, 7 units, 2 rejected"* ]]
	[[ $output == *"table 0: 0000:7e:00.1 BAR 0 + 0x0, DVSEC at 0x100 (vendor 0x8086, revision 1), at 0xf0000000, die 0 ("* ]]
	[[ $output == *"global record: type 0, access msr, control 0x2ff0, stride 32 bytes, max_units 7, num_status 256, status_offset 0x4"* ]]
	[[ $output == *"     3  4000007008304004  00000000c8aa2800  0000000300000006  6 type_6        0  mmio    0xc8aa2800             4    48   0x40    0x8   0x70      3  box type_6 0"* ]]
	[[ $output == *"rejected: another unit of the die has the same type and id (record 1)"* ]]
	[[ $output == *"     7  ffffffffffffffff  ffffffffffffffff  ffffffffffffffff  65535 type_0  65535  "*"rejected: the record reads all ones"* ]]
	[[ $output == *"table 1: "*"not used: the table reads all ones"* ]]
	UCORE_FAKE="machine=spr" tool info --discovery
	# PCI addresses of a table have the segment right above the bus; not from a table: record -
	[[ $output == *"7 m2m  "*"0000:7e:0c.0+0x438"* ]]
	[[ $output == *"     -  "*"box upi 0"* ]]
	UCORE_FAKE="machine=gnr" tool info --discovery
	[[ $output == *"0000000017c08440  "*"  21 pciex16   "*"0001:7c:01.0+0x440"* ]]
}

@test "info --discovery reports hidden addresses" {
	UCORE_FAKE="machine=spr user=1" tool info --discovery
	[ "$status" -eq 0 ]
	[ "$(grep -c 'addresses: hidden' <<<"$output")" -eq 1 ]
	[[ $output != *0x2000* ]]
	UCORE_FAKE="machine=spr" tool info --discovery
	[[ $output != *"addresses: hidden"* ]]
}

@test "info --discovery prints JSON, and the reason for missing tables" {
	UCORE_FAKE="machine=spr reject=2:0:cha:0:0 table=7" tool info --discovery -j
	[ "$status" -eq 0 ]
	[ "$(wc -l <<<"$output")" -eq 1 ]
	[[ $output == '{"platform":"spr","family":6,"model":143,'*'"addresses_hidden":false,"tables":[{"table":0,"die":0,"die_by":"by the NUMA node or UBox of the bus","function":"0000:7e:00.1 BAR 0","dvsec":256,"dvsec_vendor":32902,"dvsec_revision":1,'* ]]
	[[ $output == *'{"record":1,"words":["0x108300204","0x2000","0x100000000"],"name":"cha","type":0,"id":0,"num_regs":4,"width":48,"ctl_offset":2,"ctr_offset":8,"status_offset":1,"status_position":1,"access":"msr","address":"0x2000","code":0,"box":0}'* ]]
	if command -v python3; then
		python3 -c 'import json,sys; t = json.load(sys.stdin)["tables"]; assert len(t) == 3 and len(t[1]["units"]) == 139' <<<"$output"
	fi
	tool info --discovery
	[ "$status" -eq 0 ]
	[[ $output == "discovery tables: none on this platform"* ]]
	tool info --discovery -j
	[[ $output == *'"tables":[]}' ]]
	UCORE_FAKE="machine=spr fail=6:5" tool info --discovery
	complains 1 "GET_UNITS"
}

@test "info --discovery shows the MSR of a table without a PCI function" {
	UCORE_FAKE="machine=spr table=16 table=17" tool info --discovery
	[[ $output == *"table 2: MSR 0x710, at 0xf0020000"*"not used: the MSR with the table's address faults"* ]]
	[[ $output == *"table 3: MSR 0x710, at 0xf0030000"*"not used: the MSR points to another"* ]]
	UCORE_FAKE="machine=spr table=16" tool info --discovery -j
	[[ $output == *'{"table":2,'*'"msr":"0x710","address":'*'"code":16,'* ]]
	[[ $output != *'"msr":"0x710","function"'* ]]
	UCORE_FAKE="machine=spr table=16" tool list --rejected
	[[ $output == *"table 2 (MSR 0x710) is not used: the MSR with the table's address faults or is zero"* ]]
}

@test "info describes the capabilities of the platform" {
	tool info
	[[ $output == *"can        freeze a die at once, interrupt at an overflow"$'\n'* ]]
	UCORE_FAKE="machine=spr" tool info
	[[ $output == *"can        freeze a die at once, sample by a timer or by polling, discover boxes from firmware's tables"$'\n'* ]]
	UCORE_FAKE="machine=spr overflow=1" tool info
	[[ $output == *"interrupt at an overflow, discover"* ]]
	UCORE_FAKE="machine=spr overflow=1" tool info -j
	[[ $output == *'"overflow_pmi":true,"discovery":true,'* ]]
	tool info -j
	[[ $output == *'"overflow_pmi":true,"discovery":false,'* ]]
}

@test "record --no-pmi needs no interrupt, and script says so" {
	tool record --no-pmi --count 3 -c 1000000 -e imc0/CAS_COUNT.RD,die=0/ -o "$TMP/data"
	[ "$status" -eq 0 ]
	[[ $err == *"samples are at most 100 us late"* ]]
	tool script -i "$TMP/data"
	[ "$status" -eq 0 ]
	[[ $output == *" no PMI, late < 65.00 us"* ]]
	[[ $output != *polled* ]]
	tool script -j -i "$TMP/data"
	[[ $output == *'"polled":true,"no_pmi":true,"late_ns":65000'* ]]
	tool record -c 1000000 -e imc0/CAS_COUNT.RD,die=0/ --count 1 -o "$TMP/data"
	tool script -j -i "$TMP/data"
	[[ $output != *no_pmi* ]]
	tool record --no-pmi --count 1 -c 1000000 -e cbo/CLOCKTICKS/ -o "$TMP/data"
	complains 2 "an overflow of cbo does not freeze the die" "without --no-pmi"
}

@test "a refused period names the nearest one, which is accepted" {
	while read -r event period; do
		tool record -c "$period" -e "$event" --count 1 -o "$TMP/x"
		complains 2 "period"
		nearest=$(grep -oE 'Use a period of at (least|most) [0-9]+$' "$TMP/err" | grep -oE '[0-9]+$')
		tool record -c "$nearest" -e "$event" --count 1 -o "$TMP/x"
		[ "$status" -eq 0 ]
		# and it is the nearest
		[ "$nearest" -gt "$period" ] && next=$((nearest - 1)) || next=$((nearest + 1))
		tool record -c "$next" -e "$event" --count 1 -o "$TMP/x"
		complains 2 "Use a period of at"
	done <<-'EOF'
	cbo/CLOCKTICKS/ 1
	cbo/CLOCKTICKS/ 1000
	cbo/CLOCKTICKS/ 499999
	imc/CAS_COUNT.RD/ 1000000000000000
	imc/CAS_COUNT.RD/ 9000000000000000000
	EOF
	# no period is accepted: it is not the period
	UCORE_FAKE="fail=16:34" tool record -c 1000 -e cbo/CLOCKTICKS/ --count 1 -o "$TMP/x"
	complains 2 "a field value is too large for cbo"
}

@test "record without overflow interrupts polls or uses a timer" {
	UCORE_FAKE="machine=spr" tool record --no-poll --count 1 -c 1000000 -e imc/CAS_COUNT.RD/ -o "$TMP/data"
	complains 2 "imc has no overflow interrupt" "polling" "timer"
	UCORE_FAKE="machine=spr" tool record --count 1 --timer 1ms -e imc/CAS_COUNT.RD/,cha/event=0x35,period=5/ -o "$TMP/data"
	complains 2 "cha/event=0x35,period=5/" "at least 500000"
	UCORE_FAKE="machine=spr" tool record --count 1 -c 1000000 -e imc/CAS_COUNT.RD/ -o "$TMP/data"
	[ "$status" -eq 0 ]
	[[ $err == *"periods were found by polling"*"at most 200 us late. With --no-pmi samples are exact, but each overflow freezes the die until a poll"* ]]
	UCORE_FAKE="machine=spr" tool record --no-pmi --count 1 -c 1000000 -e imc/CAS_COUNT.RD/ -o "$TMP/data"
	[ "$status" -eq 0 ]
	[[ $err == *"at most 100 us late, but exact: each overflow froze the die until a poll. Without --no-pmi nothing stands still"* ]]
	UCORE_FAKE="machine=spr fail=16:16" tool record --no-pmi --count 1 -c 1000000 -e imc0/CAS_COUNT.RD,die=0/ -o "$TMP/data"
	complains 1 "imc0 of die 0: its overflow cannot be tried while sessions count" "ucoretool verify"
	export UCORE_FAKE="machine=spr"
	tool record --timer 1ms --count 4 -o "$TMP/data" \
		-e cha/TOR_INSERTS.IA_MISS_DRD/,iio/DATA_REQ_OF_CPU.MEM_READ.PART0/,upi/CLOCKTICKS/ \
		-e imc/DCLK/,iio_free/BANDWIDTH_IN.PART0_FREERUN/,type_33/event=1/,m2pcie/CLOCKTICKS/
	[ "$status" -eq 0 ]
	tool script -i "$TMP/data" -x,
	[ "$status" -eq 0 ]
	[ "$(grep -c '^sample' <<<"$output")" -eq 28 ]
	UCORE_FAKE="machine=spr overflow=1" tool record -c 1000 -e imc/CAS_COUNT.RD/ --count 2 -o "$TMP/data"
	[ "$status" -eq 0 ]
}

@test "stat counts each type of a discovery platform" {
	UCORE_FAKE="machine=gnr" tool stat --timeout 1 -x, \
		-e "cha/CLOCKTICKS/,iio/CLOCKTICKS/,irp/CLOCKTICKS/,pcu/CLOCKTICKS/,ubox/UCLK/,imc/CAS_COUNT_SCH0.RD/" \
		-e "upi/TxL_FLITS.ALL_DATA/,cxlcm/event=1,umask=2/,b2hot/CLOCKTICKS/,b2cmi/CLOCKTICKS/,b2cxl/CLOCKTICKS/" \
		-e "b2upi/CLOCKTICKS/,chacms/CLOCKTICKS/,mdf/CLOCKTICKS/,pciex16/event=1/"
	[ "$status" -eq 0 ]
	[ "$(wc -l <<<"$output")" -eq 16 ]
	# 64 bytes in 9 flit slots
	count=$(awk -F, '/TxL_FLITS/ { print $6 }' <<<"$output")
	rate=$(awk -F, '/TxL_FLITS/ { print $7 }' <<<"$output")
	[ "$rate" = "$(awk "BEGIN { printf \"%.2f\", $count * 64 / 9 / 1000000 / 0.9 }")" ]
	UCORE_FAKE="machine=spr" tool stat --per-box --timeout 1 -x, -e iio_free1/BANDWIDTH_OUT.PART2_FREERUN,die=1/
	[[ $(sed -n 2p <<<"$output") == *,1,1,,iio_free1,* ]]
}

@test "events missing on discovery platforms are refused with a hint" {
	while IFS='|' read -r event words; do
		echo "$event"
		UCORE_FAKE="machine=spr" tool stat --timeout 1 -e "$event"
		complains 2 "$words"
	done <<-'EOF'
	cha/TOR_INSERTS.IA_MISS_DR/|did you mean 'TOR_INSERTS.IA_MISS_DRD'
	cha/event=0x35,umask=0x1ffffffffff/|umask_ext=0x1ffffffff is out of range
	imc/event=5,umask=0x100/|umask=0x100 is out of range
	iio/event=0x83,umask_ext=1/|iio has no field 'umask_ext'
	iio/BANDWIDTH_IN.PART0_FREERUN/|Write iio_free/BANDWIDTH_IN.PART0_FREERUN/
	iio_free/fixed=17/|no fixed counter 17
	b2cmi/CLOCKTICKS/|'b2cmi' is not a box type
	UNC_B2CMI_CLOCKTICKS|no such event
	type_34/event=1/|not a box type
	EOF
	UCORE_FAKE="machine=generic" tool stat --timeout 1 -e type_0/CLOCKTICKS/
	complains 2 "no event or field 'CLOCKTICKS'"
	UCORE_FAKE="machine=generic" tool list events
	complains 1 "this machine: no event names"
}

@test "list events shows masks" {
	UCORE_FAKE="machine=spr" tool list events -x, IA_MISS_DRD
	[[ $output == *$'\n'cha,TOR_INSERTS.IA_MISS_DRD,UNC_CHA_TOR_INSERTS.IA_MISS_DRD,0x35,0x01,"0 1 2 3",,umask_ext=0xc817fe$'\n'* ]]
	tool list events --platform gnr -j DATA_REQ_OF_CPU.MEM_READ.PART1
	[ "$output" = '{"type":"iio","event":"DATA_REQ_OF_CPU.MEM_READ.PART1","name":"UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART1","code":"0x83","umask":"0x04","counters":"0 1","masks":"ch_mask=0x2,fc_mask=7"}' ]
	tool list events --platform spr -x, iio_free
	[[ $output == *$'\n'iio_free,BANDWIDTH_OUT.PART7_FREERUN,UNC_IIO_BANDWIDTH_OUT.PART7_FREERUN,,,fixed16,,$'\n'* ]]
	for platform in spr:2284 emr:2306 gnr:850 srf:778 grr:442 cwf:778 snbep:505 ivbep:1077 hswep:1280 \
		bdxep:1286 bdxde:902 skx:3327 clx:3438 cpx:3438 icx:3994 snr:2525 \
		snb:39 ivb:39 hsw:37 bdw:28 skl:28 icl:8 rkl:14 tgl:15 tglh:15 adl:36 mtl:25 arl:23 lnl:30 ptl:31 nhm:176 wsm:212; do
		tool list events --platform "${platform%:*}" -x,
		[ "$(wc -l <<<"$output")" -eq $((${platform#*:} + 1)) ]
	done
}

# Code, umask and masks of the CSVs, computed here in another way than in generate.awk
@test "every event of the CSVs with masks is listed with its code and masks" {
	command -v python3 || skip "no python3"
	for platform in skx clx cpx icx snr spr emr gnr srf grr cwf \
			snb ivb hsw bdw skl icl rkl tgl tglh adl mtl arl lnl ptl nhm wsm; do
		tool list events --platform $platform -j
		printf '%s\n' "$output" >"$TMP/listed"
		python3 - "$BATS_TEST_DIRNAME/../../tools/events/$platform.csv" "$TMP/listed" <<-'EOF'
		import csv, json, sys
		listed = {e["name"]: e for e in map(json.loads, open(sys.argv[2]))}
		lines = [l for l in open(sys.argv[1]) if not l.startswith("#")]
		hexes = lambda row, key: int(row[key], 16)
		seen = 0
		for row in csv.DictReader(lines):
		    event = listed[row["EventName"]]
		    seen += 1
		    if row.get("CounterType") == "FREERUN":
		        assert event["counters"] == "fixed" + row["Counter"], event
		        continue
		    if row["Counter"] == "FIXED":
		        assert event["counters"] == "fixed0", event
		        continue
		    high = int(row.get("UMaskExt") or "0", 0)
		    if row["Unit"] == "IIO":
		        high |= hexes(row, "PortMask") << 4 | hexes(row, "FCMask") << 16
		    masks = dict(m.split("=") for m in event.get("masks", "").split(",") if m)
		    have = (int(masks.get("umask_ext", "0"), 0) | int(masks.get("ch_mask", "0"), 0) << 4 |
		            int(masks.get("fc_mask", "0"), 0) << 16)
		    assert int(event["code"], 16) == hexes(row, "EventCode"), event
		    assert int(event["umask"], 16) == hexes(row, "UMask"), event
		    assert have == high, (event, row)
		    assert int(masks.get("thresh", "0")) == int(row.get("CounterMask") or "0"), (event, row)
		    assert event["counters"] == row["Counter"].replace(",", " "), event
		# the names of the fixed counters that the tables do not have
		assert listed.keys() - {row["EventName"] for row in csv.DictReader(lines)} <= \
		    {"UNC_M_DCLK", "UNC_U_UCLK"}, seen
		EOF
	done
}

@test "a contradictory event table stops the build" {
	events=$BATS_TEST_DIRNAME/../../tools/events
	head='Unit,EventName,EventCode,UMask,UMaskExt,PortMask,FCMask,Counter,CounterType'
	while IFS='|' read -r line words; do
		echo "$line"
		printf '%s\n%s\n' "$head" "$line" >"$TMP/x.csv"
		status=0
		awk -f "$events/generate.awk" "$events"/map/{units,filters,bytes}.csv "$TMP/x.csv" >"$TMP/c" 2>"$TMP/err" || status=$?
		[ "$status" -ne 0 ]
		grep -q -- "$words" "$TMP/err" || { cat "$TMP/err"; return 1; }
	done <<-'EOF'
	IIO,UNC_IIO_A,0x83,0x04,0x00070010,0x002,0x07,"0,1",PGMABLE|contradicts
	IIO,UNC_IIO_A,0x83,0x04,0x00030010,0x001,0x07,"0,1",PGMABLE|contradicts
	IIO,UNC_IIO_A,0x83,0x04,0x00000001,0x000,0x00,"0,1",PGMABLE|other bits
	IIO,UNC_IIO_A,0x83,0x04,0x00080000,0x000,0x00,"0,1",PGMABLE|other bits
	IIO,UNC_IIO_A,0x83,0x04,0x00000000,0x1000,0x00,"0,1",PGMABLE|more than 12 bits
	iMC,UNC_M_A,0x05,0xcf,0x00000001,0x00,0x00,"0,1",PGMABLE|more than 0 bits
	UPI LL,UNC_UPI_A,0x05,0xcf,0x01000000,0x00,0x00,"0,1",PGMABLE|more than 24 bits
	iMC,UNC_M_A,0x105,0xcf,0x00000000,0x00,0x00,"0,1",PGMABLE|more than 8 bits
	iMC,UNC_M_A,0x0g,0xcf,0x00000000,0x00,0x00,"0,1",PGMABLE|is no number
	XYZ,UNC_X_A,0x05,0xcf,0x00000000,0x00,0x00,"0,1",PGMABLE|unknown unit
	PCU,UNC_P_A,0x80,0x41,0x00000000,0x00,0x00,"0,1",PGMABLE|other bits than the occupancy select
	M2M,UNC_M2M_A,0x05,0xcf,0x00000000,0x00,0x00,0,FREERUN|unknown unit
	UBOX,UNC_U_UCLK,0x05,0xcf,0x00000000,0x00,0x00,"0,1",PGMABLE|two events UNC_U_UCLK
	EOF
	printf '%s\n%s\n' "$head" 'IIO,UNC_IIO_A,0x83,0x04,0x00070010,0x001,0x07,"0,1",PGMABLE' >"$TMP/x.csv"
	awk -f "$events/generate.awk" "$events"/map/{units,filters,bytes}.csv "$TMP/x.csv" >"$TMP/c"
}

# ---- doctor -------------------------------------------------------------------

# A file system for --root: an Intel machine where all is well
root()
{
	R=$TMP/root
	mkdir -p "$R"/proc/{self,sys/kernel} "$R"/sys/{module/ucore,kernel/security,bus/event_source/devices} \
		"$R"/lib/modules/6.1.0 "$R"/dev
	printf 'processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel name\t: 9\nmodel\t\t: %s\nflags\t\t: fpu%s\n' \
		"${1:-143}" "$2" >"$R/proc/cpuinfo"
	printf 'Name:\tx\nCapEff:\t000001ffffffffff\n' >"$R/proc/self/status"
	echo 6.1.0 >"$R/proc/sys/kernel/osrelease"
	echo 0 >"$R/proc/sys/kernel/modules_disabled"
	echo 4 >"$R/proc/sys/kernel/perf_event_paranoid"
	echo 'ucore 12 0 - Live 0x0' >"$R/proc/modules"
	echo '[none] integrity confidentiality' >"$R/sys/kernel/security/lockdown"
	touch "$R/dev/ucore"
}

# A finding and, behind it, its advice
finds()
{
	grep -q -F -A1 -- "$1" <<<"$output" || { echo "no '$1' in: $output"; return 1; }
	[ -z "$2" ] || grep -F -A1 -- "$1" <<<"$output" | grep -q -F -- "-> " || { echo "no advice: $output"; return 1; }
	[ -z "$2" ] || grep -F -A1 -- "$1" <<<"$output" | grep -q -F -- "$2" || { echo "no '$2' in: $output"; return 1; }
}

@test "doctor finds no problem on a good machine" {
	root 62
	tool doctor --root "$R"
	[ "$status" -eq 0 ]
	[ -z "$err" ]
	! grep -E '^(warning|problem)|->' <<<"$output"
	finds "Intel family 6 model 62: Xeon E5-2600 v2"
	finds "34 boxes on 2 dies, platform ivbep"
	finds "overflow interrupts are available"
	finds "kernel.perf_event_paranoid = 4 is not used"
	finds "# problems: 0, warnings: 0"
}

@test "doctor warns about other programs that write controls" {
	root 62
	UCORE_FAKE="selftest=2:0:8" tool doctor --root "$R"
	grep -E "^warning +owners +1 box: cbo2 of die 0: another program or firmware wrote" <<<"$output"
	[[ $output == *"stop the program that writes the controls"* ]]
	UCORE_FAKE="selftest=2:0:1" tool doctor --root "$R"
	[[ $output != *"another program or firmware"* ]]
	grep -E "^warning +owners +1 box: cbo2 of die 0: a control was not zero" <<<"$output"
	UCORE_FAKE="selftest=2:0:2" tool doctor --root "$R"
	grep -E "^warning +owners +1 box: cbo2 of die 0: the global control was not" <<<"$output"
}

@test "doctor warns about boxes that failed the self-test" {
	root 62
	UCORE_FAKE="selftest=2:32:0" tool doctor --root "$R"
	grep -E "^warning +self-tests +1 box: cbo2 of die 0: it lies$" <<<"$output"
	[[ $output == *"ucoretool verify"* ]]
}

@test "doctor lists sessions with their resources and exited processes" {
	root 62
	mkdir "$R/proc/4711"
	UCORE_FAKE="session=77:2:0 own=imc0 own=imc1 session=78:0:1 session=79:0:0:0:100:2 session=80:3:0:64:100" tool doctor --root "$R"
	[ "$status" -eq 0 ]
	finds "session 77 of other (pid 4711, user 1000), running, holds imc0 of die 0, imc1 of die 0, imc0 of die 1, imc1 of die 1"
	finds "session 78 of other (pid 4711, user 1000), running, holds the PMI CPUs of 1 die"
	finds "session 79 of other (pid 4711, user 1000), revoked, holds only a reference to the module"
	finds "session 80 of other (pid 4711, user 1000), running, holds counters of 3 boxes shared with other sessions, 1 ring of 64 KiB, a timer of 100 us"
	finds "# problems: 0, warnings: 0"
	rmdir "$R/proc/4711"
	UCORE_FAKE="session=77:1:2 own=imc0 session=79:0:0:0:100:2" tool doctor --root "$R"
	[ "$status" -eq 0 ]
	finds "session 77 of other (pid 4711, gone, user 1000), running, holds imc0 of die 0, imc0 of die 1, the PMI CPUs of 2 dies" \
		"ucoretool revoke 77"
	finds "# problems: 0, warnings: 1"
	# a driver whose GET_SESSIONS fails
	UCORE_FAKE="session=77:1:2 fail=9:25" tool doctor --root "$R"
	! grep -q "session 77" <<<"$output"
}

# ---- verify -------------------------------------------------------------------

@test "verify prints its plan and does nothing without a confirmation" {
	tool verify </dev/null
	[ "$status" -eq 2 ]
	[[ $output == "ucoretool verify will"*"34 boxes"*CAP_SYS_NICE* ]]
	[[ $err == *"Use --yes"* ]]
	! grep -q -E "^(passed|FAILED|not tested)" <<<"$output"
}

@test "verify names boxes that fail a test, also in the report" {
	UCORE_FAKE="selftest=0:33:1" tool verify -y --report "$TMP/report"
	[ "$status" -eq 1 ]
	grep -E "^FAILED +width +general counters are narrower .*: cbo0 of die 0$" <<<"$output"
	grep -E "^FAILED +freeze +the freeze of the die does not stop the clock event: cbo0 of die 0$" <<<"$output"
	grep -E "^FAILED +owners +controls were not zero, because another program .*: cbo0 of die 0$" <<<"$output"
	grep -E "^passed +control +controls retain all bits" <<<"$output"
	grep -E "^passed +box freeze " <<<"$output"
	grep -E "^not tested +discovery " <<<"$output"
	grep -E "^ucore .*platform ivbep, family 6 model 62" "$TMP/report"
	grep -E "^FAILED +width " "$TMP/report"
	tail -1 "$TMP/report" | grep -E "^[0-9]+ passed, [0-9]+ failed, [0-9]+ not tested$"
}

@test "verify has a table of the self-tests by box type, also in the report" {
	UCORE_FAKE="selftest=0:33:0" tool verify -y --report "$TMP/report"
	[ "$(grep -A 99 "^TYPE" <<<"$output")" = "$(grep -A 99 "^TYPE" "$TMP/report")" ]
	# type, boxes, bits, fixed; width, control, run, freeze, freeze of the box; the overflow trial
	grep -E "^cbo +8 +44 +- +7/8 +8/8 +8/8 +7/8 +8/8( +-){6}$" "$TMP/report"
	grep -E "^imc +8 +48 +- +8/8 +8/8 +8/8 +8/8 +8/8( +-){6}$" "$TMP/report"
	grep -xF "  cbo: it lies" "$TMP/report"
	[ "$(grep -c ": it lies$" "$TMP/report")" -eq 1 ]
	[ "$(grep -A 99 "^TYPE" "$TMP/report" | grep -c "/")" -eq 9 ]
	# no box was tested
	UCORE_FAKE="untested=1" tool verify -y
	grep -E "^imc +8 +48( +-){12}$" <<<"$output"
}

@test "verify fails if the driver refuses self-tests or the report cannot be written" {
	UCORE_FAKE="fail=8:25" tool verify -y
	[ "$status" -eq 1 ]
	[[ $err == *GET_SELFTEST* ]]
	tool verify -y --report "$TMP/no/report"
	[ "$status" -eq 1 ]
	[[ $err == *"no/report"* ]]
}

# ---- revoke ----------------------------------------------------------------------

@test "revoke stops sessions by number" {
	UCORE_FAKE="session=5:1:0 session=6:0:1" tool revoke 6 5
	[ "$status" -eq 0 ]
	[ -z "$err" ]
	[ "$output" = "session 6 revoked
session 5 revoked" ]
	UCORE_FAKE="session=5:1:0" tool revoke 5 7
	[ "$output" = "session 5 revoked" ]
	[ "$status" -ne 0 ]
	[[ $err == *"session 7: no such session"* ]]
	UCORE_FAKE="session=5:1:0 user=1" tool revoke 5
	[ "$status" -eq 1 ]
	[[ $err == *"CAP_SYS_ADMIN"* ]]
	UCORE_FAKE="open=2" tool revoke 5
	[ "$status" -eq 1 ]
	[[ $err == *"modprobe ucore"* ]]
}

@test "doctor distinguishes processors by their stepping" {
	root 85
	UCORE_FAKE="machine=skx" tool doctor --root "$R"
	finds "Intel family 6 model 85: Skylake-SP"
	printf 'stepping\t: 7\n' >>"$R/proc/cpuinfo"
	UCORE_FAKE="machine=skx" tool doctor --root "$R"
	finds "Intel family 6 model 85: Cascade Lake-SP"
	sed -i 's/^stepping.*/stepping\t: 11/' "$R/proc/cpuinfo"
	UCORE_FAKE="machine=skx" tool doctor --root "$R"
	finds "Intel family 6 model 85: Cooper Lake"
}

@test "doctor knows Ice Lake and Snow Ridge" {
	while IFS='|' read -r model machine name boxes; do
		root "$model"
		UCORE_FAKE="machine=$machine dies=1" tool doctor --root "$R"
		[ "$status" -eq 0 ]
		finds "Intel family 6 model $model: $name"
		finds "$boxes boxes on 1 dies, platform $machine"
		rm -r "$R"
	done <<-'EOF'
	106|icx|Ice Lake-SP|92
	108|icx|Ice Lake-D|92
	134|snr|Snow Ridge|35
	EOF
}

@test "doctor warns about missing features of a discovery platform" {
	root
	UCORE_FAKE="machine=spr" tool doctor --root "$R"
	[ "$status" -eq 0 ]
	finds "Sapphire Rapids"
	finds "ok       units      278 units"
	finds "warning  overflow " "record --timer"
	finds "# problems: 0, warnings: 1"
	UCORE_FAKE="machine=spr reject=16:0:cha:3:0 reject=16:0:cha:4:0 table=4" tool doctor --root "$R"
	[ "$status" -eq 0 ]
	finds "warning  units      2 of 280 units" "list --rejected"
	finds "is not used: the PCI function does not decode memory accesses" "BIOS"
	UCORE_FAKE="machine=spr dead=0 reason=half_of_it_is_gone" tool doctor --root "$R"
	finds "1 boxes no longer respond" "reload"
	finds "half_of_it_is_gone" "ucoretool list"
	root 250
	UCORE_FAKE="machine=generic" tool doctor --root "$R"
	[ "$status" -eq 0 ]
	finds "model 250 is unknown to ucore" "raw events"
}

@test "doctor reports why the module is not loaded" {
	root
	rmdir "$R/sys/module/ucore"
	UCORE_FAKE="open=2" tool doctor --root "$R"
	[ "$status" -eq 1 ]
	[ -z "$err" ]
	finds "problem  module     ucore is not loaded, and not installed" "make install"
	[[ $output != *lockdown* ]]
	echo 'updates/ucore.ko: ' >"$R/lib/modules/6.1.0/modules.dep"
	UCORE_FAKE="open=2" tool doctor --root "$R"
	[ "$status" -eq 1 ]
	finds "installed for this kernel, but not loaded" "modprobe ucore"
	finds "# problems: 1, warnings: 0"
	echo 'none [integrity] confidentiality' >"$R/sys/kernel/security/lockdown"
	mkdir -p "$R/sys/module/module/parameters"
	echo Y >"$R/sys/module/module/parameters/sig_enforce"
	echo 1 >"$R/proc/sys/kernel/modules_disabled"
	UCORE_FAKE="open=2" tool doctor --root "$R"
	finds "locked down (integrity" "Secure Boot"
	finds "requires signed modules" "sign-file"
	finds "refuses to load modules" "reboot"
	finds "# problems: 2, warnings: 2"
	# securityfs is not mounted
	rm "$R/sys/kernel/security/lockdown"
	echo 'quiet lockdown=confidentiality ro' >"$R/proc/cmdline"
	UCORE_FAKE="open=2" tool doctor --root "$R"
	finds "locked down (confidentiality" "Secure Boot"
	echo 'quiet ro' >"$R/proc/cmdline"
	UCORE_FAKE="open=2" tool doctor --root "$R"
	finds "warning  lockdown   securityfs is not mounted" "mount -t securityfs"
	# a kernel without lockdown
	touch "$R/sys/kernel/security/lsm"
	UCORE_FAKE="open=2" tool doctor --root "$R"
	[[ $output != *lockdown* ]]
	# all that is no concern of a module that is loaded
	UCORE_FAKE="machine=spr" tool doctor --root "$R"
	[ "$status" -eq 0 ]
}

@test "doctor warns of perf and the NMI watchdog on the cores' counters" {
	root
	echo 0 >"$R/proc/sys/kernel/nmi_watchdog"
	UCORE_FAKE="machine=spr cpus=2" tool doctor --root "$R"
	finds "ok       cores      the cores' own counters are available"
	echo 1 >"$R/proc/sys/kernel/nmi_watchdog"
	UCORE_FAKE="machine=spr cpus=2" tool doctor --root "$R"
	[ "$status" -eq 0 ]
	finds "warning  cores      the NMI watchdog uses" "sysctl kernel.nmi_watchdog=0"
	UCORE_FAKE="machine=spr cpus=2 core=6" tool doctor --root "$R"
	finds "warning  cores      the cores' own counters are in use by perf" "stop perf"
	UCORE_FAKE="machine=spr cpus=0 core=7" tool doctor --root "$R"
	finds "ok       cores      the cores' own counters: not here"
}

@test "doctor reports a kernel that is too old" {
	root
	rmdir "$R/sys/module/ucore"
	while read -r release version; do
		echo "$release" >"$R/proc/sys/kernel/osrelease"
		UCORE_FAKE="open=2" tool doctor --root "$R"
		[ "$status" -eq 1 ]
		finds "problem  kernel     Linux $version is too old for ucore" "boot Linux 6.1 or newer"
		[[ $output != *"make install"* ]]
	done <<-END
	5.10.0-30-amd64 5.10
	6.0.19 6.0
	4.18.0-553.el8.x86_64 4.18
	END
	for release in 6.1.0-57-amd64 6.12.1 7.3.0-rc1; do
		echo $release >"$R/proc/sys/kernel/osrelease"
		UCORE_FAKE="open=2" tool doctor --root "$R"
		finds "problem  module     ucore is not loaded, and not installed" "make install"
		[[ $output != *"too old"* ]]
	done
}

@test "doctor reports problems of the device node" {
	root
	UCORE_FAKE="open=2" tool doctor --root "$R"
	[ "$status" -eq 1 ]
	finds "the module is loaded, but /dev/ucore does not exist" "devtmpfs"
	chmod 600 "$R/dev/ucore"
	UCORE_FAKE="open=13" tool doctor --root "$R"
	[ "$status" -eq 1 ]
	finds "/dev/ucore: permission denied: mode 0600, group " "udev rule"
	if chgrp 65534 "$R/dev/ucore"; then
		chmod 660 "$R/dev/ucore"
		UCORE_FAKE="open=13" tool doctor --root "$R"
		finds "mode 0660, group nogroup" "usermod -aG nogroup"
	fi
	rm "$R/dev/ucore"
	UCORE_FAKE="open=13" tool doctor --root "$R"
	finds "/dev/ucore: permission denied" "run as root"
	UCORE_FAKE="open=24" tool doctor --root "$R"
	[ "$status" -eq 1 ]
	finds "Too many open files" "dmesg"
	UCORE_FAKE="abi=0" tool doctor --root "$R"
	[ "$status" -eq 1 ]
	finds "problem  abi        driver: ABI version 0" "same release"
}

# A machine with core boxes only, because the uncore is hidden
@test "every command names the cause of missing boxes" {
	root
	export UCORE_FAKE="machine=spr dies=0 cpus=2 cause=4 reason=no_config_space"
	tool doctor --root "$R"
	[ "$status" -eq 1 ]
	finds "problem  boxes      2 boxes on 2 CPUs, platform spr: no_config_space" "nommconf"
	finds "# problems: 1, warnings: 0"
	tool info
	[[ $output == *"reason     no_config_space"* ]]
	tool list
	[[ $err == *"no_config_space" ]]
	tool stat -e imc/0x05/ sleep 0
	complains 2 "event 'imc/0x05/': this machine has no imc: no_config_space"
	tool stat -e 'im*/0x05/' sleep 0
	complains 2 "matches 'im*': no_config_space"
	tool stat -M memory_bandwidth_total sleep 0
	complains 2 "this machine has no imc: no_config_space"
	tool top --batch --count 1 memory
	complains 1 "nothing to show: this machine has no imc: no_config_space"
	# without a cause, the list of boxes helps
	UCORE_FAKE="machine=spr dies=0 cpus=2" tool stat -e imc/0x05/ sleep 0
	complains 2 "this machine has no imc. See 'ucoretool list'"
}

@test "doctor reports other processors" {
	root
	sed -i s/GenuineIntel/AuthenticAMD/ "$R/proc/cpuinfo"
	UCORE_FAKE="state=1 empty=1 cause=1 reason=not_intel" tool doctor --root "$R"
	[ "$status" -eq 1 ]
	finds "not an Intel processor" "Xeon"
	finds "no boxes: not_intel" "processor"
	rm "$R/proc/cpuinfo"
	UCORE_FAKE="machine=spr" tool doctor --root "$R"
	finds "cannot be read" "/proc"
}

# The user of a guest cannot change the BIOS
@test "doctor sends the user of a virtual machine to the host" {
	root 143 " hypervisor lahf_lm"
	UCORE_FAKE="machine=spr state=3 dies=0 cause=2 reason=guest" tool doctor --root "$R"
	[ "$status" -eq 1 ]
	finds "ok       machine    a virtual machine without uncore boxes"
	finds "problem  boxes      no boxes: guest" "on the host"
	[[ $output != *BIOS* ]]
	finds "# problems: 1, warnings: 0"
	# core boxes are no uncore boxes
	UCORE_FAKE="machine=spr dies=0 cpus=2 cause=2 reason=guest" tool doctor --root "$R"
	[ "$status" -eq 0 ]
	finds "ok       machine    a virtual machine without uncore boxes"
	finds "warning  boxes      2 boxes on 2 CPUs, platform spr: guest" "on the host"
	[[ $output != *BIOS* ]]
	UCORE_FAKE="open=2" tool doctor --root "$R"
	finds "warning  machine    a virtual machine" "on the host"
}

# Some hypervisors ignore writes, and reads return 0
@test "doctor trusts the uncore boxes of a virtual machine after a self-test" {
	root 143 " hypervisor lahf_lm"
	UCORE_FAKE="machine=spr untested=1" tool doctor --root "$R"
	[ "$status" -eq 0 ]
	finds "warning  machine    a virtual machine with uncore boxes, none of which has passed a self-test" "ucoretool verify"
	UCORE_FAKE="machine=spr" tool doctor --root "$R"
	finds "ok       machine    a virtual machine with uncore boxes"
}

# Causes of missing boxes, and words of the advice for each
@test "doctor has an advice for each cause of missing boxes" {
	root
	while IFS='|' read -r cause advice; do
		UCORE_FAKE="machine=spr cause=$cause reason=because" tool doctor --root "$R"
		[ "$status" -eq 0 ]
		finds "warning  boxes      290 boxes on 2 dies, platform spr: because" "$advice"
		UCORE_FAKE="machine=spr state=3 dies=0 cause=$cause reason=because" tool doctor --root "$R"
		[ "$status" -eq 1 ]
		finds "problem  boxes      no boxes: because" "$advice"
		finds "# problems: 1, warnings: 0"
	done <<-END
	1|use ucore on a supported processor
	2|run ucore on the host
	3|change BIOS options
	4|boot without pci=nommconf
	5|power/control
	6|info --discovery
	7|/online
	8|_PXM
	10|modprobe -r intel_uncore ucore
	END
	# a cause of a newer driver
	UCORE_FAKE="machine=spr cause=99 reason=because" tool doctor --root "$R"
	finds "warning  boxes      290 boxes on 2 dies, platform spr: because" "ucoretool list"
}

# Reasons of a table that is not used: 7 all ones, 11 no die, 18 config space, 19 asleep
@test "doctor ignores a table of no die if each die has its table" {
	root
	for reason in 7 11 19; do
		UCORE_FAKE="machine=spr table=$reason" tool doctor --root "$R"
		[ "$status" -eq 0 ]
		finds "ok       discovery  discovery table 2 (0000:7e:00.2"
		finds "is ignored, because each online die has its table"
		[[ $output != *BIOS* ]]
		finds "# problems: 0, warnings: 1"
	done
	finds "discovery table 2 (0000:7e:00.2) is ignored" # without a BAR
	while IFS='|' read -r reason advice; do
		UCORE_FAKE="machine=spr table=$reason cause=6 reason=because" tool doctor --root "$R"
		finds "warning  discovery  discovery table 2" "$advice"
	done <<-END
	7|update the BIOS
	11|/online
	18|nommconf
	19|power/control
	END
	UCORE_FAKE="machine=spr guess=0 guess=1" tool doctor --root "$R"
	finds "warning  discovery  the dies of 2 discovery tables are a guess" "modprobe -r intel_uncore"
	# the error of a table that is not asleep is one of firmware
	UCORE_FAKE="machine=spr table=8" tool doctor --root "$R"
	finds "warning  discovery  discovery table 2" "update the BIOS"
}

@test "doctor reports the in-tree driver, as a module or built in" {
	root
	mkdir "$R/sys/bus/event_source/devices/uncore_imc_0"
	UCORE_FAKE="machine=spr state=4 reason=held" tool doctor --root "$R"
	[ "$status" -eq 1 ]
	finds "problem  intree     the kernel's own intel_uncore driver uses" "initcall_blacklist=intel_uncore_init"
	echo 'intel_uncore 1 0 - Live 0x0' >>"$R/proc/modules"
	UCORE_FAKE="machine=spr state=4 reason=held" tool doctor --root "$R"
	finds "problem  intree " "modprobe -r intel_uncore"
	UCORE_FAKE="machine=spr" tool doctor --root "$R"
	[ "$status" -eq 0 ]
	finds "warning  intree " "modprobe -r intel_uncore"
	UCORE_FAKE="open=2" tool doctor --root "$R"
	[ "$status" -eq 1 ]
	finds "problem  intree "
}

@test "doctor warns without CAP_PERFMON" {
	root 62
	printf 'CapEff:\t0\nName:\tx\nCapEff:\t0000000000000000\n' >"$R/proc/self/status"
	tool doctor --root "$R"
	[ "$status" -eq 0 ]
	finds "warning  context    no CAP_PERFMON" "cap_perfmon+ep"
	printf 'Name:\tx\nCapEff:\t0000004000000000\n' >"$R/proc/self/status"
	tool doctor --root "$R"
	finds "ok       context "
}

@test "doctor prints JSON and reports failing ioctls" {
	root
	UCORE_FAKE="machine=spr" tool doctor --root "$R" -j
	[ "$status" -eq 0 ]
	[[ $(sed -n 1p <<<"$output") == '{"result":"ok","check":"processor","text":"Intel family 6 model 143: Sapphire Rapids"}' ]]
	[[ $output == *'{"result":"warning","check":"overflow","text":"'*'","advice":"'* ]]
	[[ $(tail -n1 <<<"$output") == '{"summary":{"problems":0,"warnings":1}}' ]]
	UCORE_FAKE="machine=spr fail=5:5" tool doctor --root "$R"
	[ "$status" -eq 1 ]
	finds "problem  discovery  GET_TABLES: Input/output error" "dmesg"
	# nothing of a machine
	UCORE_FAKE="open=2" tool doctor --root "$TMP/none"
	[ "$status" -eq 1 ]
	[ -z "$err" ]
	finds "ucore is not loaded"
}

# ---- what is generated ------------------------------------------------------

completion=$BATS_TEST_DIRNAME/../../tools/completion

# What the words of a line may become: the completions of all shells ask so
completes()
{
	tool __complete "$@"
	[ "$status" -eq 0 ]
	[ -z "$err" ]
}

@test "completion offers the possible words at each position" {
	while IFS='|' read -r args words; do
		echo "$args"
		read -ra line <<<"$args"
		[ "${args: -1}" != ' ' ] || line+=("")
		completes "${line[@]}"
		[ "$(tr '\n' ' ' <<<"$output" | sed 's/ *$//')" = "$words" ] || { echo "$output"; return 1; }
	done <<-'EOF'
	sta|stat
	help re|record report revoke
	record --ti|--timeout --timer
	record -M memory_bandwidth_r|memory_bandwidth_read
	record --when memory_bandwidth_rea|memory_bandwidth_read
	script --t|--time --totals
	report --html |:files
	stat --ti|--timeout
	stat -e im|imc/
	stat -e imc2|imc2/
	stat -e UNC_M_CAS_COUNT.WR_|UNC_M_CAS_COUNT.WR_RMM UNC_M_CAS_COUNT.WR_WMM
	stat -e imc/cas_count.rd_u|imc/CAS_COUNT.RD_UNDERFILL/
	stat --event=imc0/CAS_COUNT.RD_U|--event=imc0/CAS_COUNT.RD_UNDERFILL/
	record --event imc/CAS_COUNT.RD_U|imc/CAS_COUNT.RD_UNDERFILL/
	stat -e imc/CAS_COUNT.RD/,qpi/TxL_FLITS_G0.D|imc/CAS_COUNT.RD/,qpi/TxL_FLITS_G0.DATA/
	stat -e cbo/TOR_INSERTS.OPCODE,filter_o|cbo/TOR_INSERTS.OPCODE,filter_opc=
	stat -e imc/event=4,di|imc/event=4,die=
	stat -e imc/CAS_COUNT.RD/,imc/CAS_COUNT.RD,per|imc/CAS_COUNT.RD/,imc/CAS_COUNT.RD,period=
	stat -e zz|
	stat -e imc/zz|
	stat -e nosuch/CAS|
	stat -M memory_bandwidth_r|memory_bandwidth_read
	stat -j -M page_hit_rate,@q|page_hit_rate,@qpi
	stat -M x=memory|
	list --platform s|skl skx snb snbep snr spr srf
	list ev|events
	list events qpi/CTO|qpi/CTO_COUNT/
	list metrics @qp|@qpi
	list fields cb|cbo
	list -j boxes im|imc
	stat -o |:files
	stat --count 5 -- sl|:programs
	stat --count |
	record -- sleep |:files
	stat sleep --js|:files
	export --textf|--textfile
	export --textfile |:files
	export --collect memory,l|memory,links memory,llc
	export --collect n|none
	export -e imc/CAS_COUNT.RD_U|imc/CAS_COUNT.RD_UNDERFILL/
	top l|llc links
	top --count 5 memory p|power
	report --inp|--input
	nosuch --js|
	EOF
	for shell in ucoretool.bash _ucoretool ucoretool.fish; do
		grep -q ' __complete ' "$completion/$shell"
	done
	completes ""
	for word in list info doctor stat top record report script export revoke help --version; do
		grep -qx -- "$word" <<<"$output"
	done
	for command in list info doctor stat top record report script export revoke; do
		completes "$command" --
		tool "$command" --help
		for option in $(grep -oE -- '--[a-z-]+' <<<"$output"); do
			completes "$command" "$option"
			grep -qx -- "$option" <<<"$output" || { echo "$command $option"; return 1; }
		done
	done
	# without a device there are no events, and no complaint
	UCORE_FAKE="open=2" tool __complete stat -e im
	[ "$status" -eq 0 ]
	[ -z "$output$err" ]
}

# In a real shell, with one file and one ucoretool
completes_in()
{
	command -v python3 && command -v "$1" || skip "no $1"
	mkdir "$TMP/bin"
	ln -s "$B/fake_tool" "$TMP/bin/ucoretool"
	cd "$TMP" && touch only-one
	PATH="$TMP/bin:$PATH" HOME=$TMP python3 "$BATS_TEST_DIRNAME/shells.py" "$1" "$completion"
}

@test "completion in bash" {
	bash -n "$completion/ucoretool.bash"
	completes_in bash
}

@test "completion in zsh" {
	completes_in zsh
}

@test "completion in fish" {
	completes_in fish
}

@test "each command has a man page with every option" {
	make -s -C "$BATS_TEST_DIRNAME/../../tools" O="$TMP/pages" man
	pages=$TMP/pages/man
	texts=$BATS_TEST_DIRNAME/../../Documentation/man
	tool help
	commands=$(sed -n 's/^  \([a-z]*\) .*/\1/p' <<<"$output")
	[ "$(wc -l <<<"$commands")" = 11 ]
	for command in $commands; do
		page=$pages/ucoretool-$command.1
		tool "$command" --help
		[[ $output == *"man ucoretool-$command"* ]]
		# said in the same words everywhere
		summary=$(sed -n 2p <<<"$output")
		grep -qxF "ucoretool-$command - $summary" "$texts/ucoretool-$command.1.scd"
		grep -qF "	$summary" "$texts/ucoretool.1.scd"
		grep -qF "ucoretool-$command" "$pages/ucoretool.1"
		for option in $(grep -oE -- '^  +-[a-zA-Z]|--[a-z-]+' <<<"$output"); do
			[ "$option" != --help ] && [ "$option" != --device ] && [ "$option" != -h ] || continue
			grep -qF -- "\fB$option\fR" "$page" || { echo "$command: no $option"; return 1; }
		done
	done
	grep -qF -- '\fB--device\fR' "$pages/ucoretool.1"
	# and no page is about what is gone
	[ "$(ls "$pages"/ucoretool-*.1 | wc -l)" = 11 ]
}

@test "headers compile alone, in C and C++" {
	dir=$BATS_TEST_DIRNAME/../..
	for lang in c c++; do
		echo '#include <libucore.h>' |
			${CC:-gcc} -x $lang -Wall -Wextra -Werror -I"$dir/tools/lib" -I"$dir/uapi" -fsyntax-only -
	done
}

@test "the examples of libucore(3) compile" {
	dir=$BATS_TEST_DIRNAME/../..
	{
		printf '#include <stdlib.h>\n#include <unistd.h>\n#include <libucore.h>\n'
		printf 'void solve(void);\nvoid first(void);\n'
		printf 'void second(struct ucore_session *session, struct ucore_error err);\n'
		printf 'static void die(const char *text) { fputs(text, stderr); exit(1); }\n'
		# the second goes on with a session of the first
		awk 'BEGIN { head[1] = "void first(void)"
			     head[3] = "void second(struct ucore_session *session, struct ucore_error err)" }
		     /^```$/ { n++; print n % 2 ? head[n] "\n{" : "}"; next }
		     n % 2 { sub(/\\\\n/, "\\n"); print }
		     END { if (n != 4) print "#error not two examples" }
		' "$dir/Documentation/man/libucore.3.scd"
	} >"$TMP/examples.c"
	${CC:-gcc} -Wall -Wextra -Werror -I"$dir/tools/lib" -I"$dir/uapi" -fsyntax-only "$TMP/examples.c"
}
