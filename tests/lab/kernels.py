# SPDX-License-Identifier: GPL-2.0-only
"""Provides the kernels of the lab: Debian's, by series, and a debug kernel built from source.

Images, headers and sources are in a cache outside the tree; none is installed.

usage: python3 -m lab.kernels path NAME     print the paths of a kernel (fetch or build it first)
       python3 -m lab.kernels fetch NAME... fetch or build kernels
       python3 -m lab.kernels update        fetch newer versions from Debian
NAME is a series of Debian, such as 6.1, 6.12 or 7, also with -rt (6.1-rt).  Other names are debug;
kcsan, the debug kernel with a detector of data races; and clang, the tree of the debug kernel,
prepared to compile modules with clang and without an image.
"""

import argparse
import contextlib
import dataclasses
import fcntl
import functools
import hashlib
import os
import re
import shutil
import struct
import subprocess
import sys
import threading
from pathlib import Path

from lab import archive
from lab.archive import cache

HERE = Path(__file__).resolve().parent
DEBUG_CONFIG = HERE.parent / "kernel" / "debug.config"
KCSAN_CONFIG = HERE.parent / "kernel" / "kcsan.config"
# patches to Linux for errors that end long runs; the head of each patch has the reason
PATCHES = sorted((HERE.parent / "kernel").glob("*.patch"))
# Directories of Linux in which KASAN and UBSAN check accesses, because their code uses objects of
# the driver. With all directories, tests on the debug kernel need 1.6 times the CPU time
CHECKED = ("kernel", "lib", "fs", "mm", "drivers/base", "drivers/char")
# Directories below CHECKED that Linux's own makefiles exclude
UNCHECKED = ("mm/kasan", "kernel/entry", "kernel/kcsan")
DEBIAN = ("6.1", "6.12")
DEBUG_SOURCE = "6.12"
NAMES = DEBIAN + ("debug",)     # kernels named by tests
LIKE_DEBUG = ("kcsan",)         # kernels that run the tests of the debug kernel on request
SERIES = re.compile(r"(?P<series>\d+(?:\.\d+)*)(?P<rt>-rt)?$")
# Drivers of PCI devices that guests load, and a file that tells that a cache has them
DRIVERS = r"/kernel/drivers/.*/(intel_vsec|vmd)\.ko"
DRIVERS_MARK = "drivers"
# Suites that are searched for a series that this release does not have
OTHER_SUITES = ("trixie-backports", "sid")


@dataclasses.dataclass(frozen=True)
class Kernel:
    name: str
    release: str
    vmlinux: Path   # uncompressed: QEMU starts it at its PVH entry, seconds faster
    modules: Path   # a directory with *.ko somewhere below
    build: Path     # KDIR for an out-of-tree module
    source: Path    # source tree, or the tree of the headers

    @property
    def rt(self):
        """Return true for an RT kernel, whose interrupt handlers run in threads."""
        return "-rt-" in self.release

    @functools.cached_property
    def hz(self):
        """Return the number of jiffies per second."""
        return int(re.search(r"^CONFIG_HZ=(\d+)$", self._config, re.M)[1])

    @property
    def has_kunit(self):
        return "CONFIG_KUNIT=" in self._config

    @functools.cached_property
    def _config(self):
        return (self.build / "include/config/auto.conf").read_text()


def known(name):
    """Return the name if such a kernel can exist (for argparse)."""
    if name in NAMES + LIKE_DEBUG or SERIES.match(name):
        return name
    raise argparse.ArgumentTypeError(f"{name}? There are {', '.join(NAMES + LIKE_DEBUG)}, "
                                     "and Debian's series, such as 6.1-rt or 7")


def get(name):
    """Return the kernel of that name; fetch or build it on first use."""
    makers = {"debug": debug_kernel, "kcsan": kcsan_kernel, "clang": clang_tree}
    if name not in makers and not SERIES.match(name):
        raise SystemExit(f"kernels: no kernel '{name}' (there are: {', '.join(DEBIAN)}, "
                         f"other series of Debian's, with -rt, too, and {', '.join(makers)})")
    if name in makers:
        return makers[name]()
    with locked("archive"):
        return debian_kernel(name)


@contextlib.contextmanager
def locked(name, directory=None):
    """Lock: if two runs need the same file, the second run waits for the first one.

    @directory contains the file; the cache if none is given.
    """
    path = (directory or cache()) / "lock" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def say(text):
    print(f"kernels: {text}", file=sys.stderr, flush=True)


def run(*command, **options):
    subprocess.run([str(word) for word in command], check=True, **options)


def deps(*packages):
    run(HERE / "deps.sh", *packages)


# ---- Debian's kernels --------------------------------------------------------


def debian_kernel(name):
    """Return a Debian kernel: an image to boot and headers to compile for."""
    pinned = cache() / "kernel" / f"{name}.release"
    release, suite = kept(pinned) or newest(name)
    where = cache() / "kernel" / release
    apt = archive.apt(suite)
    if not where.exists():
        fetch_image(apt, release, where)
    elif not (where / DRIVERS_MARK).exists():   # an older cache
        try:
            fetch_drivers(apt, release, where)
        except archive.ArchiveError as error:   # the archive keeps only the newest releases
            say(f"no {DRIVERS} of {release}: {error}")
    if suite == archive.codename():
        build = fetched_headers(apt, release)
    else:
        build = fetched_root(apt, release)
    text = f"{release}\n" if suite == archive.codename() else f"{release} {suite}\n"
    if not pinned.exists() or pinned.read_text() != text:   # the cache may be shared and read-only
        pinned.write_text(text)
    return Kernel(name, release, where / "vmlinux", where, build, build)


def kept(pinned):
    """Return the (release, suite) fetched before; None if a file of it is missing.

    A missing file may also have left the archive, which keeps only the newest releases.
    """
    if not pinned.exists():
        return None
    release, suite = (pinned.read_text().split() + [archive.codename()])[:2]
    whole = all((cache() / part / release).exists() for part in ("kernel", "headers"))
    return (release, suite) if whole else None


def newest(name):
    """Return the newest release of a series that has image and headers, and its suite."""
    found = []
    for suite in (archive.codename(), *OTHER_SUITES):
        apt = archive.apt(suite)
        releases = available(apt, "image", name) & available(apt, "headers", name)
        found += [(release, suite) for release in releases]
        if found and suite == archive.codename():
            break
    if not found:
        raise SystemExit(f"kernels: Debian has no linux-image and linux-headers {name} "
                         f"in {', '.join((archive.codename(), *OTHER_SUITES))}")
    return max(found, key=lambda pair: version_key(pair[0]))


def available(apt, kind, name):
    """Return the releases of the series in a suite, such as 6.1.0-56-amd64, 6.1.0-56-rt-amd64."""
    match = SERIES.match(name)
    series, flavour = re.escape(match["series"]), match["rt"] or ""
    pattern = re.compile(rf"linux-{kind}-({series}\.\d[\d.]*(?:[-+](?!rt)[\da-z]+)?{flavour}-amd64)$")
    names = apt.names(f"linux-{kind}-{match['series']}.")
    return {found[1] for found in map(pattern.match, names) if found}


def version_key(release):
    return [int(number) for number in re.findall(r"\d+", release)]


def fetch_image(apt, release, where):
    """Fetch the kernel and the modules that a guest loads.

    Both are in linux-image. In 7.x the kernel is in linux-binary, and the modules are in
    linux-modules, below usr/lib because of the merged /usr.
    """
    escaped = re.escape(release)
    parts = emptied(where)
    unpack_image(apt, release, parts, rf"^\./boot/vmlinuz-|/lib/modules/{escaped}/vmlinuz$|"
                                      rf"/lib/modules/{escaped}/kernel/arch/x86/.*\.ko|{DRIVERS}")
    vmlinuz = next(parts.rglob("vmlinuz*"))
    (parts / "vmlinux").write_bytes(decompressed(vmlinuz.read_bytes()))
    vmlinuz.unlink()
    parts.rename(where)


def fetch_drivers(apt, release, where):
    """Add the drivers that a cache lacks, which an older version of this file made."""
    parts = emptied(where)
    unpack_image(apt, release, parts, DRIVERS)
    shutil.copytree(parts, where, dirs_exist_ok=True)
    shutil.rmtree(parts)


def unpack_image(apt, release, where, wanted):
    """Unpack the files of the packages of an image whose paths match a pattern."""
    packages = [f"linux-image-{release}"]
    packages += [name for name in apt.depends(packages[0])
                 if name in (f"linux-binary-{release}", f"linux-modules-{release}")]
    say(f"downloading {' '.join(packages)} (70 to 130 MB)")
    for package in apt.download(packages, where):
        archive.unpack(package, where, wanted)
        package.unlink()
    for module in where.rglob("*.ko.xz"):
        run("xz", "-d", module)
    (where / DRIVERS_MARK).touch()


def emptied(where):
    """Create an empty directory next to `where`, to be renamed when it is complete."""
    parts = where.with_name(where.name + ".part")
    shutil.rmtree(parts, ignore_errors=True)
    parts.mkdir(parents=True)
    return parts


def fetched_headers(apt, release):
    """Unpack the headers of a kernel for the compiler of this release; return KDIR."""
    where = cache() / "headers" / release
    if not where.exists():
        say(f"downloading linux-headers-{release}")
        parts = emptied(where)
        for package in apt.download(header_packages(apt, release), parts):
            archive.unpack(package, parts)
            package.unlink()
        relocate(parts / f"usr/src/linux-headers-{release}/Makefile")
        parts.rename(where)
    return where / f"usr/src/linux-headers-{release}"


def header_packages(apt, release):
    """Return linux-headers, and linux-headers-*-common and linux-kbuild-*, which it needs.

    The image, on which newer headers depend, is left out: if it were installed, the host would
    boot it next.
    """
    first = f"linux-headers-{release}"
    return [first, *(name for name in apt.depends(first)
                     if re.match("linux-(headers|kbuild)-", name))]


def relocate(makefile):
    """The Makefile includes the common one by a path from /usr/src."""
    text = makefile.read_text()
    here = "$(dir $(abspath $(lastword $(MAKEFILE_LIST))))../"
    makefile.write_text(text.replace("/usr/src/", here))


# packages that the kernel's build system calls, in addition to the compiler named by the
# headers
ROOT_PACKAGES = ("base-files", "bash", "binutils", "coreutils", "dash", "diffutils", "dpkg", "findutils",
                 "gawk", "grep", "make", "sed")
ROOT_MAKEFILE = """\
# SPDX-License-Identifier: GPL-2.0-only
# Compiles in the root of the kernel's own release: make -C HERE M=DIR modules.
# UCORE_COPY: a directory above M with the other sources of the module
.DEFAULT:
\t+@{enter} {root} $(or $(UCORE_COPY),$(M)) make -C /usr/src/linux-headers-{release} $@
"""


def fetched_root(apt, release):
    """Fetch the headers of a kernel of another Debian release with its compiler; return KDIR.

    The programs of the headers need the C library and the compiler of that release. Both are
    unpacked, not installed, into a directory that is the root of make.
    """
    where = cache() / "headers" / release
    if not where.exists():
        say(f"downloading linux-headers-{release} of {apt.suite} and its compiler (100 MB)")
        parts = emptied(where)
        packages = apt.download_closure([f"linux-headers-{release}", *ROOT_PACKAGES])
        packages.sort(key=lambda package: not package.name.startswith("base-files_"))
        for package in packages:    # base-files first: it makes /bin a link to /usr/bin
            archive.unpack(package, parts)
        (parts / "usr/bin/awk").symlink_to("gawk")
        parts.rename(where)
    build = where / "build"
    makefile = ROOT_MAKEFILE.format(enter=HERE / "enter.sh", root=where, release=release)
    build.mkdir(exist_ok=True)
    if not (build / "Makefile").exists() or (build / "Makefile").read_text() != makefile:
        (build / "Makefile").write_text(makefile)
    include = build / "include"     # with the kernel's configuration
    if not include.is_symlink():
        include.symlink_to(f"../usr/src/linux-headers-{release}/include")
    return build


def decompressed(image):
    """Return the ELF kernel of a bzImage (Documentation/arch/x86/boot.rst)."""
    setup_sectors = image[0x1f1]
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = (setup_sectors + 1) * 512 + offset
    payload = image[start:start + length - 4]   # four bytes of length follow
    tools = {b"\xfd7zXZ": "xz", b"\x28\xb5\x2f\xfd": "zstd", b"\x1f\x8b": "gzip"}
    tool = next((tools[magic] for magic in tools if payload.startswith(magic)), None)
    if not tool:
        raise SystemExit("kernels: the image is compressed in an unknown way")
    return subprocess.run([tool, "-dc"], input=payload, check=True, capture_output=True).stdout


# ---- The debug kernel --------------------------------------------------------


def debug_kernel():
    """Build the complete debug kernel: image, symbols, objects."""
    return configured_tree("debug", "gcc", (DEBUG_CONFIG,), "vmlinux", "modules")


def kcsan_kernel():
    """Build the debug kernel with KCSAN instead of KASAN."""
    return configured_tree("kcsan", "gcc", (DEBUG_CONFIG, KCSAN_CONFIG), "vmlinux", "modules")


def clang_tree():
    """Prepare the same configuration for modules compiled with clang; it has no image."""
    return configured_tree("clang", "clang", (DEBUG_CONFIG,), "modules_prepare")


def configured_tree(name, compiler, fragments, *targets):
    source = unpacked_source()
    key = hashlib.sha256()
    for fragment in fragments:
        key.update(fragment.read_bytes())
    key.update(source.name.encode() + sanitizers().encode())
    key.update(subprocess.run([compiler, "--version"], check=True, capture_output=True).stdout)
    build = cache() / "kernel" / f"{name}-{key.hexdigest()[:12]}"
    done = build / ".complete"
    with locked(build.name):
        if not done.exists():
            build_tree(source, build, f"CC={compiler}", fragments, targets)
            done.touch()
    release = (build / "include/config/kernel.release").read_text().strip()
    return Kernel(name, release, build / "vmlinux", build, build, source)


def unpacked_source():
    """Unpack Debian's kernel source with PATCHES, once for each version of both."""
    with locked("source"):
        return _unpacked_source()


def source_package():
    """Return name and version of Debian's package of the kernel source; install it."""
    package = f"linux-source-{DEBUG_SOURCE}"
    deps(package)
    version = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package],
                             check=True, capture_output=True, text=True).stdout
    return package, version.replace("~", "-")


def _unpacked_source():
    deps("debug")
    package, version = source_package()
    key = hashlib.sha256(b"".join(patch.read_bytes() for patch in PATCHES)).hexdigest()[:8]
    where = cache() / "src" / f"{package}_{version}_{key}"
    if where.exists():
        return where
    say(f"unpacking {package}")
    parts = emptied(where)
    run("tar", "-xf", f"/usr/src/{package}.tar.xz", "-C", parts, "--strip-components=1")
    for patch in PATCHES:
        apply_patch(patch, parts)
    parts.rename(where)
    return where


def apply_patch(patch, tree):
    """Apply a patch; leave the source unchanged if a newer source differs or does not need it."""
    command = ("patch", "-p1", "-N", "-s", "-i", patch)
    if subprocess.run([*command, "--dry-run"], cwd=tree, check=False, capture_output=True).returncode:
        say(f"{patch.name} does not fit this source, which is taken as it is")
    else:
        run(*command, cwd=tree)


def build_tree(source, build, compiler, fragments, targets):
    say(f"building {build.name}: {' '.join(targets)} (cached afterwards; "
        "the debug kernel takes 5 to 10 minutes on 2 cores)")
    shutil.rmtree(build, ignore_errors=True)
    build.mkdir(parents=True)
    make = functools.partial(run, "make", "-C", source, f"O={build}", "ARCH=x86_64", compiler,
                             *(f"{name}_SANITIZE={sanitizers()}" for name in ("KASAN", "UBSAN")))
    with open(build / "build.log", "w") as log:
        try:
            make("tinyconfig", stdout=log, stderr=log)
            shutil.copy(build / ".config", build / "tiny.config")
            run("scripts/kconfig/merge_config.sh", "-m", "-O", build, build / "tiny.config",
                *fragments, cwd=source, stdout=log, stderr=log)
            make("olddefconfig", stdout=log, stderr=log)
            if "vmlinux" in targets:
                check_config(build / ".config", fragments)
            with progress(Path(log.name)):
                make(f"-j{os.cpu_count()}", *targets, stdout=log, stderr=log)
        except subprocess.CalledProcessError as error:
            raise SystemExit(f"kernels: {error}\nkernels: see {log.name}") from error


def sanitizers():
    """Return an expression for make that is "n" in directories without KASAN and UBSAN.

    The driver is compiled later, without it, so that all its accesses are checked.
    """
    checked, unchecked = (" ".join(f"{name}/%" for name in names) for names in (CHECKED, UNCHECKED))
    return f"$(if $(filter {checked},$(filter-out {unchecked},$(obj)/)),,n)"


@contextlib.contextmanager
def progress(log, every=60):
    """Report the progress of a build each minute."""
    ended = threading.Event()

    def watch():
        while not ended.wait(every):
            say(f"{log.read_text(errors='replace').count('  CC ')} files compiled")
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


def check_config(config, fragments):
    """Fail if Kconfig dropped an option of a fragment. A later fragment overrides earlier ones."""
    have = set(config.read_text().splitlines())
    wanted = {re.search(r"CONFIG_\w+", line)[0]: line for fragment in fragments
              for line in fragment.read_text().splitlines() if "CONFIG_" in line}
    lost = [line for name, line in wanted.items() if line not in have and
            (line.startswith("CONFIG_") or f"{name}=y" in have)]
    if lost:
        raise SystemExit("kernels: Kconfig refused: " + ", ".join(lost))


# ---- Command line ------------------------------------------------------------


def update():
    pinned = (cache() / "kernel").glob("*.release")
    for name in sorted({*DEBIAN, *(path.stem for path in pinned)}):
        (cache() / "kernel" / f"{name}.release").unlink(missing_ok=True)
        say(f"{name} is {get(name).release}")


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "path":
        for key, value in dataclasses.asdict(get(arguments[1])).items():
            print(f"{key}={value}")
    elif len(arguments) > 1 and arguments[0] == "fetch":
        for name in arguments[1:]:
            get(name)
    elif arguments == ["update"]:
        update()
    else:
        sys.exit(__doc__.rstrip())


if __name__ == "__main__":
    main(sys.argv[1:])
