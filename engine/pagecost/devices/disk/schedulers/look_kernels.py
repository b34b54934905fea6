"""LOOK: on in the present direction to the nearest request; when none is left that way, turn round.

Near is meant in sectors, from the end of the last transfer: what it has just passed on its own cylinder lies behind.
"""

from pagecost._jit import lean_kernel, lean_part
from pagecost.devices.disk.queue_kernels import AT_LBN, LBN, NUMBER, WAITING, Hooks, serve_queue

DOWNWARDS = 0  # place in memory.kept: 1 when the arm moves towards lower sectors


@lean_part
def nearest_ahead(queue, downwards):
    """The slot with the nearest sector in the direction, of equals the oldest, or -1."""
    numbers = queue.slot[NUMBER]
    here = queue.arm[AT_LBN]
    best, nearest = -1, here
    for at in range(queue.counts[WAITING]):
        distance = here - queue.slot[LBN, at] if downwards else queue.slot[LBN, at] - here
        if distance < 0 or (best >= 0 and distance > nearest):
            continue
        if best < 0 or distance < nearest or numbers[at] < numbers[best]:
            best, nearest = at, distance
    return best


@lean_part
def pick(disk, queue, now_s, memory):
    best = nearest_ahead(queue, memory.kept[DOWNWARDS])
    if best < 0:
        memory.kept[DOWNWARDS] = 1 - memory.kept[DOWNWARDS]
        best = nearest_ahead(queue, memory.kept[DOWNWARDS])
    return best


HOOKS = Hooks(pick)


@lean_kernel
def serve(disk, queue, stream, number, terms, memory):
    """Serve a stream of requests in the order of this scheduler; arguments as of `serve_queue`."""
    return serve_queue(disk, queue, stream, number, terms, memory, HOOKS)
