"""When two holdings have cost the same: between the days of a purchase, straight lines in discounted time."""

from dataclasses import dataclass, replace

import numpy as np

from pagecost.economics.ownership import (
    KWH_PER_WATT_YEAR,
    Holding,
    Owned,
    Terms,
    discounted_s,
    just_after,
    ownership,
    turns_s,
    undiscounted_s,
)
from pagecost.errors import require
from pagecost.units import YEAR_S


@dataclass(frozen=True, eq=False)
class Owning:
    """One holding on its terms, whose horizon is asked for. Both without arrays."""

    held: Holding
    terms: Terms

    def owned(self, runtime_s) -> Owned:
        """What it is made of after a runtime [s], or one of each of an array of them."""
        return ownership(self.held, replace(self.terms, horizon_s=runtime_s))

    def at(self, runtime_s) -> np.ndarray:
        """What it has cost after a runtime [s], or after each of an array of them."""
        return self.owned(runtime_s).total

    def mean_w(self) -> float:
        """Power of all devices [W], the mean of the terms' horizon, which is above 0; without PUE."""
        years = self.terms.horizon_s / YEAR_S
        energy_kwh = self.owned(self.terms.horizon_s).energy_kwh / self.terms.power_usage_effectiveness
        return float(energy_kwh / years / KWH_PER_WATT_YEAR)

    def mean_devices(self) -> float:
        """Devices at work, the mean of the terms' horizon, which is above 0."""
        return float(self.owned(self.terms.horizon_s).device_years / (self.terms.horizon_s / YEAR_S))

    def turns_s(self, within_s: float, most: int | None = None) -> np.ndarray:
        """The days [s] of further purchases."""
        return turns_s(self.held, replace(self.terms, horizon_s=within_s), most)


def crossings_s(one: Owning, other: Owning, within_s: float) -> list[float]:
    """The runtimes [s], up to within_s, at which the cheaper of two changes; both on one discount.

    Purchases are steps; between two of them each cost rises as its flows do, in proportion to `discounted_s`. So a
    change lies on a step, or where two lines over discounted time meet. Raises ModelError as `ownership` does.
    """
    discount = float(one.terms.discount_per_year)
    require(discount == other.terms.discount_per_year, "two costs can only be compared at one discount")
    starts_of_years = np.arange(YEAR_S, within_s, YEAR_S) if one.terms.growth_per_year else np.empty(0)
    turns = [each.turns_s(within_s) for each in (one, other)]
    edges = np.unique(np.concatenate([[0.0, within_s], starts_of_years, *turns]))
    starts = just_after(edges[:-1])
    times = np.concatenate([[0.0], starts, edges[1:]])
    gaps = one.at(times) - other.at(times)
    found: list[float] = []
    side = np.sign(gaps[0])
    flows = discounted_s(edges, discount)
    pieces = edges.size - 1
    for piece, (first, last) in enumerate(zip(gaps[1 : 1 + pieces], gaps[1 + pieces :], strict=True)):
        for inside, sign in ((False, np.sign(first)), (True, np.sign(last))):
            if sign != 0 and side != 0 and sign != side:
                share = first / (first - last) if inside else 0.0
                met = flows[piece] + share * (flows[piece + 1] - flows[piece])
                found.append(float(undiscounted_s(met, discount) if inside else edges[piece]))
            side = sign or side
    return found
