"""The loads that questions about a path in time offer: one entry each, and the inputs that say more of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from pagecost.answers.path_loads import USUAL_REFERENCES, Load, Replayed, Tpox, recorded
from pagecost.studies.fields import About, Choice, From, Group, OfSystem, Steps, how_many
from pagecost.studies.loop_fields import TABLES
from pagecost.studies.study import StudyInputs
from pagecost.units import format_bytes, format_seconds, grouped
from pagecost.workload import sources, tpox, traces
from pagecost.workload.debit_credit import DebitCredit
from pagecost.workload.loads import DEBIT_CREDIT as DEBIT_CREDIT_1992
from pagecost.xmlstore import MAPPINGS

TPC_C, DEBIT_CREDIT, TPOX, TRACE = "tpc-c", "debit-credit", "tpox", "trace"
OF_TPOX, OF_TRACE = "TPoX", "A trace"
STAMPED, GIVEN = "stamped", "given"
TPOX_SIZES = Steps((1e7, 1e8, 1e9, 1e10), "B", format_bytes)
TPOX_MAPPINGS = Choice(lambda: {name: f"{name}: {mapping.title}" for name, mapping in MAPPINGS.items()}, noun="mapping")
TPOX_MIXES = Choice(
    lambda: dict(zip(tpox.MIXES, tpox.MIXES, strict=True)),
    free=True,
    typed="order=60,place=40",
    of_file=False,
    such=tpox.parts_of,
    noun="TPoX mix",
)
TPOX_BYTES: About = (
    TPOX_SIZES,
    OfSystem("load.tpox_bytes"),
    Field(ge=1e6, le=1e11, title="XML database", description="Size of TPoX as text."),
)
TPOX_MAPPING: About = (
    TPOX_MAPPINGS,
    OfSystem("load.tpox_mapping"),
    Field(title="Storage mapping", description="What is stored of each node."),
)
TPOX_MIX: About = (
    TPOX_MIXES,
    OfSystem("load.tpox_mix"),
    Field(title="Mix of TPoX", description=f"By its name, or in percent of {', '.join(tpox.TRANSACTIONS)}."),
)
BY_ITSELF = -1


@dataclass(frozen=True, kw_only=True)
class Offered:
    """A load that can be chosen.

    inputs: those that say more of it, without effect under another load. of(inputs, mix, page_bytes): the load by
    value; in_words(inputs, page_bytes): what a note says of it. source: what a system's file calls it; empty: any other
    source. mean_s(inputs): the processor time of a transaction, where the load has its own; None: that of the database.
    """

    title: str
    inputs: tuple[str, ...]
    of: Callable[[Any, str, int], Load]
    in_words: Callable[[Any, int], str]
    source: str = ""
    mean_s: Callable[[Any], float] | None = None


def _debit_credit(inputs: "LoadFields", mix: str, page_bytes: int) -> DebitCredit:
    return DebitCredit(branches=inputs.branches).on_pages(page_bytes)


def _debit_credit_in_words(inputs: "LoadFields", page_bytes: int) -> str:
    return f"{inputs.branches} branches of Debit-Credit, all pages locked but those of HISTORY"


def _tpox(inputs: "LoadFields", mix: str, page_bytes: int) -> Tpox:
    return Tpox(plain_bytes=inputs.tpox_bytes, mapping=inputs.tpox_mapping, mix=inputs.tpox_mix, page_bytes=page_bytes)


def _tpox_in_words(inputs: "LoadFields", page_bytes: int) -> str:
    return (
        f"TPoX, {format_bytes(inputs.tpox_bytes)} as text stored as {inputs.tpox_mapping}, mix {inputs.tpox_mix}; the "
        "document in hand is locked, and the processor works longer where more records and labels are looked at"
    )


def _replayed(inputs: "LoadFields", mix: str, page_bytes: int) -> Replayed:
    known = inputs.trace in traces.recordings()
    return Replayed(
        source=sources.named(inputs.trace, page_bytes=None if known else page_bytes),
        references=inputs.trace_references or None,
        log_stream=None if inputs.trace_log == BY_ITSELF else inputs.trace_log,
        users=inputs.replaying,
        timed=inputs.trace_think == STAMPED,
    )


def _replayed_in_words(inputs: "LoadFields", page_bytes: int) -> str:
    load = _replayed(inputs, "", page_bytes)
    cut, found = load.cut, recorded(load.source, load.cut)
    mean = found.page.size / found.transactions
    if cut.log_stream is not None:
        ends = f"each ended by a write of the log, stream {cut.log_stream}, {mean:.3g} page references on average"
    elif cut.transactions is not None:
        ends = f"as many as were recorded, of {mean:.3g} page references each: where they ended the trace does not say"
    else:
        ends = f"of {cut.references} page references each, which is set and not in the trace"
    starts = "each user begins at a place of his own and goes round" if load.users > 1 else "one after the other"
    thinks = ""
    if load.thinks and found.think_s is not None:
        thinks = f"; think times are those of the trace, {format_seconds(float(found.think_s.mean()))} on average"
    return (
        f"the trace {inputs.trace} in its pages of {format_bytes(found.page_bytes)}: "
        f"{grouped(found.transactions)} transactions, {ends}; {starts}{thinks}; nothing is locked"
    )


USUAL_PAGE_BYTES = 4096  # of a trace file that does not say it, where no database system does

LOADS: dict[str, Offered] = {
    TPC_C: Offered(
        title="TPC-C",
        inputs=("warehouses", "mixes", "mix", "own_mix", "indexes", "aborts"),
        of=lambda inputs, mix, page_bytes: inputs.tpcc_of(mix, page_bytes),
        in_words=lambda inputs, page_bytes: inputs.tpcc_in_words(),
        source=TPC_C,
    ),
    DEBIT_CREDIT: Offered(
        title="Debit-Credit",
        inputs=("branches",),
        of=_debit_credit,
        in_words=_debit_credit_in_words,
        source=DEBIT_CREDIT_1992,
    ),
    TPOX: Offered(
        title="TPoX",
        inputs=("tpox_bytes", "tpox_mapping", "tpox_mix", "tpox_s"),
        of=_tpox,
        in_words=_tpox_in_words,
        source=tpox.SOURCE,
        mean_s=lambda inputs: inputs.tpox_s,
    ),
    TRACE: Offered(
        title="a trace",
        inputs=("trace", "trace_references", "trace_log", "trace_think"),
        of=_replayed,
        in_words=_replayed_in_words,
    ),
}
"""Every load by its name."""


def titles() -> dict[str, str]:
    """Every load: name -> title."""
    return {name: offered.title for name, offered in LOADS.items()}


def _named(source: str) -> str:
    """What a system calls a source -> the load; what is generated and none of them stays as it is, and is refused."""
    named = {offered.source: name for name, offered in LOADS.items() if offered.source}
    return named.get(source, source if source in sources.LOADS else TRACE)


def _recorded(source: str) -> str | None:
    """The trace that a system names, if its source is one."""
    return source if _named(source) == TRACE else None


def load_of(description: str, *about, options: Callable[[], dict[str, str]] = titles) -> About:
    """The kind of input that names the load."""
    return (
        Choice(options, noun="load"),
        OfSystem("load.source", read=_named),
        *about,
        Field(title="Load", description=description),
    )


class LoadFields(StudyInputs):
    """What more there is to say of each load, and of the one that is chosen. Whoever has these fields has a `load`."""

    branches: Annotated[
        int,
        Steps((10, 50, 100, 500), "1", how_many("branches")),
        Group(TABLES),
        Field(ge=1, le=500, title="Branches", description="Of Debit-Credit, each with 100,000 accounts: 41 MB."),
    ] = 50
    tpox_bytes: Annotated[float, *TPOX_BYTES, From("schmidt2009 §6: up to 1 GB"), Group(OF_TPOX)] = 1e9
    tpox_mapping: Annotated[str, *TPOX_MAPPING, Group(OF_TPOX)] = "fs"
    tpox_mix: Annotated[str, *TPOX_MIX, From("schmidt2009 Fig. 8"), Group(OF_TPOX)] = "half writes"
    tpox_s: Annotated[
        float,
        Steps((0.0, 1e-3, 3e-3, 9.6e-3, 2e-2), "s", format_seconds),
        From("fitted: 100 transactions a second on the disk at 10 MB, schmidt2009 Fig. 7"),
        Group(OF_TPOX),
        Field(ge=0, le=10, title="Processor, TPoX", description="Mean of a transaction; of 2009."),
    ] = 9.6e-3
    trace: Annotated[
        str,
        Choice(lambda: {name: each.title for name, each in traces.recordings().items()}, free=True, such=sources.check),
        OfSystem("load.source", read=_recorded),
        Group(OF_TRACE),
        Field(title="Trace", description="A recording that comes with pagecost, or the path of a trace file."),
    ] = "sqlite-order-entry"
    trace_references: Annotated[
        int,
        Steps((0, 1, 4, 10, 50, 100), "1", how_many("references", zero="as the trace says")),
        Group(OF_TRACE),
        Field(
            ge=0,
            le=100_000,
            title="References of a transaction",
            description=f"0: at commits, or as many as were recorded; {USUAL_REFERENCES} where nothing is known.",
        ),
    ] = 0
    trace_log: Annotated[
        int,
        Steps((BY_ITSELF, 0, 1, 2), "1", lambda stream: f"stream {stream}" if stream >= 0 else "as its recording says"),
        Group(OF_TRACE),
        Field(
            ge=BY_ITSELF,
            le=32767,
            title="Log of the trace",
            description="Stream whose writes are commits; -1: what is known of the recording.",
        ),
    ] = BY_ITSELF
    trace_think: Annotated[
        str,
        Choice(lambda: {STAMPED: "as the times of the trace say, if it has any", GIVEN: "as set"}, noun="think time"),
        Group(OF_TRACE),
        Field(title="Think time of a trace", description="From a transaction's last request to the next one's first."),
    ] = STAMPED

    @property
    def replaying(self) -> int:
        """How many replay a trace side by side."""
        return getattr(self, "users", 1)

    @property
    def offered(self) -> Offered | None:
        """The load that is chosen; None for what is no entry of `LOADS`."""
        return LOADS.get(getattr(self, "load", TPC_C))

    def thinks_by_itself(self) -> bool:
        """Whether users think as the load says, whatever is set."""
        return getattr(self, "load", TPC_C) == TRACE and _replayed(self, "", USUAL_PAGE_BYTES).thinks

    def mean_think_s(self, given_s: float) -> float:
        """Between an answer and the user's next transaction [s]: as set, or the mean of what the load says."""
        if getattr(self, "load", TPC_C) != TRACE:
            return given_s
        load = _replayed(self, "", USUAL_PAGE_BYTES)
        found = recorded(load.source, load.cut)
        return given_s if not load.timed or found.think_s is None else float(found.think_s.mean())

    def of_other_loads(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Inputs of loads that are not chosen, and why they change nothing."""
        chosen = self.offered
        for offered in LOADS.values():
            if offered is not chosen:
                yield offered.inputs, f"The load is {chosen.title if chosen else 'another'}"
