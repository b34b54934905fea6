"""What a planner answers: plans with figures that anyone can recompute, the one chosen, and how sure that is."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pagecost.system import System


@dataclass(frozen=True)
class Figure:
    """One number of a plan. low, high: its interval, nan where it is exact. formula: with its numbers filled in.

    name: also the row of the study's table in which `run_line` gives the number again. title: what people call it.
    sources: keys of the catalogue. simulated: from runs, not from the formula.
    """

    name: str
    title: str
    value: float
    unit: str
    low: float
    high: float
    formula: str
    sources: tuple[str, ...]
    run_line: str
    simulated: bool = False


@dataclass(frozen=True)
class Group:
    """Devices of one kind, and what lies on them. role: "database", "log", "hot" or "write buffer".

    count: devices, or 0 where bytes are bought; size_bytes: what is held there.
    """

    role: str
    device: str
    count: int
    level: str
    size_bytes: float


@dataclass(frozen=True)
class Plan:
    """Devices, counts and levels by role, the buffer and the caches; `code` is the same as a text.

    figures: by formula and, where it was simulated, from runs (`response_simulated_s` …). binding: why it is not the
    one that is chosen, a sentence; empty for the one that is.
    """

    code: str
    title: str
    groups: tuple[Group, ...]
    buffer_frames: int
    page_cache_bytes: float
    figures: Mapping[str, Figure]
    binding: str = ""
    notes: tuple[str, ...] = ()

    def value(self, name: str) -> float:
        """A figure's number; nan where the plan has none of that name."""
        return self.figures[name].value if name in self.figures else float("nan")

    @property
    def simulated(self) -> bool:
        """Whether runs stand behind its response time."""
        return any(figure.simulated for figure in self.figures.values())


@dataclass(frozen=True)
class One:
    """A plan on its own: its figures, and the terms of its mean response time [s] with their intervals."""

    plan: Plan
    terms: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class BreakEven:
    """From at_s [s] on `one` (a plan's code) is no longer cheaper than `other`."""

    one: str
    other: str
    at_s: float
    sentence: str


@dataclass(frozen=True)
class Swing:
    """What one input does to the decision: its ends, the cost of the chosen plan there, and what is chosen there.

    total_effect: Sobol's total index of the gap in cost between the chosen plan and the runner-up, 0..1; nan where
    nothing varies. chosen_low, chosen_high: codes of plans, empty where no plan meets the targets.
    """

    input: str
    title: str
    unit: str
    low: float
    base: float
    high: float
    cost_low: float
    cost_high: float
    chosen_low: str
    chosen_high: str
    total_effect: float = float("nan")

    @property
    def flips(self) -> bool:
        """Whether another plan is chosen at one of the ends."""
        return self.chosen_low != self.chosen_high


@dataclass(frozen=True)
class Planned:
    """The whole answer.

    screened, feasible: plans looked at by formula, and those that meet every target. screen_s: how long that took [s].
    finalists: plans with all figures, simulated; pareto: the places among them that no other dominates in cost,
    latency, power and life. chosen, runner_up: places, or None. losers: further plans with figures by formula and the
    reason why they lost, a sample of all. sureness: share of `draws` of the inputs within their intervals for which the
    same plan is chosen, nan where there was nothing to draw. impossible: where no plan meets the targets, the nearest
    that does what and why; else None.
    """

    system: System
    screened: int
    feasible: int
    screen_s: float
    finalists: tuple[Plan, ...]
    pareto: tuple[int, ...]
    chosen: int | None
    runner_up: int | None
    losers: tuple[Plan, ...]
    reasons: tuple[str, ...]
    break_evens: tuple[BreakEven, ...]
    tornado: tuple[Swing, ...]
    sureness: float
    draws: int
    seed: int
    notes: tuple[str, ...]
    impossible: str | None
    versions: Mapping[str, str]
    seeds: tuple[int, ...]
    rejected: Mapping[str, int] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """The answer in a sentence."""
        return self.reasons[0] if self.impossible is None else self.impossible

    @property
    def best(self) -> Plan | None:
        """The plan that is chosen."""
        return None if self.chosen is None else self.finalists[self.chosen]

    def plan(self, code: str) -> Plan | None:
        """The plan of that code among finalists and losers."""
        return next((plan for plan in (*self.finalists, *self.losers) if plan.code == code), None)
