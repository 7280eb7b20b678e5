#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tries ucore on the processor of this machine, and writes a report (Documentation/silicon.md).
# Usage: verify-here.sh check [KDIR]     find what prevents a run; change nothing
#        verify-here.sh run MODULE TOOL DIRECTORY COMMIT [PARAMETER=VALUE]...
#                                        the report is DIRECTORY/FAMILY-MODEL-STEPPING.txt
# The end of a run, also by a signal, leaves the machine as it was.
# Exits with 0 if every check passed, 1 if one failed, 2 if nothing was tried.
set -eu

PATH=$PATH:/usr/sbin:/sbin
export LC_ALL=C
umask 022
pmus=/sys/bus/event_source/devices

# Messages of the kernel that show that a run went wrong
trouble='unchecked MSR|WARNING: |BUG: |Oops:|general protection|Uhhuh|soft lockup|LOCKUP'
trouble="$trouble|detected stall|Hardware Error|nobody cared"
log_lines=30			# of the kernel log in the report

# A closed pipe must not end the script before it has restored the machine
say() { echo "verify-here: $*" >&2 || :; }

refuse()
{
	say "$*"
	exit 2
}

have() { command -v "$1" >/dev/null; }

# Print the value of a key of the first CPU
cpuinfo() { sed -n "s/^$1[[:blank:]]*: *//p" /proc/cpuinfo | head -n 1; }

is_loaded() { grep -q "^$1 " /proc/modules; }

processor()
{
	model=$(cpuinfo model)
	printf '%s, family %d, model %d (0x%x), stepping %d' "$(cpuinfo 'model name')" \
		"$(cpuinfo 'cpu family')" "$model" "$model" "$(cpuinfo stepping)"
}

# ---- reasons not to run ----

check_machine()
{
	[ "$(cpuinfo vendor_id)" = GenuineIntel ] ||
		refuse "$(cpuinfo 'model name'): not an Intel processor. ucore supports no other"
	case " $(cpuinfo flags) " in
	*" hypervisor "*)
		refuse "a virtual machine (CPUID has the hypervisor flag): its registers are not" \
			"those of the processor. Run this on the host" ;;
	esac
	! is_loaded ucore ||
		refuse "ucore is loaded, and another program may use it. Stop that program, then:" \
			"modprobe -r ucore"
	check_intel_uncore
	check_signatures
}

# Check whether the kernel loads modules that nobody has signed
check_signatures()
{
	enforced=$(cat /sys/module/module/parameters/sig_enforce 2>/dev/null || :)
	case $(cat /sys/kernel/security/lockdown 2>/dev/null || :) in
	"" | *"[none]"*) ;;
	*) enforced=Y ;;
	esac
	[ "$enforced" != Y ] ||
		refuse "this kernel loads signed modules only. Switch Secure Boot off in the" \
			"firmware for this run"
}

# Check whether the kernel's own driver of the boxes can be unloaded
check_intel_uncore()
{
	if ! is_loaded intel_uncore; then
		for pmu in "$pmus"/uncore_*; do
			[ ! -e "$pmu" ] ||
				refuse "intel_uncore is built into this kernel, as into Ubuntu's, and uses" \
					"the boxes. For one boot without it: reboot, press e in the" \
					"menu of GRUB, append initcall_blacklist=intel_uncore_init to" \
					"the line that begins with linux, and press Ctrl-X"
		done
	elif ! grep -q '^intel_uncore [0-9]* 0 ' /proc/modules; then
		refuse "intel_uncore is in use, for example by perf. Stop the program that counts"
	fi
}

# Check what the build needs. On Debian and Ubuntu `make verify-here` installs it.
check_build()
{
	missing=
	[ "$(id -u)" -eq 0 ] || have sudo || refuse "this needs root or sudo"
	! have apt-get || return 0
	[ -e "$1/Makefile" ] || missing=", kernel headers in $1 (kernel-devel-$(uname -r))"
	if ! have "${CC:-cc}"; then
		missing="$missing, a C compiler (gcc)"
	elif ! echo '#include <curses.h>' | "${CC:-cc}" -E -x c - >/dev/null 2>&1; then
		missing="$missing, the headers of ncurses (ncurses-devel)"
	fi
	[ -z "$missing" ] || refuse "the build lacks ${missing#, }. Install this first"
}

# ---- what a run changes, and the way back ----

loading=			# set before the module is loaded
unloaded=			# set before intel_uncore is unloaded
verifying=			# set while a process may use the device
child=				# this process, or empty: $! was started a moment ago
work=				# directory of temporary files

# Print the part of the machine's state that a run changes
state()
{
	for name in ucore intel_uncore; do
		! is_loaded "$name" || echo "module $name"
	done
	for file in /dev/ucore "$pmus"/uncore_*; do
		[ ! -e "$file" ] || echo "$file"
	done
}

# Unload ucore; retry for 10 s, because a process that was killed may still have the device
unload()
{
	tries=0
	while is_loaded ucore && ! why=$(rmmod ucore 2>&1); do
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] || {
			say "ucore cannot be unloaded, because another program has opened" \
				"/dev/ucore ($why). When it has ended: rmmod ucore"
			return 0
		}
		sleep 0.1
	done
}

# Return true if a process exists and has not ended. Its state follows its name in parentheses.
is_running()
{
	read -r _ _ process_state _ 2>/dev/null <"/proc/$1/stat" && [ "$process_state" != Z ]
}

# End the process that uses the device: by SIGTERM, after 10 s by SIGKILL
end_child()
{
	verifying=
	child=${child:-${!-}}
	[ -n "$child" ] || return 0	# a signal came before its start
	tries=0
	kill "$child" 2>/dev/null || :
	while is_running "$child"; do
		tries=$((tries + 1))
		[ "$tries" -ne 100 ] || kill -KILL "$child" 2>/dev/null || :
		[ "$tries" -lt 150 ] || {
			say "process $child does not end"
			return 0
		}
		sleep 0.1
	done
	wait "$child" || :
}

# Leave the machine as it was; a second call does nothing
restore()
{
	trap '' INT TERM HUP QUIT
	[ -z "$verifying" ] || end_child
	[ -z "$loading" ] || unload
	loading=
	[ -z "$unloaded" ] || modprobe intel_uncore ||
		say "intel_uncore could not be loaded again. Try: modprobe intel_uncore"
	unloaded=
}

finish()
{
	status=$?
	restore
	rm -rf "$work"
	rm -f "$report.unfinished"
	exit "$status"
}

interrupted()
{
	trap '' INT TERM HUP QUIT
	say "interrupted, restoring the machine"
	exit "$1"
}

# ---- a run ----

plan()
{
	echo "verify-here tries ucore on this machine: $(processor)"
	echo "It will"
	! is_loaded intel_uncore ||
		echo "- unload the kernel's driver intel_uncore, and load it again at the end"
	cat <<-END
	- load the module ucore, and unload it at the end
	- write controls and counters of all uncore boxes, and clear them. All uncore counters of a
	  die stop for about 100 us for each box, on Nehalem and client processors once for
	  about 20 ms. Cores, caches and memory continue to work
	- let counters overflow, which stops the counters of a die, or sends NMIs to its CPUs
	- enable these NMIs on each CPU (LVTPC, IA32_DEBUGCTL), and disable them again
	- read and write some MB of its own memory
	The module and the tool are not installed. Until the next boot the kernel counts as tainted.
	ucore is new to this processor. A mistake can stop the machine: save your work first.
	The report has no names of hosts, users or files, no addresses and no serial numbers.
	END
	if [ -t 2 ]; then
		echo "Press Ctrl-C within 5 seconds to change nothing."
		sleep 5
	fi
}

# Say what happens now. If the machine stops, a file with the step remains.
step()
{
	say "$1"
	echo "$1" >"$report.unfinished"
	sync "$report.unfinished" 2>/dev/null || :
}

# Keep the step in which an earlier run stopped the machine
keep_crash()
{
	[ -e "$report.unfinished" ] || return 0
	mv "$report.unfinished" "$report.crashed"
	say "an earlier run stopped the machine at: $(cat "$report.crashed")." \
		"Send $report.crashed, too"
}

load()
{
	if is_loaded intel_uncore; then
		step "unloading intel_uncore"
		unloaded=1
		rmmod intel_uncore || refuse "intel_uncore cannot be unloaded"
	fi
	step "loading ucore"
	echo "verify-here $$: begin" 2>/dev/null >/dev/kmsg || :
	loading=1
	insmod "$module" core_pmu=0 "$@" || {
		say "the kernel refuses the module: $(dmesg | tail -n 1)"
		exit 2
	}
	"$tool" info >"$work/info" || refuse "ucoretool info failed"
	grep -q '^state  *ready' "$work/info" ||
		refuse "$(processor): not supported: $(sed -n 's/^reason  *//p' "$work/info")"
}

# Run verify in the background, so that a signal does not have to wait for its end. Its findings
# show how far it is. The loop calls no program in the foreground: bash loses a SIGINT that arrives
# meanwhile. A signal just before `wait` would be noticed only when it returns, so it waits for
# short times.
verify()
{
	step "running ucoretool verify"
	verifying=1
	"$tool" verify --yes --report "$work/findings" >&2 2>"$work/errors" &
	child=$!
	while is_running "$child"; do
		sleep 0.2 &
		wait "$!" || :
	done
	wait "$child" || :
	verifying=
}

# Copy text without times, paths, and words that name this machine or its user
nameless()
{
	cat >"$work/nameless" <<-'END'
	s/^\(\[[^]]*\] *\)*//
	s,\(^\|[ (]\)/[^ ]*/,\1,g
	s/Comm: [^ ]* //
	s/traps: [^ ]*/traps: (program)/
	s/\[[^] ]*:[0-9][0-9]*\]/(program)/g
	s/serial number:.*/serial number: (number)/
	s/0x[0-9a-f]\{9,\}/(address)/g
	s/[0-9a-f]\{4\}:[0-9a-f][0-9a-f]:[0-9a-f][0-9a-f]\.[0-7]/(device)/g
	END
	for word in "$(uname -n)" "$(uname -n | cut -d. -f1)" "${SUDO_USER-}" "${LOGNAME-}"; do
		case $word in
		"" | root) ;;
		*) printf 's/\\b%s\\b/(name)/g\n' "$word" >>"$work/nameless" ;;
		esac
	done
	sed -f "$work/nameless"
}

# Print the kernel's messages about ucore, and others that show that the run went wrong. If the log
# has lost the begin of the run, all of it belongs to the run.
log()
{
	dmesg | awk -v begin="verify-here $$: begin" '
		index($0, begin) { lines = 0; next }
		{ line[lines++] = $0 }
		END { for (i = 0; i < lines; i++) print line[i] }' |
		nameless | grep -E "^ucore: |$trouble" || :
}

# Print what failed, one name a line
failures()
{
	sed -n 's/^FAILED  *\(.\{12\}\).*/\1/p' "$work/findings" | sed 's/ *$//' | sort -u
	grep -q 'passed, .* not tested$' "$work/findings" ||
		echo "verify did not finish ($(head -n 1 "$work/errors"))"
	! grep -qE "$trouble" "$work/log" || echo "kernel log"
	cmp -s "$work/before" "$work/after" || echo "the machine is not as before"
}

# Replace the boxes whose interrupts have all arrived by their number
fold_interrupts()
{
	awk '/^passed +interrupts .*: each of / { boxes++; next }
	     boxes {
		printf "%-10s  %-12s  %u boxes: ", "passed", "interrupts", boxes
		print "each CPU of the die received their interrupts"
		boxes = 0
	     }
	     { print }'
}

compose()
{
	failed=$(failures | sed ':a;N;$!ba;s/\n/, /g')
	echo "ucore $version, commit $commit, parameters core_pmu=0${*:+ $*}"
	echo "processor  $(processor)"
	echo "           microcode $(cpuinfo microcode), $(grep -c ^processor /proc/cpuinfo) CPUs"
	echo "kernel     $(uname -sr | nameless), no hypervisor"
	grep -E '^(platform|can|boxes) ' "$work/info"
	echo
	sed 1,2d "$work/findings" | fold_interrupts
	printf '\nKernel log:\n'
	{
		grep -E "$trouble" "$work/log" || :
		grep -vE "$trouble" "$work/log" || :
	} 2>/dev/null | head -n "$log_lines" | sed 's/^/  /'
	printf '\nintel_uncore: %s\n' "$intel_uncore"
	if cmp -s "$work/before" "$work/after"; then
		echo "Machine: as before"
	else
		grep -vxFf "$work/after" "$work/before" | sed 's/^/Machine: lacks /'
		grep -vxFf "$work/before" "$work/after" | sed 's/^/Machine: now has /'
	fi
	echo "Result: ${failed:+FAILED: }${failed:-every check passed}"
}

run()
{
	module=$1 tool=$2 directory=$3 commit=$4
	shift 4
	[ "$(id -u)" -eq 0 ] || refuse "this needs root. Use sudo"
	check_machine
	for file in "$module" "$tool"; do
		[ -r "$file" ] || refuse "$file: missing. Build it first: make"
	done
	mkdir -p "$directory"
	report=$directory/$(printf '%02x-%02x-%02x' "$(cpuinfo 'cpu family')" "$(cpuinfo model)" \
		"$(cpuinfo stepping)").txt
	work=$(mktemp -d)
	keep_crash
	trap finish EXIT
	trap '' PIPE
	trap 'interrupted 129' HUP
	trap 'interrupted 130' INT
	trap 'interrupted 131' QUIT
	trap 'interrupted 143' TERM
	intel_uncore="not loaded"
	! is_loaded intel_uncore || intel_uncore="unloaded during the run"
	state >"$work/before"
	touch "$work/findings"
	plan >&2
	load "$@"
	version="$(cat /sys/module/ucore/version) ($(cat /sys/module/ucore/srcversion))"
	verify
	step "unloading ucore"
	restore
	state >"$work/after"
	log >"$work/log"
	compose "$@" >"$work/report"
	cp "$work/report" "$report"
	[ -z "${SUDO_UID-}" ] || chown "$SUDO_UID:${SUDO_GID-}" "$report"
	cat "$work/report" || :
	say "the report is $report. Documentation/silicon.md says how to send it"
	! grep -q '^Result: FAILED' "$work/report"
}

command=${1-}
[ $# -eq 0 ] || shift
case $command in
check)
	check_machine
	check_build "${1-}" ;;
run)
	[ $# -ge 4 ] || refuse "run needs MODULE TOOL DIRECTORY COMMIT"
	run "$@" ;;
*) sed -n '5,9s/^# //p' "$0" >&2; exit 2 ;;
esac
