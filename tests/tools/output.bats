#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Failed writes: each command, in each format, to each kind of output.  B is where the test
# programs are.

bats_require_minimum_version 1.5.0

setup()
{
	export UCORE_FAKE=
	TMP=$BATS_TEST_TMPDIR
	cd "$TMP"
	"$B/fake_tool" record --timer 1ms -e imc/CAS_COUNT.RD/ --count 200 -o data 2>/dev/null
}

# Command lines that write to standard output, one a line
commands()
{
	cat <<-'EOF'
	help
	help stat
	stat --help
	--version
	__complete l
	__complete stat --
	list
	list -v
	list -x,
	list -j
	list events
	list events -v -j
	list metrics
	list metrics -x,
	list fields
	list fields -j
	list --rejected
	list --rejected -j
	info
	info -j
	info --discovery
	info --discovery -j
	doctor
	doctor -j
	verify --yes
	stat -e imc/CAS_COUNT.RD/ --timeout 5
	stat -e imc/CAS_COUNT.RD/ --timeout 5 -x,
	stat -e imc/CAS_COUNT.RD/ --timeout 5 -j
	stat -e imc/CAS_COUNT.RD/ --timeout 5 -x, -- false
	stat -e imc/CAS_COUNT.RD/ --timeout 60s -I 1
	stat -e imc/CAS_COUNT.RD/ --timeout 60s -I 1 -x,
	stat -e imc/CAS_COUNT.RD/ --timeout 60s -I 1 -j
	stat -M memory_bandwidth_read --timeout 60s -I 1 -x,
	stat -M memory_bandwidth_read --timeout 60s -I 1 -- sleep 60
	top --batch -I 10ms
	top -x, -I 10ms
	top -j -I 10ms
	record --timer 1ms -e imc/CAS_COUNT.RD/ --timeout 60s -o -
	record --timer 1ms -e imc/CAS_COUNT.RD/ --count 1 -o -
	report -i data
	report -i data -x,
	report -i data -j
	report -i data --sort cpu
	report -i data -M memory_bandwidth_read -x,
	report -i data --html -
	script -i data
	script -i data -x,
	script -i data -j
	script -i data --totals
	export --textfile -
	EOF
}

# Command lines that write to the file OUT
to_files()
{
	cat <<-'EOF'
	stat -e imc/CAS_COUNT.RD/ --timeout 5 -o OUT
	stat -e imc/CAS_COUNT.RD/ --timeout 5 -x, -o OUT
	stat -e imc/CAS_COUNT.RD/ --timeout 5 -j -o OUT
	stat -e imc/CAS_COUNT.RD/ --timeout 5 -o OUT -- false
	stat -e imc/CAS_COUNT.RD/ --timeout 60s -I 1 -o OUT
	stat -e imc/CAS_COUNT.RD/ --timeout 60s -I 1 -x, -o OUT
	stat -e imc/CAS_COUNT.RD/ --timeout 60s -I 1 -j -o OUT
	record --timer 1ms -e imc/CAS_COUNT.RD/ --timeout 60s -o OUT
	record --timer 1ms -e imc/CAS_COUNT.RD/ --count 1 -o OUT
	report -i data --html OUT
	verify --yes --report OUT
	EOF
}

# Check that the command failed with one line that contains $1, and nothing else on stderr
failed()
{
	[ "$status" -gt 0 ] && [ "$status" -lt 124 ] || { echo "$args: status $status: $(cat err)"; return 1; }
	[ "$(grep -c "cannot write" err)" -eq 1 ] || { echo "$args: not one message: $(cat err)"; return 1; }
	grep -q ": $1\$" err || { echo "$args: no '$1': $(cat err)"; return 1; }
}

@test "a full disk at standard output ends every command with the cause" {
	while read -r args; do
		status=0
		# shellcheck disable=SC2086
		timeout 20 "$B/fake_tool" $args >/dev/full 2>err || status=$?
		failed "standard output: cannot write: No space left on device"
	done < <(commands)
}

@test "a full disk at a file ends every command with the file's name and the cause" {
	while read -r args; do
		status=0
		# shellcheck disable=SC2086
		timeout 20 "$B/fake_tool" ${args//OUT//dev/full} >/dev/null 2>err || status=$?
		failed "/dev/full: cannot write: No space left on device"
	done < <(to_files)
}

@test "the limit of the file size ends every command with the file's name and the cause" {
	while read -r args; do
		[[ $args == *60s* ]] || continue
		status=0
		# shellcheck disable=SC2086
		(ulimit -f 8; exec timeout 20 "$B/fake_tool" ${args//OUT/out} >/dev/null 2>err) || status=$?
		failed "out: cannot write: File too large"
		[ "$(stat -c %s out)" -le 8192 ]
	done < <(to_files)
	(ulimit -f 1; exec "$B/fake_tool" report -i data --ctf trace 2>err) || status=$?
	args=ctf
	failed "trace.*: cannot write: File too large"
}

@test "an interval log ends at the first row that could not be written" {
	status=0
	(ulimit -f 8; exec timeout 20 "$B/fake_tool" stat -I 1 -x, --per-box --timeout 60s -o log \
		-e imc/CAS_COUNT.RD/) 2>err || status=$?
	args=stat
	failed "log: cannot write: File too large"
	# each line but the last, which is cut off, has all columns
	columns=$(head -n 1 log | tr -cd , | wc -c)
	head -n -1 log | while read -r line; do
		[ "$(tr -cd , <<<"$line" | wc -c)" -eq "$columns" ]
	done
	[ "$(stat -c %s log)" -eq 8192 ]
}

@test "a pipe without a reader ends every command without a message and with status 141" {
	commands >commands
	python3 - "$B/fake_tool" <<-'EOF'
	import os, subprocess, sys

	for line in open("commands"):
	    # a parent may ignore SIGPIPE, as systemd and Python do
	    for restore in True, False:
	        end, pipe = os.pipe()
	        os.close(end)
	        done = subprocess.run([sys.argv[1], *line.split()], stdout=pipe, timeout=20,
	                              stderr=subprocess.PIPE, restore_signals=restore, text=True)
	        os.close(pipe)
	        # doctor and the program that is measured have exit statuses of their own
	        own = line.startswith("doctor") or line.endswith("false\n")
	        assert done.returncode == 141 or own and done.returncode == 1, (line, done)
	        said = [line for line in done.stderr.splitlines() if not line.startswith("# ")]
	        assert said in ([], ["ucoretool stat: program: exited with status 1"]), done
	EOF
}

@test "a terminal that was closed ends commands with the cause" {
	python3 - "$B/fake_tool" <<-'EOF'
	import os, subprocess, sys

	for line in "list", "stat --help", "stat -I 1 --timeout 60s -e imc/CAS_COUNT.RD/", "top --batch":
	    there, here = os.openpty()
	    os.close(there)
	    done = subprocess.run([sys.argv[1], *line.split()], stdout=here, timeout=20,
	                          stderr=subprocess.PIPE, text=True)
	    os.close(here)
	    assert done.returncode == 1, (line, done)
	    assert done.stderr.count("\n") == 1, done
	    assert "standard output: cannot write: Input/output error" in done.stderr, done
	EOF
}

@test "a program that was measured gets SIGPIPE and SIGXFSZ as usual" {
	"$B/fake_tool" stat -e imc/CAS_COUNT.RD/ -o counts -- grep SigIgn /proc/self/status >mask
	# bits 12 and 24: SIGPIPE and SIGXFSZ
	[ $((0x$(cut -f 2 mask) & 0x1001000)) -eq 0 ]
}

@test "every file that ucoretool writes is opened as a sink" {
	cd "$BATS_TEST_DIRNAME/../../tools/ucoretool"
	! grep -rnE 'fopen\([^)]*"[wa]|fdopen\(' --include='*.c' .
}
