"""What storage costs over its life: sizing, total cost of ownership, break-even, and the five-minute rule."""

from pagecost.economics.cost import KWH_J, Cost, break_even_s, energy_per_s
from pagecost.economics.crossing import Owning, crossings_s
from pagecost.economics.five_minutes import break_even_interval_s, parity_years, yearly_factor
from pagecost.economics.ownership import (
    MOST_YEARS,
    PARTS,
    Currency,
    Holding,
    Owned,
    Terms,
    currency_code,
    just_after,
    ownership,
    turns_s,
    worn_out_s,
)
from pagecost.economics.sizing import (
    GROUP,
    LEVELS,
    Need,
    Power,
    System,
    devices_for_volume,
    group_said,
    power_of,
    request_s,
    sized,
)
from pagecost.economics.wear import Endurance, device_writes_per_day, endurance
from pagecost.units import YEAR_S

__all__ = ["GROUP", "KWH_J", "LEVELS", "MOST_YEARS", "PARTS", "YEAR_S"]
__all__ += ["Cost", "Currency", "Endurance", "Holding", "Need", "Owned", "Owning", "Power", "System", "Terms"]
__all__ += ["currency_code", "device_writes_per_day", "just_after", "ownership", "turns_s"]
__all__ += [
    "break_even_interval_s",
    "break_even_s",
    "crossings_s",
    "devices_for_volume",
    "endurance",
    "energy_per_s",
]
__all__ += ["group_said", "parity_years", "power_of", "request_s", "sized", "worn_out_s", "yearly_factor"]
