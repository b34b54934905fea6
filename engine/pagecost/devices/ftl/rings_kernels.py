"""Rings of things, each headed by a place of its own: put in at an end, taken from anywhere."""

import numpy as np

from pagecost._jit import lean_part

OLDER, NEWER = 0, 1


def new_rings(things: int, heads: int) -> np.ndarray:
    """uint32[things + heads, 2]: neighbours; place things + h heads ring h. All rings are empty."""
    places = np.arange(things + heads, dtype=np.uint32)
    return np.stack([places, places], axis=1)


@lean_part
def put(links, head, thing):
    """Put a thing at the newer end."""
    newest = links[head, OLDER]
    links[thing, OLDER] = newest
    links[thing, NEWER] = head
    links[newest, NEWER] = thing
    links[head, OLDER] = thing


@lean_part
def put_first(links, head, thing):
    """Put a thing at the older end."""
    oldest = links[head, NEWER]
    links[thing, OLDER] = head
    links[thing, NEWER] = oldest
    links[oldest, OLDER] = thing
    links[head, NEWER] = thing


@lean_part
def take(links, thing):
    """Take a thing out of its ring."""
    older = links[thing, OLDER]
    newer = links[thing, NEWER]
    links[older, NEWER] = newer
    links[newer, OLDER] = older
