"""Trace files in: which format a file has, its requests piece by piece or at once, and what was not understood."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pagecost import texts
from pagecost.errors import ModelError, known, present, require, require_file
from pagecost.requests import Requests
from pagecost.units import so_many
from pagecost.workload.traces import binary_formats, line_formats, packed, record_formats, table_formats
from pagecost.workload.traces.rows import FileToRead, Format, Rejected, Tally

PIECE_BYTES = 1 << 20  # its columns fit into a second-level cache, and memory is used anew instead of asked for
HEAD_BYTES = 1 << 16
PAGE_BYTES = 4096  # where neither the file nor who asks says a page size

FORMATS: dict[str, Format] = {
    format.name: format
    for format in (*binary_formats.FORMATS, *record_formats.FORMATS, *line_formats.FORMATS, *table_formats.FORMATS)
}
"""Every trace format by its name."""


def warm() -> None:
    """Understand an example of every format, so that its kernels are compiled or loaded."""
    for format in FORMATS.values():
        format.fits(format.example)


def no_progress(share: float) -> None:
    """The progress of someone who just waits."""


@dataclass(frozen=True, eq=False)
class Trace:
    """A trace as understood: its requests, its format, and what was counted while it was read. path: None of a load."""

    path: Path | None
    format: str
    requests: Requests
    tally: Tally

    @property
    def rejected_lines(self) -> int:
        """How many lines (or records) were not understood."""
        return self.tally.rejected_lines

    @property
    def rejected(self) -> list[Rejected]:
        """The first of them."""
        return self.tally.rejected

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know besides."""
        return self.tally.notes


class Reading:
    """A trace file of any size, piece by piece: iterate once over its `Requests`; `tally` counts meanwhile.

    path, format: as for `read`. page_bytes: of a page, where the file does not say it (None: 4096); byte addresses are
    cut into pages of this size. own_page_bytes: of a recording whose page size is known from elsewhere.
    progress(share of the file) is called between pieces and may raise, which ends the reading. Raises ModelError, at
    once, for a file that is missing, empty, a folder or of no known format; while it is read, for damage and
    truncation.
    """

    def __init__(
        self,
        path,
        format: str | None = None,
        page_bytes: int | None = None,
        progress: Callable[[float], None] = no_progress,
        piece_bytes: int = PIECE_BYTES,
        own_page_bytes: int | None = None,
    ):
        self.path = Path(path)
        require_file(self.path, f"trace {path}")
        require(self.path.stat().st_size > 0, f"trace {path}: the file is empty")
        require(
            page_bytes is None or (512 <= page_bytes <= 1 << 30 and page_bytes % 512 == 0),
            f"the page size must be a multiple of 512 bytes, up to 1 GiB; got {page_bytes}",
        )
        self.format = format_named(format) if format else _format_of(self.path)
        self.tally = Tally()
        own = own_page_bytes or self.format.own_page_bytes(self.path)
        self.page_bytes = own or page_bytes or PAGE_BYTES
        self.tally.say(*_of_pages(self.format, own, page_bytes, self.page_bytes))
        self._file = FileToRead(self.path, self.page_bytes, piece_bytes, progress)

    def __iter__(self) -> Iterator[Requests]:
        return self.format.read(self._file, self.tally)

    def refuse_nothing(self, requests: int) -> None:
        """Raise ModelError, with the first line that was rejected, when there were no requests."""
        if requests == 0:
            shown = self.tally.rejected
            first = f"; line {shown[0].line}, {shown[0].text[:60]!r}: {shown[0].reason}" if shown else ""
            raise ModelError(f"trace {self.path}: no request in it (expected {self.format.describes}){first}")


def format_named(name: str) -> Format:
    """The format of that name, or that says itself what its columns mean: `columns:time=0,op=1,offset=4,size=5`.

    Raises ModelError for an unknown name, and for columns that cannot be understood.
    """
    return table_formats.said_to_be(name) or FORMATS[known("trace format", name, FORMATS)]


def _of_pages(format: Format, own: int | None, asked: int | None, taken: int) -> Iterator[str]:
    """Where the page size is from, where that is worth a word."""
    if own:
        yield from not_asked_for(own, asked)
    elif format.in_pages and asked is not None:
        return  # who asked knows
    elif format.in_pages:
        yield f"The file does not say how large its pages are: {taken} bytes are taken."
    else:
        yield f"Byte addresses are cut into pages of {taken} bytes."


def not_asked_for(own: int, asked: int | None) -> Iterator[str]:
    """That a trace has pages of its own size, where another one was asked for."""
    if asked not in (own, None):
        yield f"The pages of this trace have {own} bytes; the page size that was asked for, {asked} bytes, is not used."


def read(
    path,
    format: str | None = None,
    page_bytes: int | None = None,
    progress: Callable[[float], None] = no_progress,
    own_page_bytes: int | None = None,
) -> Trace:
    """Read a whole trace file; its first lines or its ending tell the format unless `format` names one.

    format: as for `format_named`. page_bytes, own_page_bytes, progress: as for `Reading`. Requests that are not in the
    order of time are sorted, which a note says. Raises ModelError when the file is missing, empty, damaged or
    truncated, or when no line of it can be understood. Single lines that cannot be understood are counted in the
    result, not raised. Arrivals are not negative: they count from an earliest one that would be.
    """
    reading = Reading(path, format, page_bytes, progress, own_page_bytes=own_page_bytes)
    pieces = list(reading)
    reading.refuse_nothing(sum(piece.size for piece in pieces))
    requests, unsorted = _in_order_of_time(_joined(pieces, reading.page_bytes))
    if unsorted:
        reading.tally.say(f"{so_many(unsorted, 'request')} stood behind later ones; the trace was sorted by time.")
    requests = _from_zero(requests)
    return Trace(reading.path, reading.format.name, requests, reading.tally)


def _joined(pieces: list[Requests], page_bytes: int) -> Requests:
    names = ("arrival_s", "op", "page", "pages", "stream")
    if len(pieces) == 1:
        return pieces[0]
    columns = {name: np.concatenate([getattr(piece, name) for piece in pieces]) for name in names}
    return Requests(**columns, page_bytes=page_bytes)


def _in_order_of_time(requests: Requests) -> tuple[Requests, int]:
    """(requests by rising time, how many stood behind a later one)."""
    unsorted = int(np.count_nonzero(np.diff(requests.arrival_s) < 0))
    if unsorted == 0:
        return requests, 0
    return requests.chosen(np.argsort(requests.arrival_s, kind="stable")), unsorted


def _from_zero(requests: Requests) -> Requests:
    """Requests by rising time, counted from the first of them where it would be negative."""
    first_s = requests.arrival_s[0]
    if first_s >= 0:
        return requests
    arrival_s = np.round(requests.arrival_s - first_s, 9)  # whole nanoseconds, as in the file
    return replace(requests, arrival_s=arrival_s)


def _format_of(path: Path) -> Format:
    """The format that the first lines fit, the one that the ending names first; else the one that the ending names."""
    head = packed.head_of(path, HEAD_BYTES)
    require(bool(head), f"trace {path}: the file is empty")
    require(not texts.is_utf16(head), f"trace {path}: {texts.UTF16}")
    by_ending = of_ending(path)
    for format in sorted(FORMATS.values(), key=lambda format: format is not by_ending):
        if format.fits(head) > 0:
            return format
    promised = present(
        by_ending,
        f"trace {path}: the ending does not tell the format and neither do the first lines "
        f"(known: {', '.join(FORMATS)}); name the format",
    )
    require(
        not promised.name.startswith("oracleGeneral"),  # any bytes can be read as records, and none would be rejected
        f"trace {path}: the ending promises {promised.describes}, but the first bytes are none whose times rise and "
        f"whose next references lie ahead; name the format",
    )
    return promised


def of_ending(path: Path) -> Format | None:
    """The format that a file's ending names, or None."""
    ending = packed.bare_ending(path)
    return next((format for format in FORMATS.values() if ending in format.endings), None)
