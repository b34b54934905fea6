"""Aged SPTF: the smallest positioning time less a share of the time already waited, so that no request starves."""

from pagecost._jit import kernel, part
from pagecost.devices.disk.queue_kernels import Hooks, serve_queue
from pagecost.devices.disk.schedulers.sptf_kernels import shortest

WEIGHT = 0  # place in memory.settings


@part
def pick(disk, queue, now_s, memory):
    return shortest(disk, queue, now_s, memory.settings[WEIGHT])


HOOKS = Hooks(pick)


@kernel
def serve(disk, queue, stream, number, terms, memory):
    """Serve a stream of requests in the order of this scheduler; arguments as of `serve_queue`."""
    return serve_queue(disk, queue, stream, number, terms, memory, HOOKS)
