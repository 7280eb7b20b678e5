# SPDX-License-Identifier: GPL-2.0-only
"""The emulated machine as a Python object.

    with Machine("e2-2s", kernel="6.12") as m:
        m.insmod()
        print(m.run("ucoretool list").out)

QEMU is killed at the end of the block, also after an exception.
"""

import ctypes
import gzip
import json
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from lab import agent, artifacts, dmesg, gcov, initramfs, kernels, qmp
from lab.agent import AgentError, CommandFailed, CommandTimeout  # noqa: F401 (for the tests)
from lab.qemu import args

RUNS = artifacts.BUILD / "lab"
# The debug kernel boots in 10 to 15 s on an idle host
BOOT_TIMEOUT = 60
SCRIPT_TIMEOUT = 900
# path at which init expects the script
SCRIPT = "/script"
PR_SET_PDEATHSIG = 1
# These options skip more than half of the instructions of a boot: cipher self-tests, zeroing of
# allocated memory, and services that no test uses. Debian's kernels also leave read-only data
# writable, which skips the search for writable executable pages. The debug kernel keeps that
# search.
QUICK = ("cryptomgr.notests init_on_alloc=0 initcall_blacklist=jent_mod_init,crypto_kdf108_init,"
         "cubictcp_register,slab_sysfs_init,init_encrypted,i8042_init")
NO_RODATA = "rodata=off "
# Upper bound of the TSC frequency of a host. With lpj= given, the kernel does not calibrate the
# delay loop on each socket. On a busy host the calibration can fail or never end.
TSC_HZ = 5 * 10 ** 9
# kernel parameters that let test programs access registers
BY_HAND = "iomem=relaxed msr.allow_writes=on"
ORACLE = "/machine/ucore-oracle"
# An RT kernel serves the agent's serial port in a thread, one interrupt for each byte. The
# kernel counts all but the last interrupt of a batch as unhandled, and disables the line when
# 99.9 % of 100000 are unhandled ("nobody cared"). noirqdebug turns that check off.
RT_CMDLINE = "noirqdebug "


def busy_seconds(stat):
    """Return user and system time of a process or thread from its stat file."""
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class CheckFailed(AssertionError):
    """The kernel log or the machine model reports an error."""


class Machine:
    """One boot of one scenario.

    scenario  name of a file in scenarios/ (without .json ...), or None: a plain PC
    kernel    6.1, 6.12 or debug
    module    add ucore.ko and ucoretool to the guest
    perf      add Debian's perf
    files     additional files: guest path -> host path
    cmdline   additional kernel parameters
    strict    False: protocol violations are no failure
    track     False: disable kmemleak on the debug kernel
    settings  changes to the scenario file: {"rates.scale": "0.1"}
    cpus      number of CPUs of a plain PC
    script    shell script that the guest runs before it accepts commands
    console   "log": written to console.log; "terminal": this process's terminal
    """

    def __init__(self, scenario=None, kernel="6.1", *, module=True, perf=False,
                 files=(), cmdline="", script="", console="log", directory=None,
                 strict=True, track=True, settings=(), cpus=2):
        self.scenario = scenario
        self.kernel = kernels.get(kernel)
        self._content = {"module": module, "perf": perf, "files": dict(files)}
        self._cmdline = cmdline if track else f"kmemleak=off {cmdline}"
        self._script = script
        self._terminal = console == "terminal"
        self._settings = dict(settings)
        self._cpus = cpus
        if not strict:
            self._settings["model.strict"] = "no"
        self._qemu = None
        self._sockets = []
        self._scanned = 0       # characters of console.log
        self._violations = 0    # violations that are already reported
        self.allowed = []
        self.directory = Path(directory or new_directory(f"{scenario or 'pc'}-{kernel}"))
        self.directory.mkdir(parents=True, exist_ok=True)
        self.console = self.directory / "console.log"

    # ---- Start and end ----

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self._qemu and self._qemu.poll() is None and gcov.wanted(self.kernel):
            gcov.collect(self)
        if self._qemu:
            self._qemu.kill()
            self._qemu.wait()
            self._qemu = None
        for sock in self._sockets:
            sock.close()
        self._sockets = []
        for name in ("initramfs.cpio", "bulk"):
            (self.directory / name).unlink(missing_ok=True)

    def _start(self):
        image = self.directory / "initramfs.cpio"
        self._build_image(image)
        agent_fd, qmp_fd = self._socket(), self._socket()
        (self.directory / "bulk").touch()
        self._bulk = open(self.directory / "bulk", "rb")
        command = self._command(image, agent_fd[1].fileno(), qmp_fd[1].fileno())
        (self.directory / "command").write_text("\n".join(command) + "\n")
        self._started = time.monotonic()
        with open(self.directory / "qemu.log", "w") as log:
            # Start QEMU in a session of its own. A scheduler that groups by session (autogroup)
            # then gives the machine its share even on a busy host.
            self._qemu = subprocess.Popen(
                command, stdin=None if self._terminal else subprocess.DEVNULL,
                stdout=None if self._terminal else log, stderr=log,
                start_new_session=not self._terminal,
                pass_fds=(agent_fd[1].fileno(), qmp_fd[1].fileno()), preexec_fn=die_with_parent)
        agent_fd[1].close()
        qmp_fd[1].close()
        self._agent = agent.Agent(agent_fd[0], self._bulk)
        self._qmp = qmp.Qmp(qmp_fd[0])
        try:
            self._qmp.connect()
            self._wait_ready()
        except (AgentError, qmp.QmpError) as error:
            raise AgentError(f"{self} did not boot: {error}\n{self._post_mortem()}") from error

    def _wait_ready(self):
        allowed = SCRIPT_TIMEOUT if self._script else BOOT_TIMEOUT
        self._agent.wait_ready(allowed * agent.patience())

    def __str__(self):
        return f"{self.scenario or 'plain PC'}, {self.kernel.name}"

    def _socket(self):
        pair = agent.socket_pair()
        self._sockets += pair
        return pair

    def _build_image(self, image):
        content = dict(self._content)
        with_module = content.pop("module")
        content["multicall"] = artifacts.programs()
        if with_module:
            content["module"] = artifacts.module(self.kernel.name)
            content["tools"] = artifacts.tools()
        if self._script:
            path = self.directory / "script"
            path.write_text(self._script)
            content["files"][SCRIPT] = path
        initramfs.build(image, self.kernel, **content)

    def _command(self, image, agent_fd, qmp_fd):
        console = ["-chardev", "stdio,id=console,signal=off"] if self._terminal else \
                  ["-chardev", f"file,id=console,path={self.console}"]
        cmdline = ("console=ttyS0,115200 panic=-1 nokaslr mitigations=off no_timer_check "
                   "printk.devkmsg=on random.trust_cpu=on rcupdate.rcu_cpu_stall_timeout=60 "
                   f"{QUICK} {BY_HAND} lpj={TSC_HZ // self.kernel.hz} "
                   f"loglevel={4 if self._terminal else 7} "
                   f"{'' if self.kernel.name == 'debug' else NO_RODATA}"
                   f"{RT_CMDLINE if self.kernel.rt else ''}{self._cmdline}")
        return [*args.command(self.scenario, self.directory, self._settings, self._cpus),
                "-kernel", str(self.kernel.vmlinux), "-initrd", str(image),
                "-append", cmdline.strip(), "-no-reboot",
                *console, "-serial", "chardev:console",
                "-chardev", f"socket,id=agent,fd={agent_fd}", "-serial", "chardev:agent",
                "-chardev", f"file,id=bulk,path={self.directory / 'bulk'}",
                "-device", "isa-debugcon,iobase=0xe9,chardev=bulk",
                "-chardev", f"socket,id=qmp,fd={qmp_fd}", "-mon", "chardev=qmp,mode=control"]

    def _post_mortem(self):
        def tail(name, lines):
            path = self.directory / name
            text = path.read_text(errors="replace") if path.exists() else ""
            return [f"{name}: {line}" for line in text.splitlines()[-lines:]]
        try:
            ended = [f"QEMU: ended with {self._qemu.wait(timeout=2)}"]
        except subprocess.TimeoutExpired:
            ended = []
        return "\n".join(ended + tail("qemu.log", 12) + tail("console.log", 60))

    # ---- Commands in the guest ----

    def run(self, command, timeout=60, check=True):
        """Run a shell command; return a Completed with status, out, err."""
        return self.spawn(command, timeout).wait(check=check)

    def sh(self, command, timeout=60):
        """Return stdout of a shell command that must succeed, without the last newline."""
        return self.run(command, timeout).out.rstrip("\n")

    def spawn(self, command, timeout=None, fed=False):
        """Start a command without waiting for its end; return a Process. @fed: its stdin can be
        written."""
        return self._agent.spawn(command, timeout, fed)

    def read(self, path):
        """Return the text of a guest file whose read() does not block (/proc/modules ...)."""
        return self._agent.read(path)

    def write(self, path, text):
        """Write a short text to a file of the guest (sysfs, debugfs ...)."""
        quoted = str(text).replace("'", "'\\''")
        self.run(f"printf '%s\\n' '{quoted}' > {path}")

    def set_online(self, cpu, online):
        self.write(f"/sys/devices/system/cpu/cpu{cpu}/online", int(online))

    def fetch(self, path):
        """Return the bytes of a file of the guest; compressed for the slow serial line."""
        return gzip.decompress(self.run(f"gzip -1 -c {path}", timeout=120).raw_out)

    def module_path(self, name="ucore"):
        return f"/lib/modules/{self.kernel.release}/{name}.ko"

    def insmod(self, name="ucore", parameters="", cores=False):
        """Load a module; ucore's core counters are off unless @cores is true."""
        if name == "ucore":
            parameters += f" core_pmu={int(cores)}"
        self.run(f"insmod {self.module_path(name)} {parameters}")

    def rmmod(self, name="ucore"):
        self.run(f"rmmod {name}")

    def wait_until(self, condition, timeout=20, what="condition"):
        """Poll condition() until it is true; return its value. Fail if the guest has ended."""
        began, patience = time.monotonic(), agent.patience()
        while True:
            value = condition()
            if value:
                return value
            self._agent.check()
            if time.monotonic() > began + timeout * patience:
                patience = max(patience, agent.patience())
            if time.monotonic() > began + timeout * patience:
                raise TimeoutError(f"{what}: not within {timeout} s")
            time.sleep(0.02)

    def settle(self):
        """Wait until no process has /dev/ucore open, because a killed process needs time to
        exit."""
        def unused():
            users = [row.split()[2] for row in self.read("/proc/modules").splitlines()
                     if row.startswith("ucore ")]
            return not users or users == ["0"]
        self.wait_until(unused, timeout=30, what="end of all sessions")

    def wait_kexec(self, boots=2):
        """Wait until a kernel started by kexec is up."""
        self.wait_until(lambda: self._agent.boots >= boots, timeout=BOOT_TIMEOUT, what="kexec")

    # ---- Kernel log ----

    def dmesg(self):
        return self.run("dmesg").out

    def mark(self, text):
        """Write a line to the kernel log and wait until it is in console.log."""
        self._agent.write("/dev/kmsg", f"<6>ucore-lab: {text}\n")
        self.wait_until(lambda: f"ucore-lab: {text}" in self._console_text(),
                        what="console.log")

    def allow(self, *patterns):
        """Ignore kernel messages that match these patterns until the end of the test."""
        self.allowed += patterns

    def check_log(self):
        """Fail if the kernel printed an error since the last check."""
        log = self._console_text()
        new, self._scanned = log[self._scanned:], len(log)
        found = dmesg.hits(new, self.allowed)
        if found:
            raise CheckFailed("kernel log:\n" + "\n".join(found))

    def _console_text(self):
        return self.console.read_text(errors="replace") if self.console.exists() else ""

    # ---- The machine model (documented in tests/lab/qemu/README.md) ----

    def oracle(self, name):
        """Return a result of the model, such as "counters", "accesses", "cpus", "state"."""
        return json.loads(self.qmp("qom-get", path=ORACLE, property=name))

    def inject(self, command):
        """Send a command to the model: "lose-pmi 0 1", "dead 0 imc1", "reset" ..."""
        self.qmp("qom-set", path=ORACLE, property="command", value=command)

    def truth(self, kind=None, since=0):
        """Return the events of the model's log: freezes, PMIs, violations.

        @since: result of an earlier truth_length(). The log of a machine with many tests has tens
        of MB, so that only the part after it is read.
        """
        path = self._model_log()
        if not path.exists():
            return []
        with open(path, "rb") as log:
            log.seek(since)
            text = log.read()
        lines = text[:text.rfind(b"\n") + 1].splitlines()      # the last line may be incomplete
        sign = f'"ev":"{kind}"'.encode() if kind else b""
        events = [json.loads(line) for line in lines if sign in line]
        return [event for event in events if kind in (None, event["ev"])]

    def truth_length(self):
        """Return the current length of the model's log (bytes), for truth(since=...).

        The last line is left out if it is incomplete.
        """
        path, tail = self._model_log(), 1 << 16
        if not path.exists():
            return 0
        with open(path, "rb") as log:
            end = begin = log.seek(0, os.SEEK_END)
            found = -1
            while begin and found < 0:
                begin = max(0, end - tail)
                log.seek(begin)
                found = log.read(end - begin).rfind(b"\n")
                tail *= 16      # a freeze of a large machine is a long line
        return begin + found + 1

    def _model_log(self):
        return self.directory / "model.log"

    def check_model(self):
        """Fail if the model detected a protocol violation (strict mode)."""
        if not self.scenario:
            return
        seen = self.oracle("violations")["list"][self._violations:]
        self._violations += len(seen)
        if seen:
            raise CheckFailed("protocol violations:\n" + "\n".join(
                f"{v['rule']}: {v['text']} (CPU {v['cpu']}, {v['t']} ns)" for v in seen))

    def cpu_seconds(self):
        """Return the host CPU seconds that QEMU used; 0 after it has exited."""
        try:
            stat = Path(f"/proc/{self._qemu.pid}/stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return 0
        return busy_seconds(stat)

    def vcpu_seconds(self, cpu):
        """Return the host CPU seconds of one CPU of the guest."""
        thread = self._qmp.execute("query-cpus-fast")[cpu]["thread-id"]
        stat = Path(f"/proc/{self._qemu.pid}/task/{thread}/stat").read_text()
        return busy_seconds(stat)

    def circumstances(self):
        """Return the clocks of host, model and guest and the model's last events, after a
        failure."""
        lines = [f"host's clock: {time.monotonic() - self._started:.1f} s since QEMU's start"]
        try:
            if self.scenario:
                lines.append(f"model's clock: {self.oracle('state')['t'] / 1e9:.1f} s")
                lines += [f"model: {brief(event)}" for event in self.truth()[-8:]]
            uptime = self.run("cat /proc/uptime", timeout=5).out.split()[0]
            lines.append(f"guest's clock: {uptime} s since its boot")
        except (agent.AgentError, CommandFailed, CommandTimeout, qmp.QmpError, OSError) as error:
            lines += [f"and now: {error}", self._post_mortem()]
        return "\n".join(lines) + "\n"

    def qmp(self, command, **arguments):
        """Send a QMP command; underscores in argument names become hyphens."""
        return self._qmp.execute(command, **arguments)


def brief(event):
    """Return a line of the model's log without its lists of counters and CPUs."""
    return " ".join(f"{key}={value}" for key, value in event.items()
                    if key not in ("counters", "accesses", "cpus"))


def new_directory(name):
    RUNS.mkdir(parents=True, exist_ok=True)
    return tempfile.mkdtemp(prefix=f"{name}-", dir=RUNS)


# loaded before fork, because a child inherits locks that other threads have taken
LIBC = ctypes.CDLL(None)


def die_with_parent():
    """In the child: kill QEMU when the test run dies."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
