"""First come, first served: no queue to look through, so the requests stream past the arm in one loop."""

from pagecost.devices.disk.scheduler import Scheduler
from pagecost.devices.disk.schedulers.fcfs_kernels import serve

SCHEDULER = Scheduler("fcfs", "FCFS", serve, "textbook; Wang 2011 §5: noop without merging", 1)
