"""An answer sheet: what a learner predicted and answered, never whether it was right. A grade is computed from it.

It is one JSON file. It lies in its student's hands, so whatever reads it believes nothing: sizes, types and depth have
limits, names it does not know are left out, and a checksum tells what was changed by hand. (The checksum is no secret:
who wants to forge a sheet by program can.)
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from pagecost import _private_files
from pagecost.errors import ModelError, require

KIND, VERSION = "pagecost answer sheet", 1
FILE = "answers.json"
"""Its name where it is handed out beside a notebook."""
MOST_BYTES, MOST_ENTRIES = 2_000_000, 5_000
MOST_SIGNS, MOST_PARTS, MOST_DEPTH = 20_000, 2_000, 4  # of one answer
LARGEST_SEED = 2**53  # that every reader of JSON knows exactly


def as_answer(answer: Any) -> Any:
    """The answer as a sheet keeps it. Raises ValueError for what cannot stand there, or is too large."""
    parts = [(answer, 0)]
    count = 0
    while parts:
        part, depth = parts.pop()
        count += 1
        if depth > MOST_DEPTH or count > MOST_PARTS:
            raise ValueError(f"an answer has at most {MOST_PARTS} parts, {MOST_DEPTH} deep")
        if isinstance(part, dict):
            if not all(isinstance(name, str) for name in part):
                raise ValueError("names in an answer are texts")
            parts += [(name, depth) for name in part] + [(each, depth + 1) for each in part.values()]
        elif isinstance(part, list):
            parts += [(each, depth + 1) for each in part]
        elif isinstance(part, str):
            if len(part) > MOST_SIGNS:
                raise ValueError(f"a text in an answer has at most {MOST_SIGNS} signs")
        elif isinstance(part, int | float):  # of which truth values are some
            if not abs(part) <= 1e300:
                raise ValueError("a number in an answer is finite")
        elif part is not None:
            raise ValueError(f"{type(part).__name__} is nothing that an answer is made of")
    return answer


Text = Annotated[str, Field(max_length=300)]
Seed = Annotated[int, Field(ge=0, le=LARGEST_SEED)]
MODEL = ConfigDict(frozen=True, strict=True, extra="ignore", allow_inf_nan=False)


class Entry(BaseModel):
    """One answer or prediction: to which exercise, with which seed, as it was given, and when (UTC)."""

    model_config = MODEL
    exercise: Text
    seed: Seed
    answer: Annotated[Any, AfterValidator(as_answer)]
    time: Text = ""


class Student(BaseModel):
    """Whose sheet it is."""

    model_config = MODEL
    name: Text = ""
    id: Text = ""


class Sheet(BaseModel):
    """What one learner did in one lesson; a learner alone has one for all. `seed` gives the numbers of the exercises.

    edited: whether the file was ever changed by something else than this program.
    """

    model_config = MODEL
    lesson: Text = ""
    course: Text = Field("", alias="class")
    student: Student = Student()
    seed: Seed = 1
    predictions: Annotated[list[Entry], Field(max_length=MOST_ENTRIES)] = []
    attempts: Annotated[list[Entry], Field(max_length=MOST_ENTRIES)] = []
    edited: bool = False

    def answers(self, exercise: str, seed: int) -> list:
        """The different answers to an exercise, in their order."""
        return _different(self.attempts, exercise, seed)

    def predicted(self, exercise: str, seed: int) -> list:
        """The different predictions, in their order."""
        return _different(self.predictions, exercise, seed)

    def with_entry(self, place: str, exercise: str, seed: int, answer: Any) -> "Sheet":
        """The sheet with one more of its `attempts` or `predictions`; the same answer again is none.

        Raises ModelError for an answer that a sheet cannot keep, and for one too many.
        """
        entries = getattr(self, place)
        if answer in _different(entries, exercise, seed):
            return self
        require(len(entries) < MOST_ENTRIES, f"the answer sheet is full: it keeps {MOST_ENTRIES} {place}")
        now = datetime.now(UTC).isoformat(timespec="seconds")
        try:
            entry = Entry(exercise=exercise, seed=seed, answer=answer, time=now)
        except ValidationError as error:
            raise ModelError(f"this answer cannot be kept: {first_fault(error)}") from None
        return self.model_copy(update={place: [*entries, entry]})


def _different(entries: list[Entry], exercise: str, seed: int) -> list:
    found: list = []
    for entry in entries:
        if entry.exercise == exercise and entry.seed == seed and entry.answer not in found:
            found.append(entry.answer)
    return found


def read(path: Path) -> Sheet:
    """The sheet in a file. Raises ModelError for a file that is none, is damaged or too large; OSError."""
    with open(path, "rb") as file:
        data = file.read(MOST_BYTES + 1)
    require(len(data) <= MOST_BYTES, f"{path}: an answer sheet has at most {MOST_BYTES / 1e6:g} MB; this is larger")
    try:
        found = json.loads(data.decode("utf8"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise ModelError(f"{path}: the answer sheet is damaged: it is not JSON; take the one handed out") from None
    ours = isinstance(found, dict) and found.get("kind") == KIND
    require(ours, f'{path}: no answer sheet of pagecost, which says "kind": "{KIND}"; take the one handed out')
    version = found.get("version")
    require(version == VERSION, f"{path}: an answer sheet of version {VERSION} is read; this one says {version!r:.40}")
    try:
        sheet = Sheet.model_validate(found)
    except ValidationError as error:
        raise ModelError(f"{path}: the answer sheet is damaged: {first_fault(error)}") from None
    return sheet.model_copy(update={"edited": sheet.edited or found.get("checksum") != _checksum(found)})


def write(path: Path, sheet: Sheet) -> None:
    """Write the sheet, whole or not at all. Raises OSError."""
    record = {"kind": KIND, "version": VERSION, **sheet.model_dump(by_alias=True)}
    record["checksum"] = _checksum(record)
    _private_files.write(path, (json.dumps(record, indent=1, ensure_ascii=False) + "\n").encode("utf8"))


def first_fault(error: ValidationError) -> str:
    """What is wrong first, and where."""
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))[:100]}: {first['msg']}"


def _checksum(record: Mapping) -> str:
    kept = {name: value for name, value in record.items() if name != "checksum"}
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")
