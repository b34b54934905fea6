"""Operators of query plans: scans, sorts and joins, as the runs of pages that they ask a device for.

What is planned (`selection`, `sorting`, `joins`, `late`) expects pages and runs from sizes alone; what runs (`running`,
`running_joins`) does the work on real rows and notes each request, so that the two can be compared.

from pagecost import operators
operators.index_scan(operators.IndexSize(operators.Size(10**6, 100, 8192)), 0.001).time_s(
    operators.on_device("intel-x25-e", 8192, depth=1))
"""

from pagecost.operators.joins import Join
from pagecost.operators.late import Pax
from pagecost.operators.plan import Access, Plan
from pagecost.operators.run_times import MANY, GivenTimes, OnDevice, RunTimes, modelled, on_device
from pagecost.operators.selection import ORDERS, break_even, index_scan, table_scan
from pagecost.operators.tables import IndexSize, Rows, Size

__all__ = ["MANY", "ORDERS", "Access", "GivenTimes", "IndexSize", "Join", "OnDevice", "Pax", "Plan", "Rows"]
__all__ += ["RunTimes", "Size", "break_even", "index_scan", "modelled", "on_device", "table_scan"]
