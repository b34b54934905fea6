"""Lists that know their lengths: what the policies share that move nodes between several of them.

Their state has `links` (of `lists_kernels`), `list_of`, the list of each node, uint8[nodes], and `sizes`, the nodes of
each list, int64[lists].
"""

from pagecost._jit import inline_part
from pagecost.lists_kernels import push, ring, unlink


@inline_part
def end_of(state, which):
    """The closing row of list `which`."""
    return ring(state.links, state.sizes.size, which)


@inline_part
def add(state, which, node):
    """Make a node, which is in no list, the newest of list `which`."""
    state.list_of[node] = which
    state.sizes[which] += 1
    push(state.links, end_of(state, which), node)


@inline_part
def remove(state, node):
    """Take a node out of its list."""
    state.sizes[state.list_of[node]] -= 1
    unlink(state.links, node)
