"""The kinds of inputs a study has. Widgets, command-line options, messages and project files all read these.

A study writes `frames: Annotated[int, Steps(…), Field(ge=1, title="Buffer size", description="…")] = 1000`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic.fields import FieldInfo


@dataclass(frozen=True)
class Steps:
    """A number with the stops of its slider, shown by `label`. Any number in the field's range is accepted."""

    stops: tuple[float, ...]
    unit: str
    label: Callable[[float], str] = str


@dataclass(frozen=True)
class Choice:
    """One of `options()`, id -> label; `free` also accepts other text, such as the path of a file."""

    options: Callable[[], dict[str, str]]
    free: bool = False


@dataclass(frozen=True)
class Choices:
    """Some of `options()`, id -> label, at most `most` (what a legend can tell apart). `unit` of numeric options."""

    options: Callable[[], dict]
    most: int = 8
    unit: str = ""


@dataclass(frozen=True)
class FilePath:
    """The path of a file of the named kind, or empty."""

    of: str


@dataclass(frozen=True)
class Text:
    """A line of text, or empty; `example` shows what it takes."""

    example: str


@dataclass(frozen=True)
class From:
    """Where the default value comes from: source key and place."""

    source: str


Kind = Steps | Choice | Choices | FilePath | Text


def kind_of(field: FieldInfo) -> Kind:
    """How the field of a study is entered."""
    return next(item for item in field.metadata if isinstance(item, Kind))


def source_of(field: FieldInfo) -> str:
    """Where the default of a study's field comes from; empty if it is only a convenient one."""
    return next((item.source for item in field.metadata if isinstance(item, From)), "")
