"""RAM in front of the map: writes stay in it, overwrites of them cost nothing, and a policy says who has to go.

One loop for every policy. A policy writes out the pages of its victim and may add pages of its own (padding), which
are written to the flash as if the host had written them.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pagecost._jit import entry_of, lean_part, template
from pagecost.lists_kernels import unlink

CAPACITY, USED, HITS, PADDED, PAGES_PER_BLOCK, OUT = range(6)
SCALARS = 6


class Buffer(NamedTuple):
    """The pages in RAM. OUT in `scalars`: pages in `out`, which leave for the flash in this order."""

    held: np.ndarray  # uint8[logical pages]: 1 while in the buffer
    out: np.ndarray  # uint32[...]
    scalars: np.ndarray  # int64[SCALARS]


class Hooks(NamedTuple):
    """What a policy decides."""

    on_hit: Callable  # on_hit(state, buffer, page): a page in the buffer is overwritten
    on_load: Callable  # on_load(state, buffer, page): a page has come in
    evict: Callable  # evict(state, buffer): let at least one page go, by `leave`


def new_buffer(capacity: int, logical_pages: int, pages_per_block: int, most_out: int) -> Buffer:
    """An empty buffer of `capacity` pages; `out` has room for `most_out`."""
    scalars = np.zeros(SCALARS, np.int64)
    scalars[[CAPACITY, PAGES_PER_BLOCK]] = capacity, pages_per_block
    return Buffer(np.zeros(logical_pages, np.uint8), np.empty(most_out, np.uint32), scalars)


@lean_part
def leave(buffer, page):
    """A page goes to the flash."""
    buffer.held[page] = 0
    buffer.out[buffer.scalars[OUT]] = page
    buffer.scalars[OUT] += 1
    buffer.scalars[USED] -= 1


@lean_part
def pad(buffer, page):
    """A page that is not in the buffer is read from the flash and written again."""
    buffer.out[buffer.scalars[OUT]] = page
    buffer.scalars[OUT] += 1
    buffer.scalars[PADDED] += 1


@lean_part
def leave_as_a_whole(state, buffer, block, padded):
    """A block, which is in a list, goes to the flash in the order of its pages; padded: with those that it lacks.

    The policy's state has `links`, the lists, and `pages`, how many pages of each block are in the buffer.
    """
    unlink(state.links, block)
    state.pages[block] = 0
    pages = buffer.scalars[PAGES_PER_BLOCK]
    first = np.int64(block) * pages
    for page in range(first, min(first + pages, buffer.held.size)):
        if buffer.held[page]:
            leave(buffer, np.uint32(page))
        elif padded:
            pad(buffer, np.uint32(page))


@template
def absorb(pages, buffer, state, hooks):
    """Take page writes (uint32) in order; what leaves stands in `out` then."""
    scalars = buffer.scalars
    scalars[OUT] = 0
    for i in range(pages.size):
        page = pages[i]
        if buffer.held[page]:
            scalars[HITS] += 1
            hooks.on_hit(state, buffer, page)
            continue
        if scalars[USED] >= scalars[CAPACITY]:
            hooks.evict(state, buffer)
        buffer.held[page] = 1
        scalars[USED] += 1
        hooks.on_load(state, buffer, page)


def entry(module: str, hooks: Hooks):
    """The kernel that takes writes into a buffer under a policy of these hooks; module: the policy's own name."""

    @entry_of(module)
    def absorb_under_policy(pages, buffer, state):
        absorb(pages, buffer, state, hooks)

    return absorb_under_policy
