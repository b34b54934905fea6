"""Shortest positioning time first: seek and rotational wait together. Needs the angle, so it runs inside the drive."""

import numpy as np

from pagecost._jit import kernel, part
from pagecost.devices.disk.mechanics_kernels import LINED_UP
from pagecost.devices.disk.queue_kernels import (
    ANGLE,
    ARRIVAL,
    AT_CYLINDER,
    AT_HEAD,
    COST,
    CYLINDER,
    HEAD,
    NUMBER,
    WAITING,
    WRITE,
    Hooks,
    serve_queue,
)


@part
def shortest(disk, queue, now_s, weight):
    """The slot with the smallest positioning time less `weight` times its wait, of equals the oldest.

    All costs first, without a branch, so that the processor works on four slots at once; then the smallest.
    """
    waiting = queue.counts[WAITING]
    cylinders, heads, writes, numbers = queue.slot[CYLINDER], queue.slot[HEAD], queue.slot[WRITE], queue.slot[NUMBER]
    arrival_s, angle, cost = queue.when[ARRIVAL], queue.when[ANGLE], queue.when[COST]
    cylinder, head = queue.arm[AT_CYLINDER], queue.arm[AT_HEAD]
    seek_s = disk.seek_s.ravel()
    of_write = disk.seek_s.shape[1]
    turned_s = now_s + disk.overhead_s + disk.phase * disk.turn_s  # how long the platters have turned when the arm goes
    for at in range(waiting):
        move = seek_s[np.uint64(abs(cylinders[at] - cylinder) + writes[at] * of_write)]
        move = max(move, disk.head_switch_s if heads[at] != head else 0.0)
        turns = angle[at] - (turned_s + move) * disk.rotation_hz
        turns -= np.floor(turns)
        turns = turns if turns < LINED_UP else 0.0
        cost[at] = move + turns * disk.turn_s - weight * (now_s - arrival_s[at])
    best = 0
    for at in range(1, waiting):
        if cost[at] < cost[best] or (cost[at] == cost[best] and numbers[at] < numbers[best]):
            best = at
    return best


@part
def pick(disk, queue, now_s, memory):
    return shortest(disk, queue, now_s, 0.0)


HOOKS = Hooks(pick)


@kernel
def serve(disk, queue, stream, number, terms, memory):
    """Serve a stream of requests in the order of this scheduler; arguments as of `serve_queue`."""
    return serve_queue(disk, queue, stream, number, terms, memory, HOOKS)
