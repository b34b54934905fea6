"""What fields of many studies have in common, word for word."""

from typing import Annotated

from pydantic import Field

from pagecost.errors import known, require
from pagecost.studies.fields import Steps
from pagecost.units import format_bytes

SEED = Annotated[
    int,
    Steps(tuple(range(1, 11)), "1", lambda seed: f"seed {seed}"),
    Field(ge=1, le=2**31, title="Seed", description="Another seed draws other numbers, the same seed the same."),
]


def all_known(kind: str, names: tuple[str, ...], options, noun: str = "") -> tuple[str, ...]:
    """The names, if each is known and none stands there twice. noun: what one of them is, else the kind's last word."""
    for name in names:
        known(kind, name, options)
    return no_twins(noun or kind.split()[-1], names)


def no_twins(noun: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names, if none stands there twice."""
    require(len(set(names)) == len(names), f"a {noun} is named twice in {', '.join(names)}")
    return names


def rising(what: str, least: int, most: int, values: tuple[int, ...]) -> tuple[int, ...]:
    """The values in order, each once, if all lie within least..most."""
    for value in values:
        require(least <= value <= most, f"a {what} must be {least}..{most}; got {value}")
    return tuple(sorted(set(values)))


def grouped(count: int) -> str:
    """A count as people read it: 10 000."""
    return f"{count:,}".replace(",", " ")


def size_or_none(size: float) -> str:
    """A size [B] that may be left out: 16 MiB, none."""
    return format_bytes(size) if size else "none"


def per_second(rate: float) -> str:
    """A rate as people read it: 34 980, 435, 12.4."""
    return grouped(round(rate)) if rate >= 100 else f"{rate:.3g}"
