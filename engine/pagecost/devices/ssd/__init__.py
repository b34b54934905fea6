"""The SSD as a queueing device: chips behind channels, a translation layer on every die, one host interface.

device = Ssd.of(catalogue.device("intel-x25-e"))
session = Session(device, depth=32)
session.precondition()
session.serve(pages, write).latencies_s()
"""

from pagecost.devices.ssd import theory
from pagecost.devices.ssd.model import ORDERS, Ssd
from pagecost.devices.ssd.run import TERMS, Run, joined
from pagecost.devices.ssd.session import FILLS, Session, catalogued
from pagecost.devices.ssd.steady import MOST, WITHIN, SteadyRun, half_widths, run_until_steady, too_wide

__all__ = ["FILLS", "ORDERS", "TERMS", "Run", "Session", "Ssd", "catalogued", "joined", "theory"]
__all__ += ["MOST", "WITHIN", "SteadyRun", "half_widths", "run_until_steady", "too_wide"]
