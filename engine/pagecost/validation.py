"""Checked values: the base of everything that is filled in from outside, and one sentence for what breaks a rule."""

from pydantic import BaseModel, ConfigDict, ValidationError


class Checked(BaseModel):
    """A frozen value, equal by value, complete, without unknown names and without numbers that are none."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def sentence(error: ValidationError, names) -> str:
    """The first thing that is wrong, as one sentence that names the input, the rule and the value.

    names: of the inputs that would be known where an unknown one stands.
    """
    first = error.errors()[0]
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
