"""A project as a file: JSON with its schema, the versions that wrote it, and the time. Written whole or not at all."""

import datetime
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pagecost import _private_files, provenance
from pagecost.errors import ModelError, require, require_file
from pagecost.units import format_bytes
from pagecost_app.workspace.parts import State

SCHEMA = 1
"""The version of the file's layout that this pagecost writes. Older ones are still read, newer ones refused."""
ENDING = ".pagecost"
LARGEST_BYTES = 200 * 10**6
KIND = "pagecost_project"  # the key that tells the file from others: it holds the schema


@dataclass(frozen=True)
class Project:
    """state: of every part of the workspace by its name. made_at: when it was saved, ISO with zone. versions: of what
    saved it."""

    state: Mapping[str, State]
    name: str = "my project"
    made_at: str = field(default_factory=lambda: datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))
    versions: Mapping[str, str] = field(default_factory=provenance.versions)


def as_bytes(project: Project) -> bytes:
    """The file's content. Raises ModelError for a state that JSON cannot hold."""
    content = {
        KIND: SCHEMA,
        "name": project.name,
        "saved_at": project.made_at,
        "versions": dict(project.versions),
        "state": dict(project.state),
    }
    try:
        return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    except (ValueError, TypeError) as error:
        raise ModelError(f"project {project.name}: it cannot be saved: {error}") from None


def of_bytes(data: bytes, who: str) -> Project:
    """The project that a file's content is. who: names it in an error.

    Raises ModelError, one sentence, for a damaged file, for another kind of file, and for a newer schema.
    """
    try:
        content: Any = json.loads(data.decode("utf8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{who}: it is damaged, or no project: {error}; it is left as it is") from None
    is_one = isinstance(content, dict) and KIND in content
    require(is_one, f"{who}: this is no project of pagecost: it has no {KIND}; it is left as it is")
    schema = content[KIND]
    whole = isinstance(schema, int) and not isinstance(schema, bool) and schema >= 1
    require(whole, f"{who}: {KIND} must be a whole number from 1; got {str(schema)[:40]!r}")
    require(schema <= SCHEMA, f"{who}: it is of schema {schema}; this pagecost reads up to {SCHEMA}: update pagecost")
    for key, kind in (("name", str), ("saved_at", str), ("versions", dict), ("state", dict)):
        fits = isinstance(content.get(key), kind)
        require(fits, f"{who}: it is damaged: {key} is missing or no {kind.__name__}; it is left as it is")
    return Project(content["state"], content["name"], content["saved_at"], content["versions"])


def place(text: str) -> Path:
    """The path that a person wrote.

    Raises ModelError for what can be none: an unknown user's home, too long a name, a folder that is not there.
    """
    try:
        path = Path(text).expanduser()
        path.lstat()
        path.with_suffix(ENDING)
    except FileNotFoundError:
        require(not text.endswith(("/", os.sep)), f"{text}: there is no such folder")
        return path
    except (OSError, RuntimeError, ValueError) as error:
        why = (isinstance(error, OSError) and error.strerror) or str(error)
        raise ModelError(f"{text[:80]!r} cannot be the path of a project: {why}") from None
    return path


def read(path) -> Project:
    """The project in a file. Raises ModelError as `of_bytes`, and for a file that cannot be read."""
    path = Path(path)
    who = f"project {path}"
    try:
        require_file(path, who)
        size = path.stat().st_size
        most = format_bytes(LARGEST_BYTES)
        require(size <= LARGEST_BYTES, f"{who}: it has {format_bytes(size)}; a project has at most {most}")
        return of_bytes(path.read_bytes(), who)
    except OSError as error:
        raise ModelError(f"{who}: it cannot be read: {error.strerror}") from None


def write(project: Project, path) -> None:
    """Write the file, whole or not at all: what was there stays when it cannot be written. It goes to the disk at once.

    Raises ModelError with one sentence.
    """
    path = Path(path)
    try:
        _private_files.write(Path(os.path.realpath(path)), as_bytes(project), durable=True)
    except OSError as error:
        raise ModelError(f"project {path}: it cannot be written: {error.strerror}; nothing is lost here") from None


def _no_number(text: str):
    raise ValueError(f"{text} is no number of JSON")
