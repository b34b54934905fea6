"""Records to XML text: one pass over pages, with the open elements on a stack."""

from typing import NamedTuple

import numpy as np

from pagecost import characters_kernels as ch
from pagecost._jit import lean_kernel, lean_part
from pagecost.xmlstore.codes_kernels import divisions
from pagecost.xmlstore.pages_kernels import (
    CHILD,
    COMPRESSED,
    COUNT,
    EMPTY,
    FLAGS,
    FRAGMENT,
    compare,
    get_16,
    get_key,
    get_length,
    get_slot,
    record_end,
)
from pagecost.xmlstore.parse_kernels import (
    ATTRIBUTE_NODE,
    COMMENT_NODE,
    ELEMENT_NODE,
    INSTRUCTION_NODE,
    TEXT_NODE,
)

DEPTH, DIVISIONS, TAG_OPEN, LEFT, VALUE_KIND, BASE, LENGTH, PREVIOUS = range(8)  # places in Writer.numbers
ROOM = 1 << 21  # bytes that one record may need: a page of values at six bytes each, and some hundred names


class Writer(NamedTuple):
    """What is open, and the text so far."""

    numbers: np.ndarray  # int64[8]
    key: np.ndarray  # uint8[264]: the record's key
    parts: np.ndarray  # int64[512]: its divisions
    before: np.ndarray  # int64[512]: those of the record before
    open_divisions: np.ndarray  # int64[512]: divisions of each open element's label
    open_name: np.ndarray  # int64[512]
    chain: np.ndarray  # int64[512]: names from the root to the leaf's parent
    out: np.ndarray  # uint8[...]


class Names(NamedTuple):
    """Vocabulary and path synopsis."""

    name_bytes: np.ndarray
    name_end: np.ndarray
    path_parent: np.ndarray
    path_name: np.ndarray
    path_kind: np.ndarray


@lean_part
def put(writer, byte):
    """Put a byte at the end of the text."""
    writer.out[writer.numbers[LENGTH]] = np.uint8(byte)
    writer.numbers[LENGTH] += 1


@lean_part
def put_name(writer, names, name):
    """Put a name at the end of the text."""
    for i in range(names.name_end[name], names.name_end[name + 1]):
        put(writer, names.name_bytes[i])


@lean_part
def put_reference(writer, number):
    """A character reference of two digits, or one."""
    put(writer, ch.AMPERSAND)
    put(writer, ch.HASH)
    if number >= 10:
        put(writer, ch.ZERO + number // 10)
    put(writer, ch.ZERO + number % 10)
    put(writer, ch.SEMICOLON)


@lean_part
def put_value(writer, page, at, end, kind):
    """Escape what the place needs: a comment or instruction stands as it is."""
    for i in range(at, end):
        byte = page[i]
        if kind >= COMMENT_NODE or byte > ch.GREATER:
            put(writer, byte)
        elif byte == ch.AMPERSAND or byte == ch.LESS or byte == ch.GREATER:  # & < >
            put(writer, ch.AMPERSAND)
            if byte == ch.AMPERSAND:
                put(writer, ch.LOWER_A)
                put(writer, ch.LOWER_M)
                put(writer, ch.LOWER_P)
            else:
                put(writer, ch.LOWER_L if byte == ch.LESS else ch.LOWER_G)
                put(writer, ch.LOWER_T)
            put(writer, ch.SEMICOLON)
        elif byte == ch.RETURN or (
            kind == ATTRIBUTE_NODE and (byte == ch.QUOTE or byte == ch.TAB or byte == ch.LINE_FEED)
        ):
            put_reference(writer, np.int64(byte))
        else:
            put(writer, byte)


@lean_part
def close_tag(writer):
    """Behind the attributes."""
    if writer.numbers[TAG_OPEN]:
        put(writer, ch.GREATER)
        writer.numbers[TAG_OPEN] = 0


@lean_part
def open_element(writer, names, name, deep):
    """Begin the tag that opens an element, which stays open for attributes; deep: divisions of its label."""
    close_tag(writer)
    put(writer, ch.LESS)
    put_name(writer, names, name)
    depth = writer.numbers[DEPTH]
    writer.open_name[depth], writer.open_divisions[depth] = name, deep
    writer.numbers[DEPTH] = depth + 1
    writer.numbers[TAG_OPEN] = 1


@lean_part
def close_element(writer, names):
    """Close the innermost element, by `/>` if nothing came into it."""
    depth = writer.numbers[DEPTH] - 1
    writer.numbers[DEPTH] = depth
    if writer.numbers[TAG_OPEN]:
        put(writer, ch.SLASH)
        put(writer, ch.GREATER)
        writer.numbers[TAG_OPEN] = 0
        return
    put(writer, ch.LESS)
    put(writer, ch.SLASH)
    put_name(writer, names, writer.open_name[depth])
    put(writer, ch.GREATER)


@lean_part
def open_ancestors(writer, names, path, kind, count):
    """Elements above a leaf that are not open yet, by their names along the path class and the leaf's divisions."""
    own = path if kind == EMPTY else np.int64(names.path_parent[path])
    deep = 0
    while own >= 0:
        deep += 1
        own = np.int64(names.path_parent[own])
    if deep <= writer.numbers[DEPTH]:
        return
    own = path if kind == EMPTY else np.int64(names.path_parent[path])
    for i in range(deep):
        writer.chain[deep - 1 - i] = names.path_name[own]
        own = np.int64(names.path_parent[own])
    odd = 0
    for i in range(count):
        if writer.parts[i] & 1:
            odd += 1
            if odd > writer.numbers[DEPTH] and odd <= deep:
                open_element(writer, names, writer.chain[odd - 1], i + 1)


@lean_part
def end_value(writer):
    """Behind the last piece of a value."""
    kind = writer.numbers[VALUE_KIND]
    if kind == ATTRIBUTE_NODE:
        put(writer, ch.QUOTE)
    elif kind == COMMENT_NODE:
        put(writer, ch.MINUS)
        put(writer, ch.MINUS)
        put(writer, ch.GREATER)
    elif kind == INSTRUCTION_NODE:
        put(writer, ch.QUESTION)
        put(writer, ch.GREATER)


@lean_part
def begin_value(writer, names, kind, name, empty):
    """Before the first piece of a value."""
    if kind == ATTRIBUTE_NODE:
        put(writer, ch.SPACE)
        put_name(writer, names, name)
        put(writer, ch.EQUALS)
        put(writer, ch.QUOTE)
        return
    close_tag(writer)
    if kind == COMMENT_NODE:
        put(writer, ch.LESS)
        put(writer, ch.EXCLAMATION)
        put(writer, ch.MINUS)
        put(writer, ch.MINUS)
    elif kind == INSTRUCTION_NODE:
        put(writer, ch.LESS)
        put(writer, ch.QUESTION)
        put_name(writer, names, name)
        if not empty:
            put(writer, ch.SPACE)


@lean_part
def write_record(writer, names, page, number, count, size, at, kind, leaves, tag_bytes):
    """One record inside the wanted range."""
    numbers = writer.numbers
    end = record_end(page, number, count)
    if kind == FRAGMENT:
        put_value(writer, page, at, end, numbers[VALUE_KIND])
        numbers[LEFT] -= end - at
        if numbers[LEFT] == 0:
            end_value(writer)
        return
    deep = divisions(writer.key, size, writer.parts)
    same, most = 0, min(deep, numbers[PREVIOUS])
    while same < most and writer.parts[same] == writer.before[same]:
        same += 1
    while numbers[DEPTH] > numbers[BASE] and writer.open_divisions[numbers[DEPTH] - 1] > same:
        close_element(writer, names)
    for i in range(same, deep):
        writer.before[i] = writer.parts[i]
    numbers[PREVIOUS] = deep
    tag = np.int64(0)
    if tag_bytes[kind]:
        tag = get_16(page, at)
        at += 2
    name = tag
    if leaves:
        open_ancestors(writer, names, tag, kind, deep)
        name = np.int64(names.path_name[tag])
    elif kind == ELEMENT_NODE:
        open_element(writer, names, tag, deep)
    if kind in (EMPTY, ELEMENT_NODE):
        return
    length, at = get_length(page, at)
    begin_value(writer, names, kind, name, length == 0)
    numbers[VALUE_KIND] = kind
    put_value(writer, page, at, end, kind)
    numbers[LEFT] = length - (end - at)
    if numbers[LEFT] == 0:
        end_value(writer)


@lean_kernel
def write(pages, number, low, high, names, leaves, tag_bytes, writer):
    """Write the records of container pages with low <= key < high, from record `number` of the first page on.

    Returns (pages done, record to go on with, whether `high` was reached). The text is full when pages are left and
    the end was not reached.
    """
    for page_number in range(pages.shape[0]):
        page = pages[page_number]
        count = get_16(page, COUNT)
        compressed = page[FLAGS] & COMPRESSED
        for i in range(count):
            offset, kind = get_slot(page, i)
            size, at = get_key(page, offset, compressed, writer.key)
            if i < number or compare(writer.key, 0, size, low, 0, low.size) < 0:
                continue
            if compare(writer.key, 0, size, high, 0, high.size) >= 0:
                return page_number, i, True
            if writer.numbers[LENGTH] + ROOM > writer.out.size:
                return page_number, i, False
            write_record(writer, names, page, i, count, size, at, kind, leaves, tag_bytes)
        number = 0
    return pages.shape[0], 0, False


@lean_kernel
def finish(writer, names):
    """Close what is open down to the base; the text's length."""
    while writer.numbers[DEPTH] > writer.numbers[BASE]:
        close_element(writer, names)
    return writer.numbers[LENGTH]


def new_writer(base: int = 0, room: int = 2 * ROOM) -> Writer:
    """Nothing written. base: levels of elements above the subtree, which are not written."""
    numbers = np.zeros(8, np.int64)
    numbers[DEPTH] = numbers[BASE] = base
    return Writer(
        numbers=numbers,
        key=np.zeros(264, np.uint8),
        parts=np.zeros(1024, np.int64),
        before=np.zeros(1024, np.int64),
        open_divisions=np.zeros(512, np.int64),
        open_name=np.zeros(512, np.int64),
        chain=np.zeros(512, np.int64),
        out=np.empty(room, np.uint8),
    )


assert CHILD > FRAGMENT > EMPTY > TEXT_NODE > ATTRIBUTE_NODE > ELEMENT_NODE  # containers hold kinds up to FRAGMENT
