"""Deadline: C-LOOK in batches of one kind, reads preferred; a batch starts at the oldest request if that is overdue."""

from pagecost.devices.disk.scheduler import Scheduler
from pagecost.devices.disk.schedulers.deadline_kernels import serve
from pagecost.registry import Parameter

PARAMETERS = (
    Parameter("batch", 16, 1, 1_000_000, "requests of one kind in a row", whole=True),
    Parameter("read_due_s", 0.5, 0.0, 1e9, "a read that waited longer comes first [s]"),
    Parameter("write_due_s", 5.0, 0.0, 1e9, "a write that waited longer comes first [s]"),
    Parameter("writes_starved", 2, 0, 1_000_000, "batches of reads before one of writes", whole=True),
)
SCHEDULER = Scheduler("deadline", "deadline", serve, "Linux 2.6 defaults, recalled", 6, PARAMETERS)
