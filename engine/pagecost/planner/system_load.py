"""What a system's load, as its file says it, does to the buffer: how many references a second, and which are missed."""

from collections.abc import Iterator
from typing import NamedTuple

from pagecost.answers import replays
from pagecost.buffer import References, Replay, replay
from pagecost.planner import demand
from pagecost.system import FORCE, Load, System
from pagecost.units import format_cell, grouped
from pagecost.workload import traces
from pagecost.workload.sources import Source
from pagecost.workload.tpcc import TpcC

NEAR = 0.1  # share within which two rates that a system says agree


class Buffered(NamedTuple):
    """A load in the system's buffer.

    rate_hz [1/s]: of page references. The first `warm_up` references fill the buffer and are not counted. run: of the
    buffer, with what became of each reference. forced: pages that FORCE writes, per reference. notes: what a reader
    must know of it.
    """

    rate_hz: float
    page_bytes: int
    references: References
    warm_up: int
    run: Replay
    forced: float
    notes: tuple[str, ...]


def buffered(system: System) -> Buffered:
    """The load of a system in its buffer. TPC-C and Debit-Credit are generated as large as the system says, on pages
    of its size. Raises ModelError as `demand.asked`, and as reading a trace and its policy do."""
    of = demand.asked(system)
    return _of_transactions(system, of) if of.source is None else _of_source(system, of.source)


def _of_transactions(system: System, of: demand.Asked) -> Buffered:
    policy, frames = system.memory.policy, system.memory.buffer_frames
    found = demand.looked(of, frames)
    run = replay(found.references, frames, policy, warm_up=found.warm_up, each=True)
    per_transaction = run.references / (found.load.transactions - found.load.transactions // 2)
    forced = demand.forced(of, system.candidates.hot_share)
    rate_hz = _rate_hz(system.load, per_transaction)
    notes: tuple[str, ...] = (*_rate_in_words(system.load, per_transaction), *_not_full(of, frames))
    if isinstance(of.generated, TpcC):
        notes = (f"TPC-C on {of.generated.warehouses} warehouses, {of.generated.mix} mix.", *notes)
    if system.log.update_strategy == FORCE:
        notes += ("FORCE: each page that a transaction has changed is written once.",)
    return Buffered(
        *(rate_hz, of.page_bytes, found.references, found.warm_up, run),
        *((forced.cold + forced.hot) / per_transaction, notes),
    )


def _of_source(system: System, source: Source) -> Buffered:
    loaded, load = replays.opened(source), system.load
    references = loaded.references
    run = replay(references, system.memory.buffer_frames, system.memory.policy, warm_up=source.warm_up, each=True)
    notes = (*traces.not_asked_for(source.page_bytes, system.memory.page_bytes), *replays.left_out(loaded.trims))
    if not _says(load, "rate_hz") and _says(load, "transaction_rate_hz"):
        notes += (
            f"The system says no load.rate_hz, of which {format_cell(load.rate_hz, '1')} stand; how many references of "
            f"{source.name} are a transaction is not known, so that its transaction_rate_hz is left out.",
        )
    if system.log.update_strategy == FORCE:
        notes += ("FORCE: every change is taken as a page written, also where a transaction changes one twice.",)
    forced = float(references.writes[source.warm_up :].mean())
    return Buffered(load.rate_hz, source.page_bytes, references, source.warm_up, run, forced, notes)


def _says(load: Load, name: str) -> bool:
    return name in load.model_fields_set


def _takes_references(load: Load) -> bool:
    """Whether the rate of references counts: it alone is said. Else that of transactions does, as in a plan."""
    return _says(load, "rate_hz") and not _says(load, "transaction_rate_hz")


def _rate_hz(load: Load, per_transaction: float) -> float:
    return load.rate_hz if _takes_references(load) else load.transaction_rate_hz * per_transaction


def _rate_in_words(load: Load, per_transaction: float) -> Iterator[str]:
    if _takes_references(load):
        return
    rate_hz = _rate_hz(load, per_transaction)
    transactions = format_cell(load.transaction_rate_hz, "1")
    said = f"{transactions} transactions a second have {per_transaction:.4g} page references each"
    other = _says(load, "rate_hz") and abs(load.rate_hz / rate_hz - 1) > NEAR
    yield f"{said}; the system's load.rate_hz, {format_cell(load.rate_hz, '1')}, is left out." if other else f"{said}."


def _not_full(of: demand.Asked, frames: int) -> Iterator[str]:
    share = demand.filled(of, frames)
    if share < 1:
        yield (
            f"The transactions that are looked at fill {100 * share:.3g} % of {grouped(frames)} frames: too much is "
            "read and too little written."
        )
