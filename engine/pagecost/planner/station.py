"""What the devices of a group give those who ask them: waits, services and their variances, one entry per plan."""

from typing import NamedTuple

import numpy as np

from pagecost.planner.waits import Array


class Station(NamedTuple):
    """Equal devices with a queue each. busy: of each, in the long run. wait_s, wait_variance: of a request for a page;
    log_wait_s, log_wait_variance: of a log write. read_s, write_s, log_s: what one takes without a wait, at the level;
    variance likewise. write_steps: waits of a write, in those of a read; write_once_s: of write_s, what
    many writes at a time take once; write_wait_variance, write_variance: of what a write waits, and takes. devices: how
    many of them. service_s: of any of their requests.
    """

    busy: Array
    wait_s: Array
    wait_variance: Array
    log_wait_s: Array
    log_wait_variance: Array
    read_s: Array
    write_s: Array
    log_s: Array
    variance: Array
    write_steps: Array
    write_once_s: Array
    write_wait_variance: Array
    write_variance: Array
    devices: Array
    service_s: Array


def choose(condition: Array, one: Station, other: Station) -> Station:
    """The one where the condition holds, else the other."""
    return Station(*(np.where(condition, a, b) for a, b in zip(one, other, strict=True)))
