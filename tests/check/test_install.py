# SPDX-License-Identifier: GPL-2.0-only
"""`make install` below a directory, and away again.  tests/clean_install does it on a whole machine."""

import os
import re
import shutil
import subprocess

from check.test_check import tracked
from lab import kernels, short_module
from lab.artifacts import BUILD, TOP
from lab.framework import test

OUT = BUILD / "check/install"
TREE = OUT / "tree"
VERSION = re.search(r'^PACKAGE_VERSION="(.*)"', (TOP / "dkms.conf").read_text(), re.M)[1]
FILES = {"bin/ucoretool", "include/libucore.h", "include/ucore.h", "lib/libucore.a",
         "lib/libucore.so", "lib/libucore.so.0", "lib/pkgconfig/libucore.pc",
         "share/bash-completion/completions/ucoretool", "share/zsh/site-functions/_ucoretool",
         "share/fish/vendor_completions.d/ucoretool.fish", "share/ucore/grafana-dashboard.json",
         "lib/systemd/system/ucore-export.service", "lib/sysusers.d/ucore.conf",
         "lib/udev/rules.d/60-ucore.rules",
         *(f"share/ucore/python/ucore/{name}.py"
           for name in ("__init__", "abi", "machine", "recording", "records"))}
COMMANDS = ("doctor", "revoke", "export", "info", "list", "record", "report", "script", "stat", "top",
            "verify")
PAGES = {"share/man/man1/ucoretool.1", "share/man/man3/libucore.3",
         *(f"share/man/man1/ucoretool-{command}.1" for command in COMMANDS)}


def make(*words):
    environment = {**os.environ, "UCORE_BUILD": str(OUT / "build")}
    done = subprocess.run(["make", "-C", TREE, f"DESTDIR={OUT / 'root'}", *map(str, words)],
                          env=environment, check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout


def there():
    """Files and links below the root."""
    return {str(path.relative_to(OUT / "root")) for path in (OUT / "root").rglob("*")
            if path.is_symlink() or path.is_file()}


def pkg_config(prefix, *words):
    place = OUT / "root" / prefix.lstrip("/") / "lib/pkgconfig/libucore.pc"
    return subprocess.run(["pkg-config", *words, place], check=True, text=True,
                          capture_output=True).stdout.strip()


def copied_tree():
    """Copy the files of the tree that `make install` needs, with a short module."""
    names = [name for name in tracked(pattern="") if not name.startswith("tests/")]
    subprocess.run(["cp", "-a", "--parents", *names, "tests/lab", TREE], cwd=TOP, check=True)
    for name, text in short_module.files().items():
        (TREE / name).write_text(text)


@test(machine=False, timeout=300)
def uninstall_removes_all_installed_files():
    """Under umask 077, with one prefix, then another; nothing is left."""
    shutil.rmtree(OUT, ignore_errors=True)
    before = os.umask(0o077)
    try:
        (OUT / "root").mkdir(parents=True)
        TREE.mkdir()
        copied_tree()
        for prefix in ("/usr/local", "/opt/ucore"):
            installs(prefix, kernels.get("6.1"))
    finally:
        os.umask(before)


def installs(prefix, kernel):
    module = f"lib/modules/{kernel.release}/updates/ucore.ko"
    make("install", f"KDIR={kernel.build}", f"prefix={prefix}")
    pages = PAGES if shutil.which("scdoc") else set()
    wanted = {f"{prefix[1:]}/{name}" for name in FILES | pages}
    assert there() == wanted | {module}, there() ^ (wanted | {module})
    private = [name for name in there() if not (OUT / "root" / name).stat().st_mode & 4]
    assert not private, private
    assert pkg_config(prefix, "--variable=prefix") == prefix
    assert pkg_config(prefix, "--modversion") == VERSION
    look_at_module(OUT / "root" / module)
    name_no_path(OUT / "root" / prefix[1:])
    unit = OUT / "root" / prefix[1:] / "lib/systemd/system/ucore-export.service"
    assert f"ExecStart={prefix}/bin/ucoretool export " in unit.read_text()
    make("uninstall", f"prefix={prefix}")
    assert not there(), there()


def name_no_path(root):
    """Programs and libraries are the same wherever the tree was that they were built in."""
    named = [name for name in ("bin/ucoretool", "lib/libucore.so.0", "lib/libucore.a")
             if any(bytes(place) in (root / name).read_bytes() for place in (TOP, OUT))]
    assert not named, named


def look_at_module(path):
    """Check that the module has its version, and that its debug information was removed."""
    assert ".debug_info" in sections(next((OUT / "build").glob("module-*/ucore.ko")))
    said = subprocess.run(["/sbin/modinfo", "-F", "version", path], check=True, text=True,
                          capture_output=True).stdout
    assert said == f"{VERSION}\n"
    assert ".modinfo" in sections(path) and ".debug_info" not in sections(path)


def sections(path):
    return subprocess.run(["readelf", "-SW", path], check=True, text=True,
                          capture_output=True).stdout


@test(machine=False)
def kernel_without_kunit_is_refused_in_one_message():
    kernel = kernels.get("6.1")
    done = subprocess.run(["make", "-s", "-C", TOP, "kunit", f"KDIR={kernel.build}"], check=False,
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    messages = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert done.returncode and not done.stdout and len(messages) == 1, done
    assert "this kernel has no KUnit" in messages[0], messages


@test(machine=False)
def version_is_defined_once():
    """dkms.conf, and the changelog's headings."""
    said = subprocess.run(["git", "grep", "-nwF", "--untracked", VERSION, "--", ":!dkms.conf",
                           ":!CHANGELOG.md", ":!*.csv", ":!*.ini"],
                          cwd=TOP, check=False, text=True, capture_output=True).stdout
    assert not said, said
