"""Does a generated TPC-C load the disk as a real database does? A recorded run of PostgreSQL beside the generator."""

from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from pagecost.answers import remembered
from pagecost.oscaches import Host
from pagecost.path import BufferStage
from pagecost.requests import WRITE, Requests
from pagecost.studies import finding
from pagecost.studies.fields import Choice, From, Steps
from pagecost.studies.finding import Finding, percent
from pagecost.studies.shared_fields import SEED, size_or_none
from pagecost.studies.study import Column, Fact, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_bytes, grouped
from pagecost.workload import tpcc_recorded
from pagecost.workload.tpcc import ROW_BYTES, TpcC
from pagecost.workload.tpcc_trees import INDEXES

WARM_UP = 3000  # transactions before those that count, as in the recording
READ_AHEAD_BYTES, EXPIRES_S = 128 * 1024, 30.0  # of Linux: window of read-ahead, age at which a changed page is written
MOST_REQUEST_BYTES = 1280 * 1024  # of a request on the recorded device
HOTTEST = np.array([0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0])
SIZES = 4096 * 2 ** np.arange(9)  # requests are counted up to each of these
RECORDED, GENERATED = "recorded", "generated"
SIDES = (RECORDED, GENERATED)


class Inputs(StudyInputs):
    """What stands beside the recording: the generator's indexes, and the memory in front of its device."""

    indexes: Annotated[
        str,
        Choice(lambda: {"yes": "with indexes", "no": "tables alone"}),
        Field(title="Generated load", description="Whether the generator finds its rows through indexes."),
    ] = "yes"
    buffer_bytes: Annotated[
        float,
        Steps(tuple(2**power * 2**20 for power in range(1, 7)), "B", format_bytes),
        From("datasets/traces/postgresql-tpcc.json: 8 MB"),
        Field(ge=2**20, le=2**28, title="Buffer", description="Of the generated database; LRU."),
    ] = 8 * 2**20
    page_cache_bytes: Annotated[
        float,
        Steps((0, 16 * 2**20, 24 * 2**20, 32 * 2**20, 40 * 2**20, 64 * 2**20), "B", size_or_none),
        From("datasets/traces/postgresql-tpcc.json: 41.7 MB"),
        Field(
            ge=0,
            le=2**30,
            title="Page cache",
            description="Of the generated side's operating system; LRU, changed pages are written after 30 s.",
        ),
    ] = 40 * 2**20
    seed: SEED = 1


class Side(NamedTuple):
    """One side of the comparison. Per table and index, shape (streams,) in the order of `names`: references, misses of
    the buffer, pages read from and written to the device, each for one transaction. sizes: bytes of each request, and
    whether it writes. counts: accesses to each page that was touched."""

    references: np.ndarray
    misses: np.ndarray
    reads: np.ndarray
    writes: np.ndarray
    request_bytes: np.ndarray
    request_writes: np.ndarray
    counts: np.ndarray


def names() -> tuple[str, ...]:
    """The tables and indexes, as rows of the answer."""
    return (*ROW_BYTES, *INDEXES)


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per table and index; sizes of requests and skew are tables of their own.

    The generator runs as many transactions, of the same mix and on as many warehouses, after as many that warm up. Its
    references go through an LRU buffer and a page cache with read-ahead whose changed pages are written when they are
    30 s old or leave; time passes as in the recording. Neighbouring pages that are asked for in a row are one request.
    """
    recorded = _recorded()
    progress(0.3, None)
    generated = _generated(inputs.indexes == "yes", int(inputs.buffer_bytes), int(inputs.page_cache_bytes), inputs.seed)
    return _result(recorded, generated)


@remembered
def _recorded() -> Side:
    known, requests = tpcc_recorded.counted(), tpcc_recorded.trace().requests
    page = known.page_bytes // requests.page_bytes  # blocks
    place = {name: number for number, name in enumerate(names())}
    stream = np.array([place.get(name, -1) for name in known.streams])[requests.stream]
    write, own = requests.op == WRITE, stream >= 0

    def pages(which) -> np.ndarray:
        return np.bincount(stream[which], requests.pages[which], len(place)) / page / known.transactions

    touched, _ = requests.chosen(own).singles()
    _, counts = np.unique(touched.page, return_counts=True)
    return Side(
        references=np.array([known.references.get(name, 0) for name in place]) / known.transactions,
        misses=np.array([known.reads.get(name, 0) for name in place]) / known.transactions,
        reads=pages(own & ~write),
        writes=pages(own & write),
        request_bytes=requests.pages[own].astype(np.int64) * requests.page_bytes,
        request_writes=write[own],
        counts=counts,
    )


@remembered
def _generated(indexes: bool, buffer_bytes: int, page_cache_bytes: int, seed: int) -> Side:
    known = tpcc_recorded.counted()
    load = TpcC(warehouses=known.warehouses, mix="lee2009", page_bytes=known.page_bytes, indexes=indexes, aborts=True)
    run = load.run(WARM_UP + known.transactions, seed)
    rate_hz = known.transactions / known.seconds
    begins_s = np.repeat(np.arange(run.ends.size) / rate_hz, np.diff(run.first))
    counted_s = WARM_UP / rate_hz
    asked = Requests(begins_s, run.requests.op, run.page, run.requests.pages, run.requests.stream, known.page_bytes)
    handed = BufferStage(buffer_bytes // known.page_bytes).serve(asked).requests
    cached = page_cache_bytes // known.page_bytes
    window = min(READ_AHEAD_BYTES // known.page_bytes, cached)
    host = Host(
        buffer_pages=1,
        page_cache_pages=cached,
        read_ahead_pages=window,
        sync=False,
        expires=max(1, round(handed.size / begins_s[-1] * EXPIRES_S)),
    )
    below = host.serve(handed.page, handed.op == WRITE, int(run.page.max()) + 1 + window, page_bytes=known.page_bytes)
    kept = (handed.arrival_s[below.cause] >= counted_s) & (below.page >= 0)
    page, write = below.page[kept], below.write[kept]
    misses = handed.chosen((handed.op != WRITE) & (handed.arrival_s >= counted_s))
    parts = len(names())

    def each(stream) -> np.ndarray:
        return np.bincount(stream, minlength=parts) / known.transactions

    stream = np.searchsorted(run.starts, page, side="right") - 1
    follows = (np.diff(page) == 1) & (write[1:] == write[:-1])
    begins = np.append(0, np.flatnonzero(~follows) + 1)
    length = np.diff(np.append(begins, page.size)) * known.page_bytes
    _, counts = np.unique(page, return_counts=True)
    return Side(
        references=each(run.requests.stream[begins_s >= counted_s]),
        misses=each(misses.stream),
        reads=each(stream[~write]),
        writes=each(stream[write]),
        request_bytes=np.minimum(length, MOST_REQUEST_BYTES),
        request_writes=write[begins],
        counts=counts,
    )


WHAT = {
    "references": "page references",
    "misses": "misses of the buffer",
    "reads": "pages read from the device",
    "writes": "pages written to the device",
}


def _result(recorded: Side, generated: Side) -> Result:
    both = {RECORDED: recorded, GENERATED: generated}
    columns = {"name": Column(np.array(names()), "text", "table or index")}
    for what, label in WHAT.items():
        for side, found in both.items():
            columns[f"{what}_{side}"] = Column(getattr(found, what), "1", f"{label} per transaction, {side}")
    sizes = {"request_bytes": Column(SIZES, "B", "size of a request, up to")}
    for side, found in both.items():
        for kind, of_kind in (("read", ~found.request_writes), ("write", found.request_writes)):
            asked = found.request_bytes[of_kind]
            below = np.searchsorted(np.sort(asked), SIZES, side="right") / max(1, asked.size)
            sizes[f"{kind}_{side}"] = Column(below, "1", f"share of the {kind} requests up to this size, {side}")
    skew = {"hottest": Column(HOTTEST, "1", "share of the pages touched, the hottest first")}
    for side, found in both.items():
        skew[side] = Column(share_of_hottest(found.counts), "1", f"share of the accesses at the device, {side}")
    return Result.of(columns, _notes(), facts=_facts(both), more={"request_sizes": sizes, "skew": skew})


def share_of_hottest(counts: np.ndarray) -> np.ndarray:
    """Share of all accesses that go to the hottest shares `HOTTEST` of the pages, by accesses to each page."""
    most_first = np.sort(counts)[::-1]
    upto = np.maximum(1, np.round(HOTTEST * counts.size).astype(np.int64))
    return np.cumsum(most_first)[upto - 1] / counts.sum()


def distance(one: np.ndarray, other: np.ndarray) -> float:
    """Half the sum of |difference| of two distributions, 0..1: the share that would have to go to another table.

    nan where one of them counts nothing.
    """
    if not (one.sum() and other.sum()):
        return float("nan")
    return float(np.abs(one / one.sum() - other / other.sum()).sum() / 2)


def _facts(both: dict[str, Side]) -> dict[str, Fact]:
    recorded, generated = both[RECORDED], both[GENERATED]
    facts = {
        f"distance_{what}": Fact(
            distance(getattr(recorded, what), getattr(generated, what)),
            "1",
            f"share of the {label} that goes to another table or index than in the recording",
        )
        for what, label in WHAT.items()
    }
    for side, found in both.items():
        fifth = float(share_of_hottest(found.counts)[HOTTEST == 0.2][0])
        ratio = float(found.writes.sum() / found.reads.sum())
        facts |= {
            f"per_transaction_{side}": Fact(float(found.references.sum()), "1", f"references per transaction, {side}"),
            f"hit_ratio_{side}": Fact(
                float(1 - found.misses.sum() / found.references.sum()), "1", f"hit ratio of the buffer, {side}"
            ),
            f"write_ratio_{side}": Fact(ratio, "1", f"pages written per page read at the device, {side}"),
            f"hottest_fifth_{side}": Fact(fifth, "1", f"share of the accesses to the hottest 20 % of pages, {side}"),
        }
        for kind, of_kind in (("read", ~found.request_writes), ("write", found.request_writes)):
            mean = float(found.request_bytes[of_kind].mean()) if of_kind.any() else float("nan")  # none: all is held
            facts[f"{kind}_bytes_{side}"] = Fact(mean, "B", f"mean {kind} request at the device, {side}")
    facts["requests_ratio"] = Fact(
        _written().writes_per_read, "1", "requests that write per request that reads, recorded, log included"
    )
    return facts


def _notes():
    known = tpcc_recorded.counted()
    yield (
        f"{known.software}, {known.recorded_on}: {grouped(known.transactions)} transactions on {known.warehouses} "
        f"warehouses by one client in {grouped(known.seconds)} s, {format_bytes(known.buffer_bytes)} of buffer and "
        f"{known.page_cache_bytes / 1e6:.0f} MB of page cache; requests as the device got them, below the file system. "
        "Its schema and texts are our own: no TPC-C result."
    )
    yield (
        "PostgreSQL reads and then updates a row by two statements, each through the index, and puts each order line "
        "into its index by itself: it makes more references than the generator, which counts a page once for what is "
        "done to it in one go. Most of these are hits and reach no device."
    )
    yield (
        "It writes a new version of each changed row, with new entries in its indexes where its page has no room, "
        f"so that STOCK, CUSTOMER and their indexes grow and are written. The log ({_written().log_share:.0%} of the "
        "blocks written) and files that are no table are left out; checkpoints are on the recorded side alone."
    )


class _Written(NamedTuple):
    """Of the recorded requests: those that write per one that reads; the log's share of the blocks written."""

    writes_per_read: float
    log_share: float


@remembered
def _written() -> _Written:
    known, requests = tpcc_recorded.counted(), tpcc_recorded.trace().requests
    write = requests.op == WRITE
    log = write & (requests.stream == known.streams.index("write-ahead log"))
    writes = int(np.count_nonzero(write))
    return _Written(writes / (requests.size - writes), float(requests.pages[log].sum() / requests.pages[write].sum()))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """Each distance as the sum that it is, with the tables that weigh most in it."""
    lines = []
    for what, label in WHAT.items():
        found = {side: result[f"{what}_{side}"] for side in SIDES}
        if none := [side for side, counts in found.items() if not counts.sum()]:
            lines.append(f"{label.capitalize()}: there are none {' and '.join(none)}, so that no distance is known.")
            continue
        one, other = (counts / counts.sum() for counts in found.values())
        most = np.argsort(-np.abs(one - other))[:3]
        terms = ", ".join(f"{result.cell('name', row)} {one[row]:.1%} and {other[row]:.1%}" for row in most)
        lines.append(
            f"{label.capitalize()}: ½ Σ |recorded share − generated share| = {result.facts[f'distance_{what}'].cell}; "
            f"furthest apart {terms}."
        )
    lines += [
        f"Pages written per page read at the device: {result.facts['write_ratio_recorded'].cell} recorded, "
        f"{result.facts['write_ratio_generated'].cell} generated, without the log.",
        f"The hottest 20 % of the pages get {result.facts['hottest_fifth_recorded'].number:.1%} of the accesses at the "
        f"device recorded, {result.facts['hottest_fifth_generated'].number:.1%} generated.",
    ]
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    return finding.found(
        "Generated, {references} of the page references go to another table than recorded, and the device "
        "writes {own} "
        "pages per page read instead of {recorded}.",
        references=percent(result.facts["distance_references"]),
        own=result.facts["write_ratio_generated"],
        recorded=result.facts["write_ratio_recorded"],
    )


STUDY = Study(
    name="tpcc_recorded",
    title="Does a generated TPC-C load the disk as a real database does?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="load",
    source="datasets/traces/README.md, postgresql-tpcc; TPC-C specification, clauses 2.4-2.8",
    presets={
        "tables alone": {"indexes": "no"},
        "no page cache": {"page_cache_bytes": 0},
    },
)
