"""Doubly linked lists over the rows of one array: frames and ghosts change lists without being copied.

`links[node]` is (older, newer). The last rows of the array close one ring each; `ring(links, lists, which)` is the
closing row of list `which` of `lists`.
"""

import numpy as np

from pagecost._jit import inline_part

OLDER, NEWER = 0, 1


def new_lists(nodes: int, lists: int) -> np.ndarray:
    """`lists` empty lists over `nodes` nodes, uint32, shape (nodes + lists, 2)."""
    links = np.zeros((nodes + lists, 2), np.uint32)
    links[nodes:] = np.arange(nodes, nodes + lists, dtype=np.uint32)[:, None]
    return links


def newest_first(links, closing: int) -> list[int]:
    """The nodes of the list that row `closing` closes."""
    nodes, node = [], int(links[closing, OLDER])
    while node != closing:
        nodes.append(node)
        node = int(links[node, OLDER])
    return nodes


@inline_part
def ring(links, lists, which):
    """The closing row of list `which` of `lists`."""
    return np.uint32(links.shape[0] - lists + which)


@inline_part
def oldest(links, closing):
    """The oldest node, or `closing` where the list is empty."""
    return links[closing, NEWER]


@inline_part
def newest(links, closing):
    """The newest node, or `closing` where the list is empty."""
    return links[closing, OLDER]


@inline_part
def push(links, closing, node):
    """Make `node`, which is in no list, the newest."""
    before = links[closing, OLDER]
    links[node, OLDER] = before
    links[node, NEWER] = closing
    links[before, NEWER] = node
    links[closing, OLDER] = node


@inline_part
def push_oldest(links, closing, node):
    """Make `node`, which is in no list, the oldest."""
    after = links[closing, NEWER]
    links[node, NEWER] = after
    links[node, OLDER] = closing
    links[after, OLDER] = node
    links[closing, NEWER] = node


@inline_part
def unlink(links, node):
    """Take `node` out of its list."""
    older = links[node, OLDER]
    newer = links[node, NEWER]
    links[older, NEWER] = newer
    links[newer, OLDER] = older


@inline_part
def renew(links, closing, node):
    """Make `node`, which is in the list, its newest; the newest stays where it is."""
    if links[node, NEWER] != closing:
        unlink(links, node)
        push(links, closing, node)
