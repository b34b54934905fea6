"""`pagecost buffer` and `pagecost curve`: a trace under several policies and sizes, and LRU's whole curve."""

from collections.abc import Callable, Iterator

import numpy as np

from pagecost.answers import replays
from pagecost.answers.replays import Loaded
from pagecost.buffer import Curve, Replay, Wanted
from pagecost.errors import require
from pagecost.units import format_cell, grouped, quantity, so_many
from pagecost.workload import sources
from pagecost_app.waiting import progress_line, remark

MOST_SIZES = 200  # of a curve that is printed, unless all are asked for
ASKED = ("frames", "references", "hits", "misses", "read_hits", "write_hits", "write_backs", "dirty_left")


def buffers(
    trace: str, policies: str, frames: str, device: str | None, trace_format: str | None, page_bytes: int | None
) -> list[dict]:
    """One record per policy and buffer size, with device times when a device is named.

    Raises ModelError for anything in the arguments that makes no sense.
    """
    wanted = [Wanted(policy.strip(), size) for policy in policies.split(",") for size in _sizes(frames)]
    source = _source(trace, trace_format, page_bytes)
    costs = _costs(device, source.page_bytes)
    found = replays.replayed_once(source, wanted, progress_line("reading"))
    _say_of(source, found.notes)

    def record(run: Replay) -> dict:
        counts = {name: getattr(run, name) for name in ASKED}
        return {"policy": run.policy} | counts | costs(run.frames, run.misses, run.write_backs)

    return [record(run) for run in found.runs]


def said(found: list[dict]) -> str:
    """The answer of `buffers` in a sentence: which policy misses least at the largest size, which takes least time."""
    frames = max(row["frames"] for row in found)
    rows = sorted((row for row in found if row["frames"] == frames), key=lambda row: row["misses"])
    least, most = rows[0], rows[-1]
    words = f"With {so_many(frames, 'frame')} {least['policy']} misses {_missed(least)}"
    alike = [row["policy"] for row in rows[1:] if row["misses"] == least["misses"]]
    if alike:
        words += f", as {'does' if len(alike) == 1 else 'do'} {', '.join(alike)}"
    if len(alike) < len(rows) - 1:
        words += f", the fewest of {len(rows)} policies; {most['policy']} misses {_missed(most)}, the most"
    if "time_s" in least:
        fastest = min(rows, key=lambda row: row["time_s"])
        least_time = " the least," if any(row["time_s"] > fastest["time_s"] for row in rows) else ""
        words += f"; {fastest['policy']} takes{least_time} {format_cell(fastest['time_s'], 's')} of {fastest['device']}"
    return f"{words}."


def said_of_curve(found: list[dict]) -> str:
    """The answer of `curve` in a sentence: what the smallest and the largest buffer miss, of a sample with the half
    widths of the intervals.
    """
    first, last = found[0], found[-1]
    begins = ", where the curve of this sample begins" if "misses_half_width" in first else ""
    return (
        f"{first['policy']} misses {_missed(first)} with {so_many(first['frames'], 'frame')}{begins}, "
        f"{_missed(last)} with {grouped(last['frames'])}."
    )


def _missed(row: dict) -> str:
    known = f" ± {row['misses_half_width'] / row['references']:.2%}" if "misses_half_width" in row else ""
    return f"{row['misses'] / row['references']:.2%}{known} of {so_many(row['references'], 'reference')}"


def curve(
    trace: str,
    policy: str,
    device: str | None,
    trace_format: str | None,
    sample: float | None = None,
    page_bytes: int | None = None,
    every_size: bool = False,
) -> list[dict]:
    """One record per buffer size; sizes are evenly spaced on a logarithmic axis, every size only when asked for.

    LRU's curve is exact, found in one pass; of another policy there are replays at a few sizes. sample: share of the
    pages that an estimated LRU curve is made from, with the half widths of its 95 % intervals; the trace is then read
    piece by piece and may be of any length, and the curve begins at the least size that the sample tells of. Raises
    ModelError for anything in the arguments that makes no sense.
    """
    policy = policy.strip()
    require(policy == "lru" or sample is None, f"--sample estimates the curve of lru only; got --policy {policy}")
    require(policy == "lru" or not every_size, f"--all is for lru, found in one pass; got --policy {policy}")
    if sample is not None:
        source = _source(trace, trace_format, page_bytes)
        say = progress_line("reading")
        found = replays.curve_of_pieces(source, sample, lambda part, _: say(part))
        _say_of(source, found.notes)
        whole, distinct = found.curve, round(found.pages)
    else:
        loaded = _opened(trace, trace_format, page_bytes)
        source, distinct = loaded.source, loaded.references.distinct
        whole = replays.whole_curve(source) if policy == "lru" else _replayed(loaded, policy)
    if policy == "lru" and not every_size:
        whole = whole.at(replays.sampled_sizes(whole, distinct, MOST_SIZES))
    return list(_records(policy, whole, _costs(device, source.page_bytes), sample is not None))


def _records(policy: str, found: Curve, costs, estimated: bool) -> Iterator[dict]:
    columns = (found.frames, found.misses, found.misses_half_width, found.write_backs, found.write_backs_half_width)
    for size, misses, misses_half, written, written_half in zip(*map(np.ndarray.tolist, columns), strict=True):
        row = {"policy": policy, "frames": size, "references": found.references, "misses": misses}
        row |= {"misses_half_width": misses_half} if estimated else {}
        row |= {"write_backs": written} | ({"write_backs_half_width": written_half} if estimated else {})
        yield row | costs(size, misses, written)


def _replayed(loaded: Loaded, policy: str) -> Curve:
    runs = [replays.replayed(loaded.source, policy, n) for n in replays.curve_sizes(loaded.references.distinct)]
    frames, misses, written = (np.array([getattr(run, n) for run in runs]) for n in ("frames", "misses", "write_backs"))
    none = np.zeros(frames.size)
    return Curve(frames, misses, written, none, none, loaded.counted)


def _costs(device: str | None, page_bytes: int) -> Callable[[int, float, float], dict]:
    """What stands beside the counts: the size in bytes, and on a device the time of misses and write-backs.

    time_s is device time; wait_s that of one page after the other, None where it is not known.
    """
    if device is None:
        return lambda frames, misses, written: {"buffer_bytes": frames * page_bytes}
    from pagecost.answers import page_costs  # here: the models of every device, which no one else needs

    costs = page_costs.of_pages(device, page_bytes)
    remark(device, costs.busy.note)

    def record(frames: int, misses: float, written: float) -> dict:
        wait_s = costs.alone_s(misses, written)
        return {
            "buffer_bytes": frames * page_bytes,
            "device": device,
            "read_s": misses * costs.busy.read_s,
            "write_s": written * costs.busy.write_s,
            "time_s": costs.busy_s(misses, written),
            "wait_s": wait_s if np.isfinite(wait_s) else None,
        }

    return record


def _source(trace: str, trace_format: str | None, page_bytes: int | None) -> sources.Source:
    return sources.named(trace, trace_format, page_bytes)


def _opened(trace: str, trace_format: str | None, page_bytes: int | None) -> Loaded:
    loaded = replays.opened(_source(trace, trace_format, page_bytes), progress_line("reading"))
    _say_of(loaded.source, loaded.notes)
    return loaded


def _say_of(source: sources.Source, notes: tuple[str, ...]) -> None:
    """What one must know of a file of one's own."""
    if source.name not in sources.titles():
        remark(source.name, " ".join(notes))


def _sizes(frames: str) -> list[int]:
    sizes = [quantity(text, "1", "--frames") for text in frames.split(",")]
    for size in sizes:
        require(isinstance(size, int), f"--frames takes whole numbers separated by commas; got {size}")
    return [int(size) for size in sizes]
