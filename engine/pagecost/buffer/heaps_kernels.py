"""Pairing heaps over the rows of shared arrays: a node changes heaps without being copied, and most changes are O(1).

The lowest key stands at the root, of equal keys the lowest number. `nodes` is uint32[nodes, 3]; ABSENT is nobody.
"""

import numpy as np

from pagecost._jit import inline_part, lean_part
from pagecost.buffer.replay_kernels import ABSENT

CHILD, NEXT, BEFORE = range(3)  # columns of nodes; BEFORE: the sibling to the left, or the parent of the first child


def new_nodes(number: int) -> np.ndarray:
    """`number` nodes, each a heap of its own."""
    return np.full((number, 3), ABSENT)


@inline_part
def join(nodes, keys, one, other):
    """The root of two heaps made one."""
    if keys[other] < keys[one] or (keys[other] == keys[one] and other < one):
        one, other = other, one
    child = nodes[one, CHILD]
    nodes[other, NEXT] = child
    nodes[other, BEFORE] = one
    if child != ABSENT:
        nodes[child, BEFORE] = other
    nodes[one, CHILD] = other
    return one


@lean_part
def without_root(nodes, keys, root):
    """The root of what is left when `root` leaves its heap, or ABSENT."""
    first, pairs = nodes[root, CHILD], ABSENT
    nodes[root, CHILD] = ABSENT
    while first != ABSENT:
        second = nodes[first, NEXT]
        following = ABSENT
        if second != ABSENT:
            following = nodes[second, NEXT]
            first = join(nodes, keys, first, second)
        nodes[first, NEXT] = pairs
        pairs = first
        first = following
    if pairs == ABSENT:
        return ABSENT
    rest = nodes[pairs, NEXT]
    while rest != ABSENT:
        following = nodes[rest, NEXT]
        pairs = join(nodes, keys, pairs, rest)
        rest = following
    return pairs


@lean_part
def without(nodes, keys, root, node):
    """The root of the heap of `root` when `node` leaves it, or ABSENT."""
    if node == root:
        return without_root(nodes, keys, root)
    before, following = nodes[node, BEFORE], nodes[node, NEXT]
    nodes[before, CHILD if nodes[before, CHILD] == node else NEXT] = following
    if following != ABSENT:
        nodes[following, BEFORE] = before
    below = without_root(nodes, keys, node)
    return root if below == ABSENT else join(nodes, keys, root, below)
