"""The hard disk request by request: geometry, seek curves, rotation, queue and schedulers.

disk = Disk.of(catalogue.device("wd400bb"))
Session(disk, "sptf", depth=32).serve(lbn, 8).throughput
"""

from pagecost.devices.disk.arrays import Array
from pagecost.devices.disk.geometry import SECTOR_BYTES, Geometry, Zone
from pagecost.devices.disk.model import Disk
from pagecost.devices.disk.read_ahead import BufferedSession
from pagecost.devices.disk.running import TERMS, Run, Session, joined, run, sectors_of
from pagecost.devices.disk.schedulers import SCHEDULERS
from pagecost.devices.disk.theory import Moments, open_wait_s, random_requests

__all__ = [
    "SCHEDULERS",
    "SECTOR_BYTES",
    "TERMS",
    "Array",
    "BufferedSession",
    "Disk",
    "Geometry",
    "Moments",
    "Run",
    "Session",
    "Zone",
]
__all__ += ["joined", "open_wait_s", "random_requests", "run", "sectors_of"]
