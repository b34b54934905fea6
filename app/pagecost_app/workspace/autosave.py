"""What was set is written down a moment after every change, and offered again when a program ended without saving."""

import contextlib
import datetime
import secrets
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from pagecost import _private_files
from pagecost.errors import ModelError
from pagecost_app.workspace import files, folders, project_file
from pagecost_app.workspace.folders import Held
from pagecost_app.workspace.project_file import ENDING, Project

DELAY_S = 1.0  # after the first change that is not written yet; more changes until then go along
FOLDER = "unsaved"
MOST = 10  # that are kept; the oldest go


class Autosave:
    """Writes the latest project handed to `changed`, in a thread of its own and one file.

    said(sentence or None): why it cannot be kept at present, once for each reason; None when it can again. It is called
    from that thread.
    """

    def __init__(self, said: Callable[[str | None], None], delay_s: float = DELAY_S):
        self._said, self._delay_s = said, delay_s
        self._guard = threading.Condition()  # of what follows
        self._writing = threading.Lock()
        self._project: Project | None = None
        self._thread: threading.Thread | None = None  # one for all changes: to start one waits for whoever computes
        self._closed = False
        self._place: Path | None = None
        self._lock: Held | None = None
        self._trouble: str | None = None
        _running.add(self)

    def changed(self, project: Project) -> None:
        """Keep this from now on. Returns at once."""
        with self._guard:
            waits, self._project = self._project is not None, project
            if self._thread is None:
                self._thread = threading.Thread(target=self._write_later, daemon=True, name="autosave")
                self._thread.start()
            elif not waits:
                self._guard.notify()

    def flush(self) -> bool:
        """Write now what is not written yet; whether all is kept."""
        with self._writing:
            with self._guard:
                project, self._project = self._project, None
            if project is not None:
                self._write(project)
            return self._trouble is None

    def forget(self) -> None:
        """Nothing needs to be kept: it is saved elsewhere, or as it was at the start."""
        with self._guard:
            self._project = None
        with self._writing:
            if self._place:
                self._place.unlink(missing_ok=True)

    def close(self) -> None:
        """Write what is left and let others offer it."""
        self.flush()
        with self._guard:
            self._closed = True
            self._guard.notify()
        _running.discard(self)
        if self._lock:
            self._lock.release()

    def _write_later(self) -> None:
        try:
            while True:
                with self._guard:
                    self._guard.wait_for(lambda: self._closed or self._project is not None)
                    if self._guard.wait_for(lambda: self._closed, self._delay_s):
                        return
                self.flush()
        finally:  # whatever went wrong, the next change is written again
            with self._guard:
                self._thread = None

    def _write(self, project: Project) -> None:
        try:
            if self._place is None:
                folder = folders.made(FOLDER)
                place = folder / f"{secrets.token_hex(8)}{ENDING}"
                self._lock = folders.hold(_lock_of(place))
                self._place = place
            state, problems = files.with_kept(dict(project.state))
            kept = replace(project, state=state)
            _private_files.write(self._place, project_file.as_bytes(kept), durable=True)
            trouble = problems[0] if problems else None
        except (OSError, ModelError) as error:
            why = (isinstance(error, OSError) and error.strerror) or str(error)
            trouble = f"What you set is not kept for recovery: {why}. It stays here; Save gives you a copy."
        if trouble != self._trouble:
            self._trouble = trouble
            self._said(trouble)


_running: weakref.WeakSet[Autosave] = weakref.WeakSet()


def flush_all() -> None:
    """Write what is not written yet, before the program ends."""
    for each in list(_running):
        each.flush()


@dataclass(frozen=True)
class Leftover:
    """What a session left that nobody has open. project: None for a damaged file, which `problem` then says."""

    path: Path
    project: Project | None
    problem: str = ""

    @property
    def when(self) -> str:
        """The local time of the last change, to the minute."""
        if self.project is None:
            return ""
        try:
            return datetime.datetime.fromisoformat(self.project.made_at).astimezone().strftime("%d %b %H:%M")
        except (ValueError, OverflowError):
            return self.project.made_at[:16]

    def forget(self) -> None:
        """Remove it."""
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)


def leftovers() -> list[Leftover]:
    """What earlier sessions left, the newest first. A file that a running one writes is left out."""
    folder = folders.state_folder() / FOLDER
    found = []
    with contextlib.suppress(OSError):
        aged = sorted(folder.glob(f"*{ENDING}"), key=_age, reverse=True)
        for path in aged:
            lock = folders.hold(_lock_of(path))
            if lock is None:
                continue
            try:
                found.append(_leftover(path))
            finally:
                lock.release()
    for old in [each for each in found if each.project][MOST:]:
        old.forget()
    return [each for each in found if each.path.exists()]


def _leftover(path: Path) -> Leftover:
    try:
        return Leftover(path, project_file.read(path))
    except ModelError as error:
        return Leftover(path, None, str(error))


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _lock_of(path: Path) -> Path:
    return path.with_suffix(".lock")
