"""Aged SPTF: the smallest positioning time less a share of the time already waited, so that no request starves."""

from pagecost.devices.disk.scheduler import Scheduler
from pagecost.devices.disk.schedulers.aged_sptf_kernels import serve
from pagecost.registry import Parameter

PARAMETERS = (Parameter("weight", 0.03, 0.0, 1e9, "seconds of positioning that a second of waiting is worth"),)
SCHEDULER = Scheduler(
    "aged-sptf", "aged SPTF", serve, "Jacobson and Wilkes 1991; the weight is an input", 8, PARAMETERS
)
