"""Checked values: the base of everything that is filled in from outside, and one sentence for what breaks a rule."""

from collections.abc import Callable, Iterable, Mapping
from typing import get_args

import tomlkit
from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError, model_validator
from pydantic.fields import FieldInfo

from pagecost.errors import known
from pagecost.units import quantity, unit_of

NUMBERS = (int, float)


def one_of(kind: str, options: Iterable[str] | Callable[[], Iterable[str]]) -> AfterValidator:
    """For a field whose text is one of these, which may only be known when it is read."""
    return AfterValidator(lambda name: known(kind, name, options() if callable(options) else options))


def such(check: Callable[[str], object]) -> AfterValidator:
    """For a field whose text `check` does not refuse by a ModelError."""

    def kept(text: str) -> str:
        check(text)
        return text

    return AfterValidator(kept)


class Checked(BaseModel):
    """A frozen value, equal by value, complete, without unknown names and without numbers that are none.

    A text where a number is due is read as people write it (`units.quantity`): 4k, 4GB, 250ms.
    """

    # rules are made when first asked (0.3 s for all studies), under a lock that pydantic has since 2.14
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)

    @classmethod
    def unit(cls, name: str, field: FieldInfo) -> str:
        """The unit in which a field's number stands; by its name, where nothing else says it."""
        return unit_of(name)

    @model_validator(mode="before")
    @classmethod
    def _numbers_of_texts(cls, values):
        if not isinstance(values, Mapping):
            return values
        return {name: cls._number(name, value) for name, value in values.items()}

    @classmethod
    def _number(cls, name: str, value):
        """A value, or the number (or the numbers of a list) that it says as text."""
        field = cls.model_fields.get(name)
        if field is None:
            return value
        if isinstance(value, str) and field.annotation in NUMBERS:
            return quantity(value, cls.unit(name, field), name)
        if isinstance(value, list | tuple) and {*get_args(field.annotation)} & {*NUMBERS}:
            return [quantity(each, cls.unit(name, field), name) if isinstance(each, str) else each for each in value]
        return value


def sentence(error: ValidationError, names) -> str:
    """The first thing that is wrong, as one sentence that names the input, the rule and the value.

    names: of the inputs that would be known where an unknown one stands.
    """
    return said(error.errors()[0], names)


def said(first: Mapping, names) -> str:
    """`sentence` of one of the errors of a ValidationError."""
    where = ".".join(str(part + 1 if isinstance(part, int) else part) for part in first["loc"])  # counted from 1
    if first["type"] == "extra_forbidden":
        return f"unknown input {where!r}; known: {', '.join(names)}"
    if first["type"] == "missing":
        return f"{where} is missing"
    if first["type"] == "value_error":
        why = str(first["ctx"]["error"])
        return why if not where or why.startswith(where) else f"{where}: {why}"
    rule = first["msg"].removeprefix("Input ")
    return f"{where} {rule[0].lower()}{rule[1:]}; got {first['input']!r}"


def described(part: Checked) -> tomlkit.items.Table:
    """The part as a table of a TOML file: every value with its meaning as a comment, what is none as one."""
    table = tomlkit.table()
    for name, field in type(part).model_fields.items():
        stands = getattr(part, name)
        if stands is None:
            table.add(tomlkit.comment(f"{name} = … {field.description or ''}"))
            continue
        value = tomlkit.item(list(stands) if isinstance(stands, tuple) else stands)
        value.comment(field.description or "")
        table.add(name, value)
    return table
