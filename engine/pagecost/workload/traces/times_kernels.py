"""Times in lines of text: decimal numbers, with or without a power of ten, in whole nanoseconds."""

import numpy as np

from pagecost import characters_kernels as ch
from pagecost._jit import general_part, lean_part
from pagecost.workload.traces.fields_kernels import (
    NO_NUMBER,
    TAKEN,
    TOO_BIG,
    is_blank,
    is_digit,
    skip_blanks,
    whole,
)

MOST_TIME_NS = 9_000_000_000_000_000_000
MOST_SECONDS = 9223372035
SECOND_NS, NO_START = np.int64(1000000000), np.int64(0)
MOST_POWER = 1 << 40  # more says nothing else: no field has so many digits


@lean_part
def nanos(data, at, end):
    """A decimal number of seconds that fills at .. end, in whole nanoseconds: (value, fault)."""
    begin = at
    value, at, fault = whole(data, at, end)
    if fault == TAKEN and value > MOST_SECONDS:
        fault = TOO_BIG
    if fault != TAKEN:
        return with_power(data, begin, end, SECOND_NS, NO_START, fault)
    value *= 1000000000
    if at < end and data[at] == ch.POINT:
        at += 1
        weight = np.int64(100000000)
        rounded = False
        while at < end and is_digit(data[at]):
            if weight > 0:
                value += weight * (np.int64(data[at]) - ch.ZERO)
            elif not rounded:
                value += data[at] >= ch.FIVE
                rounded = True
            weight //= 10
            at += 1
    if skip_blanks(data, at, end) < end:
        return with_power(data, begin, end, SECOND_NS, NO_START, NO_NUMBER)
    return value, fault


@lean_part
def ticks_of(data, at, end, unit, start):
    """A decimal number of units of time that fills at .. end, from a start, in whole nanoseconds: (value, fault).

    unit: nanoseconds in one, a power of ten. start: in units. A comma is a decimal point: where it separates columns it
    does not stand in one.
    """
    begin = at
    value, at, fault = whole(data, at, end)
    value -= start
    if fault == TAKEN and (value > MOST_TIME_NS // unit or value < -(MOST_TIME_NS // unit)):
        fault = TOO_BIG
    if fault == TAKEN:
        value *= unit
        if at < end and (data[at] == ch.POINT or data[at] == ch.COMMA):
            at += 1
            weight = unit
            while at < end and is_digit(data[at]):
                digit = np.int64(data[at]) - ch.ZERO
                if weight >= 10:
                    weight //= 10
                    value += weight * digit
                elif weight > 0:
                    value += digit >= 5  # half a nanosecond and more
                    weight = np.int64(0)
                at += 1
        if at >= end:
            return value, fault
        fault = NO_NUMBER
    return with_power(data, begin, end, unit, start, fault)


@general_part
def with_power(data, at, end, unit, start, otherwise):
    """What `ticks_of` gives for a number with a power of ten behind it, as 1.5e-3: (value, fault), exact in each digit.

    The power moves the point before any digit is cut: it may stand to the left or right of all that are written.
    otherwise: the fault of a text that is no such number.
    """
    while end > at and is_blank(data[end - 1]):
        end -= 1
    mark = at
    while mark < end and data[mark] != ch.LOWER_E and data[mark] != ch.UPPER_E:
        mark += 1
    point = at
    while point < mark and is_digit(data[point]):
        point += 1
    behind = point + 1
    while behind < mark and is_digit(data[behind]):
        behind += 1
    is_point = point < mark and (data[point] == ch.POINT or data[point] == ch.COMMA)
    if mark >= end or point == at or (point < mark and not (is_point and behind == mark)):
        return np.int64(0), otherwise
    power, fault = power_of(data, mark + 1, end)
    if fault != TAKEN:
        return np.int64(0), fault
    first = at
    while first < mark and (data[first] == ch.ZERO or first == point):
        first += 1
    highest = power + (point - 1 - first if first < point else point - first)  # power of the first digit that counts
    value = np.int64(0)
    if first < mark:
        if highest > 18:
            return np.int64(0), TOO_BIG
        for place in range(highest, -1, -1):
            if value > 922337203685477579:
                return np.int64(0), TOO_BIG
            value = 10 * value + digit_at(data, at, point, mark, place - power)
    value -= start
    if value > MOST_TIME_NS // unit or value < -(MOST_TIME_NS // unit):
        return np.int64(0), TOO_BIG
    value *= unit
    place = np.int64(-1) - power
    while unit >= 10:
        unit //= 10
        value += unit * digit_at(data, at, point, mark, place)
        place -= 1
    return value + (digit_at(data, at, point, mark, place) >= 5), TAKEN


@lean_part
def power_of(data, at, end):
    """The whole number with or without a sign that fills at .. end: (value, fault)."""
    smaller = at < end and data[at] == ch.MINUS
    if at < end and (data[at] == ch.MINUS or data[at] == ch.PLUS):
        at += 1
    power, at, fault = whole(data, at, end)
    if fault == TAKEN and at < end:
        fault = NO_NUMBER
    power = min(power, np.int64(MOST_POWER))
    return -power if smaller else power, fault


@lean_part
def digit_at(data, at, point, mark, place):
    """The digit that counts 10^place in a number that fills at .. mark; point: where its point stands, or would."""
    where = point - 1 - place if place >= 0 else point - place
    return np.int64(data[where]) - ch.ZERO if at <= where < mark else np.int64(0)
