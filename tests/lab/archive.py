# SPDX-License-Identifier: GPL-2.0-only
"""Find, download and unpack packages of Debian without installing them.

The archive is the one in apt's configuration.  The calls of apt use a separate apt state in the
cache, for this release and for others.  The system is not changed and no privilege is needed.

usage: python3 -m lab.archive source PACKAGE DIRECTORY      downloads a source package
       python3 -m lab.archive sources [SUITE]               prints apt's entries for a suite
"""

import functools
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ETC = Path("/etc/apt")
# Options in brackets of a .list file, and their names in a .sources file
OPTIONS = {"signed-by": "Signed-By", "arch": "Architectures", "trusted": "Trusted"}
DEB_LINE = re.compile(r"\s*deb\s+(?:\[(?P<options>[^\]]*)\]\s+)?(?P<uri>\S+)\s+"
                      r"(?P<suite>\S+)\s+(?P<components>[^#]*)")


class ArchiveError(SystemExit):
    """apt failed; the text is its error."""


def cache():
    """Return the directory of the cache."""
    base = os.environ.get("UCORE_CACHE")
    if not base:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ucore"
    return Path(base)


# ---- apt's configuration -----------------------------------------------------


def codename():
    """Return the name of this release, such as bookworm."""
    text = Path("/etc/os-release").read_text()
    return re.search(r"^VERSION_CODENAME=\"?(\w+)", text, re.M)[1]


def is_debian():
    return bool(re.search(r"^ID=\"?debian\b", Path("/etc/os-release").read_text(), re.M))


def entries(etc=ETC):
    """Return the enabled entries for binaries of component main, as dicts of deb822 fields."""
    files = [path for pattern in ("*.sources", "*.list")
             for path in sorted((etc / "sources.list.d").glob(pattern))]
    files += [path for path in (etc / "sources.list",) if path.exists()]
    found = []
    for path in files:
        parse = stanzas if path.suffix == ".sources" else lines
        found += parse(path.read_text())
    return [entry for entry in found if "main" in entry["Components"].split()]


def stanzas(text):
    """Entries of a .sources file."""
    text = re.sub(r"^#.*\n", "", text, flags=re.M)
    for stanza in re.split(r"\n\s*\n", text):
        fields = {name.title(): value.strip("\n") for name, value in
                  re.findall(r"^([\w-]+):[ \t]*(.*(?:\n[ \t]+.*)*)", stanza, re.M)}
        if "deb" in fields.get("Types", "").split() and fields.get("Enabled", "yes") != "no" \
                and {"Uris", "Suites", "Components"} <= set(fields):
            yield fields


def lines(text):
    """Entries of a .list file."""
    for match in filter(None, map(DEB_LINE.match, text.splitlines())):
        options = dict(re.findall(r"([\w-]+)=(\S+)", match["options"] or ""))
        yield {"Uris": match["uri"], "Suites": match["suite"],
               "Components": match["components"],
               **{OPTIONS[key]: value for key, value in options.items() if key in OPTIONS}}


def of_release(release, etc=ETC):
    """Return the entries of a release: the release, its updates and its security suite."""
    return [{**entry, "Suites": " ".join(suites)} for entry in entries(etc)
            if (suites := [suite for suite in entry["Suites"].split()
                           if re.split("[-/]", suite)[0] == release])]


def of_release_elsewhere(release, etc=ETC):
    """Return the entries of another release, with its updates and security suite, from the
    archives of this release; none if this is not Debian."""
    here = codename() if is_debian() else None
    found = []
    for entry in of_release(here, etc) if here else ():
        uris = [uri for uri in entry["Uris"].split() if not re.match("(file|copy|cdrom):", uri)]
        suites = entry["Suites"].replace(here, release)
        if uris and (" ".join(uris), suites) not in [(old["Uris"], old["Suites"]) for old in found]:
            found.append({**entry, "Uris": " ".join(uris), "Suites": suites})
    return found


def of_suite(suite):
    """Return the entries of a suite. Suites of other releases come from the same archive."""
    if suite == codename():
        return of_release(suite)
    wanted = suite.removesuffix("-backports")
    suites = wanted if wanted == suite else f"{wanted} {suite}"
    return [{**entry, "Suites": suites} for entry in of_release(codename())
            if codename() in entry["Suites"].split()]


def sources_text(found, types="deb"):
    """Return the text of a .sources file with these entries."""
    def stanza(entry):
        fields = {**entry, "Types": types, "Components": "main"}
        return "".join(f"{name}: {value}\n" for name, value in fields.items())
    return "\n".join(map(stanza, found))


# ---- apt with a separate state -----------------------------------------------


class Apt:
    """The packages of one suite."""

    def __init__(self, suite, types="deb"):
        self.suite = suite
        self.where = cache() / "apt" / (suite if types == "deb" else f"{suite}-src")
        self._types = types

    @functools.cached_property
    def _options(self):
        """Return the options for apt, after an update of its lists."""
        for part in ("parts", "lists/partial", "archives/partial"):
            (self.where / part).mkdir(parents=True, exist_ok=True)
        found = of_suite(self.suite)
        if not found:
            raise ArchiveError(f"archive: apt is not configured for Debian's {codename()}: "
                               f"no entry of component main in {ETC}/sources.list*")
        (self.where / "parts/debian.sources").write_text(sources_text(found, self._types))
        settings = {"Dir::Etc::SourceList": "/dev/null",
                    "Dir::Etc::SourceParts": self.where / "parts",
                    "Dir::State::Lists": self.where / "lists", "Dir::State::status": "/dev/null",
                    "Dir::Cache": self.where, "Dir::Cache::archives": self.where / "archives",
                    "APT::Sandbox::User": "root",
                    "APT::Install-Recommends": "no", "Acquire::Retries": "3"}
        options = ["-qq"]
        for key, value in settings.items():
            options += ["-o", f"{key}={value}"]
        say(f"reading the package lists of {self.suite} (some seconds)")
        run("apt-get", *options, "update")
        return options

    def ask(self, program, *words):
        """Return the output of apt-cache or apt-get."""
        done = subprocess.run([program, *self._options, *map(str, words)], text=True, check=False,
                              capture_output=True)
        if done.returncode:
            raise ArchiveError(f"archive: {program} {' '.join(map(str, words))}: {done.stderr}")
        return done.stdout

    def names(self, beginning):
        """Return the available packages whose name begins with a prefix."""
        names = self.ask("apt-cache", "pkgnames", beginning).split()
        if not names:
            return set()
        text = self.ask("apt-cache", "policy", *names)
        return set(re.findall(r"^(\S+):\n.*\n  Candidate: (?!\(none\))", text, re.M))

    def depends(self, package):
        """Return the names of a package's dependencies, including alternatives."""
        text = self.ask("apt-cache", "show", "--no-all-versions", package)
        found = re.search(r"^Depends: (.*)", text, re.M)
        return re.findall(r"(?:^|[,|]\s*)([a-z0-9][\w.+-]*)", found[1]) if found else []

    def download(self, packages, where):
        """Download only these packages into directory `where`; return the .deb files."""
        where.mkdir(parents=True, exist_ok=True)
        run("apt-get", *self._options, "-q=1", "download", *packages, cwd=where)
        return sorted(where.glob("*.deb"))

    def download_closure(self, packages):
        """Download these packages and all their dependencies; return the .deb files."""
        words = ["install", "--no-install-recommends", *packages]
        (self.where / "none/partial").mkdir(parents=True, exist_ok=True)
        # apt prints only files that it would download; with an empty directory these are all
        # files
        uris = self.ask("apt-get", *words, "--print-uris",
                        "-o", f"Dir::Cache::archives={self.where / 'none'}")
        names = re.findall(r"^'\S+' (\S+\.deb) ", uris, re.M)
        run("apt-get", *self._options, "-q=1", "--download-only", "-y", *words)
        return [self.where / "archives" / name for name in names]

    def source(self, package, where):
        """Download a source package."""
        where.mkdir(parents=True, exist_ok=True)
        run("apt-get", *self._options, "-q=1", "source", "--download-only", package, cwd=where)


@functools.cache
def apt(suite):
    """Return the Apt object of a suite; its lists are read once per process."""
    return Apt(suite)


def unpack(package, where, wanted=None):
    """Unpack a .deb into `where`; @wanted: unpack only paths that match this pattern."""
    where.mkdir(parents=True, exist_ok=True)
    if not wanted:
        run("dpkg-deb", "-x", package, where)
        return
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(package)],
                          stdout=subprocess.PIPE) as stream, \
            tarfile.open(fileobj=stream.stdout, mode="r|") as archive:
        for member in archive:
            if re.search(wanted, member.name):
                archive.extract(member, where)
        shutil.copyfileobj(stream.stdout, open(os.devnull, "wb"))
    if stream.returncode:
        raise ArchiveError(f"archive: {package} cannot be unpacked")


def kept(where, packages, wanted=None):
    """Unpack packages of this release into directory `where` of the cache, as unpack() does."""
    if where.exists():
        return where
    where.parent.mkdir(parents=True, exist_ok=True)
    # unpack into a temporary directory first, so that an existing directory is always complete
    with tempfile.TemporaryDirectory(dir=where.parent) as beside:
        tree = Path(beside) / "tree"
        for package in apt(codename()).download(packages, Path(beside) / "debs"):
            unpack(package, tree, wanted)
        if not where.exists():      # another process may have created the directory
            tree.rename(where)
    return where


def say(text):
    print(f"archive: {text}", file=sys.stderr, flush=True)


def run(*command, stdout=2, **options):
    """Run a command; its output goes to stderr."""
    words = [str(word) for word in command]
    done = subprocess.run(words, check=False, stdout=stdout, **options)
    if done.returncode:
        verbs = [word for word in words if word in ("update", "download", "install", "source")]
        raise ArchiveError(f"archive: {' '.join(words[:1] + verbs)} failed; is the network there?")


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "source":
        Apt(codename(), "deb-src").source(arguments[1], Path(arguments[2]))
    elif len(arguments) in (1, 2) and arguments[0] == "sources":
        print(sources_text(of_suite((arguments[1:] or [codename()])[0])), end="")
    else:
        sys.exit(__doc__.rstrip())


if __name__ == "__main__":
    main(sys.argv[1:])
