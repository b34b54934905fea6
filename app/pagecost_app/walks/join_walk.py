"""A walk through a join of two small tables, request by request, as the join at work asks a device for them."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from pagecost import operators
from pagecost.answers import join_runs
from pagecost.answers.join_runs import DIGEST, METHODS, Load
from pagecost.errors import known, require
from pagecost.operators.device_log import TEMPORARY, DeviceLog
from pagecost.operators.joins import Partitions, grace_partitions, hybrid_partitions, memory_of_probes
from pagecost.operators.late import AS_JOINED, BY_INNER, BY_OUTER, digest_of
from pagecost.operators.sorting import fan_in, kept_in_memory
from pagecost.operators.tables import IndexSize
from pagecost.requests import READ
from pagecost_app.walks.asking import Question
from pagecost_app.walks.field_walk import FieldWalk
from pagecost_app.walks.fields import CHOICE, NUMBER, Field

PAGE_BYTES, ROW_BYTES = 8192, 1024  # eight rows in a page
ROWS_PER_PAGE = PAGE_BYTES // ROW_BYTES
PAX_PAGES = 4
MOST_REQUESTS = 1500
LATELY = 8  # requests back; a kind that is older is new, and asked for in question mode
DISK, DRIVE = "hgst-7k1000-750gb", "intel-x25-e"
"""Whose times the picture tells."""
FIELDS = (
    Field("method", "Join", CHOICE, "block nested loops", {name: name for name in METHODS}),
    Field("memory", "Pages of memory", NUMBER, 8, least=3, most=64),
    Field("percent", "Rows that join [%]", NUMBER, 20, least=0, most=100),
    Field("outer", "Pages of R", NUMBER, 16, least=2, most=40),
    Field("inner", "Pages of S", NUMBER, 32, least=2, most=80),
)
OUTER, INNER, INDEX = 0, 1, 2  # streams
KINDS = {
    ("R", True): "R is read",
    ("S", True): "S is read",
    ("index", True): "the index of S is read",
    ("work", False): "an intermediate result is written",
    ("work", True): "an intermediate result is read",
}


class Region(NamedTuple):
    """Neighbouring pages of the device that belong together. side: the table whose rows stand there, or ""."""

    name: str
    first: int
    pages: int
    side: str


class Memory(NamedTuple):
    """What memory is used for in a phase: (what, pages)."""

    phase: str
    title: str
    parts: tuple[tuple[str, int], ...]


class _Taking(DeviceLog):
    """A log that remembers what was taken for intermediate results."""

    def __init__(self, free_page: int):
        super().__init__(free_page)
        self.taken: list[tuple[int, int]] = []

    def take(self, pages: int) -> int:
        first = super().take(pages)
        if pages:
            self.taken.append((first, pages))
        return first


class JoinWalk(FieldWalk):
    """Where one stands in the requests of a join. values: what `FIELDS` names. Raises ModelError for what cannot be.

    requests: of the join, in order; regions: of the device; memory: what it is used for, phase by phase; phases: of
    each request; new_run: whether it has to be positioned for; spent_s: device -> time [s] after each request.
    """

    declared = FIELDS

    def _walk(self, asked: dict[str, Any]) -> None:
        self._keep_numbers_within(asked)
        known("join", asked["method"], METHODS)
        load = Load(
            outer_rows=asked["outer"] * ROWS_PER_PAGE,
            inner_rows=asked["inner"] * ROWS_PER_PAGE,
            row_bytes=ROW_BYTES,
            page_bytes=PAGE_BYTES,
            share=asked["percent"] / 100,
            memory_pages=asked["memory"],
            pax_pages=PAX_PAGES,
        )
        outer, inner = load.tables()
        log = _Taking(inner.end_page + PAX_PAGES)
        pairs, _ = join_runs.noted(asked["method"], load, log)
        requests = log.requests(PAGE_BYTES)
        require(
            requests.size <= MOST_REQUESTS,
            f"a walk for the eye has at most {MOST_REQUESTS} requests; this join makes {requests.size}",
        )
        self.values, self.load, self.requests, self.results = asked, load, requests, len(pairs)
        self.outer, self.inner = outer.size, inner.size
        self.is_read = requests.op == READ
        whole = PAX_PAGES if asked["method"] == "FlashJoin" else 1  # pages of columns are whole
        self.tables = tuple(
            Region(name, table.first_page, -(-table.size.pages // whole) * whole, name)
            for name, table in (("R", outer), ("S", inner))
        )
        self.work = tuple(self._regions(log.taken))
        self.phases = self._phases()
        self.memory = tuple(self._memory())
        self._time()

    @property
    def size(self) -> int:  # type: ignore[override]
        """Requests of the join."""
        return int(self.requests.size)

    @property
    def method(self) -> str:
        """The join, by its name."""
        return str(self.values["method"])

    @property
    def by_parts(self) -> bool:
        """Whether it joins by hash."""
        return self.method not in ("block nested loops", "index nested loops", "sort-merge join")

    def region_of(self, at: int) -> Region:
        """Where the request of that number goes."""
        page = int(self.requests.page[at])
        return next(each for each in (*self.tables, *self.work) if each.first <= page < each.first + each.pages)

    def kind(self, at: int) -> tuple[str, bool]:
        """A key of `KINDS`: what the request of that number asks for."""
        stream = int(self.requests.stream[at])
        return {OUTER: "R", INNER: "S", INDEX: "index"}.get(stream, "work"), bool(self.is_read[at])

    def counts(self) -> tuple[int, int, int]:
        """Pages read and written so far, and requests that had to be positioned for."""
        pages, read = self.requests.pages[: self.position], self.is_read[: self.position]
        return int(pages[read].sum()), int(pages[~read].sum()), int(self.new_run[: self.position].sum())

    def facts(self) -> set[str]:
        """What the last request was, in words that lines of pseudo-code are lit by."""
        if not self.position:
            return set()
        at = self.position - 1
        what, read = self.kind(at)
        side = self.region_of(at).side
        return {
            self.phases[at],
            "read" if read else "write",
            f"{'read' if read else 'write'} {what}",
            what,
            f"side {side}",
        }

    def _regions(self, taken: list[tuple[int, int]]) -> list[Region]:
        """What was taken, named; the pages of parts fall apart as they are read."""
        if self.method == "index nested loops":
            names = ["root", *(f"level {number}" for number in range(2, len(taken))), "leaves"][-len(taken) :]
            return [Region(f"index: {name}", *each, "S") for name, each in zip(names, taken, strict=True)]
        if self.method == "sort-merge join":
            return list(self._runs(taken))
        found, split = [], 2 if self._parts().count else 0  # of R and of S, before pairs are sorted
        for number, (first, pages) in enumerate(taken):
            if number >= split:
                found.append(Region(f"pairs, run {number - split + 1}", first, pages, ""))
                continue
            inside = (self.requests.page >= first) & (self.requests.page < first + pages) & self.is_read
            begins = sorted({first, *self.requests.page[inside].tolist()})
            for part, (begin, end) in enumerate(pairwise((*begins, first + pages)), start=1):
                found.append(Region(f"{'RS'[number]}, part {part}", begin, end - begin, "RS"[number]))
        return found

    def _runs(self, taken: list[tuple[int, int]]) -> Iterator[Region]:
        """What was taken for sort-merge: the runs of R, those of S, then what they are merged to."""
        memory, formed = self.load.memory_pages, []
        for side, table, stays in zip("RS", (self.outer, self.inner), self._kept(), strict=True):
            formed += [] if stays else [side] * -(-table.pages // memory)
        for number, (first, pages) in enumerate(taken):
            side = formed[number] if number < len(formed) else ""
            if side:
                yield Region(f"{side}, run {number - formed.index(side) + 1}", first, pages, side)
            else:
                yield Region(f"merged run {number - len(formed) + 1}", first, pages, side)

    def _kept(self) -> tuple[bool, bool]:
        """Whether R, and S, stays in memory in a sort-merge join."""
        load = self.load
        return kept_in_memory(self.outer.pages, self.inner.pages, load.memory_pages, load.cluster_pages)

    def _phases(self) -> list[str]:
        """Of each request: scan (with what is written on the way), merge, join, or fetch."""
        stream, size = self.requests.stream, self.requests.size
        table = (stream == OUTER) | (stream == INNER)
        if self.method == "sort-merge join":
            merging = {region.first for region in self.work if not region.side}
            last = max((at for at in range(size) if not self.is_read[at]), default=-1)
            read = np.flatnonzero((stream == TEMPORARY) & self.is_read)
            first = int(read[0]) if read.size else size
            return ["scan" if at < first else "merge" if merging and at <= last else "join" for at in range(size)]
        if not self.by_parts:
            return ["scan"] * size
        late = self.method.startswith((DIGEST, "FlashJoin"))
        scans = np.flatnonzero(table)
        if late:
            scans = scans[: self._scan_requests()]
        last_scan = int(scans[-1]) if scans.size else -1
        fetched = np.flatnonzero(table)[scans.size :]
        first_fetch = int(fetched[0]) if fetched.size else size
        read = np.flatnonzero((stream == TEMPORARY) & self.is_read)
        first_join = int(read[0]) if read.size else size
        first_join = max(first_join, last_scan + 1) if late else first_join
        return ["fetch" if at >= first_fetch else "join" if at >= first_join else "scan" for at in range(size)]

    def _scan_requests(self) -> int:
        """Requests of the first phase to R and S, of a join that fetches late."""
        if self.method == "FlashJoin":
            pax = operators.Pax(PAX_PAGES)
            return pax.count(self.outer) + pax.count(self.inner)
        cluster = self._parts().cluster_pages
        return sum(-(-table.pages // cluster) for table in (self.outer, self.inner))

    def _parts(self) -> Partitions:
        """How the hash join of rows or of digests splits R."""
        memory = self.load.memory_pages
        if self.method == "GRACE hash join":
            return grace_partitions(self.outer.pages, memory)
        rows = self.method == "hybrid hash join"
        pages = self.outer.pages if rows else digest_of(self.outer, 8).pages
        return hybrid_partitions(pages, memory, self.load.cluster_pages)

    def _memory(self) -> Iterator[Memory]:
        """What memory is used for, by the rules that the joins keep to."""
        memory, cluster = self.load.memory_pages, self.load.cluster_pages
        if self.method == "block nested loops":
            yield Memory("scan", "all the time", (("a part of R", memory - 2), ("S comes in", 1), ("result", 1)))
        elif self.method == "index nested loops":
            block, _ = memory_of_probes(IndexSize(self.inner), memory)
            upper = memory - block - 2
            yield Memory("scan", "all the time", (("R", block), ("top of the index", upper), ("leaf, row of S", 2)))
        elif self.method == "sort-merge join":
            yield from self._memory_of_runs(memory, cluster)
        else:
            yield from self._memory_of_parts(self._parts(), memory)

    def _memory_of_runs(self, memory: int, cluster: int) -> Iterator[Memory]:
        sides = zip("RS", (self.outer, self.inner), self._kept(), strict=True)
        kept = [(f"{name}, in order", table.pages) for name, table, stays in sides if stays]
        if len(kept) == 2:
            yield Memory("scan", "sorting both, and joining", tuple(kept))
            return
        yield Memory("scan", "forming runs", (("rows that are sorted", memory),))
        if kept:
            room = memory - kept[0][1] - cluster
            yield Memory("join", "joining", (*kept, ("runs of the other, side by side", room), ("result", cluster)))
            return
        most = fan_in(memory, cluster)
        if "merge" in self.phases:
            yield Memory("merge", "merging", ((f"{most} runs", most * cluster), ("out", cluster)))
        side_by_side = (f"up to {most} runs of R and S, side by side", most * cluster)
        yield Memory("join", "joining", (side_by_side, ("result", cluster)))

    def _memory_of_parts(self, parts: Partitions, memory: int) -> Iterator[Memory]:
        what = "digests of R" if self.method.startswith((DIGEST, "FlashJoin")) else "R"
        if not parts.count:
            yield Memory("scan", "reading R, then S", ((f"hash table of all {what}", memory - 1), ("in", 1)))
        else:
            out = parts.count * parts.cluster_pages
            stays = memory - out - parts.cluster_pages if parts.resident else 0
            used = ((f"{what}, kept", stays), (f"{parts.count} parts going out", out), ("in", parts.cluster_pages))
            yield Memory("scan", "splitting R, then S", used)
            table = memory - parts.cluster_pages
            yield Memory(
                "join", "joining part by part", ((f"hash table of a part of {what}", table), ("S", memory - table))
            )
        if self.method == "FlashJoin":
            yield Memory("fetch", "fetching columns", (("columns of rows that matched", memory),))
        elif self.method.startswith(DIGEST):
            order = self.method.removeprefix(DIGEST)
            split = {AS_JOINED: (1, 1), BY_OUTER: (1, memory - 1), BY_INNER: (memory - 1, 1)}.get(order)
            held = (("R", split[0]), ("S", split[1])) if split else (("pages of R and S", memory),)
            yield Memory("fetch", "fetching rows", held)

    def _time(self) -> None:
        """When the requests are done on a disk and on an SSD: a run costs one positioning and all of its pages."""
        page, pages, op = self.requests.page, self.requests.pages.astype(float), self.requests.op
        self.new_run = np.ones(self.size, bool)
        self.new_run[1:] = (page[1:] != page[:-1] + self.requests.pages[:-1]) | (op[1:] != op[:-1])
        start = np.flatnonzero(self.new_run)
        total = np.cumsum(pages)
        before_run = np.repeat((total - pages)[start], np.diff(start, append=self.size))
        so_far, before = total - before_run, total - before_run - pages
        self.spent_s: dict[str, np.ndarray] = {}
        for device in (DISK, DRIVE):
            times = operators.on_device(device, PAGE_BYTES)
            each = np.zeros(self.size)
            for write in (False, True):
                some = self.is_read != write
                after_s, before_s = (times.run_s(length[some], write=write) for length in (so_far, before))
                each[some] = after_s - np.where(self.new_run[some], 0.0, before_s)
            self.spent_s[device] = np.concatenate([[0.0], np.cumsum(each)])

    def place_of(self, wish: str) -> int:
        """Where a wish leads: to the end of the "next" or to the beginning of this or the "previous" phase."""
        ends = [at for at in range(1, self.size) if self.phases[at] != self.phases[at - 1]]
        if wish == "previous":
            return max((end for end in ends if end < self.position), default=0)
        return min((end for end in ends if end > self.position), default=self.size)

    def _move(self, position: int) -> None:
        self.position = position

    def _questions(self) -> list[Question]:
        """Before a request of a kind that was not made lately: which?"""
        own = self.kind(self.position)
        if own in (self.kind(at) for at in range(max(self.position - LATELY, 0), self.position)):
            return []
        there = {self.kind(at) for at in range(self.size)}
        options = [kind for kind in KINDS if kind in there]
        if len(options) < 2:
            return []
        return [Question("What happens next?", tuple(KINDS[kind] for kind in options), frozenset({options.index(own)}))]
