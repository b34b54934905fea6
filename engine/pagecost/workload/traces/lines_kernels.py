"""The text formats: for each, how one line is understood. A new format is a function and a two-line entry."""

import numpy as np

from pagecost import characters_kernels as ch
from pagecost._jit import lean_kernel, lean_part, template
from pagecost.workload.traces.fields_kernels import (
    FEW_FIELDS,
    MANY_STREAMS,
    MORE_FIELDS,
    MOST_PAGES,
    NO_NAME,
    NO_NUMBER,
    NO_OPERATION,
    NO_REQUEST,
    NOT_BELIEVABLE,
    NOTHING_COVERED,
    READ,
    SHOWN,
    SKIPPED,
    TAKEN,
    TOO_BIG,
    TRIM,
    UNKNOWN_OPERATION,
    WRITE,
    ends,
    field_end,
    hashed,
    is_blank,
    is_digit,
    letters,
    line_end,
    put,
    read_or_write,
    skip_blanks,
    stream_of,
    whole,
    word_end,
    word_of,
)
from pagecost.workload.traces.times_kernels import nanos

SECTOR_BYTES = 512
ARRIVAL, OP, PAGE, PAGES, STREAM, WRITES = range(1, 7)  # meanings of columns of a table
ADD, OPEN, CLOSE, SYNC, DATASYNC, WAIT = map(word_of, ("add", "open", "close", "sync", "datasync", "wait"))
FALSE, NO, TRUE, YES = map(word_of, ("false", "no", "true", "yes"))


@template
def parse_lines(data, line, rows, streams, rejects, options, understand):
    """Parse whole lines into rows; `line` is the number of the first. Returns the number of rows.

    understand(data, begin, end, rows, n, streams, options) writes row n or returns why not. Blank lines and lines
    that start with # hold nothing.
    """
    n = 0
    begin = 0
    while begin < data.size:
        stop = line_end(data, begin)
        end = stop - 1 if stop > begin and data[stop - 1] == ch.RETURN else stop
        first = skip_blanks(data, begin, end)
        fate = SKIPPED
        if first < end and data[first] != ch.HASH:
            fate = understand(data, first, end, rows, n, streams, options)
        if fate == TAKEN:
            n += 1
        elif fate == SKIPPED:
            rejects.counts[NO_REQUEST] += 1
        else:
            rejects.counts[fate] += 1
            if rejects.used[0] < SHOWN:
                shown = rejects.shown[rejects.used[0]]
                shown[0] = line
                shown[1] = begin
                shown[2] = end
                shown[3] = fate
                rejects.used[0] += 1
        line += 1
        begin = stop + 1
    return n


@lean_part
def msr_line(data, at, end, rows, n, streams, options):
    """Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime: 100 ns ticks since 1601, bytes."""
    ticks, at, fault = whole(data, at, end)
    if fault == TAKEN:
        fault = ends(data, at, end, ch.COMMA)
    if fault != TAKEN:
        return fault
    name = field_end(data, at, end) + 1
    if name < end and is_digit(data[name]):
        return NO_NAME
    at = field_end(data, name, end)
    stop = field_end(data, at + 1, end)
    at = stop + 1
    stop_of_op = field_end(data, at, end)
    if stop_of_op >= end:
        return FEW_FIELDS
    op = read_or_write(data, at, stop_of_op)
    if op > WRITE:
        return UNKNOWN_OPERATION
    offset, at, fault = whole(data, stop_of_op + 1, end)
    if fault == TAKEN:
        fault = ends(data, at, end, ch.COMMA)
    if fault != TAKEN:
        return fault
    at = field_end(data, at, end)
    if at >= end:
        return FEW_FIELDS
    size, at, fault = whole(data, at + 1, end)
    if fault == TAKEN:
        fault = ends(data, at, end, ch.COMMA)
    if fault != TAKEN:
        return fault
    stream = stream_of(streams, hashed(data, name, stop), data, name, stop)
    return put(rows, n, ticks, op, offset, size, stream)


@lean_part
def spc_line(data, at, end, rows, n, streams, options):
    """ASU,LBA,Size,Opcode,Timestamp[,…]: sectors of 512 bytes within the ASU, bytes, r or w, seconds."""
    asu, at, fault = whole(data, at, end)
    if fault == TAKEN:
        fault = ends(data, at, end, ch.COMMA)
    if fault != TAKEN:
        return fault
    at = field_end(data, at, end)
    sector, at, fault = whole(data, skip_blanks(data, at + 1, end), end)
    if fault == TAKEN:
        fault = ends(data, at, end, ch.COMMA)
    if fault != TAKEN:
        return fault
    at = field_end(data, at, end)
    size, at, fault = whole(data, skip_blanks(data, at + 1, end), end)
    if fault == TAKEN:
        fault = ends(data, at, end, ch.COMMA)
    if fault != TAKEN:
        return fault
    at = skip_blanks(data, field_end(data, at, end) + 1, end)
    stop_of_op = field_end(data, at, end)
    if stop_of_op >= end:
        return FEW_FIELDS
    last = stop_of_op
    while last > at and data[last - 1] == ch.SPACE:
        last -= 1
    op = read_or_write(data, at, last)
    if op > WRITE:
        return UNKNOWN_OPERATION
    at = skip_blanks(data, stop_of_op + 1, end)
    ticks, fault = nanos(data, at, field_end(data, at, end))
    if fault != TAKEN:
        return fault
    if sector >= 1 << 46:
        return TOO_BIG
    return put(rows, n, ticks, op, sector * SECTOR_BYTES, size, asu if asu <= 32767 else np.int64(-1))


@lean_part
def blkparse_line(data, at, end, rows, n, streams, options):
    """major,minor cpu seq sec.nsec pid action rwbs sector + sectors [process]; options: int64[2], action, at summary.

    Lines of other actions, without data (a flush), and the summary that starts with CPU or Total hold no request.
    """
    if options[1] == 1 or data[at] == ch.UPPER_C or data[at] == ch.UPPER_T:
        options[1] = 1
        return SKIPPED
    name = at
    if not is_digit(data[at]):
        return NO_NUMBER
    at = word_end(data, at, end)
    stop = at
    for _ in range(2):
        at = word_end(data, skip_blanks(data, at, end), end)
    begin_of_time = skip_blanks(data, at, end)
    end_of_time = word_end(data, begin_of_time, end)
    at = word_end(data, skip_blanks(data, end_of_time, end), end)
    at = skip_blanks(data, at, end)
    action = word_end(data, at, end)
    if at >= end:
        return FEW_FIELDS
    if action - at != 1 or data[at] != options[0]:
        return SKIPPED
    at = skip_blanks(data, action, end)
    stop_of_op = word_end(data, at, end)
    op = NO_OPERATION
    for letter in range(at, stop_of_op):
        if op == NO_OPERATION and data[letter] == ch.UPPER_R:
            op = READ
        elif op == NO_OPERATION and data[letter] == ch.UPPER_W:
            op = WRITE
        elif op == NO_OPERATION and data[letter] == ch.UPPER_D:
            op = TRIM
    at = skip_blanks(data, stop_of_op, end)
    if at >= end:
        return FEW_FIELDS
    if op == NO_OPERATION or data[at] == ch.BRACKET:
        return SKIPPED
    ticks, fault = nanos(data, begin_of_time, end_of_time)
    if fault != TAKEN:
        return fault
    sector, at, fault = whole(data, at, end)
    if fault != TAKEN:
        return fault
    at = skip_blanks(data, at, end)
    if at >= end or data[at] != ch.PLUS:
        return FEW_FIELDS
    sectors, at, fault = whole(data, skip_blanks(data, at + 1, end), end)
    if fault == TAKEN and at < end and not is_blank(data[at]):
        fault = NO_NUMBER
    if fault != TAKEN:
        return fault
    if sector >= 1 << 46:
        return TOO_BIG
    if sectors > 1 << 21:
        return NOT_BELIEVABLE
    stream = stream_of(streams, hashed(data, name, stop), data, name, stop)
    return put(rows, n, ticks, op, sector * SECTOR_BYTES, sectors * SECTOR_BYTES, stream)


@lean_part
def fio_line(data, at, end, rows, n, streams, options):
    """[microseconds] file action [offset length], in bytes; options: int64[1], 3 where the line starts with a time."""
    ticks = np.int64(0)
    if options[0] == 3:
        ticks, at, fault = whole(data, at, end)
        if fault == TAKEN and at < end and not is_blank(data[at]):
            fault = NO_NUMBER
        if fault != TAKEN:
            return fault
        at = skip_blanks(data, at, end)
    name = at
    at = word_end(data, at, end)
    stop = at
    at = skip_blanks(data, at, end)
    stop_of_op = word_end(data, at, end)
    length = stop_of_op - at
    if length == 0:
        return FEW_FIELDS
    op = read_or_write(data, at, stop_of_op) if length > 1 else NO_OPERATION
    if op == NO_OPERATION:
        word = letters(data, at, stop_of_op)
        no_data = word in (ADD, OPEN, CLOSE, SYNC, DATASYNC, WAIT)
        return SKIPPED if no_data else UNKNOWN_OPERATION
    offset, at, fault = whole(data, skip_blanks(data, stop_of_op, end), end)
    if fault != TAKEN:
        return fault
    size, at, fault = whole(data, skip_blanks(data, at, end), end)
    if fault == TAKEN and at < end and not is_blank(data[at]):
        fault = NO_NUMBER
    if fault != TAKEN:
        return fault
    return put(rows, n, ticks, op, offset, size, stream_of(streams, hashed(data, name, stop), data, name, stop))


@lean_part
def put_pages(rows, n, ticks, op, page, pages, stream):
    """Write a row that counts in pages, if it makes sense."""
    if pages < 1:
        return NOTHING_COVERED
    if pages > MOST_PAGES:
        return NOT_BELIEVABLE
    if page > 9223372036854775807 - pages:
        return TOO_BIG
    if stream > 32767:
        return MANY_STREAMS
    rows.ticks[n] = ticks
    rows.op[n] = op
    rows.at[n] = page
    rows.size[n] = pages
    rows.stream[n] = stream
    return TAKEN


@lean_part
def text_line(data, at, end, rows, n, streams, options):
    """`page` or `page r|w|t`."""
    page, at, fault = whole(data, at, end)
    if fault != TAKEN:
        return fault
    word = skip_blanks(data, at, end)
    op = READ
    if word < end:
        if word == at:
            return NO_NUMBER
        at = word_end(data, word, end)
        op = read_or_write(data, word, at)
        if op == NO_OPERATION:
            return UNKNOWN_OPERATION
        if skip_blanks(data, at, end) < end:
            return MORE_FIELDS
    return put_pages(rows, n, np.int64(0), op, page, np.int64(1), np.int64(0))


@lean_part
def is_write(data, at, end):
    """READ or WRITE of 0, 1, false, true, no, yes, r, w, read or write in any case; NO_OPERATION for any other."""
    if end - at == 1 and (data[at] == ch.ZERO or data[at] == ch.ONE):
        return np.uint8(data[at] - ch.ZERO)
    word = letters(data, at, end)
    if word in (FALSE, NO):
        return READ
    if word in (TRUE, YES):
        return WRITE
    op = read_or_write(data, at, end)
    return NO_OPERATION if op == TRIM else op


@lean_part
def csv_line(data, at, end, rows, n, streams, options):
    """A table; options: int64[2 + columns], their number, what separates them, and what each means.

    A blank field is a default, but for the page and, where the table has times, the time.
    """
    ticks, op, page, pages, stream = np.int64(-1), READ, np.int64(-1), np.int64(1), np.int64(0)
    for column in range(options[0]):
        if at > end:
            break
        stop = at
        while stop < end and data[stop] != options[1]:
            stop += 1
        at = skip_blanks(data, at, stop)
        last = stop
        while last > at and data[last - 1] == ch.SPACE:
            last -= 1
        if last - at >= 2 and data[at] == ch.QUOTE and data[last - 1] == ch.QUOTE:
            at += 1
            last -= 1
        meaning = options[2 + column]
        fault = TAKEN
        if at == last or meaning == 0:
            pass
        elif meaning == ARRIVAL:
            ticks, fault = nanos(data, at, last)
        elif meaning == OP:
            op = read_or_write(data, at, last)
            fault = UNKNOWN_OPERATION if op == NO_OPERATION else TAKEN
        elif meaning == WRITES:
            op = is_write(data, at, last)
            fault = UNKNOWN_OPERATION if op == NO_OPERATION else TAKEN
        else:
            value, at, fault = whole(data, at, last)
            if fault == TAKEN and at < last:
                fault = NO_NUMBER
            if meaning == PAGE:
                page = value
            elif meaning == PAGES:
                pages = value
            else:
                stream = value
        if fault != TAKEN:
            return fault
        at = stop + 1
    if at <= end:
        return MORE_FIELDS
    if page < 0:
        return FEW_FIELDS
    if ticks < 0:
        for column in range(options[0]):
            if options[2 + column] == ARRIVAL:
                return FEW_FIELDS
    return put_pages(rows, n, max(ticks, np.int64(0)), op, page, pages, stream)


@lean_kernel
def parse_msr(data, line, rows, streams, rejects, options):
    """The lines of an MSR Cambridge trace; arguments as of `parse_lines`."""
    return parse_lines(data, line, rows, streams, rejects, options, msr_line)


@lean_kernel
def parse_spc(data, line, rows, streams, rejects, options):
    """The lines of an SPC trace; arguments as of `parse_lines`."""
    return parse_lines(data, line, rows, streams, rejects, options, spc_line)


@lean_kernel
def parse_blkparse(data, line, rows, streams, rejects, options):
    """The lines of blkparse's output; arguments as of `parse_lines`."""
    return parse_lines(data, line, rows, streams, rejects, options, blkparse_line)


@lean_kernel
def parse_fio(data, line, rows, streams, rejects, options):
    """The lines of an fio log of accesses; arguments as of `parse_lines`."""
    return parse_lines(data, line, rows, streams, rejects, options, fio_line)


@lean_kernel
def parse_text(data, line, rows, streams, rejects, options):
    """The lines of a plain text of requests; arguments as of `parse_lines`."""
    return parse_lines(data, line, rows, streams, rejects, options, text_line)


@lean_kernel
def parse_csv(data, line, rows, streams, rejects, options):
    """The lines of a CSV file with named columns; arguments as of `parse_lines`."""
    return parse_lines(data, line, rows, streams, rejects, options, csv_line)
