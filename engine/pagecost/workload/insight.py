"""What a trace is like, before any policy runs: counted in one pass, in memory that grows with the pages only."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pagecost.errors import require
from pagecost.numbering import Numbering
from pagecost.requests import TRIM, Requests
from pagecost.units import so_many
from pagecost.workload import insight_kernels
from pagecost.workload.insight_kernels import BUCKETS, MOST_POINTS, SUB, Counters, Pages


class ZipfFit(NamedTuple):
    """The exponent of the Zipf law that fits best, and the largest distance of its cumulative shares from the trace's.

    A distance of more than about 0.05 says that this trace follows no Zipf law.
    """

    alpha: float
    distance: float


class Insight:
    """Counts page references piece by piece; ask at any time.

    requests: all of them; of these trims are no page references. unsorted: requests whose time lies before that of the
    request before them. sequential: reads and writes whose first page is the one behind the last page of the read or
    write before them, whoever asked for that.
    """

    def __init__(self) -> None:
        self._numbering = Numbering()
        self._pages = Pages(*(np.zeros(0, np.int64) for _ in Pages._fields))
        self._counters = Counters(
            np.zeros(BUCKETS, np.int64),
            np.zeros(BUCKETS, np.int64),
            np.zeros(64, np.int64),
            np.zeros(64, np.int64),
            np.zeros((3, MOST_POINTS), np.int64),
            np.zeros(8, np.int64),
        )
        self._counters.scalars[insight_kernels.STRIDE] = 1
        self.requests = self.trims = self.unsorted = self.sequential = 0
        self.first_s, self.last_s = np.inf, -np.inf
        self._latest_s = -np.inf  # arrival of the request before
        self._next_page: int | None = None  # behind the last page of the read or write before
        self.streams: set[int] = set()

    def add(self, requests: Requests) -> None:
        """Count the next requests of the trace."""
        if requests.size == 0:
            return
        ids, writes = requests.page_references()
        numbers = self._numbering.number(np.ascontiguousarray(ids))
        missing = self._numbering.distinct - self._pages.first.size
        if missing > 0:
            room = np.zeros(max(missing, self._pages.first.size), np.int64)  # doubles, so that growing stays cheap
            self._pages = Pages(*(np.concatenate([column, room]) for column in self._pages))
        flags = np.ascontiguousarray(writes).view(np.uint8)
        insight_kernels.count(np.ascontiguousarray(ids), numbers, flags, self._pages, self._counters)
        self.requests += requests.size
        self.trims += int(np.count_nonzero(requests.op == TRIM))
        self._count_sequential(requests)
        behind = np.diff(requests.arrival_s, prepend=self._latest_s) < 0
        self.unsorted += int(np.count_nonzero(behind))
        self._latest_s = float(requests.arrival_s[-1])
        self.first_s = min(self.first_s, float(requests.arrival_s.min()))
        self.last_s = max(self.last_s, float(requests.arrival_s.max()))
        self.streams.update(np.flatnonzero(np.bincount(requests.stream.astype(np.int64))).tolist())

    def _count_sequential(self, requests: Requests) -> None:
        moved = requests.op != TRIM
        first = requests.page[moved]
        if first.size:
            behind = first + requests.pages[moved]
            self.sequential += int(np.count_nonzero(first[1:] == behind[:-1])) + int(int(first[0]) == self._next_page)
            self._next_page = int(behind[-1])

    def sentences(self) -> Iterator[str]:
        """What must be said of a trace whose requests are not in the order of their times."""
        if self.unsorted:
            one, many = "request has an earlier time than the one", "requests have an earlier time than the one"
            yield (
                f"{so_many(self.unsorted, f'{one} before it', f'{many} before them')}; all are looked at in the order "
                "of the file. A replay sorts them."
            )

    @property
    def references(self) -> int:
        """Page references counted so far."""
        return int(self._counters.scalars[insight_kernels.REFERENCES])

    def profile(self) -> "Profile":
        """What was counted so far. Raises ModelError when no page was referenced."""
        distinct = self._numbering.distinct
        require(distinct > 0, "there is no page reference to look at")
        scalars = self._counters.scalars
        runs, run_pages = self._counters.runs.copy(), self._counters.run_pages.copy()
        length = int(scalars[insight_kernels.RUN])
        runs[length.bit_length() - 1] += 1
        run_pages[length.bit_length() - 1] += length
        return Profile(
            requests=self.requests - self.trims,
            sequential=self.sequential,
            references=self.references,
            distinct=distinct,
            writes=int(scalars[insight_kernels.WRITES]),
            pages=Pages(*(column[:distinct] for column in self._pages)),
            intervals=self._counters.intervals.copy(),
            interval_sum=self._counters.interval_sum.copy(),
            runs=runs,
            run_pages=run_pages,
            growth=self._counters.growth[:, : scalars[insight_kernels.POINTS]].copy(),
        )


@dataclass(frozen=True, eq=False)
class Profile:
    """Counts of a trace. requests: reads and writes, of which `sequential` begin right behind the one before.

    See `Counters` and `Pages` for the arrays.
    """

    requests: int
    sequential: int
    references: int
    distinct: int
    writes: int
    pages: Pages
    intervals: np.ndarray
    interval_sum: np.ndarray
    runs: np.ndarray
    run_pages: np.ndarray
    growth: np.ndarray

    @property
    def sequential_share(self) -> float:
        """Share of the requests, 0..1, that begin at the page behind the last page of the request before them.

        Pages within one request count for nothing: a random request of many pages is one random request.
        """
        return self.sequential / self.requests

    def popularity(self) -> np.ndarray:
        """References per page, falling, int64, shape (distinct,)."""
        return np.sort(self.pages.reads + self.pages.writes)[::-1]

    def page_kinds(self) -> dict[str, int]:
        """How many pages are only read, only written, and both."""
        read, written = self.pages.reads > 0, self.pages.writes > 0
        return {
            "only read": int((read & ~written).sum()),
            "only written": int((written & ~read).sum()),
            "read and written": int((read & written).sum()),
        }

    def footprint(self, windows: np.ndarray) -> np.ndarray:
        """Mean number of distinct pages in a window of so many consecutive references, over all windows. Shape (k,).

        Exact at bucket limits and below 8 references, else by linear interpolation of the interval sums. Formula:
        Xiang, Ding, Luo and Bao 2013 (HOTL), eq. 1, from reuse intervals and first and last references.
        """
        windows = np.asarray(windows, np.int64)
        require(
            bool(((windows >= 1) & (windows <= self.references)).all()),
            f"a window holds 1 to {self.references} references; got {windows.min()}..{windows.max()}",
        )
        first = _excess(self.pages.first, windows)
        last = _excess(self.references + 1 - self.pages.last, windows)
        between = self._interval_excess(windows)
        return self.distinct - (first + last + between) / (self.references - windows + 1)

    def _interval_excess(self, windows: np.ndarray) -> np.ndarray:
        """Sum over all reuse intervals of what they exceed the window by."""
        limits = interval_limits()
        beyond = np.cumsum(self.intervals[::-1])[::-1]
        sums = np.cumsum(self.interval_sum[::-1])[::-1]
        at_limits = sums - limits * beyond
        place = np.searchsorted(limits, windows, side="right") - 1
        share = (windows - limits[place]) / (limits[place + 1] - limits[place])
        return (1 - share) * at_limits[place] + share * at_limits[place + 1]

    def interval_quantile(self, share: float) -> float:
        """The reuse interval, in references, that this share of the re-references does not exceed; nan without any."""
        total = self.intervals.sum()
        if total == 0:
            return np.nan
        bucket = int(np.searchsorted(np.cumsum(self.intervals), share * total))
        return float(self.interval_sum[bucket] / self.intervals[bucket])

    def zipf(self) -> ZipfFit:
        """The most likely Zipf exponent for the references by rank (0 to 4, by bisection), and how well it fits.

        Ranks are those of this very trace, so pages that were referenced only once or twice bias it.
        """
        counts = self.popularity()
        edges = np.unique(np.concatenate([np.arange(min(1000, counts.size) + 1), _edges(counts.size)]))
        weight = np.diff(edges)
        rank = np.sqrt((edges[:-1] + 1.0) * edges[1:])
        shares = np.diff(np.append(0, np.cumsum(counts))[edges]) / self.references
        mean_log = float(shares @ np.log(rank))
        low, high = 0.0, 4.0 if counts[0] > counts[-1] else 0.0  # pages that are asked for alike follow exactly 0
        for _ in range(50):
            alpha = (low + high) / 2
            expected = weight * rank**-alpha
            if expected @ np.log(rank) / expected.sum() > mean_log:
                low = alpha
            else:
                high = alpha
        expected = weight * rank**-alpha
        distance = np.abs(np.cumsum(expected) / expected.sum() - np.cumsum(shares)).max()
        return ZipfFit(alpha, float(distance))


def interval_limits() -> np.ndarray:
    """The smallest interval of every bucket, int64, shape (BUCKETS,), rising."""
    bucket = np.arange(SUB, BUCKETS)
    power = bucket // SUB + 2
    return np.concatenate([np.arange(SUB), (SUB + bucket % SUB) << (power - 3)])


def _excess(values: np.ndarray, windows: np.ndarray) -> np.ndarray:
    """Sum of what values (int64, at least 1) exceed each window by. Shape (k,)."""
    ordered = np.sort(values)
    sums = np.append(np.cumsum(ordered[::-1])[::-1], 0)
    place = np.searchsorted(ordered, windows, side="right")
    return sums[place] - windows * (ordered.size - place)


def _edges(size: int) -> np.ndarray:
    return np.unique(np.geomspace(1, size, 2000).astype(np.int64))
