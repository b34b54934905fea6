"""LOOK: on in the present direction to the nearest request; when none is left that way, turn round."""

from pagecost.devices.disk.scheduler import Scheduler
from pagecost.devices.disk.schedulers.look_kernels import serve

SCHEDULER = Scheduler("look", "LOOK", serve, "Merten 1970, as named by Worthington, Ganger and Patt 1994", 4)
