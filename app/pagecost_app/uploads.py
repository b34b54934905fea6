"""Files that a browser hands over: each in a folder of its own until the program ends."""

import atexit
import functools
import re
import shutil
import tempfile
from pathlib import Path

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

    Raises ModelError when the file is too large, or the disk too full.
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
    return Path(tempfile.mkdtemp(dir=folder)) / name


def discard() -> None:
    """Remove every copy."""
    if _folder.cache_info().currsize:
        shutil.rmtree(_folder(), ignore_errors=True)
        _folder.cache_clear()


@functools.cache
def _folder() -> Path:
    atexit.register(discard)
    return Path(tempfile.mkdtemp(prefix="pagecost-"))
