"""Shortest positioning time first: seek and rotational wait together. Needs the angle, so it runs inside the drive."""

from pagecost.devices.disk.scheduler import Scheduler
from pagecost.devices.disk.schedulers.sptf_kernels import serve

SCHEDULER = Scheduler("sptf", "SPTF", serve, "Jacobson and Wilkes 1991; Worthington, Ganger and Patt 1994", 7)
