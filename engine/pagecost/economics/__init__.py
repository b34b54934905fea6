"""What storage costs over its life: sizing, total cost of ownership, break-even, and the five-minute rule."""

from pagecost.economics.cost import KWH_J, YEAR_S, Cost, break_even_s, energy_per_s
from pagecost.economics.five_minutes import break_even_interval_s, parity_years, yearly_factor
from pagecost.economics.sizing import LEVELS, Need, System, devices_for_volume, request_s, sized

__all__ = ["KWH_J", "LEVELS", "YEAR_S", "Cost", "Need", "System", "break_even_interval_s", "break_even_s"]
__all__ += ["devices_for_volume", "energy_per_s", "parity_years", "request_s", "sized", "yearly_factor"]
