"""The class: who is in it, as a table of names says, and the key from which each student's seed comes."""

import csv
import hashlib
import hmac
import io
import json
import re
import secrets
import unicodedata
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pagecost import _private_files
from pagecost.errors import ModelError, require
from pagecost_app.exercises.sheet import Student, first_fault

MOST_BYTES, MOST_STUDENTS, LONGEST = 1_000_000, 5_000, 200
NAME, ID = "name", "id"
KIND, VERSION = "pagecost hand-out key", 1
SEEDS = 9 * 10**8  # from 10**8 on: nine digits, of which nobody gets another's by counting on


def read_class(path: Path) -> list[Student]:
    """The students of a CSV file with a column `name` and perhaps one `id`. Raises ModelError, which names the line."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ModelError(f"class {path}: it cannot be read: {error.strerror}") from None
    require(len(data) <= MOST_BYTES, f"class {path}: a table of names has at most {MOST_BYTES / 1e6:g} MB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ModelError(f"class {path}, line {line}: it is not UTF-8; save the table as CSV in UTF-8") from None
    head = text.partition("\n")[0]
    rows = csv.reader(io.StringIO(text), delimiter=";" if head.count(";") > head.count(",") else ",", strict=True)
    try:
        return _students(path, rows)
    except csv.Error as error:
        raise ModelError(f"class {path}, line {rows.line_num}: this is no CSV: {error}") from None


def _students(path: Path, rows) -> list[Student]:
    columns = [column.strip().lower() for column in next(rows, [])]
    require(
        NAME in columns, f"class {path}, line 1: a column {NAME!r} is needed; got {', '.join(columns)[:100] or '–'}"
    )
    found: dict[tuple[str, str], int] = {}
    for row in rows:
        line = f"class {path}, line {rows.line_num}"
        if not any(cell.strip() for cell in row):
            continue
        require(len(row) <= len(columns), f"{line}: {len(row)} cells, but the first line names {len(columns)} columns")
        cells = dict(zip(columns, (" ".join(cell.split()) for cell in row), strict=False))
        name, id = cells.get(NAME, ""), cells.get(ID, "")
        require(bool(name), f"{line}: the name is missing")
        long = len(name) > LONGEST or len(id) > LONGEST
        require(not long, f"{line}: a name or id has at most {LONGEST} signs")
        signs = all(sign.isprintable() for sign in name + id)
        require(signs, f"{line}: {name!a} has signs that cannot be printed")
        same = f"{line}: {name!r} stands in line {found.get((name, id))} already; give both an id of their own"
        require((name, id) not in found, same)
        found[name, id] = rows.line_num
        require(len(found) <= MOST_STUDENTS, f"{line}: a class has at most {MOST_STUDENTS} students")
    require(bool(found), f"class {path}: there is no name below the first line")
    return [Student(name=name, id=id) for name, id in found]


def folder_of(student: Student) -> str:
    """The name of a student's folder: safe in every file system, the same each time, and nobody else's."""
    plain = unicodedata.normalize("NFKC", student.name).lower()
    words = re.sub(r"[^\w]+", "-", plain).strip("-_")[:40].strip("-_")
    own = hashlib.sha256(json.dumps([student.name, student.id]).encode()).hexdigest()[:6]
    return f"{words or 'student'}-{own}"


class Handed(BaseModel):
    """A student who got a folder, and the SHA-256 of the notebook in it."""

    model_config = ConfigDict(strict=True, frozen=True)
    student: Student
    folder: str
    notebook: str


class Key(BaseModel):
    """What the instructor keeps: whose seed is which follows from it. exercises: ids, as they were handed out; own: the
    text of the instructor's own exercises, "" where there are none."""

    model_config = ConfigDict(strict=True, frozen=True)
    course: Annotated[str, Field(alias="class", max_length=LONGEST)]
    lesson: str
    secret: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    exercises: list[str]
    own: str = ""
    handed: list[Handed] = []

    def seed(self, student: Student) -> int:
        """The student's own."""
        whom = json.dumps([self.course, self.lesson, student.name, student.id])
        digest = hmac.digest(bytes.fromhex(self.secret), whom.encode(), "sha256")
        return 10**8 + int.from_bytes(digest, "big") % SEEDS


def new_key(course: str, lesson: str) -> Key:
    """A key for this class and lesson that nobody can guess."""
    return Key.model_validate({"class": course, "lesson": lesson, "secret": secrets.token_hex(32), "exercises": []})


def key_beside(folder: Path) -> Path:
    """Where the key of a folder that is handed out lies: beside it, never in it."""
    real = folder.absolute()
    return real.with_name(f"{real.name}.key.json")


def read_key(path: Path) -> Key:
    """Raises ModelError for a file that is no key."""
    try:
        found = json.loads(path.read_text("utf8"))
        if found["kind"] != KIND or found["version"] != VERSION:
            raise KeyError
        return Key.model_validate(found)
    except OSError as error:
        raise ModelError(f"key {path}: it cannot be read: {error.strerror}") from None
    except ValidationError as error:
        raise ModelError(f"key {path}: it is damaged: {first_fault(error)}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ModelError(f"key {path}: this is no key of `pagecost hand-out` (version {VERSION})") from None


def write_key(path: Path, key: Key) -> None:
    """Write it for this user only. Raises OSError."""
    record = {"kind": KIND, "version": VERSION, **key.model_dump(by_alias=True)}
    _private_files.write(path, (json.dumps(record, indent=1, ensure_ascii=False) + "\n").encode("utf8"))
