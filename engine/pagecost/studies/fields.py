"""The kinds of inputs a study has. Widgets, command-line options, messages and project files all read these.

A study writes `frames: Annotated[int, Steps(…), Field(ge=1, title="Buffer size", description="…")] = 1000`. What the
kind says is checked by the kind: a value is one of its options, none is named twice, no more than can be drawn.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from pydantic import GetCoreSchemaHandler, ValidationInfo
from pydantic.fields import FieldInfo
from pydantic_core import core_schema

from pagecost import catalogue
from pagecost.errors import ModelError, known, require
from pagecost.units import format_cell


@dataclass(frozen=True)
class Steps:
    """A number with the stops of its slider, shown by `label`. Any number in the field's range is accepted."""

    stops: tuple[float, ...]
    unit: str
    label: Callable[[float], str] = str


def how_many(things: str, zero: str = "") -> Callable[[float], str]:
    """The label of stops that count things: 1 page, 64 pages. things: in the plural. zero: what none of them means."""
    one = things.removesuffix("es") if things.endswith("ches") else things.removesuffix("s")

    def label(count: float) -> str:
        return zero if zero and not count else f"{format_cell(count, '1')} {one if count == 1 else things}"

    return label


class _Checked:
    """A kind whose `check(value, noun)` is part of the validation of every field of that kind."""

    noun: str

    def check(self, value, noun: str):
        raise NotImplementedError

    def __get_pydantic_core_schema__(self, source, handler: GetCoreSchemaHandler):
        def validated(value, info: ValidationInfo):
            return self.check(value, self.noun or (info.field_name or "value").replace("_", " "))

        return core_schema.with_info_after_validator_function(validated, handler(source))


def _unknown(noun: str, value, options, lacks: str) -> None:
    """Raise ModelError for a value that is no option: for a device, what is not known of it where `lacks` says that."""
    if lacks and value in catalogue.devices():
        raise ModelError(f"{catalogue.devices()[value].name} cannot stand here: {lacks}")
    known(noun, value, options)


@dataclass(frozen=True)
class Choice(_Checked):
    """One of `options()`, id -> label; `free` also accepts other text: what `typed` says, the path of a file or not.

    such: raises ModelError for a value that is no option and may not stand all the same (a free choice takes any text
    without it). noun: what one of them is, for messages (default: the field's name). lacks: of devices, a clause that
    says what one that is no option lacks, and what would be needed.
    """

    options: Callable[[], dict[str, str]]
    free: bool = False
    typed: str = "path of a file of your own"
    of_file: bool = True
    such: Callable | None = None
    noun: str = ""
    lacks: str = ""

    def check(self, value, noun: str):
        """The value, if it is an option or may stand as it is. Raises ModelError that lists the options."""
        options = self.options()
        if value not in options:
            if self.such is not None:
                self.such(value)
            elif not self.free:
                _unknown(noun, value, options, self.lacks)
        return value


@dataclass(frozen=True)
class Choices(_Checked):
    """Some of `options()`, id -> label, at most `most` (what a legend can tell apart). `unit` of numeric options.

    keep: makes a further option, a text, of the inputs as they are: a button adds it. such: raises ModelError unless a
    value that is no option may stand among them all the same; without it only options may. said: what people call such
    a value. noun: what one of them is, for messages (default: the field's name in the singular). lacks: as of `Choice`.
    """

    options: Callable[[], dict]
    most: int = 8
    unit: str = ""
    keep: Callable | None = None
    such: Callable | None = None
    said: Callable[[Any], str] = str
    noun: str = ""
    lacks: str = ""

    def check(self, value, noun: str):
        """The values, if each may be chosen, none stands twice and they can be drawn. Raises ModelError."""
        noun = self.noun or (f"{noun[:-3]}y" if noun.endswith("ies") else noun.removesuffix("s"))
        options = self.options()
        for each in value:
            if each not in options:
                _unknown(noun, each, options, self.lacks) if self.such is None else self.such(each)
        require(len(set(value)) == len(value), f"a {noun} is named twice in {', '.join(map(str, value))}")
        require(len(value) <= self.most, f"at most {self.most} can be told apart in a chart; got {len(value)}")
        return value


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


@dataclass(frozen=True)
class OfSystem:
    """Where in a system (`pagecost.system`) the value stands: `memory.policy`, `devices.log.device`.

    words: what the question calls something, where the system has another word for it. alone: of several that a
    question sets side by side the system's is the only one that is asked about. read: makes the question's word of what
    the system says, or None where that says nothing here. money_of: the input that says the currency of this one, an
    amount; amount(system, said): the system's, for what that input says. given: the input on which it depends whether
    this one has an effect; where(said): whether it has one, for what that input says. Else nothing is taken.
    """

    path: str
    words: tuple[tuple[str, str], ...] = ()
    alone: bool = False
    read: Callable[[Any], str | None] | None = None
    money_of: str = ""
    amount: Callable[[Any, Any], Any] | None = None
    given: str = ""
    where: Callable[[Any], bool] | None = None

    def word(self, said):
        """What the system says in the question's words."""
        return self.read(said) if self.read else dict(self.words).get(said, said)


Kind = Steps | Choice | Choices | FilePath
OneKind = TypeVar("OneKind", Steps, Choice, Choices, FilePath)

About: TypeAlias = tuple[object, ...]
"""What is said of an input, where several have it alike: `name: Annotated[int, *blocks(…)] = 256`."""


def kind_of(field: FieldInfo) -> Kind:
    """How the field of a study is entered."""
    return next(item for item in field.metadata if isinstance(item, Kind))


def kind_as(field: FieldInfo, kind: type[OneKind]) -> OneKind:
    """How a field of that kind is entered. Raises TypeError for a field of another kind."""
    found = kind_of(field)
    if not isinstance(found, kind):
        raise TypeError(f"{field.title}: entered as {type(found).__name__}, not as {kind.__name__}")
    return found


def group_of(field: FieldInfo) -> str:
    """The title of the part of the panel that the field stands in; empty for what is always shown."""
    return next((item.title for item in field.metadata if isinstance(item, Group)), "")


def source_of(field: FieldInfo) -> str:
    """Where the default of a study's field comes from; empty if it is only a convenient one."""
    return next((item.source for item in field.metadata if isinstance(item, From)), "")


def of_system(field: FieldInfo) -> OfSystem | None:
    """Which value of a system fills the field in; None for what no system says."""
    return next((item for item in field.metadata if isinstance(item, OfSystem)), None)
