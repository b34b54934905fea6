"""Runs claims, and the controls under which they must fail."""

import contextlib
from dataclasses import dataclass

from pagecost import catalogue
from pagecost.claims.ledger import Claim, claims
from pagecost.claims.measures import MEASURES
from pagecost.devices import best_block
from pagecost.errors import known, require


@dataclass(frozen=True)
class Verdict:
    """A claim with what was measured. status: holds, fails or unchecked. measured: in the claim's unit."""

    claim: Claim
    measured: str | float | None
    status: str

    def record(self) -> dict:
        """The stable form of `pagecost claims --format json`."""
        claim = self.claim
        return {
            "id": claim.id,
            "paper": claim.paper,
            "place": claim.place,
            "stated": claim.stated,
            "used": claim.used,
            "measured": self.measured,
            "unit": claim.unit,
            "tolerance": claim.tolerance,
            "kind": claim.kind,
            "status": self.status,
            "should_hold": claim.should_hold,
            "statement": claim.statement,
            "note": claim.note,
            "study": claim.study,
        }


def check(claim: Claim) -> Verdict:
    """Measure one claim and compare."""
    if not claim.measure:
        return Verdict(claim, None, "unchecked")
    measured = _measure(claim, {})
    return Verdict(claim, measured, "holds" if _agrees(claim, measured) else "fails")


def check_all(paper: str | None = None) -> list[Verdict]:
    """Measure all claims, or those of one paper. Raises ModelError for an unknown paper."""
    return [check(claim) for claim in claims(paper)]


def control_fails(claim: Claim) -> bool:
    """Whether the claim fails, as it must, under its control.

    A control is {device, parameter, factor} (a number of the catalogue is multiplied), {algorithm_1 = factor} (the
    typed-in table is multiplied), {set = inputs} (the study is asked something else) or {arguments = ...} (the measure
    is). Raises ModelError for others.
    """
    control = claim.control
    if "device" in control:
        changed = catalogue.device(control["device"])
        changed = changed.replaced(control["parameter"], changed.value(control["parameter"]) * control["factor"])
        with catalogue.using(changed):
            return not _agrees(claim, _measure(claim, {}))
    if "algorithm_1" in control:
        with _scaled(best_block.ALGORITHM_1, control["algorithm_1"]):
            return not _agrees(claim, _measure(claim, {}))
    if "arguments" in control:
        return not _agrees(claim, _measure(claim, control["arguments"]))
    require("set" in control, f"claim {claim.id}: its control must name a device, algorithm_1, set or arguments")
    return not _agrees(claim, _measure(claim, {"set": {**claim.measure.get("set", {}), **control["set"]}}))


@contextlib.contextmanager
def _scaled(table: dict, factor: int):
    kept = dict(table)
    table.update({name: tuple(factor * size for size in sizes) for name, sizes in kept.items()})
    try:
        yield
    finally:
        table.update(kept)


def _measure(claim: Claim, changes: dict):
    arguments = {**claim.measure, **changes}
    measure = MEASURES[known(f"measure of claim {claim.id}", arguments.pop("measure"), MEASURES)]
    return measure(**arguments)


def _agrees(claim: Claim, measured) -> bool:
    if claim.tolerance is None:
        return measured == claim.used
    return abs(measured - claim.used) <= claim.tolerance * (1 + 1e-9)  # a value on the limit holds
