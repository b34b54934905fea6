"""One loop for every replacement policy: the hooks say what a policy decides, the template does the rest."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pagecost._jit import entry_of, lean_part, prefetch, template

ABSENT = np.uint32(0xFFFFFFFF)  # frame_of a page that is not in the buffer and not remembered either
AHEAD = 12  # references between a page's announcement and its use: the time of a few accesses to main memory
USED, READ_HITS, WRITE_HITS, WRITE_BACKS = range(4)  # places in Frames.counts


class Frames(NamedTuple):
    """The buffer pool. Scalars that change live in an array, so that a replay can go on where it stopped.

    A policy that remembers pages after they left (ghosts) keeps frames + number of the ghost in `frame_of`.
    """

    frame_of: np.ndarray  # uint32[pages]: frame that holds the page, a ghost (frames or more), or ABSENT
    page_in: np.ndarray  # uint32[frames]
    dirty: np.ndarray  # uint8[frames]: 1 if written since it was loaded
    free: np.ndarray  # uint32[frames]: free[used:] are the frames that hold nothing
    counts: np.ndarray  # int64[4]
    log: np.ndarray  # uint32[2^k]: pages written back in this call, in order; 2^0 where nobody asks
    each: np.ndarray  # uint32[2^k], by reference of this call: 2 x write-backs up to it, + 1 if it hit; 2^0 likewise


@lean_part
def nothing(state, frame, write, at):
    """The hook of a policy that does not care about a hit."""


@lean_part
def blindly(state, page, at):
    """A policy that needs nothing fetched ahead."""
    pass


@lean_part
def forget(state, frame, page):
    """The hook of a policy that keeps nothing of a page that leaves."""


@lean_part
def alone(state):
    """The hook of a policy whose victim leaves alone."""
    return ABSENT


@lean_part
def always(state, page, write):
    """The hook of a policy that gives every page a frame."""
    return True


@lean_part
def load_nothing(state, frame, slot, write, at):
    """The hook of a policy that does not care which page was loaded."""


class Hooks(NamedTuple):
    """What a policy decides. `at` is the position of the reference in the whole trace.

    `slot` is what frame_of says of the page that comes in, before a victim was chosen: ABSENT or one of its ghosts.
    """

    victim: Callable  # victim(state, slot, at) -> frame to empty; only called when every frame is in use
    on_hit: Callable = nothing  # on_hit(state, frame, write, at)
    on_load: Callable = load_nothing  # on_load(state, frame, slot, write, at): a page now stands in `frame`
    on_evict: Callable = forget  # on_evict(state, frame, page): the page left; it may be given a ghost
    companion: Callable = alone  # companion(state) -> a further frame to empty with the victim, or ABSENT
    foresee: Callable = blindly  # foresee(state, page, at): the page is referenced at `at`, AHEAD references from now
    admits: Callable = always  # admits(state, page, write): whether a missing page gets a frame


def new_frames(distinct_pages: int, frames: int, log: int = 1, each: int = 1) -> Frames:
    """An empty buffer of `frames` frames for page numbers 0 .. distinct_pages - 1; log, each: powers of two."""
    return Frames(
        frame_of=np.full(distinct_pages, ABSENT, np.uint32),
        page_in=np.zeros(frames, np.uint32),
        dirty=np.zeros(frames, np.uint8),
        free=np.arange(frames, dtype=np.uint32),
        counts=np.zeros(4, np.int64),
        log=np.zeros(log, np.uint32),
        each=np.zeros(each, np.uint32),
    )


@template
def replay(pages, writes, at, pool, state, hooks):
    """Reference `pages` in order; writes[i] is 1 where the page is changed. Counts are added to pool.counts."""
    frame_of, page_in, dirty, free, counts, log, each = pool
    frames = np.uint32(page_in.size)
    last, last_each = log.size - 1, each.size - 1
    used = counts[USED]
    # in plain Python, too, no bytes, which the flags are that they add
    read_hits = np.int64(0)
    write_hits = np.int64(0)
    write_backs = np.int64(0)
    for i in range(pages.size):
        ahead = min(i + AHEAD, pages.size - 1)
        prefetch(frame_of, pages[ahead])
        hooks.foresee(state, pages[ahead], at + ahead)
        page = pages[i]
        write = writes[i]
        slot = frame_of[page]
        if slot < frames:
            read_hits += 1 - write
            write_hits += write
            dirty[slot] |= write
            hooks.on_hit(state, slot, write, at + i)
            each[i & last_each] = 2 * write_backs + 1
            continue
        if not hooks.admits(state, page, write):
            each[i & last_each] = 2 * write_backs
            continue
        if used < page_in.size:
            frame = free[used]
            used += 1
        else:
            frame = hooks.victim(state, slot, at + i)
            old = page_in[frame]
            frame_of[old] = ABSENT
            log[write_backs & last] = old
            write_backs += dirty[frame]
            hooks.on_evict(state, frame, old)
            other = hooks.companion(state)
            while other != ABSENT:
                old = page_in[other]
                frame_of[old] = ABSENT
                log[write_backs & last] = old
                write_backs += dirty[other]
                dirty[other] = 0
                hooks.on_evict(state, other, old)
                used -= 1
                free[used] = other
                other = hooks.companion(state)
        frame_of[page] = frame
        page_in[frame] = page
        dirty[frame] = write
        hooks.on_load(state, frame, slot, write, at + i)
        each[i & last_each] = 2 * write_backs
    counts[USED] = used
    counts[READ_HITS] += read_hits
    counts[WRITE_HITS] += write_hits
    counts[WRITE_BACKS] += write_backs


def entry(module: str, hooks: Hooks):
    """The kernel that replays references under a policy of these hooks; module: the policy's own name, `__name__`."""

    @entry_of(module)
    def replay_under_policy(pages, writes, at, pool, state):
        replay(pages, writes, at, pool, state, hooks)

    return replay_under_policy
