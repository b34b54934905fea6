"""Lists that know their lengths: what the policies share that move nodes between several of them.

Their state has `links` (of `lists_kernels`), `list_of`, the list of each node, uint8[nodes], and `sizes`, the nodes of
each list, int64[lists]. `remember_in` needs `ghosts` besides (of `ghosts_kernels`), and `victim_of` needs `reason`,
int64[1]: the list that the last victim left.
"""

from pagecost._jit import inline_part
from pagecost.buffer.ghosts_kernels import drop, remember
from pagecost.lists_kernels import oldest, push, ring, unlink


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


@inline_part
def take_oldest(state, which):
    """Take the oldest node out of list `which`, which is not empty, and return it."""
    node = oldest(state.links, end_of(state, which))
    remove(state, node)
    return node


@inline_part
def victim_of(state, which):
    """The oldest frame of list `which` is the victim; the list is the reason."""
    state.reason[0] = which
    return take_oldest(state, which)


@inline_part
def remember_in(state, which, page, most):
    """Remember a page that left in list `which` of at most `most` ghosts: the oldest of them is forgotten for it."""
    if state.sizes[which] == most:
        drop(state.ghosts, take_oldest(state, which))
    add(state, which, remember(state.ghosts, page))
