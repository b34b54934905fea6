"""The log of the app: a few small files in the folder that this system keeps for what its programs remember.

Only this user can read them. What lets a browser in (entry keys, cookies, session ids) never stands in them. Where
they cannot be written the app runs without, and says so once.
"""

import contextlib
import logging
import os
import re
import sys
import threading
from logging.handlers import RotatingFileHandler
from pathlib import Path

import platformdirs

from pagecost import _private_files

LOG = logging.getLogger("pagecost")
"""Where the app writes what it is to remember of its running."""

FILE, LIMIT_BYTES, OLD_FILES = "pagecost.log", 500_000, 3
LINE = "%(asctime)s %(levelname)s %(name)s: %(message)s"
OTHERS = ("bokeh", "tornado", "asyncio")  # whose warnings are kept, too
# query and form values, cookies (pagecost<port>=…) and headers that carry them
SECRET = re.compile(
    r"(?i)\b(key|token|cookie|pagecost\d+|bokeh-session-id|session[ _]id|authorization)(['\"]?\s*[=:]\s*['\"]?)"
    r"[^\s'\"&;,]+"
)


def folder() -> Path:
    """Where the log lies: in the user's folder of states."""
    return platformdirs.user_state_path("pagecost", appauthor=False) / "log"


def begin() -> None:
    """Write the log from now on, with what nobody caught in it; `problem` says why that cannot be."""
    global _refused
    end()
    try:
        handler = _PrivateFile(folder())
    except OSError as error:
        _refused = f"pagecost writes no log: {error.strerror or error} ({folder()})."
        return
    _refused = ""
    handler.setFormatter(_WithoutSecrets(LINE))
    LOG.setLevel(logging.INFO)
    LOG.addHandler(handler)
    for name in OTHERS:
        logging.getLogger(name).addHandler(handler)
    threading.excepthook = _of_thread
    sys.excepthook = _of_program


def end() -> None:
    """Write no more, and close the file."""
    global _refused
    _refused = ""
    for each in _files():
        for name in (LOG.name, *OTHERS):
            logging.getLogger(name).removeHandler(each)
        with contextlib.suppress(OSError):  # of a disk that is full
            each.close()


def problem() -> str:
    """Why the log cannot be written, as a sentence; nothing where it is."""
    return next((each.problem for each in _files()), _refused)


_refused = ""


def without_secrets(text: str) -> str:
    """The text with what lets a browser in left out."""
    return SECRET.sub(r"\1\2(left out)", text)


class _WithoutSecrets(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


class _PrivateFile(RotatingFileHandler):
    """Raises OSError where no file can be kept to which only this user has access. A disk that fills up later is no
    error of whoever logs: `problem` says it."""

    def __init__(self, place: Path):
        self.problem = ""
        _private_files.make_private(place)
        reason = _private_files.why_unsafe(place)
        if reason:
            raise PermissionError(reason)
        super().__init__(place / FILE, maxBytes=LIMIT_BYTES, backupCount=OLD_FILES, encoding="utf-8")

    def _open(self):
        def for_this_user(path, flags):
            return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)

        return open(self.baseFilename, self.mode, encoding=self.encoding, opener=for_this_user)

    def handleError(self, record: logging.LogRecord) -> None:
        error = sys.exc_info()[1]
        self.problem = f"pagecost writes no log: {getattr(error, 'strerror', None) or error} ({self.baseFilename})."


def _files() -> list[_PrivateFile]:
    return [each for each in LOG.handlers if isinstance(each, _PrivateFile)]


def _of_thread(problem: threading.ExceptHookArgs) -> None:
    LOG.error("a thread ended: %s", problem.thread and problem.thread.name, exc_info=problem.exc_value)


def _of_program(kind, value, trace) -> None:
    if not issubclass(kind, KeyboardInterrupt):
        LOG.critical("the program ended", exc_info=(kind, value, trace))
    sys.__excepthook__(kind, value, trace)
