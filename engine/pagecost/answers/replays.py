"""Replays and curves of loads, each computed once: by source with its version, policy and size, never by name.

A load that is in use is held by whoever uses it (`opened`), however large it is; what was computed from it is
remembered as long as `pagecost.remembering` allows.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakValueDictionary

import numpy as np

from pagecost.buffer import (
    Curve,
    References,
    Replay,
    Sampler,
    StreamedReplays,
    Wanted,
    can_stream,
    che_misses,
    lru_curve,
    replay,
    sampled_lru_curve,
)
from pagecost.errors import require
from pagecost.remembering import MEMORY, remembered
from pagecost.requests import TRIM, Requests
from pagecost.units import format_bytes, grouped, so_many
from pagecost.workload import traces
from pagecost.workload.sources import Source

CURVE_POINTS = 13
LEAST_SAMPLED = 50  # pages in a sample, so that each of its four groups has a dozen


@dataclass(frozen=True, eq=False)
class Loaded:
    """A load in memory: its page references made ready for replay, and what a reader must know of them.

    trims: requests that delete pages, which no replay of a buffer knows; the notes say how many.
    """

    source: Source
    references: References
    trims: int
    notes: tuple[str, ...]

    @property
    def counted(self) -> int:
        """References that are counted: all behind the warm-up."""
        return self.references.size - self.source.warm_up

    def sentences(self) -> tuple[str, ...]:
        """How large the load is, and its notes."""
        references, page_bytes = self.references, self.source.page_bytes
        size = (
            f"{self.source.name}: {so_many(references.size, 'reference')} to {so_many(references.distinct, 'page')} of "
            f"{grouped(page_bytes)} bytes, {format_bytes(references.distinct * page_bytes)} in all."
        )
        return (size, *self.notes)


_in_use: WeakValueDictionary[Source, Loaded] = WeakValueDictionary()
_lock = threading.Lock()


def opened(source: Source, progress: Callable[[float], None] = traces.no_progress) -> Loaded:
    """The load, read if it is not in memory. Keep it while you ask for its replays: then it is not read again.

    progress(share) is called while a file is read, and may raise. Raises ModelError for whatever reading raises.
    """
    return _used(source) or MEMORY.answer(
        (__name__, "opened", source), lambda: _used(source) or _using(source, _read(source, progress))
    )


def _used(source: Source) -> Loaded | None:
    with _lock:
        return _in_use.get(source)


def _using(source: Source, loaded: Loaded) -> Loaded:
    with _lock:
        _in_use[source] = loaded
    return loaded


def _read(source: Source, progress: Callable[[float], None]) -> Loaded:
    trace = source.read(progress)
    trims = trims_of(trace.requests)
    notes = (*trace.tally.sentences(), *left_out(trims))
    return Loaded(source, References.of(*trace.requests.page_references()), trims, notes)


def trims_of(requests: Requests) -> int:
    """How many of the requests are trims, which are no page references."""
    return int(np.count_nonzero(requests.op == TRIM))


def left_out(trims: int) -> Iterator[str]:
    """What a replay of a buffer makes of so many trims, where there are any."""
    if trims:
        yield (
            f"{so_many(trims, 'trim is', 'trims are')} left out, for the replay deletes no page: one that was dirty "
            "when it was deleted keeps its frame and counts as written back when it leaves."
        )


@remembered
def replayed(source: Source, policy: str, frames: int) -> Replay:
    """What a buffer does with the load; its warm-up is not counted. Raises ModelError as `replay` does."""
    return replay(opened(source).references, frames, policy, warm_up=source.warm_up)


class Replays(NamedTuple):
    """Replays of one load, in the order in which they were asked for; notes are of what was read."""

    runs: list[Replay]
    notes: tuple[str, ...]


def replayed_once(
    source: Source, wanted: Sequence[Wanted], progress: Callable[[float], None] = traces.no_progress
) -> Replays:
    """What each of several buffers does with a load that is looked at once: the counts of `replayed`.

    A file is read piece by piece, and memory does not grow with its length, unless a policy must know the whole trace
    or its requests are not in the order of time. progress as for `opened`. Raises ModelError as `replayed` does.
    """
    if source.version is not None and not source.shuffled and all(can_stream(policy) for policy, _ in wanted):
        found = _replayed_in_pieces(source, wanted, progress)
        if found is not None:
            return found
    loaded = opened(source, progress)
    return Replays([replayed(source, *each) for each in wanted], loaded.notes)


def _replayed_in_pieces(source: Source, wanted: Sequence[Wanted], progress) -> Replays | None:
    """The replays of a file; None where a request stands behind a later one, so that it must be sorted."""
    pieces = source.pieces(progress)
    requests, trims, last_s = 0, 0, -np.inf
    with StreamedReplays(wanted) as replays:
        for piece in pieces:
            if piece.size == 0:
                continue
            if piece.arrival_s[0] < last_s or (piece.arrival_s[1:] < piece.arrival_s[:-1]).any():
                return None
            requests, last_s = requests + piece.size, piece.arrival_s[-1]
            trims += trims_of(piece)
            replays.add(*piece.page_references())
        pieces.refuse_nothing(requests)
        source.refuse_another()
        return Replays(replays.found(), (*pieces.tally.sentences(), *left_out(trims)))


@remembered
def replayed_from_empty(source: Source, policy: str, frames: int) -> Replay:
    """The same with every reference counted, from an empty buffer on."""
    if not source.warm_up:
        return replayed(source, policy, frames)
    return replay(opened(source).references, frames, policy)


@remembered
def written_by(source: Source, policy: str, frames: int) -> Replay:
    """The same as `replayed`, with the ids of the pages written back in their order."""
    return replay(opened(source).references, frames, policy, warm_up=source.warm_up, keep_written=True)


def curve_sizes(distinct_pages: int, points: int = CURVE_POINTS) -> list[int]:
    """Buffer sizes for a curve: about evenly spaced on a logarithmic axis, from 0.2 % of the pages to all of them."""
    sizes = np.geomspace(max(distinct_pages * 0.002, 1), distinct_pages, points)
    return sorted({max(1, round(size)) for size in sizes})


def sampled_sizes(curve: Curve, distinct_pages: int, points: int) -> list[int]:
    """The same for a curve that may begin at a larger size, as a sampled one does: from there on."""
    return sorted({max(size, int(curve.frames[0])) for size in curve_sizes(distinct_pages, points)})


def whole_curve(source: Source) -> Curve:
    """LRU at every size from one frame to as many as pages, exactly; too large to be remembered."""
    return lru_curve(opened(source).references, warm_up=source.warm_up)


@remembered
def exact_curve(source: Source, points: int) -> Curve:
    """LRU, exactly, at so many sizes of `curve_sizes`."""
    return whole_curve(source).at(curve_sizes(opened(source).references.distinct, points))


@remembered
def che_curve(source: Source, points: int) -> Curve:
    """LRU's misses by Che's formula at so many sizes; its write-backs are not known (nan)."""
    loaded = opened(source)
    sizes = np.array(curve_sizes(loaded.references.distinct, points))
    none = np.zeros(sizes.size)
    misses = che_misses(loaded.references, sizes, warm_up=source.warm_up)
    return Curve(sizes, misses, none * np.nan, none, none, loaded.counted)


@remembered
def sampled_curve(source: Source, share: float, points: int) -> Curve | None:
    """LRU, from a share of the pages of a load in memory, at so many sizes; None where the sample is too small."""
    references = opened(source).references
    if share < 1 and references.distinct * share < LEAST_SAMPLED:
        return None
    curve = sampled_lru_curve(references, share=share, warm_up=source.warm_up)
    return curve.at(sampled_sizes(curve, references.distinct, points))


class SampledPieces(NamedTuple):
    """LRU's curve of a load that was never held in memory: pages is an estimate; notes are of what was read."""

    curve: Curve
    pages: float
    notes: tuple[str, ...]


def curve_of_pieces(
    source: Source, share: float, progress: Callable[[float, SampledPieces | None], None] = lambda part, so_far: None
) -> SampledPieces:
    """LRU, from a share of the pages of a load of any length, read once, piece by piece in the order of the file.

    progress(share, the answer so far or None) is called between pieces and may raise; an answer is given at 1, 2, 4,
    8 … pieces. Raises ModelError for whatever reading raises, and for a sample without references.
    """
    return MEMORY.answer((__name__, "curve_of_pieces", source, share), lambda: _sampled(source, share, progress))


def _sampled(source: Source, share: float, progress) -> SampledPieces:
    sampler = Sampler(share)
    done, shown, trims = 0, 1, 0

    def found() -> SampledPieces:
        return SampledPieces(sampler.curve(), sampler.pages(), (*pieces.tally.sentences(), *left_out(trims)))

    def so_far(part: float) -> None:
        nonlocal shown
        answer = None
        if done >= shown and sampler.is_enough:
            answer, shown = found(), 2 * done
        progress(part, answer)

    pieces = source.pieces(so_far)
    requests = 0
    for piece in pieces:
        ids, writes = piece.page_references()
        left = source.warm_up - sampler.references
        if 0 < left <= ids.size:
            sampler.add(ids[:left], writes[:left])
            sampler.end_warm_up()
            ids, writes = ids[left:], writes[left:]
        sampler.add(ids, writes)
        requests += piece.size
        trims += trims_of(piece)
        done += 1
    pieces.refuse_nothing(requests)
    source.refuse_another()
    require(sampler.references > 0, f"{source.name}: there is no page reference in it")
    return found()
