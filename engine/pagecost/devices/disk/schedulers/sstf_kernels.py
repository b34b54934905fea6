"""Shortest seek time first: the nearest cylinder, of equals the oldest. Requests at the edges may starve."""

from pagecost._jit import lean_kernel, lean_part
from pagecost.devices.disk.queue_kernels import AT_CYLINDER, CYLINDER, NUMBER, WAITING, Hooks, serve_queue


@lean_part
def pick(disk, queue, now_s, memory):
    slots, here = queue.slot, queue.arm[AT_CYLINDER]
    best = 0
    nearest = abs(slots[CYLINDER, 0] - here)
    for at in range(1, queue.counts[WAITING]):
        distance = abs(slots[CYLINDER, at] - here)
        if distance < nearest or (distance == nearest and slots[NUMBER, at] < slots[NUMBER, best]):
            best, nearest = at, distance
    return best


HOOKS = Hooks(pick)


@lean_kernel
def serve(disk, queue, stream, number, terms, memory):
    """Serve a stream of requests in the order of this scheduler; arguments as of `serve_queue`."""
    return serve_queue(disk, queue, stream, number, terms, memory, HOOKS)
