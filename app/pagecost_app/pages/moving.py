"""What a claim measures when a number that its run reads is moved, asked as a study is: `Worker` answers it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from pagecost.claims import Claim, Flip
from pagecost.claims.changed import measured
from pagecost.claims.checking import agrees
from pagecost.claims.sensitivity import each_flip, movable
from pagecost.errors import ModelError
from pagecost_app.compiling import Question


@dataclass(frozen=True)
class Moved:
    """A claim under one number moved: what comes out, and whether it then holds; `refused` says why nothing did."""

    name: str
    factor: float
    value: str | float | None
    holds: bool
    refused: str = ""


@dataclass
class Found:
    """What is known so far of what flips a claim: the numbers, the most delicate first, and one of them moved."""

    claim: Claim
    flips: list[Flip] = field(default_factory=list)
    moved: Moved | None = None


class Moving:
    """Stands in a study's place for a `Worker`. A question is {claim} (all flips), or {claim, name, factor}."""

    name = "claims"

    def __init__(self):
        self._known: dict[str, tuple[dict, bool]] = {}

    def inputs(self, values: Mapping) -> Mapping:
        """As they are: the page asks for nothing that there is not."""
        return values

    def compute(self, values: Mapping, progress: Callable) -> Found:
        """Raises ModelError where the claim has no measure."""
        claim: Claim = values["claim"]
        if claim.id not in self._known:
            self._known[claim.id] = movable(claim)
        changes, _ = self._known[claim.id]
        if "name" in values:
            return Found(claim, moved=moved(claim, changes, values["name"], values["factor"]))
        flips: list[Flip] = []
        for flip, share in each_flip(claim):
            flips.append(flip)
            progress(share, partial(_found, claim, flips.copy()))
        return _found(claim, flips)


def _found(claim: Claim, flips: list[Flip]) -> Found:
    return Found(claim, sorted(flips, key=lambda each: each.nearest))


def moved(claim: Claim, changes: Mapping[str, Callable], name: str, factor: float) -> Moved:
    """What a claim measures with one of the numbers of `movable` moved."""
    try:
        value = measured(claim, changes[name](factor))
    except ModelError as error:
        return Moved(name, factor, None, False, str(error))
    return Moved(name, factor, value, agrees(claim, value))


def question(values: Mapping) -> Question:
    """What is answered elsewhere for the kernels of a claim."""
    return Question("claim", values["claim"].id)
