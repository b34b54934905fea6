"""C-LOOK, the one-way elevator: upwards by sector number to the last request, then back to the lowest."""

from pagecost._jit import lean_kernel, lean_part
from pagecost.devices.disk.queue_kernels import Hooks, next_upwards, serve_queue


@lean_part
def pick(disk, queue, now_s, memory):
    return next_upwards(queue, 2)


HOOKS = Hooks(pick)


@lean_kernel
def serve(disk, queue, stream, number, terms, memory):
    """Serve a stream of requests in the order of this scheduler; arguments as of `serve_queue`."""
    return serve_queue(disk, queue, stream, number, terms, memory, HOOKS)
