"""A table of requests as one would read it by hand: split each line, look up each column, refuse what is odd."""

from fractions import Fraction

NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
BYTES = {"byte": 1, "sector": 512}
OPERATIONS = {"r": 0, "read": 0, "0": 0, "w": 1, "write": 1, "1": 1}


def requests_of(text: str, places: dict[str, int], layout: dict, sign: str) -> list[tuple]:
    """(arrival from the earliest request on [s], op, page of 4 KiB, pages, stream) of every line that says one."""
    lines = text.splitlines()[layout["header"] :]
    found, streams = [], {}
    for line in lines:
        fields = line.split() if sign.isspace() and sign != "\t" else line.split(sign)
        op = OPERATIONS.get(fields[places["op"]].lower())
        offset, size = fields[places["offset"]], int(fields[places["size"]]) * BYTES[layout["size_unit"]]
        # the kernel meets the fields from left to right: a device counts even in a line that is refused further on
        ahead = [
            name
            for name, wrong in (("op", op is None), ("offset", not offset.isdigit()))
            if wrong and places[name] < places["stream"]
        ]
        if not ahead:
            stream = streams.setdefault(fields[places["stream"]], len(streams))
        if op is None or not offset.isdigit() or not 0 < size <= 1 << 30:
            continue
        tick = round_half_up(Fraction(fields[places["time"]]) * NANOSECONDS[layout["time_unit"]])
        start = int(offset) * BYTES[layout["unit"]]
        first, last = start // 4096, (start + size - 1) // 4096
        found.append((tick, op, stream * (1 << 46) + first, last - first + 1, stream))
    earliest = min((tick for tick, *_ in found), default=0)
    return [((tick - earliest) / 10**9, *rest) for tick, *rest in found]


def round_half_up(value: Fraction) -> int:
    """The nearest whole number."""
    return int(value + Fraction(1, 2))
