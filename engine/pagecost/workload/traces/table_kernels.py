"""Any table of requests: each column by its number means a time, an operation, an address, a size or a device."""

import numpy as np

from pagecost import characters_kernels as ch
from pagecost._jit import lean_kernel, lean_part
from pagecost.workload.traces.fields_kernels import (
    FEW_FIELDS,
    MANY_STREAMS,
    MORE_FIELDS,
    MOST_ADDRESS,
    MOST_BYTES,
    NO_NUMBER,
    NO_OPERATION,
    NOT_BELIEVABLE,
    READ,
    TAKEN,
    TOO_BIG,
    UNKNOWN_OPERATION,
    hashed,
    is_blank,
    put,
    read_or_write,
    skip_blanks,
    stream_of,
    whole,
)
from pagecost.workload.traces.lines_kernels import is_write, parse_lines, put_pages
from pagecost.workload.traces.times_kernels import ticks_of

TIME, OP, WRITES, AT, SIZE, STREAM = range(1, 7)  # meanings of columns
# Places in the options, int64: the number of columns, whether there may be no more, what separates them, nanoseconds
# in a unit of time, where times start, bytes in a unit of address (0: pages) and of size, whether devices are numbers,
# the number of words for operations; then what each column means, then each word's key and operation.
COLUMNS, EXACT, DELIMITER, TIME_NS, TIME_START, AT_BYTES, SIZE_BYTES, NUMBERED, WORDS, MEANINGS = range(10)


@lean_part
def operation(data, at, end, options, meaning):
    """READ, WRITE or TRIM of a field: by the words that were given, else by those that are known."""
    words = options[WORDS]
    if words > 0:
        key = hashed(data, at, end)
        first = MEANINGS + options[COLUMNS]
        for word in range(words):
            if options[first + 2 * word] == key:
                return np.uint8(options[first + 2 * word + 1])
    elif meaning == WRITES or (end - at == 1 and (data[at] == ch.ZERO or data[at] == ch.ONE)):
        return is_write(data, at, end)
    return read_or_write(data, at, end)


@lean_part
def table_line(data, at, end, rows, n, streams, options):
    """One line of a table; options as above. A column that is used must hold something."""
    ticks, op, address, size, stream = np.int64(0), READ, np.int64(-1), np.int64(1), np.int64(0)
    delimiter = options[DELIMITER]
    while delimiter == ch.TAB and at > 0 and is_blank(data[at - 1]):
        at -= 1  # a tab before the first field that holds something is an empty field
    for column in range(options[COLUMNS]):
        if at > end or (delimiter == ch.SPACE and at == end):
            return FEW_FIELDS
        stop = at
        if delimiter == ch.SPACE:
            while stop < end and not is_blank(data[stop]):
                stop += 1
        else:
            while stop < end and data[stop] != delimiter:
                stop += 1
        last = stop
        while last > at and is_blank(data[last - 1]):
            last -= 1
        begin = skip_blanks(data, at, last)
        if last - begin >= 2 and data[begin] == ch.QUOTE and data[last - 1] == ch.QUOTE:
            begin += 1
            last -= 1
        meaning = options[MEANINGS + column]
        says_op = meaning in (OP, WRITES)
        fault = TAKEN
        if meaning == 0:
            pass
        elif meaning == STREAM and options[NUMBERED] == 0:
            stream = stream_of(streams, hashed(data, begin, last), data, begin, last)
        elif begin == last:
            fault = UNKNOWN_OPERATION if says_op else FEW_FIELDS
        elif meaning == TIME:
            ticks, fault = ticks_of(data, begin, last, options[TIME_NS], options[TIME_START])
        elif says_op:
            op = operation(data, begin, last, options, meaning)
            fault = UNKNOWN_OPERATION if op == NO_OPERATION else TAKEN
        else:
            value, begin, fault = whole(data, begin, last)
            if fault == TAKEN and begin < last:
                fault = NO_NUMBER
            if meaning == AT:
                address = value
            elif meaning == SIZE:
                size = value
            else:
                stream = value
        if fault != TAKEN:
            return fault
        at = stop + 1
        if delimiter == ch.SPACE:
            at = skip_blanks(data, stop, end)
    if options[EXACT] == 1 and (at < end or (at == end and delimiter != ch.SPACE)):
        return MORE_FIELDS
    if stream > 32767:
        return MANY_STREAMS
    if options[AT_BYTES] == 0:
        return put_pages(rows, n, ticks, op, address, size, stream)
    if address > MOST_ADDRESS // options[AT_BYTES]:
        return TOO_BIG
    if size > MOST_BYTES // options[SIZE_BYTES]:
        return NOT_BELIEVABLE
    return put(rows, n, ticks, op, address * options[AT_BYTES], size * options[SIZE_BYTES], stream)


@lean_kernel
def parse_table(data, line, rows, streams, rejects, options):
    """The lines of a table whose columns the options name; arguments as of `parse_lines`."""
    return parse_lines(data, line, rows, streams, rejects, options, table_line)
