"""Checks claims: what was measured, how sure that is, what it rests on, and whether a rival would have passed too."""

import inspect
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from pagecost import catalogue, reads
from pagecost.claims import alternatives
from pagecost.claims.changed import measured
from pagecost.claims.fitted import rests_on, unverified
from pagecost.claims.ledger import Claim
from pagecost.claims.measures import MEASURES
from pagecost.errors import ModelError
from pagecost.intervals import half_width
from pagecost.provenance import versions
from pagecost.studies import STUDIES

FIRST_SEEDS, MOST_SEEDS = 3, 8  # runs of a claim whose answer depends on chance
LINE = (
    *("id", "item", "paper", "place", "statement", "stated", "used", "unit", "tolerance", "should_hold", "undecided"),
    *("measure", "control", "repeats", "anchor", "note", "study"),
)  # what a verdict's record tells of the line
Names = tuple[str, ...]
ROUNDING = 1e-9  # a value on the limit holds


@dataclass(frozen=True)
class Rival:
    """A simpler explanation. passes: it would have been taken for the stated value as well. change: what is other than
    in the line, in the form of a control."""

    name: str
    measured: str | float
    passes: bool
    change: Mapping = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """A claim with what was measured.

    measured: in the claim's unit, the mean over the seeds where there are several. low, high: the interval of that
    mean, equal where chance has no part. status: holds, fails, undecided (the interval crosses the limit) or unchecked.
    kind: of the claim, "conditional" where it was called predicted and its run reads what `rests_on` lists (fitted or
    assumed). robust_to: what it reads that was fitted or assumed and does not decide, since the line comes out the same
    with every alternative, be it that it holds or that it fails; asked where no rival of one that holds passes.
    unverified: what it reads that the catalogue has from general knowledge only. rivals: of a prediction that holds; of
    a conditional line those of which one passes, where they were asked.
    """

    claim: Claim
    measured: str | float | None
    status: str
    kind: str
    low: float | None = None
    high: float | None = None
    seeds: tuple[int, ...] = ()
    rests_on: tuple[str, ...] = ()
    robust_to: tuple[str, ...] = ()
    unverified: tuple[str, ...] = ()
    rivals: tuple[Rival, ...] = ()

    @property
    def informative(self) -> bool:
        """Whether every rival of the prediction fails."""
        return bool(self.rivals) and not any(rival.passes for rival in self.rivals)

    @property
    def sound(self) -> bool:
        """Whether it counts as evidence: a prediction that holds, no rival passes, and no other line says the same."""
        return self.kind == "predicted" and self.status == "holds" and self.informative and not self.claim.repeats

    @property
    def as_expected(self) -> bool:
        """Whether it came out as the ledger expects: it holds, or it is known not to."""
        return self.status in (self.claim.expected, "unchecked")

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval of the mean, None for a text or where nothing was measured."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    def record(self) -> dict:
        """The stable form of `pagecost claims --format json`: all of the line, and all of the verdict."""
        claim = {name: getattr(self.claim, name) for name in LINE} | {"reason": self.claim.tolerance_reason}
        return {
            **claim,
            **{"called": self.claim.kind, "rival": self.claim.rivals},
            **{name: getattr(self, name) for name in ("measured", "interval", "status", "kind", "seeds")},
            "informative": self.informative if self.rivals else None,
            "sound": self.sound,
            "rests_on": self.rests_on,
            "robust_to": self.robust_to,
            "unverified": self.unverified,
            "rivals": [asdict(rival) for rival in self.rivals],
            "versions": versions(),
        }


@catalogue.of_project()
def check(claim: Claim) -> Verdict:
    """Measure one claim and compare. Raises ModelError where the line asks for what there is not."""
    if not claim.measure:
        return Verdict(claim, None, "unchecked", claim.kind)
    with reads.recorded() as names:
        values, seeds = _runs(claim)
    low, high = interval(values)
    mean = values[0] if isinstance(values[0], str) else math.fsum(values) / len(values)
    status = _status(claim, values, low, high)
    rests, robust_to, rivals = rests_on(names), Names(), tuple[Rival, ...]()
    if claim.kind == "predicted":
        rests, robust_to, rivals = _what_decides(claim, status, rests, seeds)
    kind = "conditional" if claim.kind == "predicted" and rests else claim.kind
    return Verdict(claim, mean, status, kind, low, high, seeds, rests, robust_to, unverified(names), rivals)


def control_fails(claim: Claim) -> bool:
    """Whether the claim fails, as it must, under its control. Raises ModelError for a control of no known form."""
    return not agrees(claim, measured(claim, claim.control))


def interval(values: list) -> tuple[float | None, float | None]:
    """The interval in which the mean of the values lies with 95 % (Student); None for texts."""
    if isinstance(values[0], str):
        return None, None
    mean = math.fsum(values) / len(values)
    if len(values) == 1 or min(values) == max(values):
        return mean, mean
    half = half_width(values)
    return float(mean - half), float(mean + half)


def depends_on_chance(claim: Claim) -> bool:
    """Whether the measure, or the study that it asks, takes a seed, and the line leaves it open."""
    study, measure = STUDIES.get(claim.study), MEASURES.get(claim.measure.get("measure", ""))
    takes = inspect.signature(measure).parameters if measure else {}
    if "seed" in takes:
        return "seed" not in claim.measure
    if study is None or "set" not in takes:
        return False
    return "seed" in study.Inputs.model_fields and "seed" not in claim.measure.get("set", {})


def _what_decides(
    claim: Claim, status: str, rests: Names, seeds: tuple[int, ...]
) -> tuple[Names, Names, tuple[Rival, ...]]:
    """What a prediction's run reads that was fitted or assumed: as what it rests on, or as what does not decide, where
    no alternative to any of it does; and its rivals, unless it fails; of a line that rests on something only where one
    of them passes, so that it would be no evidence either way."""
    asks_rivals = status != "fails"  # a line that fails has no answer to whether it would have been informative
    if not rests:
        return (), (), _rivals(claim, seeds) if asks_rivals else ()
    decided = status in ("holds", "fails") and not claim.repeats
    may_not_decide = decided and all(alternatives.of(claim, name) for name in rests)
    rivals = _rivals(claim, seeds) if may_not_decide and asks_rivals else ()
    if not may_not_decide or any(rival.passes for rival in rivals):  # nothing would be gained by asking on
        return rests, (), rivals
    inputs_first = sorted(rests, key=lambda name: not name.startswith("input:"))  # they decide most often
    if all(_is_robust_to(claim, status, name) for name in inputs_first):
        return (), rests, rivals
    return rests, (), ()


def _is_robust_to(claim: Claim, status: str, name: str) -> bool:
    """Whether the claim holds, or fails, with everything that might have been chosen in the place of what it reads."""
    changes = alternatives.of(claim, name)
    return bool(changes) and all(_same_under(claim, status, name, change) for change in changes)


def _same_under(claim: Claim, status: str, name: str, change: Mapping) -> bool:
    with reads.recorded() as names:
        try:
            values, _ = _runs(claim, change)
        except ModelError:  # the models do not take it: nothing is known of the line
            return False
    reached = "=" not in name or name not in names  # what still reads the old value was not asked
    return reached and _status(claim, values, *interval(values)) == status


def _runs(claim: Claim, change: Mapping | None = None) -> tuple[list, tuple[int, ...]]:
    """As many runs as it takes to say holds or fails, at most `MOST_SEEDS`; under a change, if one is given."""
    change = change or {}
    if not depends_on_chance(claim):
        return [measured(claim, change)], ()
    values: list = []
    for seed in range(1, MOST_SEEDS + 1):
        values.append(measured(claim, _seeded(claim, change, seed)))
        if seed == 2 and values[0] == values[1]:  # chance has no part in what is measured
            break
        if seed >= FIRST_SEEDS and _status(claim, values, *interval(values)) != "undecided":
            break
    return values, tuple(range(1, len(values) + 1))


def _seeded(claim: Claim, change: Mapping, seed: int) -> Mapping:
    """A change with a seed besides, where the claim's measure, or its study, takes it."""
    given = "arguments" if "seed" in inspect.signature(MEASURES[claim.measure["measure"]]).parameters else "set"
    return {**change, given: {**change.get(given, {}), "seed": seed}}


def _status(claim: Claim, values: list, low: float | None, high: float | None) -> str:
    if isinstance(claim.used, str) or low is None or high is None:
        same = [value == claim.used for value in values]
        return "holds" if all(same) else "undecided" if any(same) else "fails"
    if agrees(claim, low) and agrees(claim, high):
        return "holds"
    crosses = any(agrees(claim, end) for end in (low, high)) or low < claim.used < high
    return "undecided" if crosses else "fails"


def agrees(claim: Claim, value) -> bool:
    """Whether a value is the stated one, within the tolerance."""
    if claim.tolerance is None or isinstance(claim.used, str):
        return value == claim.used
    return bool(abs(value - claim.used) <= claim.tolerance * (1 + ROUNDING))


def _rivals(claim: Claim, seeds: tuple[int, ...]) -> tuple[Rival, ...]:
    """The line's own rivals and, for a number, that there is nothing to explain. A tolerance is at most half the
    distance to a rival. seeds: those of the line, with which its rivals run as well."""
    asked = list(claim.rivals)
    if claim.tolerance is not None:
        asked.append({"value": claim.no_effect, "name": "no effect" if claim.no_effect else "zero"})
    return tuple(_rival(claim, change, seeds) for change in asked)


def _rival(claim: Claim, change: Mapping, seeds: tuple[int, ...]) -> Rival:
    """One of them: it passes if it does with one of the seeds, or in the mean of all."""
    values: list = []
    for seed in seeds or (None,):
        values.append(measured(claim, change if seed is None or "value" in change else _seeded(claim, change, seed)))
        if _meets(claim, change, values[-1]) or "value" in change:
            break
    mean = values[-1] if isinstance(values[-1], str) else math.fsum(values) / len(values)
    passes = any(_meets(claim, change, value) for value in (*values, mean))
    return Rival(change.get("name", "rival"), mean, passes, change)


def _meets(claim: Claim, change: Mapping, value) -> bool:
    """Whether a rival's value cannot be told from the stated one. A rival may have a wider tolerance of its own, where
    others of its kind are told with that one."""
    if agrees(claim, value):
        return True
    if claim.tolerance is None or isinstance(value, str):
        return False
    return abs(value - claim.used) < 2 * max(claim.tolerance, change.get("tolerance", 0.0)) * (1 - ROUNDING)
