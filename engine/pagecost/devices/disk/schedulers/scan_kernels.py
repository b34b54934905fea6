"""SCAN, the elevator: as LOOK, but the arm goes on to the last cylinder before it turns round."""

from pagecost._jit import lean_kernel, lean_part
from pagecost.devices.disk.queue_kernels import Hooks, serve_queue
from pagecost.devices.disk.schedulers.look_kernels import DOWNWARDS, nearest_ahead

TURNED = 1  # place in memory.kept: 1 when the arm has turned round for the request just picked


@lean_part
def pick(disk, queue, now_s, memory):
    best = nearest_ahead(queue, memory.kept[DOWNWARDS])
    memory.kept[TURNED] = 0
    if best < 0:
        memory.kept[DOWNWARDS] = 1 - memory.kept[DOWNWARDS]
        memory.kept[TURNED] = 1
        best = nearest_ahead(queue, memory.kept[DOWNWARDS])
    return best


@lean_part
def detour(disk, memory):
    """The edge at which the arm turned round: the last cylinder if it now moves downwards, else the first."""
    if memory.kept[TURNED] == 0:
        return -1
    return disk.seek_s.shape[1] - 1 if memory.kept[DOWNWARDS] else 0


HOOKS = Hooks(pick, detour)


@lean_kernel
def serve(disk, queue, stream, number, terms, memory):
    """Serve a stream of requests in the order of this scheduler; arguments as of `serve_queue`."""
    return serve_queue(disk, queue, stream, number, terms, memory, HOOKS)
