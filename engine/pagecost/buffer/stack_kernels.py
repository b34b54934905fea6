"""LRU stack distances of a whole trace, and what they say of every buffer size: misses and write-backs in one pass.

Every page has one bit, at the time of its last use; its stack distance is the number of bits from there on. The bits
are counted word by word, the words by a Fenwick tree that fits in a second-level cache. When the times run out, the
living bits move together.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_kernel as kernel
from pagecost._jit import lean_part as part

UNSEEN = np.uint32(0xFFFFFFFF)
CLEAN = np.uint32(0xFFFFFFFF)  # dirty in no buffer
NOW, LIVING = 0, 1  # places in Stack.scalars


class Stack(NamedTuple):
    last: np.ndarray  # uint32[pages]: time of the last use, or UNSEEN
    dirty_from: np.ndarray  # uint32[pages]: the page is dirty in buffers of at least so many frames
    page_at: np.ndarray  # uint32[times]
    words: np.ndarray  # uint64[times / 64]
    tree: np.ndarray  # int32[words + 1]: Fenwick tree over the bits of the words that are full
    hits_at: np.ndarray  # int64[pages + 2]: references at each stack distance
    writes_from: np.ndarray  # int64[pages + 2]: change of the number of write-backs from this buffer size on
    scalars: np.ndarray  # int64[2]


def new_stack(pages: int) -> Stack:
    """Before the first reference to page numbers 0 .. pages - 1."""
    words = pages // 32 + 64  # at least twice as many times as pages
    return Stack(
        np.full(pages, UNSEEN, np.uint32),
        np.full(pages, CLEAN, np.uint32),
        np.zeros(64 * words, np.uint32),
        np.zeros(words, np.uint64),
        np.zeros(words + 1, np.int32),
        np.zeros(pages + 2, np.int64),
        np.zeros(pages + 2, np.int64),
        np.zeros(2, np.int64),
    )


@part
def bits(word):
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@part
def add(tree, word, change):
    node = np.uint64(word) + np.uint64(1)
    while node < tree.size:
        tree[node] += change
        node += node & (~node + np.uint64(1))


@part
def before(tree, word):
    node, count = np.uint64(word), np.int64(0)
    while node:
        count += tree[node]
        node &= node - np.uint64(1)
    return count


@part
def squeeze(stack):
    """Move the living bits to the earliest times."""
    time = 0
    for word in range(stack.words.size):
        for bit in range(64):
            if (stack.words[word] >> np.uint64(bit)) & np.uint64(1):
                page = stack.page_at[64 * word + bit]
                stack.page_at[time] = page
                stack.last[page] = time
                time += 1
    stack.tree[:] = 0
    for word in range(stack.words.size):
        living = min(max(time - 64 * word, 0), 64)
        stack.words[word] = ~np.uint64(0) if living == 64 else (np.uint64(1) << np.uint64(living)) - np.uint64(1)
        if living == 64:
            add(stack.tree, word, 64)
    stack.scalars[NOW] = time


@kernel
def replay(pages, writes, stack):
    """Reference `pages` in order; writes[i] is 1 where the page is changed."""
    last, dirty_from, page_at, words, tree, hits_at, writes_from, scalars = stack
    for i in range(pages.size):
        if scalars[NOW] == page_at.size:
            squeeze(stack)
        now = scalars[NOW]
        page = pages[i]
        time = last[page]
        if time == UNSEEN:
            scalars[LIVING] += 1
            distance = np.uint32(hits_at.size - 1)  # a miss at every size
            dirty = CLEAN
        else:
            word, bit = time >> np.uint32(6), np.uint64(time & np.uint32(63))
            up_to = words[word] & ((np.uint64(2) << bit) - np.uint64(1))
            distance = np.uint32(scalars[LIVING] - before(tree, word) - bits(up_to) + 1)
            words[word] ^= np.uint64(1) << bit
            if word != now >> 6:
                add(tree, word, -1)
            dirty = dirty_from[page]
            if dirty < distance:  # smaller buffers wrote it back in between
                writes_from[dirty] += 1
                writes_from[distance] -= 1
                dirty = distance
        hits_at[distance] += 1
        dirty_from[page] = 1 if writes[i] else dirty
        last[page] = now
        page_at[now] = page
        words[now >> 6] |= np.uint64(1) << np.uint64(now & 63)
        now += 1
        if now & 63 == 0:
            add(tree, (now >> 6) - 1, bits(words[(now >> 6) - 1]))
        scalars[NOW] = now


@kernel
def finish(stack, writes_from, dirty_left):
    """Add what the buffers wrote back after the last use of each page, and count what they still hold.


    dirty_left: int64[pages + 2], change of the number of dirty pages left from this buffer size on.
    """
    depth = stack.scalars[LIVING] + 1
    for time in range(stack.scalars[NOW]):
        if (stack.words[time >> 6] >> np.uint64(time & 63)) & np.uint64(1):
            depth -= 1  # the page at this time is the depth-th newest
            dirty = np.int64(stack.dirty_from[stack.page_at[time]])
            if dirty == CLEAN:
                continue
            if dirty < depth:
                writes_from[dirty] += 1
                writes_from[depth] -= 1
            dirty_left[max(dirty, depth)] += 1


@part
def mixed(page, salt):
    word = (np.uint64(page) + salt) * np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return word ^ (word >> np.uint64(32))


@kernel
def choose(ids, salt, limit, groups, group):
    """group[i] = 1 .. groups for ids whose hash falls into one of so many ranges of `limit` of 2^64, else 0."""
    for i in range(ids.size):
        word = mixed(ids[i], salt)
        group[i] = 1 + word // limit if word < limit * groups else 0


@kernel
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
