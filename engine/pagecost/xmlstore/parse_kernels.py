"""Parser events to nodes: labels, names and path classes, for a chunk of many documents at a time.

An event is a code, its texts follow each other in one blob: START + k (a name, then k names and values of attributes),
END, TEXT, COMMENT, INSTRUCTION (target, data), CLOSE (the end of a document),
SKIP - k (k places of the collection stay empty).
"""

from typing import NamedTuple

import numpy as np

from pagecost import characters_kernels as ch
from pagecost._jit import general_part, lean_kernel, lean_part
from pagecost.xmlstore.codes_kernels import put_division

END, TEXT, COMMENT, INSTRUCTION, CLOSE, SKIP = -1, -2, -3, -4, -5, -6
ELEMENT_NODE, ATTRIBUTE_NODE, TEXT_NODE, COMMENT_NODE, INSTRUCTION_NODE = range(5)  # kinds of nodes and path classes
DONE, NAMES_FULL, PATHS_FULL, TOO_DEEP, TOO_LONG, NAME_LONG = range(6)
LONGEST_LABEL, LONGEST_NAME, LONGEST_VALUE, LEVELS = 220, 1024, (1 << 24) - 1, 420
LAYOUT_DROPPED = 6  # place in State.numbers: 1 if layout whitespace is dropped
DEPTH, DIVISION, MISC, ROOT_SEEN, NAMES, PATHS = range(6)  # places in State.numbers
NO_PATH = -1


class State(NamedTuple):
    """Where the parse stands, and the names and path classes met so far. Depth 0 is the collection."""

    numbers: np.ndarray  # int64[8]
    bits: np.ndarray  # uint8[256]: label of the open element
    bit_end: np.ndarray  # int64[LEVELS]: by depth
    next_child: np.ndarray  # int64[LEVELS]: division of the next child
    path_at: np.ndarray  # int64[LEVELS]: path class of the open element
    children: np.ndarray  # int64[LEVELS]: nodes below it so far, attributes too
    text_seen: np.ndarray  # uint8[LEVELS]: whether it has a text node
    name_bytes: np.ndarray  # uint8[...]
    name_end: np.ndarray  # int64[names + 1]
    name_slot: np.ndarray  # int32[2^k], -1 or a name
    path_parent: np.ndarray  # int32[paths]
    path_name: np.ndarray  # int32[paths]
    path_kind: np.ndarray  # uint8[paths]
    several: np.ndarray  # uint8[paths]: text classes of which one element has more than one node
    path_slot: np.ndarray  # int32[2^k], -1 or a path class


class Nodes(NamedTuple):
    """The nodes of a chunk in document order; a value is a piece of the blob."""

    kind: np.ndarray  # uint8[n]
    name: np.ndarray  # int32[n], -1 for text and comments
    path: np.ndarray  # int32[n]
    label_end: np.ndarray  # int64[n + 1]
    labels: np.ndarray  # uint8[...]
    value_at: np.ndarray  # int64[n]
    value_bytes: np.ndarray  # int64[n]
    leaf: np.ndarray  # uint8[n]: 0 for elements with something below them


@lean_part
def name_of(state, blob, at, end):
    """The number of a name, new or known; -1 when there is no room for a new one."""
    mask = np.uint64(state.name_slot.size - 1)
    mixed = np.uint64(14695981039346656037)
    for i in range(at, end):
        mixed = (mixed ^ np.uint64(blob[i])) * np.uint64(1099511628211)
    slot = (mixed ^ (mixed >> np.uint64(29))) & mask
    while state.name_slot[slot] >= 0:
        known = state.name_slot[slot]
        start = state.name_end[known]
        if state.name_end[known + 1] - start == end - at:
            same = True
            for i in range(end - at):
                if state.name_bytes[start + i] != blob[at + i]:
                    same = False
                    break
            if same:
                return np.int64(known)
        slot = (slot + np.uint64(1)) & mask
    fresh = state.numbers[NAMES]
    start = state.name_end[fresh]
    if fresh + 2 > state.name_end.size or start + end - at > state.name_bytes.size:
        return np.int64(-1)
    for i in range(end - at):  # as slices, with words for what cannot be here, this took 4 s to compile
        state.name_bytes[start + i] = blob[at + i]
    state.name_end[fresh + 1] = start + end - at
    state.name_slot[slot] = fresh
    state.numbers[NAMES] += 1
    return fresh


@general_part
def path_of(state, parent, kind, name):
    """The number of a path class, new or known; -1 when there is no room for a new one."""
    mask = np.uint64(state.path_slot.size - 1)
    key = np.uint64((parent + 1) * 8 + kind) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(name + 1)
    key *= np.uint64(0xC2B2AE3D27D4EB4F)
    slot = (key ^ (key >> np.uint64(31))) & mask
    while state.path_slot[slot] >= 0:
        known = state.path_slot[slot]
        same = state.path_parent[known] == parent and state.path_kind[known] == kind
        if same and state.path_name[known] == name:
            return np.int64(known)
        slot = (slot + np.uint64(1)) & mask
    fresh = state.numbers[PATHS]
    if fresh >= state.path_kind.size:
        return np.int64(-1)
    state.path_parent[fresh], state.path_kind[fresh], state.path_name[fresh] = parent, kind, name
    state.path_slot[slot] = fresh
    state.numbers[PATHS] += 1
    return fresh


@lean_part
def is_layout(blob, at, end):
    """Whether a text is only blanks, with a line break among them."""
    broken = False
    for i in range(at, end):
        if blob[i] == ch.LINE_FEED:
            broken = True
        elif blob[i] != ch.SPACE and blob[i] != ch.TAB and blob[i] != ch.RETURN:
            return False
    return broken


@general_part
def label_below(state, depth, division):
    """Put the label of a child behind the open element's in state.bits; its end [bit]."""
    return put_division(state.bits, state.bit_end[depth], division)


@general_part
def emit(state, nodes, n, bit_end, kind, name, path, value_at, value_bytes):
    """Node number n with the label in state.bits."""
    size = (bit_end + 7) >> 3
    at = nodes.label_end[n]
    for i in range(size):
        nodes.labels[at + i] = state.bits[i]
    nodes.label_end[n + 1] = at + size
    nodes.kind[n], nodes.name[n], nodes.path[n], nodes.leaf[n] = kind, name, path, kind != ELEMENT_NODE
    nodes.value_at[n], nodes.value_bytes[n] = value_at, value_bytes


@lean_part
def child_label(state, depth):
    """The label of the next child, -1 when it is too long: outside a root, below an even division beside it."""
    if depth > 0:
        end = label_below(state, depth, state.next_child[depth])
        state.next_child[depth] += 2
    else:
        end = state.bit_end[0]
        if state.numbers[ROOT_SEEN]:
            end = put_division(state.bits, end, state.numbers[DIVISION] + 1)
            end = put_division(state.bits, end, 2)
        else:
            end = put_division(state.bits, end, state.numbers[DIVISION] - 1)
        end = put_division(state.bits, end, state.numbers[MISC])
        state.numbers[MISC] += 2
    return end if end <= 8 * LONGEST_LABEL else -1


@lean_kernel
def understand(codes, blob, text_end, state, nodes):
    """Fill `nodes` from events; (how many nodes, DONE or why not, the event and text where it stopped)."""
    numbers = state.numbers
    n = 0
    text = 0
    i = 0
    nodes.label_end[0] = 0
    while i < codes.size:
        code = codes[i]
        depth = numbers[DEPTH]
        if code >= 0:
            at, end = text_end[text], text_end[text + 1]
            if end - at > LONGEST_NAME:
                return n, NAME_LONG, text
            name = name_of(state, blob, at, end)
            if name < 0:
                return n, NAMES_FULL, text
            if depth == 0:
                bit_end = label_below(state, 0, numbers[DIVISION])
                numbers[ROOT_SEEN] = 1
                numbers[MISC] = 3
            else:
                bit_end = label_below(state, depth, state.next_child[depth])
                state.next_child[depth] += 2
            path = path_of(state, state.path_at[depth], ELEMENT_NODE, name)
            if path < 0:
                return n, PATHS_FULL, text
            if bit_end > 8 * LONGEST_LABEL - 50 or depth + 2 >= LEVELS:  # room for an attribute's two divisions
                return n, TOO_DEEP, text
            emit(state, nodes, n, bit_end, ELEMENT_NODE, name, path, 0, 0)
            n += 1
            state.children[depth] += 1
            depth += 1
            numbers[DEPTH] = depth
            state.bit_end[depth], state.next_child[depth], state.path_at[depth] = bit_end, 3, path
            state.children[depth] = code
            state.text_seen[depth] = 0
            text += 1
            division = 3
            for _ in range(code):
                at, middle, end = text_end[text], text_end[text + 1], text_end[text + 2]
                if middle - at > LONGEST_NAME:
                    return n, NAME_LONG, text
                if end - middle > LONGEST_VALUE:
                    return n, TOO_LONG, text
                name = name_of(state, blob, at, middle)
                if name < 0:
                    return n, NAMES_FULL, text
                of = path_of(state, path, ATTRIBUTE_NODE, name)
                if of < 0:
                    return n, PATHS_FULL, text
                bit_end = put_division(state.bits, label_below(state, depth, 1), division)
                emit(state, nodes, n, bit_end, ATTRIBUTE_NODE, name, of, middle, end - middle)
                n += 1
                text += 2
                division += 2
        elif code == END:
            if state.children[depth] == 0:
                nodes.leaf[n - 1] = 1
            numbers[DEPTH] = depth - 1
        elif code == CLOSE:
            numbers[DIVISION] += 2
            numbers[MISC] = 3
            numbers[ROOT_SEEN] = 0
        elif code < SKIP:
            numbers[DIVISION] += 2 * (SKIP - code)
        else:
            first = text
            before = codes[i - 1] if i > 0 else CLOSE
            while code == TEXT and i + 1 < codes.size and codes[i + 1] == TEXT:
                i += 1
                text += 1
            name, kind = np.int64(-1), np.int64(TEXT_NODE if code == TEXT else COMMENT_NODE)
            at, end = text_end[first], text_end[text + 1]
            if code == INSTRUCTION:
                if end - at > LONGEST_NAME:
                    return n, NAME_LONG, text
                name, kind = name_of(state, blob, at, end), np.int64(INSTRUCTION_NODE)
                if name < 0:
                    return n, NAMES_FULL, text
                text += 1
                at, end = end, text_end[text + 1]
            text += 1
            if end - at > LONGEST_VALUE:
                return n, TOO_LONG, first
            if code == TEXT and numbers[LAYOUT_DROPPED] and is_layout(blob, at, end):
                beside = i + 1 < codes.size and codes[i + 1] != END
                if beside or before < 0:
                    i += 1
                    continue
            path = path_of(state, state.path_at[depth], kind, name)
            bit_end = child_label(state, depth)
            if path < 0:
                return n, PATHS_FULL, first
            if bit_end < 0:
                return n, TOO_DEEP, first
            if code == TEXT:
                state.several[path] |= state.text_seen[depth]
                state.text_seen[depth] = 1
            emit(state, nodes, n, bit_end, kind, name, path, at, end - at)
            n += 1
            state.children[depth] += 1
        i += 1
    return n, DONE, text


@lean_kernel
def remember(state, blob, name_end, path_parent, path_name, path_kind):
    """Give a new state the names and path classes of a store, under the same numbers."""
    for i in range(name_end.size - 1):
        name_of(state, blob, name_end[i], name_end[i + 1])
    for i in range(path_kind.size):
        path_of(state, np.int64(path_parent[i]), np.int64(path_kind[i]), np.int64(path_name[i]))


def new_state(names: int = 1 << 16, paths: int = 1 << 16) -> State:
    """Nothing met yet; room for 65 535 names and path classes (two bytes each)."""
    return State(
        numbers=np.array([0, 3, 3, 0, 0, 0, 0, 0]),
        bits=np.zeros(LONGEST_LABEL + 16, np.uint8),
        bit_end=np.zeros(LEVELS, np.int64),
        next_child=np.full(LEVELS, 3),
        path_at=np.full(LEVELS, NO_PATH),
        children=np.zeros(LEVELS, np.int64),
        text_seen=np.zeros(LEVELS, np.uint8),
        name_bytes=np.zeros(1 << 22, np.uint8),
        name_end=np.zeros(names, np.int64),
        name_slot=np.full(4 * names, -1, np.int32),
        path_parent=np.full(paths - 1, NO_PATH, np.int32),
        path_name=np.full(paths - 1, -1, np.int32),
        path_kind=np.zeros(paths - 1, np.uint8),
        several=np.zeros(paths - 1, np.uint8),
        path_slot=np.full(4 * paths, -1, np.int32),
    )


def new_nodes(codes: np.ndarray) -> Nodes:
    """Room for the nodes of these events; a label has at most 220 bytes, and what is not used costs nothing."""
    starts = codes[codes >= 0]
    size = int(starts.size + starts.sum() + np.count_nonzero((codes <= TEXT) & (codes >= INSTRUCTION))) + 1
    return Nodes(
        kind=np.empty(size, np.uint8),
        name=np.empty(size, np.int32),
        path=np.empty(size, np.int32),
        label_end=np.empty(size + 1, np.int64),
        labels=np.empty(size * LONGEST_LABEL, np.uint8),
        value_at=np.empty(size, np.int64),
        value_bytes=np.empty(size, np.int64),
        leaf=np.empty(size, np.uint8),
    )
