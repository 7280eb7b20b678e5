#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The kernels of the lab: Debian's 6.1 and 6.12, and a debug kernel of our own.

Images and sources live in a cache outside the tree; headers are Debian packages.

usage: kernels.py path NAME     where its parts are (fetches or builds them first)
       kernels.py fetch NAME... gets them ready
       kernels.py update        looks for newer versions from Debian
NAME is 6.1, 6.12 or debug; or clang: the debug kernel's tree, prepared for clang
to compile modules and without an image.
"""

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
from pathlib import Path

HERE = Path(__file__).resolve().parent
FRAGMENT = HERE.parent / "kernel" / "debug.config"
DEBIAN = ("6.1", "6.12")
DEBUG_SOURCE = "6.12"
NAMES = DEBIAN + ("debug",)     # those that can be booted


@dataclasses.dataclass(frozen=True)
class Kernel:
    name: str
    release: str
    vmlinux: Path   # uncompressed: QEMU starts it at its PVH entry, seconds faster
    modules: Path   # a directory with *.ko somewhere below
    build: Path     # what KDIR is for an out-of-tree module
    source: Path    # its source tree, or the headers'


def cache():
    base = os.environ.get("UCORE_CACHE")
    if not base:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ucore"
    return Path(base)


def get(name):
    """The kernel of that name, made ready on first use."""
    makers = {"debug": debug_kernel, "clang": clang_tree,
              **{series: lambda: debian_kernel(name) for series in DEBIAN}}
    if name not in makers:
        raise SystemExit(f"kernels: no kernel '{name}' (there are: {', '.join(makers)})")
    with locked(name):
        return makers[name]()


@contextlib.contextmanager
def locked(name):
    """Two runs that want the same thing: the second one waits and finds it."""
    path = cache() / "lock" / name
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
    pinned = cache() / "kernel" / f"{name}.release"
    release = pinned.read_text().strip() if pinned.exists() else newest(name)
    headers = Path("/usr/src") / f"linux-headers-{release}"
    where = cache() / "kernel" / release
    deps(f"linux-headers-{release}")
    if not where.exists():
        fetch_image(release, where)
    pinned.write_text(release + "\n")
    return Kernel(name, release, where / "vmlinux",
                  where / f"lib/modules/{release}", headers, headers)


def newest(name):
    """The newest release of a series with both an image and headers."""
    images, headers = available("image", name), available("headers", name)
    if not images & headers:
        deps("linux-headers-amd64")     # brings the package lists, too
        images, headers = available("image", name), available("headers", name)
    if not images & headers:
        raise SystemExit(f"kernels: apt knows no linux-image and linux-headers {name}")
    return max(images & headers, key=version_key)


def available(kind, name):
    """Releases of the series that apt could install, such as 6.1.0-56-amd64."""
    pattern = re.compile(rf"linux-{kind}-({re.escape(name)}\.\d[\d.]*(?:[-+][\da-z]+)?-amd64)$")
    listed = subprocess.run(["apt-cache", "pkgnames", f"linux-{kind}-{name}."],
                            check=True, capture_output=True, text=True).stdout
    names = [match for match in map(pattern.match, listed.split()) if match]
    return {match[1] for match in names if has_candidate(match[0])}


def has_candidate(package):
    policy = subprocess.run(["apt-cache", "policy", package], check=True,
                            capture_output=True, text=True).stdout
    return "Candidate: (none)" not in policy


def version_key(release):
    return [int(number) for number in re.findall(r"\d+", release)]


def fetch_image(release, where):
    say(f"downloading linux-image-{release}")
    parts = where.with_name(where.name + ".part")
    shutil.rmtree(parts, ignore_errors=True)
    parts.mkdir(parents=True)
    run("apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download",
        f"linux-image-{release}", cwd=parts)
    package = next(parts.glob("*.deb"))
    # The kernel, and the few modules that a guest loads
    unpack = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE)
    run("tar", "-x", "-C", parts, "--wildcards", "./boot/vmlinuz-*",
        f"./lib/modules/{release}/kernel/arch/x86/*", stdin=unpack.stdout)
    package.unlink()
    for module in parts.rglob("*.ko.xz"):
        run("xz", "-d", module)
    vmlinuz = parts / f"boot/vmlinuz-{release}"
    (parts / "vmlinux").write_bytes(decompressed(vmlinuz.read_bytes()))
    vmlinuz.unlink()
    parts.rename(where)


def decompressed(image):
    """The ELF kernel inside a bzImage (Documentation/arch/x86/boot.rst)."""
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
    """The debug kernel, complete: image, symbols, objects."""
    return configured_tree("debug", "gcc", "vmlinux", "modules")


def clang_tree():
    """The same configuration for clang, prepared to compile modules, not to boot."""
    return configured_tree("clang", "clang", "modules_prepare")


def configured_tree(name, compiler, *targets):
    source = unpacked_source()
    key = hashlib.sha256()
    key.update(FRAGMENT.read_bytes())
    key.update(source.name.encode())
    key.update(subprocess.run([compiler, "--version"], check=True, capture_output=True).stdout)
    build = cache() / "kernel" / f"{name}-{key.hexdigest()[:12]}"
    done = build / ".complete"
    if not done.exists():
        build_tree(source, build, f"CC={compiler}", targets)
        done.touch()
    release = (build / "include/config/kernel.release").read_text().strip()
    return Kernel(name, release, build / "vmlinux", build, build, source)


def unpacked_source():
    """Debian's kernel source, unpacked once for each version of the package."""
    with locked("source"):
        return _unpacked_source()


def _unpacked_source():
    deps("debug")
    package = f"linux-source-{DEBUG_SOURCE}"
    version = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package],
                             check=True, capture_output=True, text=True).stdout
    where = cache() / "src" / f"{package}_{version.replace('~', '-')}"
    if where.exists():
        return where
    say(f"unpacking {package}")
    parts = where.with_name(where.name + ".part")
    shutil.rmtree(parts, ignore_errors=True)
    parts.mkdir(parents=True)
    run("tar", "-xf", f"/usr/src/{package}.tar.xz", "-C", parts, "--strip-components=1")
    parts.rename(where)
    return where


def build_tree(source, build, compiler, targets):
    say(f"building {build.name}: {' '.join(targets)} (cached afterwards; "
        "the debug kernel takes about 6 minutes on 2 cores)")
    shutil.rmtree(build, ignore_errors=True)
    build.mkdir(parents=True)
    make = functools.partial(run, "make", "-s", "-C", source, f"O={build}",
                             "ARCH=x86_64", compiler)
    with open(build / "build.log", "w") as log:
        try:
            make("tinyconfig", stdout=log, stderr=log)
            shutil.copy(build / ".config", build / "tiny.config")
            run("scripts/kconfig/merge_config.sh", "-m", "-O", build, build / "tiny.config",
                FRAGMENT, cwd=source, stdout=log, stderr=log)
            make("olddefconfig", stdout=log, stderr=log)
            if "vmlinux" in targets:
                check_config(build / ".config")
            make(f"-j{os.cpu_count()}", *targets, stdout=log, stderr=log)
        except subprocess.CalledProcessError as error:
            raise SystemExit(f"kernels: {error}\nkernels: see {log.name}") from error


def check_config(config):
    """Kconfig drops what it cannot have; the lab wants to know."""
    have = set(config.read_text().splitlines())
    wanted = [line for line in FRAGMENT.read_text().splitlines() if "CONFIG_" in line]
    lost = [line for line in wanted if line not in have and
            (line.startswith("CONFIG_") or f"{line.split()[1]}=y" in have)]
    if lost:
        raise SystemExit("kernels: Kconfig refused: " + ", ".join(lost))


# ---- Command line ------------------------------------------------------------


def update():
    for name in DEBIAN:
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
