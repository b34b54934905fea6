"""Where the answers of whoever sits here are kept: on the sheet handed out, or in the user's own folder.

Where they cannot be kept (a damaged sheet, a full disk), the lesson goes on: they are remembered until the end of the
process, and `problem` says what is wrong. A damaged sheet is never written over.
"""

import hashlib
import os
from pathlib import Path

import numpy as np
from filelock import FileLock

from pagecost.errors import ModelError
from pagecost_app.exercises import sheet as sheets
from pagecost_app.exercises.sheet import Sheet
from pagecost_app.workspace import folders

PLACE = "PAGECOST_SHEET"  # names the file
PATIENCE_S = 5.0  # another lesson writes to the same sheet for a moment only

_unwritten: dict[Path, list[tuple]] = {}
_problems: dict[Path, str] = {}


def place() -> Path:
    """The file: the one PAGECOST_SHEET names, the one beside the notebook, or the user's own. It need not exist."""
    named = os.environ.get(PLACE)
    if named:
        return Path(named).absolute()
    beside = Path(sheets.FILE).absolute()
    return beside if beside.is_file() else _own()


def sheet() -> Sheet:
    """What is kept so far; an empty sheet where nothing is."""
    path = place()
    try:
        found = _read(path)
    except (ModelError, OSError) as error:
        _problems[path] = _sentence(path, error)
        found = Sheet()
    return _with_unwritten(path, found)


def keep(kind: str, exercise: str, seed: int, answer) -> None:
    """Keep one of the `attempts` or `predictions`. Raises nothing; `problem` says what went wrong."""
    path, answer = place(), _plain(answer)
    _problems.pop(path, None)
    so_far = sheet()
    try:
        if so_far.with_entry(kind, exercise, seed, answer) is so_far:
            return
        _unwritten.setdefault(path, []).append((kind, exercise, seed, answer))
        if path == _own():
            folders.made(".")
        with _locked(path):
            sheets.write(path, _with_unwritten(path, _read(path)))  # another lesson may have written meanwhile
        del _unwritten[path]
    except (ModelError, OSError) as error:
        _problems[path] = _sentence(path, error)


def problem() -> str:
    """Why answers are not kept, as a sentence; empty where they are."""
    return _problems.get(place(), "")


def _plain(answer):
    """An answer as JSON knows it: what NumPy computed as a number of Python, a tuple as a list."""
    if isinstance(answer, tuple | list):
        return [_plain(each) for each in answer]
    if isinstance(answer, dict):
        return {name: _plain(each) for name, each in answer.items()}
    return answer.item() if isinstance(answer, np.generic) else answer


def _own() -> Path:
    return folders.state_folder().absolute() / sheets.FILE


def _read(path: Path) -> Sheet:
    return sheets.read(path) if path.exists() else Sheet()


def _with_unwritten(path: Path, found: Sheet) -> Sheet:
    for entry in _unwritten.get(path, ()):
        found = found.with_entry(*entry)
    return found


def _sentence(path: Path, error: Exception) -> str:
    why = str(error) if isinstance(error, ModelError) else f"{path}: {getattr(error, 'strerror', None) or error}"
    return f"Your answers are not kept after this session: {why}."


def _locked(path: Path) -> FileLock:
    """A lock apart from the sheet: beside it stands nothing that a student would hand in. Raises OSError."""
    name = hashlib.sha256(str(path).encode()).hexdigest()[:32]
    return FileLock(folders.made("open") / f"{name}.lock", timeout=PATIENCE_S, mode=0o600)
