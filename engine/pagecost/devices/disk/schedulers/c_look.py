"""C-LOOK, the one-way elevator: upwards by sector number to the last request, then back to the lowest."""

from pagecost.devices.disk.scheduler import Scheduler
from pagecost.devices.disk.schedulers.c_look_kernels import serve

SCHEDULER = Scheduler("c-look", "C-LOOK", serve, "one-way elevator; Wang 2011 §5; Worthington, Ganger and Patt 1994", 5)
