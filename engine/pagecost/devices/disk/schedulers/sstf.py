"""Shortest seek time first: the nearest cylinder, of equals the oldest. Requests at the edges may starve."""

from pagecost.devices.disk.scheduler import Scheduler
from pagecost.devices.disk.schedulers.sstf_kernels import serve

SCHEDULER = Scheduler("sstf", "SSTF", serve, "Denning 1967", 2)
