"""Files that a browser hands over: each in a folder of its own until the program ends."""

import atexit
import functools
import itertools
import os
import re
import shutil
import tempfile
import threading
from pathlib import Path
from typing import BinaryIO

from pagecost.errors import require
from pagecost.units import format_bytes

PATH = "/upload"  # PUT {PATH}?name=FILE answers with the path of the copy
LIMIT_BYTES = 4 * 10**9
SPARE_BYTES = 10**9  # of the disk that copies lie on are left free
TOO_LARGE = (
    "{name} has {size}; up to {limit} can be dropped here. Type its path instead: it is then read where it lies."
)


def place(name: str, size_bytes: int) -> Path:
    """Where a file of that name and size is to be written; the name keeps its ending, which tells the format.

    No two copies have the same name, so that `path_of` finds each. Raises ModelError when the file is too large, or
    the disk too full.
    """
    name = re.sub(r"[^\w. +-]", "_", re.split(r"[/\\]", name)[-1]).strip(". ") or "file"
    size = format_bytes(size_bytes)
    require(size_bytes <= LIMIT_BYTES, TOO_LARGE.format(name=name, size=size, limit=format_bytes(LIMIT_BYTES)))
    folder = _folder()
    free = shutil.disk_usage(folder).free - SPARE_BYTES
    require(
        size_bytes <= free,
        f"{name} has {size}, which the disk of temporary files has no room for; type its path instead",
    )
    with _naming:
        free_name = _free_name(name)
        _copies[free_name] = path = Path(tempfile.mkdtemp(dir=folder)) / free_name
    return path


def create(path: Path) -> BinaryIO:
    """The new file of that path, open for writing; only this user can read it. Raises OSError where there is one."""
    return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600), "wb")


def path_of(text: str) -> str:
    """The path of the copy that a line shows by its name; any other text, such as a path, as it is.

    What stands behind a # says what the columns of a trace mean, and stays.
    """
    name, sign, columns = text.rpartition("#")
    if text not in _copies and name in _copies:
        return f"{_copies[name]}{sign}{columns}"
    return str(_copies.get(text, text))


def copy_in(text: str) -> Path | None:
    """The copy whose path a text is, up to what may stand behind a #; None for any other text."""
    paths = {str(path): path for path in list(_copies.values())}
    return paths.get(text) or paths.get(text.rpartition("#")[0])


def private_file(name: str, content: bytes) -> Path:
    """A file that only this user can read, until the program ends."""
    path = Path(tempfile.mkdtemp(dir=_folder())) / name
    with create(path) as file:
        file.write(content)
    return path


def discard() -> None:
    """Remove every copy."""
    if _folder.cache_info().currsize:
        shutil.rmtree(_folder(), ignore_errors=True)
        _folder.cache_clear()
        _copies.clear()


def _free_name(name: str) -> str:
    path = Path(name)
    numbered = (f"{path.stem} ({number}){path.suffix}" for number in itertools.count(2))
    return next(free for free in itertools.chain([name], numbered) if free not in _copies)


_copies: dict[str, Path] = {}
_naming = threading.Lock()


@functools.cache
def _folder() -> Path:
    atexit.register(discard)
    return Path(tempfile.mkdtemp(prefix="pagecost-"))
