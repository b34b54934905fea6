"""Trace files out: from one format to another, and what does not survive."""

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from pagecost.errors import ModelError, known, present, require, there_is
from pagecost.requests import Requests
from pagecost.units import so_many
from pagecost.workload.traces import packed
from pagecost.workload.traces.reading import FORMATS, PAGE_BYTES, of_ending
from pagecost.workload.traces.rows import Format
from pagecost.workload.traces.writing import Lost


class Saved(NamedTuple):
    """A file that was written: its format, the requests that were given, and sentences about what it cannot hold."""

    path: Path
    format: str
    requests: int
    lost: tuple[str, ...]


def convert(reading, out, out_format: str | None = None) -> Saved:
    """Write what a `Reading` (or anything that is iterated and refuses like one) gives in another format, piecewise.

    Raises ModelError, and leaves no file behind, for whatever reading and `save` raise and when `out` is what is read.
    """
    same = reading.path is not None and there_is(Path(out)) and Path(out).samefile(reading.path)
    require(not same, f"{out}: a trace cannot be converted onto itself")

    def requests() -> Iterator[Requests]:
        found = 0
        for piece in reading:
            found += piece.size
            yield piece
        reading.refuse_nothing(found)

    return save(requests(), out, out_format)


def save(pieces: Iterable[Requests], out, out_format: str | None = None) -> Saved:
    """Write requests to a trace file; the ending tells format (unless `out_format` names it) and compression.

    The file appears when it is complete; one that was there is replaced. Raises ModelError for an ending that tells
    no format, and when the format cannot express the requests.
    """
    out = Path(out)
    if out_format is not None:
        known("trace format", out_format, FORMATS)
    format = present(
        FORMATS[out_format] if out_format else of_ending(out),
        f"{out}: the ending does not tell the format; known: {', '.join(_endings())}, or name the format",
    )
    write = present(
        format.write,
        f"{out}: the format {format.name} is only read; these are written: {', '.join(_written())}",
    )
    packing = packed.packing_by_ending(out)
    require(packing is None or format.name != "parquet", f"{out}: a Parquet file compresses itself; leave {out.suffix}")
    require(out.parent.is_dir(), f"{out}: there is no folder {out.parent}")
    require(not out.is_dir(), f"{out}: this is a folder, not a file")
    lost: Lost = Lost()
    counted = _Counted(pieces)
    try:
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=".pagecost-") as folder:
            plain = Path(folder) / "plain"
            write(counted, plain, lost)
            if packing:
                with plain.open("rb") as source, packing.open(Path(folder) / "packed", "wb") as target:
                    shutil.copyfileobj(source, target, 1 << 20)
                plain = Path(folder) / "packed"
            plain.replace(out)
    except InterruptedError:  # cancelled
        raise
    except OSError as error:
        raise ModelError(f"cannot write {out}: {error.strerror or error}") from None
    return Saved(out, format.name, counted.requests, tuple(_sentences(format, counted.page_bytes, lost)))


def _written() -> list[str]:
    return [format.name for format in FORMATS.values() if format.write]


def _endings() -> list[str]:
    return [ending for format in FORMATS.values() for ending in format.endings]


def _sentences(format: Format, page_bytes: int, lost: Lost) -> Iterator[str]:
    for what, requests in lost.items():
        if requests:
            yield f"{so_many(requests, 'request')}: {what}."
    if format.in_pages and format.name != "parquet" and page_bytes != PAGE_BYTES:
        yield f"The page size, {page_bytes} bytes, is not kept: name it when the file is read."


class _Counted:
    """Passes pieces on and counts."""

    def __init__(self, pieces: Iterable[Requests]):
        self._pieces, self.requests, self.page_bytes = pieces, 0, PAGE_BYTES

    def __iter__(self) -> Iterator[Requests]:
        for piece in self._pieces:
            self.requests += piece.size
            self.page_bytes = piece.page_bytes
            yield piece
