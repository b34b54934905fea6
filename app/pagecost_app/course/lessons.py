"""The lessons: found by number or name, with title, time, goals and cells.

They stand in `notebooks/` of a checkout, or in the package where that was installed from a wheel.

A lesson is read as a file; none of its code runs.
"""

import ast
import functools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pagecost.errors import ModelError, known, require
from pagecost_app.course import cell_code
from pagecost_app.course.cell_code import Call

CHECKOUT, CARRIED = Path(__file__).parents[3] / "notebooks", Path(__file__).parents[1] / "_lessons"
FOLDER = CHECKOUT if CHECKOUT.is_dir() else CARRIED
INSTRUCTOR, CHECKED = "instructor", "nbval-check-output"
NAME = re.compile(r"(\d+)_[a-z0-9_]+")
TITLE = re.compile(r"^# (?:\d+ · )?(.+)$", re.MULTILINE)
TIME = re.compile(r"\*Time: (?:about )?(\d+)(?: to (\d+))? minutes")
GOALS = re.compile(r"\*\*After it you can\*\*\s*\n((?:\s*[-*] .+(?:\n|$)|\s+\S.*(?:\n|$)|\s*\n)+)")
ASKING = {"ask", "predict", "check", "hint", "exercise"}  # calls of a lesson whose first argument is an exercise's id
STUDYING = {"explore", "answer"}  # and whose first argument is a study's name


@dataclass(frozen=True)
class Cell:
    """A cell. kind: markdown or code. outputs: as the file has them, empty unless the cell is checked."""

    id: str
    kind: str
    source: str
    tags: frozenset[str]
    outputs: tuple[dict, ...] = ()

    @property
    def is_for_instructors(self) -> bool:
        """Whether it moves widgets and asserts, and a learner need not see it."""
        return INSTRUCTOR in self.tags

    @functools.cached_property
    def calls(self) -> tuple[Call, ...]:
        """Calls of plain names with literal arguments, in the order in which they stand; none in prose."""
        return tuple(cell_code.calls(self.source)) if self.kind == "code" else ()


@dataclass(frozen=True)
class Lesson:
    """A lesson. number: as its file begins. name: of its file, without ending. minutes: (least, most)."""

    number: int
    name: str
    title: str
    minutes: tuple[int, int]
    goals: tuple[str, ...]
    cells: tuple[Cell, ...]
    path: Path

    @property
    def exercises(self) -> tuple[str, ...]:
        """The ids of its exercises, each once, in the order in which they are asked."""
        return _first_arguments(self, ASKING)

    @property
    def studies(self) -> tuple[str, ...]:
        """The studies that it explores or answers, each once: `explore("…")`, or `lab.explore("…")` of an import."""
        return tuple(
            dict.fromkeys(name for cell in self.cells if cell.kind == "code" for name in _studied(cell.source))
        )


def lessons() -> list[Lesson]:
    """Every lesson, in the order of their numbers. Raises ModelError where there are none, or one cannot be read."""
    require_some()
    return [read(path) for path in _files()]


def require_some() -> None:
    """Raise ModelError where this pagecost has no lessons, and so nothing that shows, hands out or grades them."""
    require(bool(_files()), "this package of pagecost holds no lessons; its wheel and a checkout of pagecost do")


def _files() -> list[Path]:
    return [path for path in sorted(FOLDER.glob("*.ipynb")) if NAME.fullmatch(path.stem)]


def lesson(asked: str) -> Lesson:
    """A lesson by its number ("6", "06"), its name ("06_buffer_management") or its file.

    Raises ModelError for one that there is not, naming those that there are.
    """
    if asked.endswith(".ipynb") and Path(asked).is_file():
        return read(Path(asked))
    every = {each.name: each for each in lessons()}
    if asked.isdecimal():
        number = int(asked)
        have = ", ".join(str(each.number) for each in every.values())
        chosen = next((each for each in every.values() if each.number == number), None)
        if chosen is None:
            raise ModelError(f"there is no lesson {number}; there are {have}")
        return chosen
    without_number = {name.partition("_")[2]: name for name in every}
    name = without_number.get(asked.removesuffix(".ipynb"), asked.removesuffix(".ipynb"))
    return every[known("lesson", name, every)]


def read(path: Path) -> Lesson:
    """The lesson in a file. Raises ModelError for what is no notebook or has no title."""
    cells = cells_of(path)
    first = next((cell.source for cell in cells if cell.kind == "markdown"), "")
    title, time = TITLE.search(first), TIME.search(first)
    if title is None:
        raise ModelError(f"lesson {path}: its first cell of text has no title (a line that begins with #)")
    least, most = (int(time[1]), int(time[2] or time[1])) if time else (0, 0)
    number = NAME.fullmatch(path.stem)
    return Lesson(
        number=int(number[1]) if number else 0,
        name=path.stem,
        title=title[1].strip(),
        minutes=(least, most),
        goals=_goals(first),
        cells=cells,
        path=path,
    )


def cells_of(path: Path) -> tuple[Cell, ...]:
    """The cells of a notebook, whoever wrote it. Raises ModelError for what is none."""
    try:
        return cells_of_record(json.loads(path.read_text("utf8")))
    except OSError as error:
        raise ModelError(f"lesson {path}: it cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ModelError(f"lesson {path}: this is no notebook") from None


def cells_of_record(written: dict) -> tuple[Cell, ...]:
    """The cells of a notebook that is read already."""
    return tuple(_cell(number, each) for number, each in enumerate(written["cells"], start=1))


def _cell(number: int, written: dict) -> Cell:
    return Cell(
        id=str(written.get("id", f"cell-{number}")),
        kind=str(written["cell_type"]),
        source="".join(written["source"]),
        tags=frozenset(written.get("metadata", {}).get("tags", ())),
        outputs=tuple(written.get("outputs", ())),
    )


def _goals(text: str) -> tuple[str, ...]:
    found = GOALS.search(text)
    items = re.split(r"^\s*[-*] ", found[1], flags=re.MULTILINE)[1:] if found else []
    return tuple(" ".join(item.split()).rstrip(";.,") for item in items)


def _studied(source: str) -> Iterator[str]:
    """The studies that code names first in a call that explores or answers, whatever its other arguments are."""
    for node in cell_code.nodes(source):
        called = getattr(node.func, "id", getattr(node.func, "attr", ""))
        first = node.args[0] if node.args else None
        if called in STUDYING and isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield first.value


def span(least: int, most: int) -> str:
    """Minutes, as people say them."""
    return f"{least} minutes" if least == most else f"{least} to {most} minutes"


def _first_arguments(lesson: Lesson, names: set[str]) -> tuple[str, ...]:
    found = (
        call.arguments[0]
        for cell in lesson.cells
        for call in cell.calls
        if call.name in names and call.arguments and isinstance(call.arguments[0], str)
    )
    return tuple(dict.fromkeys(found))
