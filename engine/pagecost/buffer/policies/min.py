"""Belady's MIN: the page whose next use lies farthest in the future leaves. A bound for every policy's hits."""

import numpy as np

from pagecost.buffer.blocks_kernels import in_order
from pagecost.buffer.policies.min_kernels import State, find_next_uses, replay
from pagecost.buffer.policy import Picture, Policy
from pagecost.buffer.positions_kernels import new_positions


def start(case):
    last_first = in_order(case.ids)[::-1].astype(np.uint32)
    never = np.empty(last_first.size, np.uint32)
    never[last_first] = case.pages.size + np.arange(last_first.size, dtype=np.uint32)
    next_use = np.empty(case.pages.size, np.uint32)
    find_next_uses(case.pages, never, next_use)
    waiting = new_positions(case.pages.size + last_first.size)
    return State(
        next_use=next_use,
        pages=case.pages,
        last_first=last_first,
        frame_of=case.frames.frame_of,
        top=np.full(1, -1),
        waiting=waiting,
    )


def describe(pool, state):
    page_at = np.concatenate([state.pages, state.last_first])
    bits = np.unpackbits(state.waiting.words[: page_at.size // 64 + 1].view(np.uint8), bitorder="little")
    references, frames = state.next_use.size, pool.page_in.size
    last = {int(page_at[at]): int(at) for at in np.flatnonzero(bits)}  # a page's earlier positions are past
    waiting = [
        (page, f"next at {at + 1}" if at < references else "never again")
        for page, at in sorted(last.items(), key=lambda entry: entry[1])
        if pool.frame_of[page] < frames
    ]
    return Picture({"by next use": waiting}, {}, {})


REASONS = ("its next use is farthest away, or never",)
POLICY = Policy("min", "MIN (Belady)", start, replay, "Belady 1966", describe, REASONS, offline=True, foreknows=True)
