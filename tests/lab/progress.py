# SPDX-License-Identifier: GPL-2.0-only
"""Progress of a long run in a file, so that an interrupted run can continue."""

import hashlib
import json

from lab.artifacts import BUILD, TOP


def hash_of(*sources):
    """Return a hash of the names and contents of these files and folders of the tree."""
    digest = hashlib.sha256()
    for source in sources:
        top = TOP / source
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(repr((str(path.relative_to(TOP)), path.read_bytes())).encode())
    return digest.hexdigest()


class Progress:
    """Progress of the named run; progress stored with another key is ignored."""

    def __init__(self, name, key, folder=BUILD):
        self._path = folder / f"{name}.progress"
        self._key = key

    def stored(self):
        """Return the stored progress; None if there is none."""
        if not self._path.exists():
            return None
        found = json.loads(self._path.read_text())
        return found["state"] if found["key"] == self._key else None

    def store(self, state):
        self._path.parent.mkdir(parents=True, exist_ok=True)
        new = self._path.with_suffix(".new")
        new.write_text(json.dumps({"key": self._key, "state": state}))
        new.rename(self._path)

    def forget(self):
        self._path.unlink(missing_ok=True)
