"""DeweyIDs: labels that name a node, its ancestors and its place in document order, and never change.

A label is a tuple of divisions without the leading 1 of the root, which every label shares. An odd division is one
level; an even one only makes room between two neighbours (Härder, Haustein, Mathis and Wagner, DKE 60, 2007).
"""

import numpy as np

from pagecost.errors import require
from pagecost.xmlstore import labels_kernels

Label = tuple[int, ...]

ATTRIBUTES = 1  # the division of the node below which an element's attributes are numbered
FIRST_CHILD = 3
DISTANCE = 2  # between neighbours of a load: dense, as in the examples of Schmidt 2009
ROOM = 16  # where an insert needs new room: four more fit before the label grows again
LONGEST_BYTES = (
    220  # of an encoded label: with what an index puts before it or a fragment behind, a byte says its length
)
LONGEST_INSERTED_BYTES = LONGEST_BYTES - 8  # of an element that is inserted: room is left for what is below it
LARGEST = 2**31 - 1


def parse(text: str) -> Label:
    """The label written "1.3.3.1.3". Raises ModelError when it is not one."""
    parts = text.split(".")
    require(all(part.isascii() and part.isdigit() for part in parts), f"a label is numbers with dots; got {text!r}")
    values = tuple(int(part) for part in parts)
    require(values[0] == 1 and all(1 <= value <= LARGEST for value in values), f"{text}: labels start with 1")
    return values[1:]


def show(label: Label) -> str:
    """The label as people write it, with the leading 1."""
    return ".".join(map(str, (1, *label)))


def encode(label: Label) -> bytes:
    """The order-preserving code, padded with zero bits to whole bytes; the root's is empty.

    Raises ModelError for a division that is not 1 to LARGEST.
    """
    return bytes(_bits(label)[0])


def bit_length(label: Label) -> int:
    """Bits of the code before padding. Raises ModelError as `encode` does."""
    return _bits(label)[1]


def decode(code: bytes) -> Label:
    """The label of a code."""
    out = np.empty(len(code) * 2 + 1, np.int64)
    return tuple(out[: labels_kernels.decode(np.frombuffer(code, np.uint8), out)].tolist())


def subtree_end(label: Label) -> bytes:
    """The smallest code behind every descendant of the label: its bits plus one. Raises ModelError as `encode` does."""
    code, bits = _bits(label)
    if bits == 0:
        return b"\xff" * LONGEST_BYTES
    number = (int.from_bytes(code, "big") >> (len(code) * 8 - bits)) + 1
    return (number << (len(code) * 8 - bits)).to_bytes(len(code), "big")


def level(label: Label) -> int:
    """Levels below the root: its odd divisions."""
    return sum(division & 1 for division in label)


def parent(label: Label) -> Label:
    """Drop the last division and the even ones before it. The root has no parent."""
    require(bool(label), "the root 1 has no parent")
    end = len(label) - 1
    while end and not label[end - 1] & 1:
        end -= 1
    return label[:end]


def is_ancestor(above: Label, below: Label) -> bool:
    """Whether `above` is a proper ancestor, from the two labels alone."""
    return len(above) < len(below) and below[: len(above)] == above


def is_sibling(one: Label, other: Label) -> bool:
    """Whether two different labels have one parent."""
    return one != other and bool(one) and bool(other) and parent(one) == parent(other)


def is_following(one: Label, other: Label) -> bool:
    """Whether `other` starts behind the end of `one` in document order."""
    return other > one and not is_ancestor(one, other)


def common_ancestor(one: Label, other: Label) -> Label:
    """The lowest node that is both or above both."""
    shared = 0
    while shared < min(len(one), len(other)) and one[shared] == other[shared]:
        shared += 1
    while shared and not one[shared - 1] & 1:
        shared -= 1
    return one[:shared]


def between(above: Label, before: Label | None, after: Label | None, distance: int = ROOM) -> Label:
    """A new child label of `above` between two neighbouring children of it; None where there is no neighbour.

    distance: room of a new division, at least 2. No other label changes, however often this is done; where the place is
    tight, the label grows. Raises ModelError for a distance that divisions cannot hold, for neighbours in the wrong
    order, and where no label is left: behind the largest division, and before the one of attributes.
    """
    require(2 <= distance < LARGEST, f"the room of a new division: it must be 2 to {LARGEST - 1}; got {distance}")
    start = len(above)
    tail: Label
    if before is None:
        tail = (_roomy(distance),) if after is None else _before(after[start:], distance)
    elif after is None:
        tail = _after(before[start:], distance)
    else:
        left, right = before[start:], after[start:]
        require(left < right, f"{show(before)} is not before {show(after)}")
        tail = _inside(left, right, distance)
    return above + tail


def _roomy(distance: int) -> int:
    """The first division below an even one, or of a first child: odd, with the distance before it."""
    return distance + 1 | 1


def _after(last: Label, distance: int) -> Label:
    """Behind the last child: its first division and the distance, kept odd, as far as divisions go."""
    require(last[0] < LARGEST, f"a division must be at most {LARGEST}; there is none behind {last[0]}")
    return (min(last[0] + distance | 1, LARGEST),)


def _before(first: Label, distance: int) -> Label:
    """Before the first child: half of its division where that leaves room, else below an even division."""
    depth = 0
    while first[depth] < FIRST_CHILD:  # an even 2: the room is below it
        require(first[depth] != ATTRIBUTES, "a child must come behind the attributes; there is none before 1")
        depth += 1
    head = first[depth]
    tail = (head // 2 | 1,) if head > FIRST_CHILD else (FIRST_CHILD - 1, _roomy(distance))
    return (*first[:depth], *tail)


def _inside(left: Label, right: Label, distance: int) -> Label:
    at = 0
    while left[at] == right[at]:
        at += 1
    shared, low, high = left[:at], left[at], right[at]
    if high - low > 2:
        middle = low + (high - low) // 2
        return (*shared, middle if middle & 1 else middle - 1 if middle - 1 > low else middle + 1)
    if high - low == 2:
        return (*shared, low + 1) if (low + 1) & 1 else (*shared, low + 1, _roomy(distance))
    if low & 1:  # high is even and goes on below
        return (*shared, high, *_before(right[at + 1 :], distance))
    return (*shared, low, *_after(left[at + 1 :], distance))  # low is even and goes on below


def _bits(label: Label) -> tuple[bytearray, int]:
    if label:
        wrong = max(label) if max(label) > LARGEST else min(label)
        require(1 <= wrong <= LARGEST, f"a division of a label: it must be 1 to {LARGEST}; got {wrong}")
    out = np.zeros(len(label) * 5 + 1, np.uint8)
    bits = labels_kernels.encode(np.array(label, np.int64), out)
    return bytearray(out[: -(-bits // 8)].tobytes()), bits
