"""Total cost of ownership, and after which runtime a dearer purchase has paid for itself (Schmidt 2009, section 2)."""

import math
from dataclasses import dataclass

import numpy as np

from pagecost.errors import require

KWH_J = 3.6e6


@dataclass(frozen=True)
class Cost:
    """Schmidt's straight line. initial: at the start [money]. per_s: while it runs [money/s]. Both at least 0.

    What wears out, grows or is discounted is `ownership`, of which this is the case without all that.
    """

    initial: float
    per_s: float

    def __post_init__(self):
        for name in ("initial", "per_s"):
            value = getattr(self, name)
            require(math.isfinite(value) and value >= 0, f"{name} cost must be finite and not negative; got {value}")

    def at(self, runtime_s):
        """initial + per_s x runtime [money]; a number or an array of times [s]. Raises ModelError for one below 0."""
        require(bool(np.all(np.asarray(runtime_s) >= 0)), f"the runtime must not be negative; got {runtime_s} s")
        return self.initial + self.per_s * runtime_s

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
    """The runtime [s] at which two straight lines have cost the same; None if one is never dearer than the other.

    From then on the one with the dearer purchase is the cheaper one. Where both have cost the same all along, 0.
    """
    more, less = one.initial - other.initial, other.per_s - one.per_s
    if more == less == 0:
        return 0.0
    if less == 0 or more / less < 0 or math.isinf(more / less):
        return None
    return more / less
