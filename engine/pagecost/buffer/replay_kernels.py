"""One loop for every replacement policy: the hooks say what a policy decides, the template does the rest."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pagecost._jit import part, template

ABSENT = np.uint32(0xFFFFFFFF)  # frame_of a page that is not in the buffer
USED, READ_HITS, WRITE_HITS, WRITE_BACKS = range(4)  # places in Frames.counts


class Frames(NamedTuple):
    """The buffer pool. Scalars that change live in an array, so that a replay can go on where it stopped."""

    frame_of: np.ndarray  # uint32[pages]: frame that holds the page, or ABSENT
    page_in: np.ndarray  # uint32[frames]
    dirty: np.ndarray  # uint8[frames]: 1 if written since it was loaded
    counts: np.ndarray  # int64[4]


class Case(NamedTuple):
    """What a policy may look at when it starts. Only Belady's MIN reads `pages`, which lie in its future."""

    frames: Frames
    pages: np.ndarray  # uint32[references], dense page numbers
    ids: np.ndarray  # int64[distinct pages], the page ids as given


class Policy(NamedTuple):
    """A replacement policy: `start(case)` returns its state, `replay` is its cached entry point."""

    name: str
    title: str
    start: Callable[[Case], tuple]
    replay: Callable
    source: str
    offline: bool = False  # looks into the future: a bound, not something a system can run


@part
def nothing(state, frame, at):
    """The hook of a policy that does not care."""


class Hooks(NamedTuple):
    """What a policy decides. `at` is the position of the reference in the whole trace."""

    victim: Callable  # victim(state) -> frame to empty; only called when every frame is in use
    on_hit: Callable = nothing  # on_hit(state, frame, at)
    on_load: Callable = nothing  # on_load(state, frame, at): a page now stands in `frame`


def new_frames(distinct_pages: int, frames: int) -> Frames:
    """An empty buffer of `frames` frames for page numbers 0 .. distinct_pages - 1."""
    return Frames(
        frame_of=np.full(distinct_pages, ABSENT, np.uint32),
        page_in=np.zeros(frames, np.uint32),
        dirty=np.zeros(frames, np.uint8),
        counts=np.zeros(4, np.int64),
    )


@template
def replay(pages, writes, at, frames, state, hooks):
    """Reference `pages` in order; writes[i] is 1 where the page is changed. Counts are added to frames.counts."""
    frame_of, page_in, dirty, counts = frames
    used = counts[0]
    read_hits = 0
    write_hits = 0
    write_backs = 0
    for i in range(pages.size):
        page = pages[i]
        write = writes[i]
        frame = frame_of[page]
        if frame != ABSENT:
            read_hits += 1 - write
            write_hits += write
            dirty[frame] |= write
            hooks.on_hit(state, frame, at + i)
            continue
        if used < page_in.size:
            frame = np.uint32(used)
            used += 1
        else:
            frame = hooks.victim(state)
            frame_of[page_in[frame]] = ABSENT
            write_backs += dirty[frame]
        frame_of[page] = frame
        page_in[frame] = page
        dirty[frame] = write
        hooks.on_load(state, frame, at + i)
    counts[0] = used
    counts[1] += read_hits
    counts[2] += write_hits
    counts[3] += write_backs
