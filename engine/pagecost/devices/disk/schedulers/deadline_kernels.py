"""Deadline: C-LOOK in batches of one kind, reads preferred; a batch starts at the oldest request if that is overdue.

Defaults as in Linux 2.6: batches of 16, reads due after 0.5 s, writes after 5 s, writes passed over at most twice.
"""

from pagecost._jit import lean_kernel, lean_part
from pagecost.devices.disk.queue_kernels import (
    ARRIVAL,
    AT_LBN,
    LBN,
    Hooks,
    next_upwards,
    oldest_of,
    serve_queue,
)

LEFT, KIND, PASSED_OVER = range(3)  # places in memory.kept: requests left in the batch, its write flag, starvation


BATCH, READ_DUE, WRITE_DUE, STARVED = range(4)  # places in memory.settings


@lean_part
def pick(disk, queue, now_s, memory):
    kept, settings = memory.kept, memory.settings
    if kept[LEFT] > 0:
        best = next_upwards(queue, kept[KIND])
        if best >= 0 and queue.slot[LBN, best] >= queue.arm[AT_LBN]:  # a batch does not turn back
            kept[LEFT] -= 1
            return best
    read, write = oldest_of(queue, 0), oldest_of(queue, 1)
    kind = 0
    if read < 0 or (write >= 0 and kept[PASSED_OVER] >= settings[STARVED]):
        kind = 1
        kept[PASSED_OVER] = 0
    elif write >= 0:
        kept[PASSED_OVER] += 1
    kept[KIND] = kind
    kept[LEFT] = int(settings[BATCH]) - 1
    first = write if kind == 1 else read
    due = settings[WRITE_DUE] if kind == 1 else settings[READ_DUE]
    if now_s - queue.when[ARRIVAL, first] > due:
        return first
    return next_upwards(queue, kind)


HOOKS = Hooks(pick)


@lean_kernel
def serve(disk, queue, stream, number, terms, memory):
    """Serve a stream of requests in the order of this scheduler; arguments as of `serve_queue`."""
    return serve_queue(disk, queue, stream, number, terms, memory, HOOKS)
