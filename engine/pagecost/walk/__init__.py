"""One access through all layers, event by event: the parts of the path in small, their state at every instant, and who
caused what.

walk = Walker(Setup(load="tpc-c"))
walk.jump(1000)
walk.chain(999)  # numbers of events, the transaction last
"""

from pagecost.walk.events import LAYERS, Event
from pagecost.walk.setup import DEVICES, FILE_SYSTEMS, LOADS, Setup
from pagecost.walk.walker import Walker

__all__ = ["DEVICES", "FILE_SYSTEMS", "LAYERS", "LOADS", "Event", "Setup", "Walker", "warm"]


def warm() -> None:
    """Walk through one transaction on every system, so that the kernels of a walk are compiled or loaded."""
    for file_system in FILE_SYSTEMS:
        for device in DEVICES:
            Walker(Setup(transactions=1, file_system=file_system, device=device))
