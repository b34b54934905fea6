"""Where a workspace is kept between two runs, and who holds it: one program at a time."""

import contextlib
import hashlib
import os
from pathlib import Path

import platformdirs
from filelock import FileLock, Timeout

from pagecost import _private_files
from pagecost.errors import ModelError

PLACE = "PAGECOST_STATE"  # names another folder


def state_folder() -> Path:
    """The user's own folder of what is kept for recovery; it need not exist."""
    named = os.environ.get(PLACE)
    return Path(named) if named else platformdirs.user_state_path("pagecost", appauthor=False)


def made(name: str) -> Path:
    """A folder in it, made for this user only. Raises OSError."""
    folder = state_folder() / name
    _private_files.make_private(folder)
    return folder


class Held:
    """A lock on something, until `release` or the end of the process, however it ends."""

    def __init__(self, lock: FileLock):
        self._lock = lock

    def release(self) -> None:
        """Let others have it."""
        with contextlib.suppress(OSError):  # Windows removes no file that is open
            os.unlink(self._lock.lock_file)
        self._lock.release()


def hold(path: Path) -> Held | None:
    """Lock by a lock file of that path; None where someone else holds it. Raises OSError."""
    lock = FileLock(path, blocking=False, thread_local=False, mode=0o600)
    try:
        lock.acquire()
    except Timeout:
        return None
    return Held(lock)


def hold_project(path: Path) -> Held | None:
    """Lock a project's file against a second program; None where there can be no lock here.

    Raises ModelError where another window or program has the project open.
    """
    real = os.path.realpath(path)
    try:
        lock = hold(made("open") / f"{hashlib.sha256(real.encode()).hexdigest()[:32]}.lock")
    except OSError:  # a read-only home: what cannot be kept for recovery is said already
        return None
    if lock is None:
        raise ModelError(f"project {path}: another window or program has it open; close it there, or open a copy")
    return lock
