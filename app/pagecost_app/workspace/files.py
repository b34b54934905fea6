"""Files that were dropped on the app: the copy ends with the program, so a project keeps one of its own."""

import contextlib
import hashlib
import os
import shutil
import threading
from pathlib import Path

from pagecost_app import uploads
from pagecost_app.workspace import folders
from pagecost_app.workspace.parts import State

FOLDER = "files"
SPARE_BYTES = 10**9  # of the disk are left free
_kept: dict[Path, Path] = {}  # a copy never changes
_keeping = threading.Lock()


def with_kept(state: State) -> tuple[State, list[str]]:
    """The state with the paths of files that stay in place of those that end with the program, and what went wrong."""
    said: list[str] = []
    return _with_kept(state, said), said


def _with_kept(state: State, said: list[str]) -> State:
    if isinstance(state, dict):
        return {name: _with_kept(each, said) for name, each in state.items()}
    if isinstance(state, list):
        return [_with_kept(each, said) for each in state]
    copy = uploads.copy_in(state) if isinstance(state, str) else None
    if copy is None:
        return state
    try:
        return state.replace(str(copy), str(_keep(copy)), 1)
    except OSError as error:
        said.append(f"{copy.name} is not kept with what you set: {error.strerror or error}. Drop it again next time.")
        return state


def _keep(copy: Path) -> Path:
    """The path of a file of the same content and name that stays. Raises OSError."""
    with _keeping:
        if copy in _kept and _kept[copy].is_file():
            return _kept[copy]
        with open(copy, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()[:32]
        place = folders.made(f"{FOLDER}/{digest}") / copy.name
        if not place.is_file():
            _copy(copy, place)
        _kept[copy] = place
        return place


def _copy(source: Path, place: Path) -> None:
    """Whole or not at all, without a second copy where the disk is the same. Raises OSError."""
    with contextlib.suppress(OSError):
        os.link(source, place)
        return
    if shutil.disk_usage(place.parent).free - source.stat().st_size < SPARE_BYTES:
        raise OSError("the disk has no room for it")
    fresh = place.with_name(f"{place.name}.unfinished")
    try:
        shutil.copyfile(source, fresh)
        os.replace(fresh, place)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
