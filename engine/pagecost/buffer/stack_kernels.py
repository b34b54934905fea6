"""LRU stack distances of a whole trace, and what they say of every buffer size: misses and write-backs in one pass.

Every page has one bit, at the time of its last use; its stack distance is the number of bits from there on. The bits
are counted in lines of 512, a cache line of the processor, and the lines before one are known as a sum. When the times
run out, the living bits move together.

Two parts of a trace can be looked at side by side (Niu et al. 2012, PARDA): within the later one every distance is
right but that of a page's first use, and those few are found afterwards in the stack that the earlier part left.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_kernel, lean_part, prefetch, trailing_zeros
from pagecost.buffer.replay_kernels import AHEAD
from pagecost.buffer.sums_kernels import Sums, add, before, new_sums

UNSEEN = np.uint32(0xFFFFFFFF)
CLEAN = np.uint32(0xFFFFFFFF)  # dirty in no buffer
OPEN = np.uint32(0x80000000)  # not written in the later part; with it stands how deep the page was found there
LINE_SHIFT = np.uint32(9)  # a line has 2^9 times, one bit each: a cache line of 64 bytes
LINE_TIMES, LINE_WORDS = 512, 8
BLOCK = 2048  # references
LAST, DIRTY_FROM = 0, 1  # columns of Stack.uses
HITS, WRITES_FROM = 0, 1  # columns of Stack.counts
NOW, LIVING, CONTINUES = range(3)  # places in Stack.scalars


class Stack(NamedTuple):
    uses: np.ndarray  # uint32[pages, 2]: time of the last use, or UNSEEN; dirty in buffers of at least so many frames
    page_at: np.ndarray  # uint32[times]
    words: np.ndarray  # uint64[times / 64]
    full: Sums  # bits of each line that is full
    counts: np.ndarray  # int64[pages + 2, 2] by stack distance: references; change of the write-backs from there on
    distances: np.ndarray  # uint32[a block of references], counted together: one by one each waits for main memory
    first: np.ndarray  # uint32[pages]: the pages in the order of their first use
    found: np.ndarray  # uint32[pages]: of a later part, how deep a page was found at most, up to its first write
    scalars: np.ndarray  # int64[3]


def new_stack(pages: int, continues: bool = False) -> Stack:
    """Before the first reference to page numbers 0 .. pages - 1; `continues`: of a later part of a trace."""
    lines = 2 * pages // LINE_TIMES + 2  # at least twice as many times as pages
    words = LINE_WORDS * lines
    return Stack(
        uses=np.full((pages, 2), UNSEEN, np.uint32),
        page_at=np.zeros(64 * words, np.uint32),
        words=np.zeros(words, np.uint64),
        full=new_sums(lines),
        counts=np.zeros((pages + 2, 2), np.int64),
        distances=np.zeros(BLOCK, np.uint32),
        first=np.zeros(pages, np.uint32),
        found=np.zeros(pages if continues else 1, np.uint32),
        scalars=np.array([0, 0, continues]),
    )


@lean_part
def bits(word):
    """The number of ones among the 64 bits of a word."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@lean_part
def up_to(words, time):
    """The bits of the time's line, from its first to the time itself."""
    word = time >> np.uint32(6)
    first = word & ~np.uint32(LINE_WORDS - 1)
    count = bits(words[word] & ((np.uint64(2) << np.uint64(time & np.uint32(63))) - np.uint64(1)))
    for at in range(LINE_WORDS):
        count += bits(words[first + np.uint32(at)]) if np.uint32(at) < word - first else 0
    return count


@lean_part
def squeeze(stack):
    """Move the living bits to the earliest times."""
    now = np.uint32(0)
    for word in range(stack.words.size):
        living = stack.words[word]
        while living:
            page = stack.page_at[64 * word + np.int64(trailing_zeros(living))]
            living &= living - np.uint64(1)
            stack.page_at[now] = page
            stack.uses[page, LAST] = now
            now += np.uint32(1)
    for word in range(stack.words.size):
        living = min(max(np.int64(now) - 64 * word, 0), 64)
        stack.words[word] = ~np.uint64(0) if living == 64 else (np.uint64(1) << np.uint64(living)) - np.uint64(1)
    stack.full.before[:] = 0
    for line in range(now >> LINE_SHIFT):
        add(stack.full, line, np.int32(LINE_TIMES))
    stack.scalars[NOW] = now


@lean_kernel
def replay(pages, writes, stack):
    """Reference `pages` in order; writes[i] is 1 where the page is changed."""
    uses, page_at, words, full, counts, distances, order, found, scalars = stack
    unknown = OPEN if scalars[CONTINUES] else CLEAN
    for first in range(0, pages.size, distances.size):
        end = min(first + distances.size, pages.size)
        for i in range(first, end):
            prefetch(uses, pages[min(i + AHEAD, pages.size - 1)])
            if scalars[NOW] == page_at.size:
                squeeze(stack)
            now = scalars[NOW]
            page = pages[i]
            time = uses[page, LAST]
            if time == UNSEEN:
                order[scalars[LIVING]] = page
                scalars[LIVING] += 1
                distance = np.uint32(counts.shape[0] - 1)  # a miss at every size
                dirty = unknown
            else:
                line = time >> LINE_SHIFT
                distance = np.uint32(scalars[LIVING] - before(full, line) - up_to(words, time) + 1)
                words[time >> np.uint32(6)] ^= np.uint64(1) << np.uint64(time & np.uint32(63))
                if line != now >> LINE_SHIFT:
                    add(full, line, np.int32(-1))
                dirty = uses[page, DIRTY_FROM]
                if dirty < distance:  # smaller buffers wrote it back in between
                    counts[dirty, WRITES_FROM] += 1
                    counts[distance, WRITES_FROM] -= 1
                    dirty = distance
                elif dirty != CLEAN and dirty >= OPEN:
                    dirty = max(dirty, OPEN | distance)
            distances[i - first] = distance
            if writes[i] and dirty != CLEAN and dirty >= OPEN:
                found[page] = dirty ^ OPEN
            uses[page, DIRTY_FROM] = 1 if writes[i] else dirty
            uses[page, LAST] = now
            page_at[now] = page
            words[now >> 6] |= np.uint64(1) << np.uint64(now & 63)
            if now & (LINE_TIMES - 1) == LINE_TIMES - 1:
                add(full, now >> LINE_SHIFT, np.int32(up_to(words, np.uint32(now))))
            scalars[NOW] = now + 1
        for j in range(end - first):
            counts[distances[j], HITS] += 1


@lean_kernel
def join(earlier, later):
    """Settle the first uses of the later part in the stack of the earlier one, which then holds only other pages."""
    uses, words, full, counts = earlier.uses, earlier.words, earlier.full, earlier.counts
    now = np.uint32(earlier.scalars[NOW])
    for newer in range(later.scalars[LIVING]):
        prefetch(uses, later.first[min(newer + AHEAD, later.scalars[LIVING] - 1)])
        page = later.first[newer]
        after = later.uses[page, DIRTY_FROM]
        is_open = after != CLEAN and after >= OPEN
        time = uses[page, LAST]
        dirty = CLEAN
        if time != UNSEEN:
            line = time >> LINE_SHIFT
            older = earlier.scalars[LIVING] - before(full, line) - up_to(words, time)
            distance = np.uint32(older + newer + 1)
            words[time >> np.uint32(6)] ^= np.uint64(1) << np.uint64(time & np.uint32(63))
            if line != now >> LINE_SHIFT:
                add(full, line, np.int32(-1))
            earlier.scalars[LIVING] -= 1
            counts[distance, HITS] += 1
            counts[counts.shape[0] - 1, HITS] -= 1
            dirty = uses[page, DIRTY_FROM]
            if dirty != CLEAN:
                deepest = max(distance, after ^ OPEN if is_open else later.found[page])
                if dirty < deepest:
                    counts[dirty, WRITES_FROM] += 1
                    counts[deepest, WRITES_FROM] -= 1
                    dirty = deepest
        if is_open:
            later.uses[page, DIRTY_FROM] = dirty


@lean_kernel
def finish(stack, newer, writes_from, dirty_left):
    """Add what the buffers wrote back after the last use of each page, and count what they still hold.

    newer: how many other pages were used later than these. dirty_left: int64[pages + 2], change of the number of dirty
    pages left from this buffer size on.
    """
    depth = stack.scalars[LIVING] + newer + 1
    for time in range(stack.scalars[NOW]):
        if (stack.words[time >> 6] >> np.uint64(time & 63)) & np.uint64(1):
            depth -= 1  # the page at this time is the depth-th newest
            dirty = np.int64(stack.uses[stack.page_at[time], DIRTY_FROM])
            if dirty == CLEAN:
                continue
            if dirty < depth:
                writes_from[dirty] += 1
                writes_from[depth] -= 1
            dirty_left[max(dirty, depth)] += 1


@lean_part
def mixed(page, salt):
    """A hash of 64 bits of the page; another salt, another hash."""
    word = (np.uint64(page) + salt) * np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return word ^ (word >> np.uint64(32))


@lean_kernel
def choose(ids, salt, limit, groups, group):
    """group[i] = 1 .. groups for ids whose hash falls into one of so many ranges of `limit` of 2^64, else 0."""
    for i in range(ids.size):
        word = mixed(ids[i], salt)
        group[i] = 1 + word // limit if word < limit * groups else 0


@lean_kernel
def pick(ids, writes, salt, limit, groups, picked, picked_writes, group):
    """Copy the references whose id has a group (as `choose` gives it) to arrays as long as they; the number of them."""
    count = 0
    every = limit * groups
    for i in range(ids.size):
        word = mixed(ids[i], salt)
        if word < every:
            picked[count] = ids[i]
            picked_writes[count] = writes[i]
            group[count] = 1 + word // limit
            count += 1
    return count


@lean_kernel
def sample(pages, writes, group, sampled, sampled_writes):
    """Copy the references to pages with a group; the number of them. Outputs may be shorter."""
    count = 0
    room = sampled.size
    for i in range(pages.size):
        page = pages[i]
        if group[page]:
            if count < room:
                sampled[count] = page
                sampled_writes[count] = writes[i]
            count += 1
    return count
