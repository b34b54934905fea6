"""`pagecost buffer`: replay a trace under several policies and sizes."""

import numpy as np

from pagecost import devices
from pagecost.buffer import References, lru_curve, replay
from pagecost.errors import require
from pagecost.studies.buffer import page_sources
from pagecost.studies.buffer.buffer_size import curve_sizes
from pagecost.studies.buffer.miss_curve import sampled_curve
from pagecost.studies.buffer.trace_insight import rejected_sentences
from pagecost_app.waiting import progress_line, remark


def replays(trace: str, policies: str, frames: str, device: str | None, trace_format: str | None) -> list[dict]:
    """One record per policy and buffer size, with device times when a device is named.

    Raises ModelError for anything in the arguments that makes no sense.
    """
    source, references = _opened(trace, trace_format)
    rows = []
    for policy in policies.split(","):
        for size in _sizes(frames):
            run = replay(references, size, policy.strip(), warm_up=source.warm_up)
            rows.append(
                {
                    "policy": run.policy,
                    "frames": run.frames,
                    "references": run.references,
                    "hits": run.hits,
                    "misses": run.misses,
                    "read_hits": run.read_hits,
                    "write_hits": run.write_hits,
                    "write_backs": run.write_backs,
                    "dirty_left": run.dirty_left,
                }
                | (_costs(run, device, source.requests.page_bytes) if device else {})
            )
    return rows


def curve(
    trace: str, policy: str, device: str | None, trace_format: str | None, sample: float | None = None
) -> list[dict]:
    """One record per buffer size: every size for LRU, exactly; sizes evenly spaced on a logarithmic axis for others.

    sample: share of the pages that an estimated LRU curve is made from, with the half widths of its 95 % intervals; the
    trace is then read piece by piece and may be of any length. Raises ModelError for anything in the arguments that
    makes no sense.
    """
    if sample is not None:
        require(policy.strip() == "lru", f"--sample estimates the curve of lru only; got --policy {policy}")
        return _sampled(trace, sample, device, trace_format)
    source, references = _opened(trace, trace_format)
    if policy.strip() == "lru":
        whole = lru_curve(references, warm_up=source.warm_up)
        points = zip(whole.frames.tolist(), whole.misses.tolist(), whole.write_backs.tolist(), strict=True)
    else:
        runs = (replay(references, n, policy, warm_up=source.warm_up) for n in curve_sizes(references.distinct))
        points = ((run.frames, run.misses, run.write_backs) for run in runs)
    counted = references.size - source.warm_up
    read_s, write_s = _page_times(device, source.requests.page_bytes) if device else (0.0, 0.0)
    return [
        {"policy": policy.strip(), "frames": frames, "references": counted, "misses": misses, "write_backs": written}
        | ({"device": device, "time_s": misses * read_s + written * write_s} if device else {})
        for frames, misses, written in points
    ]


def _sampled(trace: str, share: float, device: str | None, trace_format: str | None) -> list[dict]:
    say = progress_line("reading")
    found, pages, source = sampled_curve(trace, share, lambda part, _: say(part), trace_format)
    remark(trace, " ".join(rejected_sentences(source.tally)))
    found = found.at(curve_sizes(round(pages)))
    read_s, write_s = _page_times(device, source.page_bytes) if device else (0.0, 0.0)
    columns = (found.frames, found.misses, found.misses_half_width, found.write_backs, found.write_backs_half_width)
    return [
        {
            "policy": "lru",
            "frames": frames,
            "references": found.references,
            "misses": misses,
            "misses_half_width": misses_half,
            "write_backs": written,
            "write_backs_half_width": written_half,
        }
        | ({"device": device, "time_s": misses * read_s + written * write_s} if device else {})
        for frames, misses, misses_half, written, written_half in zip(*map(np.ndarray.tolist, columns), strict=True)
    ]


def _opened(trace: str, trace_format: str | None):
    source = page_sources.load(trace, progress_line("reading"), trace_format)
    if trace not in page_sources.titles():
        remark(trace, source.note)
    return source, References.of(*source.requests.page_references())


def _sizes(frames: str) -> list[int]:
    sizes = [text.strip() for text in frames.split(",")]
    for text in sizes:
        require(text.isdigit(), f"--frames takes whole numbers separated by commas; got {text!r}")
    return [int(text) for text in sizes]


def _page_times(device: str, page_bytes: int) -> tuple[float, float]:
    model = devices.load(device)
    return tuple(float(model.service(pattern, page_bytes).total_s) for pattern in ("random read", "random write"))


def _costs(run, device: str, page_bytes: int) -> dict:
    read_s, write_s = _page_times(device, page_bytes)
    read_s, write_s = run.misses * read_s, run.write_backs * write_s
    return {"device": device, "read_s": read_s, "write_s": write_s, "time_s": read_s + write_s}
