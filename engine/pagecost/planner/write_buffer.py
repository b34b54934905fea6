"""The write buffer before a plan's database: every write to those devices passes it, log writes that go there too."""

from typing import NamedTuple

import numpy as np

from pagecost.planner.numbers import Numbers
from pagecost.planner.space import Space
from pagecost.planner.station import Station
from pagecost.planner.waits import Array, servers_wait


class Buffer(NamedTuple):
    """busy: of the device. wait_s, wait_variance: of a write to it; write_s, write_variance: what one takes then."""

    busy: Array
    wait_s: Array
    wait_variance: Array
    write_s: Array
    write_variance: Array


def write_buffer(space: Space, n: Numbers, writes_hz: Array) -> Buffer:
    """The device that takes so many writes a second at once; they leave it behind the transactions' backs."""
    device = np.maximum(space.write_buffer, 0)
    variation = n.variation[device, -1]
    hz = np.where(space.write_buffer >= 0, writes_hz, 0)
    busy, wait_s, wait_variance, _ = servers_wait(hz, n.write_s[device], n.at_once[device], variation)
    write_s = n.write_s[device] + n.write_delay_s[device]
    return Buffer(busy, wait_s, wait_variance, write_s, variation * n.write_s[device] ** 2)


def durable_in(buffer: Buffer, log: Station) -> Station:
    """The log for who waits until it is in the buffer: its waits and services, not those of the devices behind."""
    return log._replace(
        log_wait_s=buffer.wait_s,
        log_wait_variance=buffer.wait_variance,
        log_s=buffer.write_s,
        variance=buffer.write_variance,
        write_steps=np.ones_like(buffer.wait_s),
    )
