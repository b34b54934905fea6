"""Files that a person asked for: whole or not at all, so that a full disk costs no file that was there before."""

import contextlib
import errno
import os
import secrets
import stat
import sys
from pathlib import Path

from pagecost import _private_files


def write(path: Path | str, content: str | bytes) -> None:
    """Write a file; one that was there stays as it is unless all of the new one is on the disk. Text is UTF-8.

    The file has the rights of the one before it, or those that the user's umask leaves. A link stays a link. What is no
    plain file (a pipe, a device, standard output by its name) is written to as it comes, and so is a file in a folder
    that takes no other. Raises OSError.
    """
    data = content.encode("utf8") if isinstance(content, str) else content
    try:
        _write(Path(path), data)
    except OSError as error:
        error.filename = str(path)  # not that of the unfinished file, and never none
        raise


def _write(path: Path, data: bytes) -> None:
    place = Path(os.path.realpath(path))  # the target of a link, which is what is written
    try:
        there = os.stat(path)
    except FileNotFoundError:
        there = None
    if there and not _can_be_replaced(there):
        _write_through(path, there, data)
        return
    if there and not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    fresh = place.with_name(f"{_private_files.UNFINISHED}{secrets.token_hex(8)}")
    try:
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    except PermissionError:
        if there is None:
            raise
        _write_through(place, there, data)
        return
    if there and hasattr(os, "fchmod"):
        with contextlib.suppress(OSError):  # a file system without rights
            os.fchmod(handle, stat.S_IMODE(there.st_mode))
    _private_files.fill_and_replace(handle, fresh, place, data, durable=True)


def _can_be_replaced(there: os.stat_result) -> bool:
    """Whether it is a plain file and not where this program's output goes."""
    return stat.S_ISREG(there.st_mode) and not any(os.path.samestat(there, each) for each in _outputs().values())


def _outputs() -> dict[int, os.stat_result]:
    """What standard output and standard error are, by their number."""
    found = {}
    for number in (1, 2):
        with contextlib.suppress(OSError):  # closed
            found[number] = os.fstat(number)
    return found


def _write_through(path: Path, there: os.stat_result, data: bytes) -> None:
    """Into what is there. Where it is this program's own output, behind what was printed so far."""
    number = next((number for number, each in _outputs().items() if os.path.samestat(there, each)), None)
    for stream in (sys.stdout, sys.stderr):
        if number is not None and stream is not None:
            stream.flush()
    with open(path if number is None else os.dup(number), "wb") as file:
        file.write(data)
