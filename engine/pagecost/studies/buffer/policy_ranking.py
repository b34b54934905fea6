"""How near to the least possible cost does each policy come, and is there anything left to gain by a better one?"""

import functools

import numpy as np

from pagecost.buffer import DEMAND, Bounds, Replay, cost_bounds, optimal_cost, replay
from pagecost.buffer.policies import POLICIES, title_of
from pagecost.errors import ModelError
from pagecost.studies.buffer import buffer_fields
from pagecost.studies.buffer.buffer_size import opened, page_times, references_of
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.studies.workers import side_by_side

SEARCHED = 64  # references, at most, among which the exact optimum is looked for


class Inputs(StudyInputs):
    """What is replayed, at which size, and on what the misses and write-backs fall."""

    trace: buffer_fields.TRACE = "sqlite-order-entry"
    frames: buffer_fields.SIZE = 256
    device: buffer_fields.device() = "intel-x25-e"


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per policy, the cheapest first; costs are in page reads per 1000 references, from an empty buffer on.

    `least` and `reached` bound what the best policy that knows the future and loads what it misses would cost: MIN's
    misses with the fewest write-backs, and the cheapest of all rows.
    """
    source, progress = opened(inputs.trace, progress)
    read_s, write_s = page_times(inputs.trace, inputs.device)
    ratio = write_s / read_s
    runs: list[Replay] = []
    for _, run in side_by_side(lambda name: _replayed(source, name, inputs.frames), DEMAND):
        runs.append(run)
        progress(len(runs) / len(DEMAND), None)
    references = references_of(source)
    bounds = cost_bounds(references, runs, 1.0, ratio)
    exact = _exact(references, inputs.frames, ratio)
    return _result(runs, ratio, read_s, bounds, exact, tuple(_notes(inputs, source, bounds, exact)))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The sum behind every policy's cost, and how far it lies above the least possible one."""
    lines = []
    for row in range(len(result)):
        misses, written, ratio, cost = (result[name][row] for name in ("misses", "write_backs", "ratio", "cost"))
        thousands = result["references"][row] / 1000
        lines.append(
            f"{title_of(str(result['policy'][row]))}: ({misses} misses + {written} write-backs × {ratio:.4g}) / "
            f"{thousands:.6g} = {cost:.1f} page reads per 1000 references, {result['above'][row]:.2f} times the lower "
            "bound."
        )
    return lines


def best_online(result: Result) -> str:
    """The cheapest policy that does not look into the future."""
    return next(name for name in map(str, result["policy"]) if not POLICIES[name].offline)


@functools.lru_cache(maxsize=256)
def _replayed(source, policy: str, frames: int) -> Replay:
    return replay(references_of(source), frames, policy)


def _exact(references, frames: int, ratio: float) -> float | None:
    """The optimum itself, where the reference string is short enough to search; else None."""
    if references.size > SEARCHED:
        return None
    try:
        return optimal_cost(references, frames, 1.0, ratio)
    except ModelError:
        return None


def _result(runs: list[Replay], ratio: float, read_s: float, bounds: Bounds, exact: float | None, notes) -> Result:
    per = 1000 / runs[0].references
    runs = sorted(runs, key=lambda run: run.cost(1.0, ratio))
    cost = np.array([run.cost(1.0, ratio) * per for run in runs])

    def same(value: float | None) -> np.ndarray:
        return np.full(len(runs), np.nan if value is None else value)

    columns = {
        "policy": Column(np.array([run.policy for run in runs]), "text", "replacement policy"),
        "offline": Column(np.array([POLICIES[run.policy].offline for run in runs]), "1", "knows the future"),
        "frames": Column(np.array([run.frames for run in runs]), "1", "buffer size in frames"),
        "references": Column(np.array([run.references for run in runs]), "1", "page references"),
        "ratio": Column(same(ratio), "1", "cost of a page write over a page read"),
        "hit_ratio": Column(np.array([run.hit_ratio for run in runs]), "1", "hit ratio"),
        "misses": Column(np.array([run.misses for run in runs]), "1", "misses"),
        "write_backs": Column(np.array([run.write_backs for run in runs]), "1", "write-backs"),
        "reading": Column(np.array([run.misses * per for run in runs]), "1", "page reads per 1000 references"),
        "writing": Column(
            np.array([run.write_backs * ratio * per for run in runs]), "1", "write-backs, in page reads per 1000"
        ),
        "cost": Column(cost, "1", "cost, in page reads per 1000 references"),
        "time_per_reference_s": Column(cost / 1000 * read_s, "s", "device time per reference"),
        "least": Column(same(bounds.lower * per), "1", "no such policy costs less"),
        "reached": Column(same(bounds.upper * per), "1", "cost of the cheapest"),
        "exact": Column(same(exact and exact * per), "1", "least possible cost, where it was found"),
        "above": Column(cost / (bounds.lower * per), "1", "cost over the lower bound"),
    }
    return Result.of(columns, notes)


def _notes(inputs: Inputs, source, bounds: Bounds, exact: float | None):
    references = references_of(source)
    yield (
        f"{source.name}: {references.size} references to {references.distinct} pages, all counted from an empty buffer "
        f"on; dirty pages left at the end cost nothing."
    )
    yield (
        "With writes that cost something, the least possible cost is hard to compute (NP-complete, Beckmann et al. "
        "2020). It lies between two bounds: MIN's misses together with the fewest write-backs that any policy can "
        "have, and what the cheapest policy here costs."
    )
    if exact is not None:
        yield f"This trace is short enough to search: the least possible cost is {exact:.4g} page reads in all."
    left_out = [title_of(name) for name in POLICIES if name not in DEMAND]
    yield f"Left out, because they may give a missed page no frame: {', '.join(left_out)}."


STUDY = Study(
    name="policy_ranking",
    title="How near to the least possible cost does each policy come?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    source="Belady 1966; Beckmann et al. 2020; fernando2011 §2.2",
    presets={
        "on a disk, where a write costs a read": {"device": "hgst-7k1000-750gb"},
        "a scan pollutes the buffer": {"trace": "scan-polluted", "frames": 2048},
        "a locality that moves on": {"trace": "shifting-locality", "frames": 2048},
        "PostgreSQL, on a USB stick": {"trace": "postgresql-order-entry", "device": "fernando-flash-drive"},
    },
)
