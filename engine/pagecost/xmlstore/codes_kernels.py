"""Divisions of a label as bits that keep their order: the code table of XTC.

A code is a prefix and a value; no code starts with 00, so zero bits that fill the last byte are recognised, and the
order of the bytes is the order of the document.
"""

import numpy as np

from pagecost._jit import lean_part

# Härder, Haustein, Mathis and Wagner (DKE 60, 2007), with the prefixes of ORDPATH: prefix, its bits, value bits, first
PREFIX = np.array([0b01, 0b100, 0b101, 0b1100, 0b1101, 0b11100, 0b11101, 0b11110, 0b11111], np.int64)
PREFIX_BITS = np.array([2, 3, 3, 4, 4, 5, 5, 5, 5], np.int64)
VALUE_BITS = np.array([3, 4, 6, 8, 12, 16, 20, 24, 31], np.int64)
FIRST = np.array([1, 9, 25, 89, 345, 4441, 69977, 1118553, 17895769, 2**31], np.int64)
CLASS_OF = np.array([9] * 8 + [0] * 8 + [1] * 4 + [2] * 4 + [3, 4] + [9] * 6, np.int64)  # by the next five bits
CLASS_OF[24:26], CLASS_OF[26:28] = 3, 4
CLASS_OF[28:32] = (5, 6, 7, 8)
NONE = 9


@lean_part
def put_bits(buffer, at, code, bits):
    """Write the low `bits` of `code` at bit `at`, highest first; the rest of the last byte becomes 0. New end [bit]."""
    while bits > 0:
        byte, room = at >> 3, 8 - (at & 7)
        take = min(room, bits)
        kept = buffer[byte] & ((0xFF << room) & 0xFF)
        piece = (code >> (bits - take)) & ((1 << take) - 1)
        buffer[byte] = np.uint8(kept | (piece << (room - take)))
        at += take
        bits -= take
    return at


@lean_part
def put_division(buffer, at, value):
    """Write the code of `value` (1 .. 2^31 - 1) at bit `at`; the new end [bit]."""
    number = 0
    while value >= FIRST[number + 1]:
        number += 1
    code = (PREFIX[number] << VALUE_BITS[number]) | (value - FIRST[number])
    return put_bits(buffer, at, code, PREFIX_BITS[number] + VALUE_BITS[number])


@lean_part
def get_bits(buffer, size, at, bits):
    """`bits` bits from bit `at`, highest first; behind byte `size` there are zeros."""
    value = 0
    while bits > 0:
        byte, room = at >> 3, 8 - (at & 7)
        take = min(room, bits)
        held = np.int64(buffer[byte]) if byte < size else 0
        value = (value << take) | ((held >> (room - take)) & ((1 << take) - 1))
        at += take
        bits -= take
    return value


@lean_part
def get_division(buffer, size, at):
    """The division at bit `at` of a label of `size` bytes and the bit behind it; 0 at the label's end."""
    number = CLASS_OF[get_bits(buffer, size, at, 5)]
    if number == NONE:
        return 0, at
    at += PREFIX_BITS[number]
    value = FIRST[number] + get_bits(buffer, size, at, VALUE_BITS[number])
    return value, at + VALUE_BITS[number]


@lean_part
def divisions(buffer, size, out):
    """Decode a label of `size` bytes into `out`; how many divisions."""
    at = 0
    count = 0
    while True:
        value, at = get_division(buffer, size, at)
        if value == 0:
            return count
        out[count] = value
        count += 1
