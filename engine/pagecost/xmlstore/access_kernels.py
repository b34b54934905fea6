"""Indexed access to a store that is warm: all pages lie in memory, and what is touched goes on record.

One access is a value looked up in the value index, the elements that have it (anchors), perhaps a step to elements
below them through the element index, and the containers of each element found, reached through the document index.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_kernel, lean_part
from pagecost.xmlstore.codes_kernels import get_division
from pagecost.xmlstore.pages_kernels import (
    COMPRESSED,
    COUNT,
    ESCAPE,
    FLAGS,
    FRAGMENT,
    NO_VALUE,
    WITH_LENGTH,
    below,
    compare,
    get_16,
    get_key,
    get_length,
    get_slot,
    record_end,
)
from pagecost.xmlstore.parse_kernels import ATTRIBUTE_NODE, TEXT_NODE

WHOLE_ELEMENT, OWN_ATTRIBUTE, OWN_TEXT = range(3)  # which values of an element are wanted
DOCUMENT, ELEMENTS, VALUES = range(3)  # trees
TOUCHED, PIECES, NODES, FULL = range(4)  # places in Run.numbers


class Warm(NamedTuple):
    """The pages of a store and where its trees begin."""

    pages: np.ndarray  # uint8[n, page_bytes]
    roots: np.ndarray  # int64[3]: by tree
    heights: np.ndarray  # int64[3]
    tag_bytes: np.ndarray  # uint8[16]: by kind
    value_mode: np.ndarray  # uint8[16]


class Plan(NamedTuple):
    """A path whose one value is filled in."""

    levels: int  # from the node with the value up to its anchor
    names: np.ndarray  # int64[n]: of the elements below the anchor; none if the anchors themselves are wanted
    elements: np.ndarray  # uint8[paths]: path classes of those elements
    wanted: int  # WHOLE_ELEMENT, OWN_ATTRIBUTE or OWN_TEXT
    tags: np.ndarray  # uint8[65536]: tags of the wanted attributes or texts
    tagged: int  # 0 where texts have no tag


class Run(NamedTuple):
    """What is touched and found, and scratch."""

    touched: np.ndarray  # int32[...]: pages in the order of access
    pieces: np.ndarray  # int64[..., 4]: node, page, begin and size of a piece of its value; not noted if of length 0
    numbers: np.ndarray  # int64[4]
    key: np.ndarray  # uint8[3, 264]: of each tree
    wanted: np.ndarray  # uint8[3, 264]: what is looked for in each tree
    ends: np.ndarray  # int64[512]: where the levels of a label end [bit]


@lean_part
def touch(run, page):
    """Note that a page was touched; FULL is set where there is no room to."""
    if run.numbers[TOUCHED] < run.touched.size:
        run.touched[run.numbers[TOUCHED]] = page
        run.numbers[TOUCHED] += 1
    else:
        run.numbers[FULL] = 1


@lean_part
def leaf(warm, tree, run, size):
    """The leaf of a tree that holds run.wanted[tree, :size], or would."""
    number = warm.roots[tree]
    touch(run, number)
    for _ in range(warm.heights[tree]):
        number = below(warm.pages[number], run.wanted[tree], size)
        touch(run, number)
    return number


@lean_part
def behind(page):
    """The page behind in the chain, 0 at its end."""
    return get_16(page, 12) | (get_16(page, 14) << 16)


@lean_part
def seek(page, wanted, size, key):
    """(number, key size, where the body starts) of the first record not before wanted[:size]; its key is in `key`.

    The number is the page's count of records when there is none. Of compressed keys only the bytes are looked at that
    decide: as long as a key shares more with the one before than that shared with what is wanted, it is before, too.
    """
    count = get_16(page, COUNT)
    if not page[FLAGS] & COMPRESSED:
        low, high = 0, count
        while low < high:
            middle = (low + high) >> 1
            at = get_slot(page, middle)[0]
            if compare(page, at + 1, np.int64(page[at]), wanted, 0, size) < 0:
                low = middle + 1
            else:
                high = middle
        if low == count:
            return low, 0, 0
        found, at = get_key(page, get_slot(page, low)[0], 0, key)
        return low, found, at
    matched = 0
    for i in range(count):
        at = get_slot(page, i)[0]
        rest, shared = np.int64(page[at]), 0
        at += 1
        if rest == ESCAPE:
            shared, rest = np.int64(page[at]), np.int64(page[at + 1])
            at += 2
        else:
            shared, rest = rest >> 4, rest & 15
        if shared > matched:
            continue
        before = False
        if shared == matched:
            more = min(rest, size - matched)
            j = 0
            while j < more and page[at + j] == wanted[matched + j]:
                j += 1
            matched += j
            before = page[at + j] < wanted[matched] if j < more else rest < size - shared
        if not before:
            for j in range(shared):
                key[j] = wanted[j]
            for j in range(rest):
                key[shared + j] = page[at + j]
            return i, shared + rest, at + rest
    return count, 0, 0


@lean_part
def is_below(key, at, size, label, bits):
    """Whether the label in key[at:size] begins with the first `bits` bits of another."""
    whole = bits >> 3
    if size - at < (bits + 7) >> 3:
        return False
    for i in range(whole):
        if key[at + i] != label[i]:
            return False
    left = bits & 7
    return left == 0 or (key[at + whole] ^ label[whole]) >> (8 - left) == 0


@lean_part
def own_level(key, size, bits):
    """How many levels a label lies below the one that is its first `bits` bits, and the first division there."""
    at, levels, first = bits, 0, 0
    while True:
        value, at = get_division(key, size, at)
        if value == 0:
            return levels, first
        if first == 0:
            first = value
        levels += value & 1


@lean_part
def cut_label(run, key, at, size, levels, out, to):
    """Write the label key[at:size] without its last levels to out[to:]; (bytes, bits)."""
    count = 0
    bit, label = 0, key[at:]
    while True:
        value, bit = get_division(label, size - at, bit)
        if value == 0:
            break
        if value & 1:
            run.ends[count] = bit
            count += 1
    bits = run.ends[count - levels - 1] if count > levels else 0
    size_bytes = (bits + 7) >> 3
    for i in range(size_bytes):
        out[to + i] = label[i]
    if bits & 7:
        out[to + size_bytes - 1] &= np.uint8((0xFF << (8 - (bits & 7))) & 0xFF)
    return size_bytes, bits


@lean_part
def take(run, page, at, size):
    """Note a piece of the last node: `size` bytes from `at` in a page; FULL where there is no room."""
    place = run.numbers[PIECES]
    if run.pieces.shape[0] == 0:
        return
    if place >= run.pieces.shape[0]:
        run.numbers[FULL] = 1
        return
    run.pieces[place, 0] = run.numbers[NODES] - 1
    run.pieces[place, 1], run.pieces[place, 2], run.pieces[place, 3] = page, at, size
    run.numbers[PIECES] = place + 1


@lean_part
def is_wanted(plan, key, size, bits, kind, tag, mode):
    """Whether a record below an element is one of the values asked for."""
    if plan.wanted == WHOLE_ELEMENT:
        return mode == WITH_LENGTH
    if plan.wanted == OWN_ATTRIBUTE:
        return kind == ATTRIBUTE_NODE and plan.tags[tag] != 0
    if kind != TEXT_NODE or (plan.tagged and plan.tags[tag] == 0):
        return False
    return plan.tagged or own_level(key, size, bits)[0] == 1


@lean_part
def visit(warm, plan, run, size, bits):
    """Read the wanted values of the element whose label is run.wanted[DOCUMENT, :size]."""
    key, label = run.key[DOCUMENT], run.wanted[DOCUMENT]
    number = leaf(warm, DOCUMENT, run, size)
    page = warm.pages[number]
    i, key_size, at = seek(page, label, size, key)
    taking = False
    while True:
        count = get_16(page, COUNT)
        compressed = page[FLAGS] & COMPRESSED
        while i < count:
            if not is_below(key, 0, key_size, label, bits):
                return
            kind = get_slot(page, i)[1]
            end = record_end(page, i, count)
            if kind == FRAGMENT:
                if taking:
                    take(run, number, at, end - at)
            else:
                if plan.wanted == OWN_ATTRIBUTE and key_size > size and own_level(key, key_size, bits)[1] != 1:
                    return
                tag = np.int64(0)
                if warm.tag_bytes[kind]:
                    tag = get_16(page, at)
                    at += 2
                mode = warm.value_mode[kind]
                taking = mode != NO_VALUE and is_wanted(plan, key, key_size, bits, kind, tag, mode)
                if taking:
                    run.numbers[NODES] += 1
                    at = get_length(page, at)[1]
                    take(run, number, at, end - at)
            i += 1
            if i < count:
                key_size, at = get_key(page, get_slot(page, i)[0], compressed, key)
        number = behind(page)
        if number == 0:
            return
        touch(run, number)
        page = warm.pages[number]
        i = 0
        key_size, at = get_key(page, get_slot(page, 0)[0], page[FLAGS] & COMPRESSED, key)


@lean_part
def step_down(warm, plan, run, size, bits):
    """Visit the elements below the anchor whose label is run.wanted[ELEMENTS, 2 : 2 + size], through their index."""
    key, wanted = run.key[ELEMENTS], run.wanted[ELEMENTS]
    for number_of_name in range(plan.names.size):
        name = plan.names[number_of_name]
        wanted[0], wanted[1] = np.uint8(name >> 8), np.uint8(name & 255)
        number = leaf(warm, ELEMENTS, run, 2 + size)
        page = warm.pages[number]
        i, key_size, at = seek(page, wanted, 2 + size, key)
        going = True
        while going:
            count = get_16(page, COUNT)
            while i < count:
                if key[0] != wanted[0] or key[1] != wanted[1] or not is_below(key, 2, key_size, wanted[2:], bits):
                    going = False
                    break
                if plan.elements[get_16(page, at)]:
                    found, found_bits = cut_label(run, key, 2, key_size, 0, run.wanted[DOCUMENT], 0)
                    visit(warm, plan, run, found, found_bits)
                i += 1
                if i < count:
                    key_size, at = get_key(page, get_slot(page, i)[0], page[FLAGS] & COMPRESSED, key)
            if going:
                number = behind(page)
                if number == 0:
                    break
                touch(run, number)
                page = warm.pages[number]
                i = 0
                key_size, at = get_key(page, get_slot(page, 0)[0], page[FLAGS] & COMPRESSED, key)


@lean_part
def look_up(warm, plan, run, size):
    """All nodes with the value whose head is run.wanted[VALUES, :size]."""
    key, wanted = run.key[VALUES], run.wanted[VALUES]
    number = leaf(warm, VALUES, run, size)
    page = warm.pages[number]
    i, key_size, _ = seek(page, wanted, size, key)
    while True:
        count = get_16(page, COUNT)
        while i < count:
            if key_size < size or compare(key, 0, size, wanted, 0, size) != 0:
                return
            if plan.names.size:
                found, bits = cut_label(run, key, size, key_size, plan.levels, run.wanted[ELEMENTS], 2)
                step_down(warm, plan, run, found, bits)
            else:
                found, bits = cut_label(run, key, size, key_size, plan.levels, run.wanted[DOCUMENT], 0)
                visit(warm, plan, run, found, bits)
            i += 1
            if i < count:
                key_size = get_key(page, get_slot(page, i)[0], page[FLAGS] & COMPRESSED, key)[0]
        number = behind(page)
        if number == 0:
            return
        touch(run, number)
        page = warm.pages[number]
        if get_16(page, COUNT) == 0:
            return
        i = 0
        key_size = get_key(page, get_slot(page, 0)[0], page[FLAGS] & COMPRESSED, key)[0]


@lean_kernel
def access(warm, plan, heads, head_end, each, start, run, first_touched, first_node):
    """Look up value after value, from `start` on; the value to go on with when `run` is full.

    heads, head_end: of the keys, `each` for every value (one for each path class that may have it). first_touched,
    first_node: int64[n + 1], where the pages and the nodes of each value begin.
    """
    for number in range(start, first_touched.size - 1):
        touched, pieces, nodes = run.numbers[TOUCHED], run.numbers[PIECES], run.numbers[NODES]
        first_touched[number], first_node[number] = touched, nodes
        for place in range(number * each, (number + 1) * each):
            size = head_end[place + 1] - head_end[place]
            for i in range(size):
                run.wanted[VALUES, i] = heads[head_end[place] + i]
            look_up(warm, plan, run, size)
        if run.numbers[FULL]:
            run.numbers[TOUCHED], run.numbers[PIECES], run.numbers[NODES], run.numbers[FULL] = touched, pieces, nodes, 0
            return number
    first_touched[first_touched.size - 1] = run.numbers[TOUCHED]
    first_node[first_node.size - 1] = run.numbers[NODES]
    return first_touched.size - 1
