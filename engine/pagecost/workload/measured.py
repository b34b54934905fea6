"""The load that a device was under, as measured: how many requests, how large, how many of them read, how busy."""

from dataclasses import dataclass
from typing import Any

from pagecost.errors import require
from pagecost.requests import TRIM, WRITE
from pagecost.workload.insight import Insight
from pagecost.workload.sources import Pieces


@dataclass(frozen=True)
class MeasuredLoad:
    """What was asked of one device. What is not known is None.

    source: the file that says it. seconds [s]: how long it was observed. rate_hz: requests per second, peak_rate_hz:
    the most of them, over the spans that `rates_hz` gives. read_share: of the requests, 0..1. request_bytes: of the
    mean request. references_hz: pages per second. queue: mean number of requests that wait or are served. utilisation:
    share of the time in which there is one, 0..1. sequential_share: of the requests, those that begin where the one
    before ends, 0..1. trace: by which name it can be replayed.
    written_bytes_per_s [B/s]. read_s, write_s [s]: of the mean read and the mean write, waiting included.
    """

    source: str
    device: str
    rate_hz: float
    read_share: float | None
    request_bytes: float | None
    references_hz: float | None = None
    seconds: float | None = None
    peak_rate_hz: float | None = None
    rates_hz: tuple[float, ...] = ()
    queue: float | None = None
    utilisation: float | None = None
    sequential_share: float | None = None
    trace: str | None = None
    written_bytes_per_s: float | None = None
    read_s: float | None = None
    write_s: float | None = None
    notes: tuple[str, ...] = ()

    def of_system(self) -> dict[str, Any]:
        """The values of a system that this fills in: path -> value. Raises ModelError where nothing was asked."""
        require(
            self.rate_hz > 0 and self.read_share is not None,
            f"{self.source}: nothing was asked of {self.device}; name another device or a longer measurement",
        )
        values = {"load.rate_hz": self.references_hz or self.rate_hz, "load.read_share": self.read_share}
        return values | ({"load.source": self.trace} if self.trace else {})


def of_trace(pieces: Pieces, name: str | None = None) -> MeasuredLoad:
    """The load that a trace is, all devices and files together; it is read once, piece by piece.

    name: by which the trace can be replayed, None where it cannot. Sizes are whole pages, as the trace is understood.
    Raises ModelError for what reading raises, and for a trace without times, which says no rate.
    """
    insight, moved, writes, pages = Insight(), 0, 0, 0
    for piece in pieces:
        insight.add(piece)
        kept = piece.op != TRIM
        moved += int(kept.sum())
        writes += int((piece.op == WRITE).sum())
        pages += int(piece.pages[kept].sum())
    pieces.refuse_nothing(insight.requests)
    source = str(pieces.path or pieces.format)
    span_s = insight.last_s - insight.first_s
    require(span_s > 0, f"{source}: it has no times, so it says no rate of requests")
    return MeasuredLoad(
        source=source,
        device="all of it",
        rate_hz=moved / span_s,
        read_share=1 - writes / moved if moved else None,
        request_bytes=pages * pieces.page_bytes / moved if moved else None,
        references_hz=pages / span_s,
        seconds=span_s,
        sequential_share=insight.sequential / moved if moved else None,
        trace=name,
        notes=(*pieces.tally.sentences(), *insight.sentences()),
    )
