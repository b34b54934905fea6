"""`pagecost buffer`: replay a trace under several policies and sizes."""

from pagecost import devices
from pagecost.buffer import References, replay
from pagecost.errors import require
from pagecost.studies import page_sources
from pagecost.workload import traces


def replays(trace: str, policies: str, frames: str, device: str | None, trace_format: str | None) -> list[dict]:
    """One record per policy and buffer size, with device times when a device is named.

    Raises ModelError for anything in the arguments that makes no sense.
    """
    if trace_format:
        source = page_sources.PageSource(trace, traces.read(trace, trace_format).requests)
    else:
        source = page_sources.load(trace)
    references = References.of(*source.requests.page_references())
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


def _sizes(frames: str) -> list[int]:
    sizes = [text.strip() for text in frames.split(",")]
    for text in sizes:
        require(text.isdigit(), f"--frames takes whole numbers separated by commas; got {text!r}")
    return [int(text) for text in sizes]


def _costs(run, device: str, page_bytes: int) -> dict:
    model = devices.load(device)
    read_s = float(model.service("random read", page_bytes).total_s) * run.misses
    write_s = float(model.service("random write", page_bytes).total_s) * run.write_backs
    return {"device": device, "read_s": read_s, "write_s": write_s, "time_s": read_s + write_s}
