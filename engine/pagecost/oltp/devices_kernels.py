"""How long a device works for a request: a disk by its mechanics, any other by times of size and pattern."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_part
from pagecost.devices.disk.mechanics_kernels import across_tracks, ahead_s, locate, position
from pagecost.transactions.random_kernels import DEVICES, service_time

READ, WRITE = 0, 1
RANDOM, SEQUENTIAL = 0, 1
SIZES = 24  # times are known for requests of 1, 2, 4, … 2^23 blocks; between them they are interpolated by size
TABLE, DISK = 0, 1  # KIND
KIND, LAW, STREAMS, BLOCK_SECTORS, MEMBER, STRIPE_BLOCKS, USED_STRIPES, HELD_STRIPES = range(8)  # of Devices.setting
CYLINDER, HEAD = 0, 1  # columns of Devices.arm
OPEN = 16  # most sequential streams that a device tells apart

_NO_SAMPLES = np.ones(1)


class Devices(NamedTuple):
    """What each device is; its arm and the ends of what it did last change."""

    setting: np.ndarray  # int64[devices, 8]
    busy_s: np.ndarray  # float64[devices, 2, 2, SIZES]: by operation, pattern and size
    delay_s: np.ndarray  # float64[devices, 2, 2, SIZES]: what the answer takes beyond, while the device goes on
    arm: np.ndarray  # int64[devices, 2]
    end: np.ndarray  # int64[devices, 2, OPEN]: blocks behind the latest requests of each operation
    turn: np.ndarray  # int64[devices, 2]: which end is forgotten next


@lean_part
def _between(times_s, blocks):
    """The time of a request of so many blocks, linear in size between powers of two."""
    low = 0
    while low < SIZES - 2 and blocks >= 2 << low:
        low += 1
    size = 1 << low
    return times_s[low] + (times_s[low + 1] - times_s[low]) * ((blocks - size) / size)


@lean_part
def continues(devices, device, write, block, blocks):
    """Whether a request goes on where one of the latest ended, reads with reads and writes with writes; notes it."""
    end = devices.end
    found = -1
    for stream in range(devices.setting[device, STREAMS]):
        if end[device, write, stream] == block:
            found = stream
    pattern = RANDOM if found < 0 else SEQUENTIAL
    if found < 0:
        found = devices.turn[device, write]
        after = found + 1
        devices.turn[device, write] = 0 if after >= devices.setting[device, STREAMS] else after
    end[device, write, found] = block + blocks
    return pattern


@lean_part
def serve_by_table(devices, device, write, block, blocks, random):
    """(time that the server is busy, further time until the answer) [s] of a device that is known by its times."""
    pattern = continues(devices, device, write, block, blocks)
    law = devices.setting[device, LAW]
    busy_s = service_time(random, DEVICES, _between(devices.busy_s[device, write, pattern], blocks), law, _NO_SAMPLES)
    return busy_s, _between(devices.delay_s[device, write, pattern], blocks)


@lean_part
def serve_by_arm(disk, devices, device, write, block, blocks, now_s):
    """Time [s] of a request on a disk whose arm and platters stand where they stand now.

    The stripes of the data in use lie evenly among all that it holds, and the log behind them.
    """
    setting = devices.setting
    sectors, blocks_of_stripe = setting[device, BLOCK_SECTORS], setting[device, STRIPE_BLOCKS]
    stripe = min(block // blocks_of_stripe, setting[device, USED_STRIPES])
    moved = stripe * setting[device, HELD_STRIPES] // setting[device, USED_STRIPES] - stripe
    place = locate(disk, (block + moved * blocks_of_stripe) * sectors)
    arm = devices.arm
    start_s = now_s + ahead_s(disk, setting[device, MEMBER])
    _, _, at_s = position(disk, place, arm[device, CYLINDER], arm[device, HEAD], write, start_s)
    transfer_s, switch_s, arm[device, CYLINDER], arm[device, HEAD] = across_tracks(
        disk, place, blocks * sectors, write, at_s
    )
    return at_s + transfer_s + switch_s - start_s
