"""How near to the least possible cost does each policy come, and is there anything left to gain by a better one?"""

from typing import Annotated

import numpy as np

from pagecost.answers import page_costs
from pagecost.answers.page_costs import PageCosts
from pagecost.answers.replays import Loaded, replayed_from_empty
from pagecost.buffer import DEMAND, Bounds, References, Replay, cost_bounds, optimal_cost
from pagecost.buffer.policies import POLICIES, title_of
from pagecost.errors import ModelError
from pagecost.studies.buffer import buffer_fields
from pagecost.studies.finding import Finding, at, found
from pagecost.studies.study import Column, Fact, Progress, Result, Study, StudyInputs, no_progress
from pagecost.studies.workers import side_by_side
from pagecost.units import format_cell, grouped

SEARCHED = 64  # references, at most, among which the exact optimum is looked for

PER_THOUSAND = f"page reads per {grouped(1000)} references"


class Inputs(StudyInputs):
    """What is replayed, at which size, and on what the misses and write-backs fall."""

    trace: buffer_fields.TRACE = "sqlite-order-entry"
    frames: buffer_fields.SIZE = 256
    device: Annotated[str, *buffer_fields.device()] = "intel-x25-e"
    page_bytes: buffer_fields.PAGE_BYTES = buffer_fields.AS_THE_TRACE_SAYS


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per policy, the cheapest first; costs are in page reads per 1000 references, from an empty buffer on.

    The facts `least` and `reached` bound what the best policy that knows the future and loads what it misses would
    cost: MIN's misses with the fewest write-backs, and the cheapest of all rows. `exact` is that cost itself, where the
    load is short enough to search.
    """
    loaded, progress = buffer_fields.opened(inputs, progress)
    costs = page_costs.of_pages(inputs.device, loaded.source.page_bytes)
    runs: list[Replay] = []
    for _, run in side_by_side(lambda name: replayed_from_empty(loaded.source, name, inputs.frames), list(DEMAND)):
        runs.append(run)
        progress(len(runs) / len(DEMAND), None)
    bounds = cost_bounds(loaded.references, runs, 1.0, costs.ratio)
    exact = _exact(loaded.references, inputs.frames, costs.ratio)
    return _result(loaded, runs, costs, bounds, exact)


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The sum behind every policy's cost, and how far it lies above the least possible one."""
    ratio, thousands = result.facts["ratio"].number, result.facts["references"].number / 1000
    lines = []
    for row in range(len(result)):
        misses, written = (result[name][row] for name in ("misses", "write_backs"))
        lines.append(
            f"{result.cell('policy', row)}: ({grouped(misses)} misses + {grouped(written)} write-backs × "
            f"{format_cell(ratio, '1')}) / {thousands:.6g} = {result.cell('cost', row)} page reads per "
            f"{grouped(1000)} references, {result['above'][row]:.2f} times the lower bound."
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    best = result.rows(policy=best_online(result))[0]
    where = "is {exact}" if "exact" in result.facts else "is between {least} and {reached}"
    return found(
        f"Without knowing the future {{policy}} is cheapest: {{cost}} {PER_THOUSAND}. The least possible cost {where}.",
        policy=result.cell("policy", best),
        cost=at(result, "cost", best),
        **result.facts,
    )


def best_online(result: Result) -> str:
    """The cheapest policy that does not look into the future."""
    return next(name for name in map(str, result["policy"]) if not POLICIES[name].offline)


def least_possible(result: Result) -> tuple[float, float]:
    """Between which costs the least possible one lies; both the same where it was found."""
    if "exact" in result.facts:
        return (result.facts["exact"].number,) * 2
    return result.facts["least"].number, result.facts["reached"].number


def _exact(references: References, frames: int, ratio: float) -> float | None:
    """The optimum itself, where the reference string is short enough to search; else None."""
    if references.size > SEARCHED:
        return None
    try:
        return optimal_cost(references, frames, 1.0, ratio)
    except ModelError:
        return None


def _result(loaded: Loaded, runs: list[Replay], costs: PageCosts, bounds: Bounds, exact: float | None) -> Result:
    per, ratio = 1000 / runs[0].references, costs.ratio
    runs = sorted(runs, key=lambda run: run.cost(1.0, ratio))
    cost = np.array([run.cost(1.0, ratio) * per for run in runs])

    def counted(name: str) -> np.ndarray:
        return np.array([getattr(run, name) for run in runs])

    columns = {
        "policy": buffer_fields.policy_column(counted("policy")),
        "offline": Column(np.array([POLICIES[run.policy].offline for run in runs]), "1", "knows the future"),
        "frames": Column(counted("frames"), "1", "buffer size in frames"),
        "hit_ratio": Column(counted("hit_ratio"), "1", "hit ratio"),
        "misses": Column(counted("misses"), "1", "misses"),
        "write_backs": Column(counted("write_backs"), "1", "write-backs"),
        "reading": Column(counted("misses") * per, "1", f"misses (page reads) per {grouped(1000)} references"),
        "writing": Column(counted("write_backs") * ratio * per, "1", f"write-backs, in {PER_THOUSAND}"),
        "cost": Column(cost, "1", PER_THOUSAND),
        "time_per_reference_s": Column(cost / 1000 * costs.busy.read_s, "s", "device time per reference"),
        "above": Column(cost / (bounds.lower * per), "1", "cost over the lower bound"),
    }
    facts = {
        "references": Fact(runs[0].references, "1", "page references"),
        "ratio": Fact(ratio, "1", "device time of a page write over a page read"),
        "least": Fact(bounds.lower * per, "1", f"no such policy costs less, in {PER_THOUSAND}"),
        "reached": Fact(bounds.upper * per, "1", f"cost of the cheapest, in {PER_THOUSAND}"),
    }
    if exact is not None:
        facts["exact"] = Fact(exact * per, "1", f"least possible cost, in {PER_THOUSAND}")
    facts |= buffer_fields.page_facts(loaded.source.page_bytes, costs)
    return Result.of(columns, _notes(loaded, costs, exact), facts=facts)


def _notes(loaded: Loaded, costs: PageCosts, exact: float | None):
    yield from loaded.sentences()
    yield costs.busy.note
    yield "All references are counted, from an empty buffer on; dirty pages left at the end cost nothing."
    yield (
        "With writes that cost something, the least possible cost is hard to compute (NP-complete, Beckmann et al. "
        f"2020). It lies between two bounds: the misses of {title_of('min')} together with the fewest write-backs that "
        "any policy can have, and what the cheapest policy here costs."
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
    describe=describe,
    place="buffer",
    source="Belady 1966; Beckmann et al. 2020; fernando2011 §2.2",
    presets={
        "on a disk, where a write costs a read": {"device": "hgst-7k1000-750gb"},
        "a scan pollutes the buffer": {"trace": "scan-polluted", "frames": 2048},
        "a locality that moves on": {"trace": "shifting-locality", "frames": 2048},
        "PostgreSQL, on a USB stick": {"trace": "postgresql-order-entry", "device": "fernando-flash-drive"},
    },
)
