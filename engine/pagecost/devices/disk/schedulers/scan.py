"""SCAN, the elevator: as LOOK, but the arm goes on to the last cylinder before it turns round."""

from pagecost.devices.disk.scheduler import Scheduler
from pagecost.devices.disk.schedulers.scan_kernels import serve

SCHEDULER = Scheduler("scan", "SCAN", serve, "Denning 1967", 3)
