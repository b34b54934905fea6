"""Folders and files that no other user of this machine can own or write: what is loaded as code lies in them only."""

import contextlib
import os
import stat
import sys
import tempfile
from pathlib import Path

if sys.platform != "win32":  # there a user's profile is closed to others by its own rules
    import grp
    import pwd

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
ROOT = 0


def why_unsafe(folder: Path) -> str | None:
    """Why another user could change what lies in an existing folder, as half a sentence; None if nobody can.

    The folder must belong to this user and be written by nobody else. Each folder above it must belong to this user or
    to root and be written by nobody else, unless it has the sticky bit (as /tmp has) or its group is the user's own.
    """
    if not hasattr(os, "getuid"):
        return None
    folder = Path(os.path.realpath(folder))
    found = os.lstat(folder)
    if found.st_uid != os.getuid():
        return f"{folder} belongs to another user"
    if found.st_mode & OTHERS_WRITE:
        return f"other users may write to {folder} (chmod go-w {folder})"
    for above in folder.parents:
        found = os.lstat(above)
        if found.st_uid not in (os.getuid(), ROOT):
            return f"{above} belongs to another user"
        if found.st_mode & stat.S_ISVTX:
            continue
        if found.st_mode & stat.S_IWOTH or (found.st_mode & stat.S_IWGRP and not _is_own_group(found.st_gid)):
            return f"other users may write to {above} (chmod go-w {above})"
    return None


def _is_own_group(group: int) -> bool:
    """Whether only root or this user is in the group: a user's private group bears the user's name."""
    if group == ROOT:
        return True
    try:
        found = grp.getgrgid(group)
        return found.gr_name == pwd.getpwuid(os.getuid()).pw_name and set(found.gr_mem) <= {found.gr_name}
    except KeyError:
        return False


def make_private(folder: Path) -> None:
    """Make the folder, and those above it that do not exist, for this user only. Raises OSError."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(mode=0o700, exist_ok=True)
    if not folder.is_dir():
        raise NotADirectoryError(folder)


def close_to_others(folder: Path) -> None:
    """Take the right to write from others, where an earlier version left it and the folder is this user's."""
    if hasattr(os, "getuid"):
        found = os.lstat(folder)
        if found.st_uid == os.getuid() and stat.S_ISDIR(found.st_mode) and found.st_mode & OTHERS_WRITE:
            os.chmod(folder, stat.S_IMODE(found.st_mode) & ~OTHERS_WRITE)


def read(path: Path, owners: set[int] | None = None) -> bytes | None:
    """The bytes of a plain file of this user (or of `owners`) that nobody else can write; None for anything else."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)  # neither follows a link nor waits for a pipe
    except OSError:
        return None
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or not _is_trusted(found, owners):
            return None
        with open(handle, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(handle)


def _is_trusted(found: os.stat_result, owners: set[int] | None) -> bool:
    if not hasattr(os, "getuid"):
        return True
    return found.st_uid in (owners or {os.getuid()}) and not found.st_mode & OTHERS_WRITE


def write(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Write a file for this user only, whole or not at all. Raises OSError and leaves nothing then.

    durable: return when it is on the disk, so that a crash of the machine leaves the old file or the new one.
    """
    handle, fresh = tempfile.mkstemp(dir=path.parent, prefix=UNFINISHED)  # mode 0600
    fill_and_replace(handle, fresh, path, data, durable=durable)


def fill_and_replace(handle: int, fresh: Path | str, path: Path, data: bytes, *, durable: bool) -> None:
    """Fill the new file `fresh`, open as `handle`, and put it in the place of `path`; durable: as `write`.

    Raises OSError and leaves `path` as it was and nothing else then.
    """
    try:
        with open(handle, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(fresh, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(fresh)
        raise
    if durable and sys.platform != "win32":  # there a folder cannot be opened
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Have the new name of a file on the disk too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


UNFINISHED = "unfinished-"  # begins the name of a file that is being written; one that stays was interrupted
