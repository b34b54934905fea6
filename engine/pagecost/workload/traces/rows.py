"""What every reader hands on: a piece of a trace, and what of it was not understood."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pagecost.requests import Requests
from pagecost.units import so_many
from pagecost.workload.traces.fields_kernels import SHOWN

REGION_PAGES = 1 << 46  # page ids of a file or device start at its number times this, so that no two meet


class Rejected(NamedTuple):
    """A line (or record) that could not be understood: its number (from 1), its text, and why."""

    line: int
    text: str
    reason: str


@dataclass
class Tally:
    """What a reader counts while it reads. reasons: rejected lines by reason; other_lines hold no page request."""

    rejected_lines: int = 0
    other_lines: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    rejected: list[Rejected] = field(default_factory=list)
    streams: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def reject(self, count: int, reason: str) -> None:
        """Count rejected lines of one reason."""
        if count:
            self.rejected_lines += count
            self.reasons[reason] = self.reasons.get(reason, 0) + count

    def show(self, line: int, text: str, reason: str) -> None:
        """Keep a rejected line word for word, if it is among the first."""
        if len(self.rejected) < SHOWN:
            self.rejected.append(Rejected(line, text[:200], reason))

    def say(self, *notes: str) -> None:
        """Keep sentences that a reader must know, each once."""
        self.notes += tuple(note for note in notes if note not in self.notes)

    def sentences(self) -> tuple[str, ...]:
        """All that a reader must know: the notes, and what was not understood, by reason, with the first such line."""
        if not self.rejected_lines:
            return self.notes
        reasons = "; ".join(f"{count} × {reason}" for reason, count in self.reasons.items())
        first = self.rejected[0]
        return (
            *self.notes,
            f"{so_many(self.rejected_lines, 'line was', 'lines were')} not understood ({reasons}); the first is line "
            f"{first.line}: {first.text[:60]!r}.",
        )


class FileToRead(NamedTuple):
    """A file to be read: page_bytes cuts byte addresses into pages, piece_bytes is read at once."""

    path: Path
    page_bytes: int
    piece_bytes: int
    progress: Callable[[float], None]


def _not_said(path: Path) -> None:
    """Of most formats: a file does not say its page size."""


class Format(NamedTuple):
    """A trace format.

    endings tell it where the first lines do not (before .gz and its like). example: the first bytes of such a file.
    fits(head) says how well the first bytes of the content fit: lines or records understood, 0 for not at all.
    read(source, tally) yields Requests and counts in tally. write(pieces of Requests, path, lost) writes an
    uncompressed file and counts what the format cannot hold; None of a format that is only read. in_pages: it numbers
    pages (or objects); else it addresses bytes. own_page_bytes(path): the page size that the file itself says, None
    where it does not.
    """

    name: str
    title: str
    endings: tuple[str, ...]
    describes: str
    example: bytes
    fits: Callable[[bytes], int]
    read: Callable[[FileToRead, Tally], Iterator[Requests]]
    write: Callable | None
    in_pages: bool = True
    own_page_bytes: Callable[[Path], int | None] = _not_said


def of_bytes(at: np.ndarray, size: np.ndarray, stream: np.ndarray, page_bytes: int) -> tuple[np.ndarray, np.ndarray]:
    """(first page, pages) that byte ranges touch, both of shape (n,), each stream in a region of its own."""
    if page_bytes & (page_bytes - 1):
        first, last = at // page_bytes, (at + size - 1) // page_bytes
    else:  # a third of the time, and addresses are not negative
        shift = page_bytes.bit_length() - 1
        first, last = at >> shift, (at + size - 1) >> shift
    pages = last - first + 1
    return first + stream.astype(np.int64) * REGION_PAGES, pages.astype(np.int32)
