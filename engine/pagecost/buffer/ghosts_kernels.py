"""Pages that a policy remembers after they left: nodes behind the frames, in the policy's own lists.

A ghost is node frames + number of the policy's `links`; `page_of` says which page, and the buffer's `frame_of` finds
it. Numbers that are free again wait in `spare`, a stack whose first element is its height.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part


class Ghosts(NamedTuple):
    page_of: np.ndarray  # uint32[ghosts]
    spare: np.ndarray  # uint32[1 + ghosts]
    frame_of: np.ndarray  # the buffer's own array
    frames: np.ndarray  # uint32[1]: number of the first ghost's node


def new_ghosts(case, most: int) -> Ghosts:
    """Room for `most` remembered pages."""
    spare = np.arange(most, -1, -1).astype(np.uint32)
    spare[0] = most
    frames = np.array([case.frames.page_in.size], np.uint32)
    return Ghosts(page_of=np.zeros(most, np.uint32), spare=spare, frame_of=case.frames.frame_of, frames=frames)


@inline_part
def remember(ghosts, page):
    """Give a page that just left a node, which the caller puts on a list."""
    number = ghosts.spare[ghosts.spare[0]]
    ghosts.spare[0] -= np.uint32(1)
    ghosts.page_of[number] = page
    node = ghosts.frames[0] + number
    ghosts.frame_of[page] = node
    return node


@inline_part
def give_back(ghosts, node):
    """The node, taken off its list, is free; its page is now found elsewhere."""
    ghosts.spare[0] += np.uint32(1)
    ghosts.spare[ghosts.spare[0]] = node - ghosts.frames[0]


@inline_part
def drop(ghosts, node):
    """Forget the page of a node that was taken off its list."""
    ghosts.frame_of[ghosts.page_of[node - ghosts.frames[0]]] = np.uint32(0xFFFFFFFF)
    give_back(ghosts, node)
