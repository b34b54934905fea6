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
    """One of `options()`, id -> label; `free` also accepts other text: what `typed` says, the path of a file or not."""

    options: Callable[[], dict[str, str]]
    free: bool = False
    typed: str = "path of a file of your own"
    of_file: bool = True


@dataclass(frozen=True)
class Choices:
    """Some of `options()`, id -> label, at most `most` (what a legend can tell apart). `unit` of numeric options.

    keep: makes a further option, a text, of the inputs as they are: a button adds it.
    """

    options: Callable[[], dict]
    most: int = 8
    unit: str = ""
    keep: Callable | None = None


@dataclass(frozen=True)
class FilePath:
    """The path of a file of the named kind, or empty."""

    of: str


@dataclass(frozen=True)
class From:
    """Where the default value comes from: source key and place."""

    source: str


@dataclass(frozen=True)
class Group:
    """A field that few will change: it stands in a part of the panel that opens on demand, under this title."""

    title: str


Kind = Steps | Choice | Choices | FilePath


def kind_of(field: FieldInfo) -> Kind:
    """How the field of a study is entered."""
    return next(item for item in field.metadata if isinstance(item, Kind))


def group_of(field: FieldInfo) -> str:
    """The title of the part of the panel that the field stands in; empty for what is always shown."""
    return next((item.title for item in field.metadata if isinstance(item, Group)), "")


def source_of(field: FieldInfo) -> str:
    """Where the default of a study's field comes from; empty if it is only a convenient one."""
    return next((item.source for item in field.metadata if isinstance(item, From)), "")
