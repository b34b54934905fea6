"""Total cost of ownership, and after which runtime a dearer purchase has paid for itself (Schmidt 2009, section 2)."""

import math
from dataclasses import dataclass

import numpy as np

from pagecost.errors import require

YEAR_S = 365 * 86400.0
KWH_J = 3.6e6


MOST_TURNS = 100_000  # replacements that are looked at one by one


@dataclass(frozen=True)
class Cost:
    """initial: at the start [money]. per_s: while it runs [money/s]. replacement: each time what was bought is worn
    out [money], every worn_s [s]. All at least 0, worn_s above 0 and infinite where nothing wears out.
    """

    initial: float
    per_s: float
    replacement: float = 0.0
    worn_s: float = math.inf

    def __post_init__(self):
        for name in ("initial", "per_s", "replacement"):
            value = getattr(self, name)
            require(math.isfinite(value) and value >= 0, f"{name} cost must be finite and not negative; got {value}")
        require(self.worn_s > 0, f"the time until worn out must be above 0; got {self.worn_s:g} s")

    def replacements(self, runtime_s):
        """How often all has been replaced before the end of a runtime [s]; what wears out at the end is not."""
        if math.isinf(self.worn_s):
            return np.zeros(np.shape(runtime_s))
        return np.maximum(np.ceil(np.asarray(runtime_s) / self.worn_s) - 1, 0)

    def at(self, runtime_s):
        """initial + per_s x runtime + replacements [money]; a number or an array of times [s], at least 0."""
        return self.initial + self.per_s * runtime_s + self.replacement * self.replacements(runtime_s)

    def per_iops(self, runtime_s: float, iops: float) -> float:
        """Cost of a time per request/s that the system can do [money s], where systems differ in performance."""
        require(iops > 0, f"requests per second must be above 0; got {iops:g}")
        return self.at(runtime_s) / iops

    def overtaken_s(self) -> float:
        """Time [s] after which running has cost as much as buying; infinite where running is free."""
        return self.initial / self.per_s if self.per_s else math.inf


def energy_per_s(mean_w: float, price_per_kwh: float, overhead: float = 1.0) -> float:
    """Money per second for a mean power [W]. overhead (PUE): all energy over that of the devices, at least 1."""
    require(mean_w >= 0, f"mean power must not be negative; got {mean_w:g} W")
    require(price_per_kwh >= 0, f"the price of energy must not be negative; got {price_per_kwh:g} per kWh")
    require(overhead >= 1, f"PUE, all energy over that of the devices, is at least 1; got {overhead:g}")
    return mean_w * overhead * price_per_kwh / KWH_J


def break_even_s(one: Cost, other: Cost) -> float | None:
    """The runtime [s] at which two systems without wear have cost the same; None if one is never dearer than the other.

    From then on the one with the dearer purchase is the cheaper one. Where both have cost the same all along, 0.
    """
    more, less = one.initial - other.initial, other.per_s - one.per_s
    if more == less == 0:
        return 0.0
    if less == 0 or more / less < 0 or math.isinf(more / less):
        return None
    return more / less


def crossings_s(one: Cost, other: Cost, within_s: float) -> list[float]:
    """The runtimes [s], up to within_s, at which the cheaper of two systems changes.

    With wear there may be several, also at a replacement. Raises ModelError where there are too many replacements to be
    looked at one by one.
    """
    turns = [np.arange(1, within_s / cost.worn_s) * cost.worn_s for cost in (one, other) if _turns(cost, within_s)]
    edges = np.unique(np.concatenate([[0.0, within_s], *turns]))
    starts = np.nextafter(edges[:-1], np.inf)
    after, before = (one.at(times) - other.at(times) for times in (starts, edges[1:]))
    found = []
    side = np.sign(one.initial - other.initial)
    for start, end, first, last in zip(edges[:-1], edges[1:], after, before, strict=True):
        for time, sign in ((start, np.sign(first)), (None, np.sign(last))):
            if sign != 0 and side != 0 and sign != side:
                found.append(float(start + (end - start) * first / (first - last) if time is None else time))
            side = sign or side
    return found


def _turns(cost: Cost, within_s: float) -> bool:
    """Whether something is replaced within a time."""
    require(
        within_s / cost.worn_s < MOST_TURNS,
        f"worn out every {cost.worn_s:.3g} s it would be replaced more than {MOST_TURNS} times; take more devices",
    )
    return within_s > cost.worn_s
