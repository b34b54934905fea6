"""Slotted pages: records with variable labels as keys, in document order, whole or compressed against the one before.

A page is a header of 24 bytes, records from the front and slots from the back. A slot holds the record's offset and
its kind. A record is its key (a length and all bytes; compressed: how many bytes it shares with the record before and
the rest, in one byte if both are small), then a tag, then a value with its length, as the kind has it.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_kernel, lean_part

HEADER = 24
# places in the header: checksum 4, number of the last operation 4, page before 4, page behind 4, then
COUNT, USED, KIND, FLAGS = 16, 18, 20, 21
COMPRESSED = 1  # flag
# kinds of records: the nodes as in parse_kernels, then
EMPTY, FRAGMENT, CHILD, ENTRY, VALUE = 5, 6, 7, 8, 9
NO_VALUE, WITH_LENGTH, PLAIN = range(3)  # how a kind stores its value
ESCAPE = 255  # in the place of a value's length or of a compressed key's pair of lengths
LONGEST_KEY = 254
SMALLEST_PIECE = 64  # bytes of a long value that are worth a record in the rest of a page


class Packer(NamedTuple):
    """A page being filled, and the last keys of what lies before."""

    page: np.ndarray  # uint8[page_bytes]
    key: np.ndarray  # uint8[256]: the last key
    next_key: np.ndarray  # uint8[256]: the key being placed
    numbers: np.ndarray  # int64[8]
    tag_bytes: np.ndarray  # uint8[16]: by kind
    value_mode: np.ndarray  # uint8[16]: by kind


class Batch(NamedTuple):
    """Records to place: keys end to end, and values as pieces of a blob."""

    kind: np.ndarray  # uint8[n]
    tag: np.ndarray  # int32[n]
    key_end: np.ndarray  # int64[n + 1]
    keys: np.ndarray  # uint8[...]
    value_at: np.ndarray  # int64[n]
    value_bytes: np.ndarray  # int64[n]
    blob: np.ndarray  # uint8[...]


class Finished(NamedTuple):
    """Full pages, and of each the shortest key that parts it from the page before."""

    pages: np.ndarray  # uint8[room, page_bytes]
    separators: np.ndarray  # uint8[room, 256]
    separator_bytes: np.ndarray  # int64[room]
    numbers: np.ndarray  # int64[1]: how many


# places in Packer.numbers
FILLED, RECORDS, KEY_BYTES, LIMIT, IS_COMPRESSED, PAGE_KIND, SEPARATOR, BEGUN = range(8)


@lean_part
def get_16(page, at):
    """Two bytes of a page from `at`, the lower first."""
    return np.int64(page[at]) | (np.int64(page[at + 1]) << 8)


@lean_part
def put_16(page, at, value):
    """Put a value into two bytes of a page from `at`, the lower first."""
    page[at], page[at + 1] = np.uint8(value & 255), np.uint8(value >> 8)


def slot_width(page_size):
    """Bytes of a slot: 12 or 20 bits of offset and 4 of kind."""
    return 2 if page_size <= 4096 else 3


_slot_width = lean_part(slot_width)  # Python calls the plain one: what it would compile is not kept


@lean_part
def get_slot(page, number):
    """(offset, kind) of a record."""
    width = _slot_width(page.size)
    at = page.size - width * (number + 1)
    value = get_16(page, at)
    if width == 3:
        value |= np.int64(page[at + 2]) << 16
    return value >> 4, value & 15


@lean_part
def put_slot(page, number, offset, kind):
    """Put the offset and kind of record `number` into its slot, from the end of the page."""
    width = _slot_width(page.size)
    at = page.size - width * (number + 1)
    value = (offset << 4) | kind
    put_16(page, at, value & 0xFFFF)
    if width == 3:
        page[at + 2] = np.uint8(value >> 16)


@lean_part
def record_end(page, number, count):
    """Where a record ends: at the next, or at the end of what is used."""
    if number + 1 < count:
        return get_slot(page, number + 1)[0]
    return get_16(page, USED)


@lean_part
def get_key_sizes(page, at, compressed):
    """(Bytes of a key that are those of the key before it, bytes of its own, where these begin)."""
    rest = np.int64(page[at])
    if not compressed:
        return np.int64(0), rest, at + 1
    if rest == ESCAPE:
        return np.int64(page[at + 1]), np.int64(page[at + 2]), at + 3
    return rest >> 4, rest & 15, at + 1


@lean_part
def get_key(page, at, compressed, key):
    """Read a key over the key before it, in place; (its size, where the record goes on)."""
    shared, rest, at = get_key_sizes(page, at, compressed)
    for i in range(rest):
        key[shared + i] = page[at + i]
    return shared + rest, at + rest


@lean_part
def compare(one, one_at, one_bytes, other, other_at, other_bytes):
    """Negative, 0 or positive, as memcmp and then the lengths say."""
    for i in range(min(one_bytes, other_bytes)):
        difference = np.int64(one[one_at + i]) - np.int64(other[other_at + i])
        if difference != 0:
            return difference
    return one_bytes - other_bytes


@lean_part
def begin_page(packer):
    """Begin an empty page."""
    for i in range(packer.page.size):
        packer.page[i] = 0
    packer.numbers[FILLED] = HEADER
    packer.numbers[RECORDS] = 0
    packer.numbers[BEGUN] = 1


@lean_part
def finish_page(packer, finished):
    """Close the page and hand it out; its checksum and its links are set by whoever stores it."""
    number = finished.numbers[0]
    page = packer.page
    put_16(page, COUNT, packer.numbers[RECORDS])
    put_16(page, USED, packer.numbers[FILLED])
    page[KIND] = np.uint8(packer.numbers[PAGE_KIND])
    page[FLAGS] = np.uint8(packer.numbers[IS_COMPRESSED])
    for i in range(page.size):
        finished.pages[number, i] = page[i]
    finished.numbers[0] = number + 1
    packer.numbers[BEGUN] = 0


@lean_part
def shared_bytes(packer, size):
    """Bytes that the next key shares with the last one of this page; 0 in an empty page."""
    if packer.numbers[RECORDS] == 0:
        return 0
    shared, most = 0, min(size, packer.numbers[KEY_BYTES])
    while shared < most and packer.key[shared] == packer.next_key[shared]:
        shared += 1
    return shared


@lean_part
def key_cost(packer, size):
    """Bytes that the key at hand takes in this page."""
    if not packer.numbers[IS_COMPRESSED]:
        return 1 + size
    shared = shared_bytes(packer, size)
    return 1 + size - shared if shared < 15 and size - shared < 15 else 3 + size - shared


@lean_part
def open_record(packer, finished, size, kind):
    """Slot and key of a record whose place has been checked; where its tag goes."""
    page, numbers = packer.page, packer.numbers
    if numbers[RECORDS] == 0:
        separate(packer, finished, size, kind)
    at = numbers[FILLED]
    put_slot(page, numbers[RECORDS], at, kind)
    shared, rest = 0, size
    if numbers[IS_COMPRESSED]:
        shared = shared_bytes(packer, size)
        rest = size - shared
        if shared < 15 and rest < 15:
            page[at] = np.uint8((shared << 4) | rest)
            at += 1
        else:
            page[at], page[at + 1], page[at + 2] = np.uint8(ESCAPE), np.uint8(shared), np.uint8(rest)
            at += 3
    else:
        page[at] = np.uint8(rest)
        at += 1
    for i in range(rest):
        page[at + i] = packer.next_key[shared + i]
    for i in range(size):
        packer.key[i] = packer.next_key[i]
    numbers[KEY_BYTES] = size
    numbers[RECORDS] += 1
    return at + rest


@lean_part
def separate(packer, finished, size, kind):
    """The shortest beginning of the page's first key that is behind the last key before it.

    In an index the keys are separators themselves: below the last of them lie keys that a shorter one would cut off.
    """
    number, most = finished.numbers[0], min(size, packer.numbers[KEY_BYTES])
    part = 0
    while part < most and packer.key[part] == packer.next_key[part]:
        part += 1
    part = size if kind == CHILD else min(part + 1, size)
    if not packer.numbers[SEPARATOR]:
        part = 0
    packer.numbers[SEPARATOR] = 1
    for i in range(part):
        finished.separators[number, i] = packer.next_key[i]
    finished.separator_bytes[number] = part


@lean_part
def put_tag(packer, at, kind, tag):
    """Put a record's tag at `at`, as many bytes as its kind has, lowest first. Returns the place behind."""
    for i in range(np.int64(packer.tag_bytes[kind])):
        packer.page[at + i] = np.uint8((tag >> (8 * i)) & 255)
    return at + np.int64(packer.tag_bytes[kind])


@lean_part
def put_length(page, at, length):
    """Put a value's length at `at`: a byte, or ESCAPE and three, highest first. Returns the place behind."""
    if length < ESCAPE:
        page[at] = np.uint8(length)
        return at + 1
    page[at] = np.uint8(ESCAPE)
    for i in range(3):
        page[at + 1 + i] = np.uint8((length >> (8 * (2 - i))) & 255)
    return at + 4


@lean_part
def get_length(page, at):
    """(a value's whole length, where it starts)."""
    length = np.int64(page[at])
    if length < ESCAPE:
        return length, at + 1
    return (np.int64(page[at + 1]) << 16) | (np.int64(page[at + 2]) << 8) | np.int64(page[at + 3]), at + 4


@lean_part
def place(packer, finished, size, kind, tag, blob, value_at, value_bytes):
    """Place one record whose key is packer.next_key[:size]; a long value fills the page and goes on in the next."""
    page, numbers = packer.page, packer.numbers
    width, limit = _slot_width(page.size), numbers[LIMIT]
    mode = packer.value_mode[kind]
    fixed = np.int64(packer.tag_bytes[kind])
    if mode == WITH_LENGTH:
        fixed += 1 if value_bytes < ESCAPE else 4
    if not numbers[BEGUN]:
        begin_page(packer)
    taken = numbers[FILLED] + (numbers[RECORDS] + 1) * width + key_cost(packer, size) + fixed
    piece = value_bytes
    if taken + value_bytes > limit:
        spans = mode == WITH_LENGTH and value_bytes > page.size // 4
        if numbers[RECORDS] > 0 and not (spans and limit - taken >= SMALLEST_PIECE):
            finish_page(packer, finished)
            begin_page(packer)
            taken = HEADER + width + key_cost(packer, size) + fixed
        if taken + value_bytes > page.size:
            piece = (limit if limit - taken >= SMALLEST_PIECE else page.size) - taken
        elif taken + value_bytes > limit and spans and numbers[RECORDS] > 0:
            piece = limit - taken
    at = put_tag(packer, open_record(packer, finished, size, kind), kind, tag)
    if mode == WITH_LENGTH:
        at = put_length(page, at, value_bytes)
    for i in range(piece):
        page[at + i] = blob[value_at + i]
    numbers[FILLED] = at + piece
    fragment = 0
    while piece < value_bytes:
        finish_page(packer, finished)
        begin_page(packer)
        fragment += 1
        for i in range(4):
            packer.next_key[size + i] = np.uint8((fragment >> (8 * (3 - i))) & 255)  # the first byte is 0
        taken = HEADER + width + key_cost(packer, size + 4)
        part = min(value_bytes - piece, page.size - taken)
        at = open_record(packer, finished, size + 4, FRAGMENT)
        for i in range(part):
            page[at + i] = blob[value_at + piece + i]
        numbers[FILLED] = at + part
        piece += part


@lean_kernel
def pack(batch, start, stop, chosen, packer, finished):
    """Place the records start .. stop - 1 with chosen[i] != 0; the record to go on with when `finished` is full."""
    room = finished.pages.shape[0]
    for i in range(start, stop):
        if not chosen[i]:
            continue
        if finished.numbers[0] + 2 + batch.value_bytes[i] // (packer.page.size // 2) >= room:
            return i
        first = batch.key_end[i]
        size = batch.key_end[i + 1] - first
        for j in range(size):
            packer.next_key[j] = batch.keys[first + j]
        kind = np.int64(batch.kind[i])
        place(packer, finished, size, kind, np.int64(batch.tag[i]), batch.blob, batch.value_at[i], batch.value_bytes[i])
    return stop


@lean_kernel
def flush(packer, finished):
    """Hand out the page being filled, if there is one."""
    if packer.numbers[BEGUN]:
        finish_page(packer, finished)


@lean_kernel
def unpack(page, kinds, key_end, keys, body_at, body_end):
    """Keys, kinds and bodies (tag, length and value as they stand) of a page's records; how many."""
    count = get_16(page, COUNT)
    compressed = page[FLAGS] & COMPRESSED
    at_key = 0
    key_end[0] = 0
    before = 0
    for i in range(count):
        offset, kind = get_slot(page, i)
        shared, rest, at = get_key_sizes(page, offset, compressed)
        for j in range(shared):
            keys[at_key + j] = keys[before + j]
        for j in range(rest):
            keys[at_key + shared + j] = page[at + j]
        before = at_key
        at_key += shared + rest
        key_end[i + 1] = at_key
        kinds[i], body_at[i], body_end[i] = kind, at + rest, record_end(page, i, count)
    return count


@lean_part
def below(page, wanted, size):
    """The child page whose keys may hold wanted[:size]: that of the last separator not behind it.

    Pages of an index are never compressed, so half of the entries at a time can be left out.
    """
    low, high = 0, get_16(page, COUNT) - 1
    while low < high:
        middle = (low + high + 1) >> 1
        at = get_slot(page, middle)[0]
        if compare(page, at + 1, np.int64(page[at]), wanted, 0, size) > 0:
            high = middle - 1
        else:
            low = middle
    at = get_slot(page, low)[0]
    at += 1 + np.int64(page[at])
    return get_16(page, at) | (get_16(page, at + 2) << 16)


@lean_kernel
def child_of(page, wanted):
    """`below` of a whole key."""
    return below(page, wanted, wanted.size)


# causes of bytes, in the order of account()
LABEL, LABEL_LENGTH, TAG, VALUE, VALUE_LENGTH, SLOT, HEAD, SLACK, RECORD, FULL_LABEL = range(10)


@lean_kernel
def account(page, tag_bytes, value_mode, by_cause):
    """Add every byte of a page to its cause, int64[10]. RECORD counts records, FULL_LABEL the bytes of whole labels."""
    count = get_16(page, COUNT)
    compressed = page[FLAGS] & COMPRESSED
    for i in range(count):
        at, kind = get_slot(page, i)
        end = record_end(page, i, count)
        rest, length_bytes, shared = np.int64(page[at]), 1, 0
        if compressed:
            if rest == ESCAPE:
                shared, rest, length_bytes = np.int64(page[at + 1]), np.int64(page[at + 2]), 3
            else:
                shared, rest = rest >> 4, rest & 15
        by_cause[FULL_LABEL] += shared + rest
        by_cause[LABEL_LENGTH] += length_bytes
        by_cause[LABEL] += rest
        tag = np.int64(tag_bytes[kind])
        by_cause[TAG] += tag
        body = end - at - length_bytes - rest - tag
        if value_mode[kind] == WITH_LENGTH:
            length = 1 if page[at + length_bytes + rest + tag] < ESCAPE else 4
            by_cause[VALUE_LENGTH] += length
            body -= length
        by_cause[VALUE] += body
    slots = count * _slot_width(page.size)
    by_cause[SLOT] += slots
    by_cause[HEAD] += HEADER
    by_cause[SLACK] += page.size - slots - get_16(page, USED)
    by_cause[RECORD] += count


def new_packer(page_bytes: int, fill: float, compressed: bool, kind: int, tag_bytes, value_mode) -> Packer:
    """An empty page to start with. fill: share of a page that a load uses."""
    limit = HEADER + int((page_bytes - HEADER) * fill)
    return Packer(
        page=np.zeros(page_bytes, np.uint8),
        key=np.zeros(256, np.uint8),
        next_key=np.zeros(264, np.uint8),
        numbers=np.array([HEADER, 0, 0, limit, compressed, kind, 0, 0]),
        tag_bytes=tag_bytes,
        value_mode=value_mode,
    )


def new_finished(room: int, page_bytes: int) -> Finished:
    """Room for full pages."""
    return Finished(
        pages=np.empty((room, page_bytes), np.uint8),
        separators=np.zeros((room, 256), np.uint8),
        separator_bytes=np.zeros(room, np.int64),
        numbers=np.zeros(1, np.int64),
    )
