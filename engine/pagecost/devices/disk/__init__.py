"""The hard disk request by request: geometry, seek curves, rotation, queue and schedulers.

disk = Disk.of(catalogue.device("wd400bb"))
Session(disk, "sptf", depth=32).serve(lbn, 8).throughput
"""

from pagecost.devices.disk.arrays import Array, ArrayRun
from pagecost.devices.disk.geometry import SECTOR_BYTES, Geometry, Zone
from pagecost.devices.disk.model import Disk
from pagecost.devices.disk.processes import HOSTS, Process, Shared, share
from pagecost.devices.disk.read_ahead import BufferedSession
from pagecost.devices.disk.running import TERMS, Run, Session, joined, run, sectors_of
from pagecost.devices.disk.schedulers import SCHEDULERS
from pagecost.devices.disk.seek import Table
from pagecost.devices.disk.shingled import Shingled
from pagecost.devices.disk.theory import (
    Moments,
    next_track,
    open_wait_s,
    random_requests,
    random_services,
    sequential_read,
    sequential_unbuffered,
)
from pagecost.devices.disk.write_back import WriteBackSession

__all__ = [
    "HOSTS",
    "SCHEDULERS",
    "SECTOR_BYTES",
    "TERMS",
    "Array",
    "ArrayRun",
    "BufferedSession",
    "Disk",
    "Geometry",
    "Moments",
    "Process",
    "Run",
    "Session",
    "Shared",
    "Shingled",
    "Table",
    "WriteBackSession",
    "Zone",
]
__all__ += ["joined", "next_track", "open_wait_s", "random_requests", "random_services", "run", "sectors_of"]
__all__ += ["sequential_read", "sequential_unbuffered", "share"]
