"""How far what a claim reads may move before its verdict flips: the region in which it can be believed."""

import functools
import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from pagecost import catalogue, reads
from pagecost.claims.changed import measured
from pagecost.claims.checking import agrees
from pagecost.claims.ledger import Claim
from pagecost.claims.measures import MEASURES
from pagecost.errors import ModelError, require
from pagecost.studies import STUDIES

FARTHEST = 8.0  # factor up or down that is looked at
STEPS = 5  # halvings of the logarithm: the factor is found within 8^(1/32), 7 %


Multiply = Callable[[float], Mapping]
"""multiply(factor): the change of a claim (`changed`) under which a number is so many times what it was"""


@dataclass(frozen=True)
class Flip:
    """A number that the claim's run reads, and the factors at which the verdict is another: the nearest below 1 and
    above 1, None where there is none up to 1/8 and 8 (or the number may not be so).
    """

    name: str
    down: float | None
    up: float | None

    @property
    def nearest(self) -> float:
        """How far the nearer of the two is away, as a factor above 1; infinite where nothing flips it."""
        return min((math.exp(abs(math.log(factor))) for factor in (self.down, self.up) if factor), default=math.inf)


def flips(claim: Claim, said: Callable[[float], None] = lambda share: None) -> list[Flip]:
    """All numbers that may decide about a claim, the most delicate first. Raises ModelError if it has no measure."""
    found = []
    for flip, share in each_flip(claim):
        found.append(flip)
        said(share)
    return sorted(found, key=lambda flip: flip.nearest)


def each_flip(claim: Claim) -> Iterator[tuple[Flip, float]]:
    """The same one by one as they are found, each with the share of the numbers that are done."""
    changes, holds = movable(claim)
    for number, (name, change) in enumerate(changes.items(), 1):
        nearest = (_nearest(claim, change, holds, farthest) for farthest in (1 / FARTHEST, FARTHEST))
        yield Flip(name, *nearest), number / len(changes)


def movable(claim: Claim) -> tuple[dict[str, Multiply], bool]:
    """What multiplies each number that a claim's run reads, and whether the claim holds as it is.

    Raises ModelError if it has no measure.
    """
    require(bool(claim.measure), f"claim {claim.id} is not checked, so that nothing can flip it")
    with reads.recorded() as names:
        holds = agrees(claim, measured(claim))
    return dict(_changes(claim, sorted(names))), holds


def _changes(claim: Claim, names: list[str]) -> Iterator[tuple[str, Multiply]]:
    """What multiplies each number that was read, of those that the claim's measure lets be changed."""
    asks = "set" in inspect.signature(MEASURES[claim.measure["measure"]]).parameters
    for name in names:
        kind, _, rest = name.partition(":")
        if kind == "device":
            device, _, parameter = rest.rpartition(".")
            value = catalogue.device(device).get(parameter)
            if isinstance(value, float) and value > 0:
                yield name, functools.partial(_of_device, device, parameter)
        elif asks and rest.startswith(f"{claim.study}."):
            field, _, text = rest.removeprefix(f"{claim.study}.").partition("=")
            number = _number(text)
            if number and field != "seed":
                yield name, functools.partial(_of_input, field, number)


def _of_device(device: str, parameter: str, factor: float) -> Mapping:
    return {"device": device, "parameter": parameter, "factor": factor}


def _of_input(field: str, value: int | float, factor: float) -> Mapping:
    return {"set": {field: round(value * factor) if isinstance(value, int) else value * factor}}


def _nearest(claim: Claim, change: Multiply, holds: bool, farthest: float) -> float | None:
    """The factor next to 1, towards `farthest`, at which the verdict is another, by halving."""
    near, far = 1.0, farthest
    if not _flipped(claim, change(far), holds):
        return None
    for _ in range(STEPS):
        between = math.sqrt(near * far)
        near, far = (near, between) if _flipped(claim, change(between), holds) else (between, far)
    return far


def _flipped(claim: Claim, change: Mapping, holds: bool) -> bool:
    try:
        return agrees(claim, measured(claim, change)) is not holds
    except ModelError:  # out of what the study takes
        return False


def _number(text: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def parameters_of(claim: Claim) -> dict:
    """The inputs under which the claim's study is asked, to open it with: none where it asks no study."""
    study = STUDIES.get(claim.study)
    preset = claim.measure.get("preset")
    return {} if study is None else {**(study.presets[preset] if preset else {}), **claim.measure.get("set", {})}
