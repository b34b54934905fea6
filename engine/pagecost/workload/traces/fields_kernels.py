"""What lines of text are made of: blanks, words, whole numbers, decimals; and where the parsed rows go."""

from typing import NamedTuple

import numpy as np

from pagecost import characters_kernels as ch
from pagecost._jit import eight_bytes, lean_part, trailing_zeros

NO_REQUEST = 0  # place in Rejects.counts of lines that are skipped
TAKEN, SKIPPED = 0, -1  # what became of a line; positive: a reason why it was rejected
(
    FEW_FIELDS,
    NO_NUMBER,
    NEGATIVE,
    TOO_BIG,
    UNKNOWN_OPERATION,
    NOTHING_COVERED,
    NOT_BELIEVABLE,
    MANY_STREAMS,
    MORE_FIELDS,
    NO_NAME,
) = range(1, 11)
REASONS = {
    FEW_FIELDS: "fields are missing",
    NO_NUMBER: "a number is expected where there is none",
    NEGATIVE: "a number must not be negative",
    TOO_BIG: "a number is too large",
    UNKNOWN_OPERATION: "the operation must be r or w",
    NOTHING_COVERED: "a request covers at least one page",
    NOT_BELIEVABLE: "a request of more than 1 GiB is not believable",
    MANY_STREAMS: "there are too many files or devices",
    MORE_FIELDS: "there are more fields than the format has",
    NO_NAME: "a host name is expected",
}
MOST_STREAMS, NAME_BYTES, SHOWN = 1024, 48, 20
MOST_ADDRESS = 1 << 55  # bytes: what leaves room for the stream above it in a 63-bit page id
MOST_BYTES, MOST_PAGES = 1 << 30, 1 << 18  # of one request; so many pages of 4 KiB are 1 GiB
READ, WRITE, TRIM = np.uint8(0), np.uint8(1), np.uint8(2)  # as in pagecost.requests
NO_OPERATION = np.uint8(255)
ONES, HIGH_BITS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)  # in each of eight bytes
LINE_FEEDS, ZEROS = np.uint64(0x0A0A0A0A0A0A0A0A), np.uint64(0x3030303030303030)
SIXES = np.uint64(0x0606060606060606)
HIGH_HALVES, LOW_HALVES = np.uint64(0xF0F0F0F0F0F0F0F0), np.uint64(0x0F0F0F0F0F0F0F0F)


def word_of(text: str) -> int:
    """What `letters` gives for a word of up to eight small letters."""
    return int.from_bytes(text.encode("ascii"), "big")


READ_WORD, WRITE_WORD, TRIM_WORD = (word_of(word) for word in ("read", "write", "trim"))


class Rows(NamedTuple):
    """Parsed lines, shape (n,): ticks int64, op uint8, at and size int64 (bytes or pages), stream int16."""

    ticks: np.ndarray
    op: np.ndarray
    at: np.ndarray
    size: np.ndarray
    stream: np.ndarray


class Streams(NamedTuple):
    """Files and devices in order of first appearance. used: int64[2], how many, and which was last."""

    keys: np.ndarray
    names: np.ndarray
    used: np.ndarray


class Rejects(NamedTuple):
    """counts: int64[11] by reason (0: lines that hold no request). shown: int64[SHOWN, 4] line, begin, end, reason."""

    counts: np.ndarray
    shown: np.ndarray
    used: np.ndarray


@lean_part
def line_end(data, at):
    """The place of the next line feed from `at` on, or the end of the data."""
    while at + 8 <= data.size:
        word = eight_bytes(data, at) ^ LINE_FEEDS
        found = (word - ONES) & ~word & HIGH_BITS  # the lowest bit that is set is that of the first byte that is zero
        if found:
            return at + np.int64(trailing_zeros(found) >> np.uint64(3))
        at += 8
    while at < data.size and data[at] != ch.LINE_FEED:
        at += 1
    return at


@lean_part
def are_digits(word):
    """Whether each of eight bytes is one of 0 to 9 in ASCII."""
    return (word & HIGH_HALVES) == ZEROS and ((word + SIXES) & HIGH_HALVES) == ZEROS


@lean_part
def number_of(word):
    """The number that eight digits are, the first one lowest in the word."""
    word = ((word & LOW_HALVES) * np.uint64(2561)) >> np.uint64(8)  # pairs: 10 a + b, and so on
    word = ((word & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(6553601)) >> np.uint64(16)
    return np.int64(((word & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(42949672960001)) >> np.uint64(32))


@lean_part
def is_digit(byte):
    """Whether a byte is one of 0 to 9 in ASCII."""
    return byte >= ch.ZERO and byte <= ch.NINE


@lean_part
def is_blank(byte):
    """Whether a byte is a space or a tab."""
    return byte == ch.SPACE or byte == ch.TAB


@lean_part
def skip_blanks(data, at, end):
    """The first place in at .. end that is no blank, or `end`."""
    while at < end and is_blank(data[at]):
        at += 1
    return at


@lean_part
def word_end(data, at, end):
    """End of the word that starts at `at`."""
    while at < end and not is_blank(data[at]):
        at += 1
    return at


@lean_part
def field_end(data, at, end):
    """End of the comma-separated field that starts at `at`."""
    while at < end and data[at] != ch.COMMA:
        at += 1
    return at


@lean_part
def whole(data, at, end):
    """A whole number up to 2^63 - 1 that starts at `at`: (value, place behind it, fault)."""
    if at < end and data[at] == ch.MINUS:
        return np.int64(0), at, NEGATIVE
    value = np.int64(0)
    start = at
    safe = min(end, at + 18)  # so many digits cannot overflow
    while at + 8 <= safe and are_digits(eight_bytes(data, at)):
        value = 100000000 * value + number_of(eight_bytes(data, at))
        at += 8
    while at < safe and is_digit(data[at]):
        value = 10 * value + (np.int64(data[at]) - ch.ZERO)
        at += 1
    if at == start:
        return value, at, NO_NUMBER
    fault = TAKEN
    while at < end and is_digit(data[at]):
        digit = np.int64(data[at]) - ch.ZERO
        if value > 922337203685477579 and (value > 922337203685477580 or digit > 7):
            fault = TOO_BIG
        else:
            value = 10 * value + digit
        at += 1
    return value, at, fault


@lean_part
def ends(data, at, end, separator):
    """What a number that ends at `at` is worth: TAKEN where blanks and the separator, or the end, follow it."""
    if at < end and data[at] == separator:
        return TAKEN
    at = skip_blanks(data, at, end)
    return TAKEN if at >= end or data[at] == separator else NO_NUMBER


@lean_part
def letters(data, at, end):
    """A word of up to eight letters as a number that `word_of` gives for it in small letters; 0 of a longer one."""
    if end - at > 8:
        return np.int64(0)
    word = np.int64(0)
    for place in range(at, end):
        word = (word << 8) | np.int64(data[place] | np.uint8(ch.CASE))
    return word


@lean_part
def read_or_write(data, at, end):
    """READ, WRITE or TRIM of a word r, w, t, read, write or trim in any case; NO_OPERATION for any other."""
    word = letters(data, at, end)
    if word == ch.LOWER_R or word == READ_WORD:
        return READ
    if word == ch.LOWER_W or word == WRITE_WORD:
        return WRITE
    if word == ch.LOWER_T or word == TRIM_WORD:
        return TRIM
    return NO_OPERATION


@lean_part
def hashed(data, begin, end):
    """A 63-bit FNV-1a hash of a name."""
    value = np.uint64(0xCBF29CE484222325)
    for at in range(begin, end):
        value = (value ^ np.uint64(data[at])) * np.uint64(0x100000001B3)
    return np.int64(value >> np.uint64(1))


@lean_part
def stream_of(streams, key, data, begin, end):
    """Number of the stream with this key, whose name stands at begin .. end; -1 when there are too many."""
    used = streams.used
    if used[0] > 0 and streams.keys[used[1]] == key:
        return used[1]
    for number in range(used[0]):
        if streams.keys[number] == key:
            used[1] = number
            return used[1]
    if used[0] == MOST_STREAMS:
        return np.int64(-1)
    number = used[0]
    streams.keys[number] = key
    for at in range(min(end - begin, NAME_BYTES)):
        streams.names[number, at] = data[begin + at]
    used[0] += 1
    used[1] = number
    return number


@lean_part
def put(rows, n, ticks, op, at, size, stream):
    """Write a row that addresses bytes, if it makes sense and ends in its region; returns what became of it."""
    if size < 1:
        return NOTHING_COVERED
    if at >= MOST_ADDRESS:
        return TOO_BIG
    if size > MOST_BYTES:
        return NOT_BELIEVABLE
    if at + size > MOST_ADDRESS:
        return TOO_BIG
    if stream < 0:
        return MANY_STREAMS
    rows.ticks[n] = ticks
    rows.op[n] = op
    rows.at[n] = at
    rows.size[n] = size
    rows.stream[n] = stream
    return TAKEN
