# SPDX-License-Identifier: GPL-2.0-only
"""The emulated machine as a Python object.

    with Machine("e2-2s", kernel="6.12") as m:
        m.insmod()
        print(m.run("ucoretool list").out)

QEMU is gone when the block ends, whatever happened inside.
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
# Where init looks for it
SCRIPT = "/script"
PR_SET_PDEATHSIG = 1
# More than half of the instructions of a boot: self-tests of ciphers, memory zeroed when given
# out, and what nobody here uses.  Debian's kernels leave their own constants writable, too, which
# spares them the search for pages that are executable as well; the debug kernel does not.
QUICK = ("cryptomgr.notests init_on_alloc=0 initcall_blacklist=jent_mod_init,crypto_kdf108_init,"
         "cubictcp_register,slab_sysfs_init,init_encrypted,i8042_init")
NO_RODATA = "rodata=off "
# The TSC of no host is faster.  Told how many of its ticks a jiffy has, a kernel does not measure
# that on each socket: a busy host lets the measurement fail, and once it never ended.
TSC_HZ = 5 * 10 ** 9
# Registers for programs of tests
BY_HAND = "iomem=relaxed msr.allow_writes=on"
ORACLE = "/machine/ucore-oracle"
# An RT kernel serves the agent's port in a thread, hundreds of interrupts in one go, one for
# each byte.  It counts all but the last as unhandled, and at 99.9 % of 100000 would take the
# port's interrupt away ("nobody cared").  This turns that count off.
RT_CMDLINE = "noirqdebug "


def busy_seconds(stat):
    """User and system time of a process or thread, by its stat file."""
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class CheckFailed(AssertionError):
    """The kernel log or the machine model tells of a mistake."""


def private_pmi(settings):
    """Does the model route interrupts in its own way?  Then the driver must know that way."""
    return dict(settings).get("model.pmi") == "private"


class Machine:
    """One boot of one scenario.

    scenario  name of a file in scenarios/ (without .json ...), or None: a plain PC
    kernel    6.1, 6.12 or debug
    module    bring ucore.ko and ucoretool into the guest
    perf      bring Debian's perf
    files     more files: guest path -> host path
    cmdline   more kernel parameters
    strict    False: protocol violations are no failure
    track     False: the debug kernel does without kmemleak
    settings  what the scenario file says otherwise: {"rates.scale": "0.1"}
    script    a shell script that runs by itself before the machine takes commands
    console   "log": into console.log; "terminal": this process's terminal
    """

    def __init__(self, scenario=None, kernel="6.1", *, module=True, perf=False,
                 files=(), cmdline="", script="", console="log", directory=None,
                 strict=True, track=True, settings=()):
        self.scenario = scenario
        self.kernel = kernels.get(kernel)
        self._content = {"module": module, "perf": perf, "files": dict(files)}
        self._cmdline = cmdline if track else f"kmemleak=off {cmdline}"
        self._script = script
        self._terminal = console == "terminal"
        self._settings = dict(settings)
        if not strict:
            self._settings["model.strict"] = "no"
        self._qemu = None
        self._sockets = []
        self._scanned = 0       # characters of console.log
        self._violations = 0    # of the model, already reported
        self.allowed = []
        self.directory = Path(directory or new_directory(f"{scenario or 'pc'}-{kernel}"))
        self.directory.mkdir(parents=True, exist_ok=True)
        self.console = self.directory / "console.log"

    # ---- Life ----

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
            # A session of its own: a scheduler that shares by session (autogroup) lets what else
            # the host does starve a machine less
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
            content["module"] = artifacts.module(self.kernel.name, private_pmi(self._settings))
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
        return [*args.command(self.scenario, self.directory, self._settings),
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
        """Runs a shell command; returns a Completed with status, out, err."""
        return self.spawn(command, timeout).wait(check=check)

    def sh(self, command, timeout=60):
        """stdout of a shell command that must succeed, without the last newline."""
        return self.run(command, timeout).out.rstrip("\n")

    def spawn(self, command, timeout=None, fed=False):
        """Starts a command beside others; returns a Process, which may be fed."""
        return self._agent.spawn(command, timeout, fed)

    def read(self, path):
        """The text of a file of the guest that is there at once (/proc/modules ...)."""
        return self._agent.read(path)

    def write(self, path, text):
        """Writes a short text into a file of the guest (sysfs, debugfs ...)."""
        quoted = str(text).replace("'", "'\\''")
        self.run(f"printf '%s\\n' '{quoted}' > {path}")

    def fetch(self, path):
        """The bytes of a file of the guest; compressed on the slow serial line."""
        return gzip.decompress(self.run(f"gzip -1 -c {path}", timeout=120).raw_out)

    def module_path(self, name="ucore"):
        return f"/lib/modules/{self.kernel.release}/{name}.ko"

    def insmod(self, name="ucore", parameters="", cores=False):
        """Loads a module; ucore with the cores' own counters only where a test is about them."""
        if name == "ucore":
            parameters += f" core_pmu={int(cores)}"
        self.run(f"insmod {self.module_path(name)} {parameters}")

    def rmmod(self, name="ucore"):
        self.run(f"rmmod {name}")

    def wait_until(self, condition, timeout=20, what="condition"):
        """Polls condition() until it is true; returns what it returned.  A guest that ended does
        not get there."""
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
        """Waits until nobody has /dev/ucore open: who was killed needs a moment to end."""
        def unused():
            users = [row.split()[2] for row in self.read("/proc/modules").splitlines()
                     if row.startswith("ucore ")]
            return not users or users == ["0"]
        self.wait_until(unused, timeout=30, what="end of all sessions")

    def wait_kexec(self, boots=2):
        """Waits until a kernel that another one has started is up, too."""
        self.wait_until(lambda: self._agent.boots >= boots, timeout=BOOT_TIMEOUT, what="kexec")

    # ---- Kernel log ----

    def dmesg(self):
        return self.run("dmesg").out

    def mark(self, text):
        """Puts a line into the kernel log, and waits until it is in console.log."""
        self._agent.write("/dev/kmsg", f"<6>ucore-lab: {text}\n")
        self.wait_until(lambda: f"ucore-lab: {text}" in self._console_text(),
                        what="console.log")

    def allow(self, *patterns):
        """From here to the end of the test, kernel messages like these are no mistake."""
        self.allowed += patterns

    def check_log(self):
        """Fails if the kernel complained since the last check."""
        log = self._console_text()
        new, self._scanned = log[self._scanned:], len(log)
        found = dmesg.hits(new, self.allowed)
        if found:
            raise CheckFailed("kernel log:\n" + "\n".join(found))

    def _console_text(self):
        return self.console.read_text(errors="replace") if self.console.exists() else ""

    # ---- The machine model (tests/lab/qemu/README.md says what it tells) ----

    def oracle(self, name):
        """A result of the model, such as "counters", "accesses", "cpus", "state"."""
        return json.loads(self.qmp("qom-get", path=ORACLE, property=name))

    def inject(self, command):
        """A fault or an order to the model: "lose-pmi 0 1", "dead 0 imc1", "reset" ..."""
        self.qmp("qom-set", path=ORACLE, property="command", value=command)

    def truth(self, kind=None, since=0):
        """What the model logged from line `since` on: freezes, PMIs, violations."""
        lines = self._model_log().splitlines()[since:]
        events = [json.loads(line) for line in lines]
        return [event for event in events if kind in (None, event["ev"])]

    def truth_length(self):
        """A mark for truth(since=...)."""
        return self._model_log().count("\n")

    def _model_log(self):
        path = self.directory / "model.log"
        text = path.read_text() if path.exists() else ""
        return text[:text.rfind("\n") + 1]      # the last line may still be on its way

    def check_model(self):
        """Fails if the model saw what the hardware's protocol forbids (strict mode)."""
        if not self.scenario:
            return
        seen = self.oracle("violations")["list"][self._violations:]
        self._violations += len(seen)
        if seen:
            raise CheckFailed("protocol violations:\n" + "\n".join(
                f"{v['rule']}: {v['text']} (CPU {v['cpu']}, {v['t']} ns)" for v in seen))

    def cpu_seconds(self):
        """What QEMU has had of the host's CPUs; of one that has ended nothing is known here."""
        try:
            stat = Path(f"/proc/{self._qemu.pid}/stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return 0
        return busy_seconds(stat)

    def vcpu_seconds(self, cpu):
        """What one CPU of the guest has had of them."""
        thread = self._qmp.execute("query-cpus-fast")[cpu]["thread-id"]
        stat = Path(f"/proc/{self._qemu.pid}/task/{thread}/stat").read_text()
        return busy_seconds(stat)

    def circumstances(self):
        """After a failure: the clocks of host, model and guest, the model's last events."""
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
        """A QMP command; underscores in argument names stand for hyphens."""
        return self._qmp.execute(command, **arguments)


def brief(event):
    """A line of the model's log without its lists of counters and CPUs."""
    return " ".join(f"{key}={value}" for key, value in event.items()
                    if key not in ("counters", "accesses", "cpus"))


def new_directory(name):
    RUNS.mkdir(parents=True, exist_ok=True)
    return tempfile.mkdtemp(prefix=f"{name}-", dir=RUNS)


LIBC = ctypes.CDLL(None)        # not loaded in a child, where other threads' locks stay taken


def die_with_parent():
    """In the child: QEMU does not outlive a killed test run."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
