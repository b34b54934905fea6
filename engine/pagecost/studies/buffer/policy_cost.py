"""Which replacement policy is cheapest, as a page write gets dearer than a page read?"""

from functools import partial
from typing import Annotated

import numpy as np

from pagecost import devices
from pagecost.answers import page_costs
from pagecost.answers.page_costs import PageCosts
from pagecost.answers.replays import Loaded, written_by
from pagecost.buffer import Replay, mean_block_run
from pagecost.buffer.policies import find, title_of
from pagecost.studies.buffer import buffer_fields
from pagecost.studies.buffer.buffer_fields import among
from pagecost.studies.finding import Finding, at, bare, found, percent
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_cell, format_si, grouped

BLOCK_PAGES = 64  # of an erase block
RATIOS = tuple(float(ratio) for ratio in np.round(np.geomspace(0.25, 64, 33), 6))


class Inputs(StudyInputs):
    """What is replayed, at which size, and on what the misses and write-backs fall."""

    trace: buffer_fields.TRACE = "sqlite-order-entry"
    frames: buffer_fields.SIZE = 256
    policies: Annotated[
        tuple[str, ...],
        *buffer_fields.policies("The first is the yardstick. Parameters are written cflru:window=0.25."),
    ] = (*("lru", "clock", "arc", "sieve", "cflru", "lru-wsr", "cfdc", "min"),)
    device: Annotated[
        str, *buffer_fields.device("Its cost of a random page write over a random page read is marked.")
    ] = "intel-x25-e"
    page_bytes: buffer_fields.PAGE_BYTES = buffer_fields.AS_THE_TRACE_SAYS


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per policy and ratio of write to read cost; `chosen` marks the ratio of the device's own device times.

    cost is in page reads per reference: (misses + write-backs x ratio) / references. The table `energy` has what a
    reference needs at the device's own ratio, where the device's power is known.
    """
    loaded, progress = buffer_fields.opened(inputs, progress)
    costs = page_costs.of_pages(inputs.device, loaded.source.page_bytes)
    runs: list[Replay] = []
    for done, policy in enumerate(inputs.policies, start=1):
        runs.append(written_by(loaded.source, policy, inputs.frames))
        progress(done / len(inputs.policies), partial(_result, inputs, loaded, runs.copy(), costs))
    return _result(inputs, loaded, runs, costs, _notes(inputs, loaded, runs, costs))


def _result(inputs: Inputs, loaded: Loaded, runs: list[Replay], costs: PageCosts, notes=()) -> Result:
    page_bytes, own = loaded.source.page_bytes, costs.ratio
    rows = [(run, ratio) for run in runs for ratio in np.unique([*RATIOS, own])]
    ratio = np.array([ratio for _, ratio in rows])
    cost = np.array([run.cost(1.0, ratio) / run.references for run, ratio in rows])
    yardstick = np.array([runs[0].cost(1.0, ratio) / runs[0].references for _, ratio in rows])
    first = max(runs[0].write_backs, 1)
    block_run = {run.policy: mean_block_run(run.written, BLOCK_PAGES) for run in runs}
    in_a_row = f"write-backs in a row to one block of {BLOCK_PAGES} pages, mean"

    def counted(name: str) -> np.ndarray:
        return np.array([getattr(run, name) for run, _ in rows])

    columns = {
        "policy": buffer_fields.policy_column(counted("policy")),
        "ratio": Column(ratio, "1", "cost of a page write over a page read"),
        "chosen": Column(ratio == own, "1", "the device's own ratio"),
        "frames": Column(counted("frames"), "1", "buffer size in frames"),
        "hit_ratio": Column(counted("hit_ratio"), "1", "hit ratio"),
        "misses": Column(counted("misses"), "1", "misses"),
        "write_backs": Column(counted("write_backs"), "1", "write-backs"),
        "relative_write_backs": Column(
            counted("write_backs") / first, "1", "write-backs over those of the first policy"
        ),
        "block_run": Column(np.array([block_run[run.policy] for run, _ in rows]), "1", in_a_row),
        "cost": Column(cost, "1", "page reads per reference, writes weighted"),
        "relative": Column(cost / yardstick, "1", "cost over that of the first policy"),
        "time_per_reference_s": Column(
            cost * costs.busy.read_s, "s", "device time per reference if a read costs what it does"
        ),
    }
    joules = page_costs.page_energies(inputs.device, page_bytes)
    spent = np.array([run.cost(*joules) / run.references for run in runs])
    energy = {
        "policy": buffer_fields.policy_column(np.array([run.policy for run in runs])),
        "energy_per_reference_j": Column(spent, "J", "energy per reference, at the device's own ratio"),
    }
    facts = buffer_fields.page_facts(page_bytes, costs)
    return Result.of(columns, notes, facts=facts, more={"energy": energy} if np.isfinite(joules).all() else None)


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The cost of each policy at the device's own ratio."""
    lines = []
    for row in result.rows(chosen=True):
        misses, written, ratio, cost = (result[name][row] for name in ("misses", "write_backs", "ratio", "cost"))
        lines.append(
            f"{result.cell('policy', row)}: ({grouped(misses)} misses + {grouped(written)} write-backs × "
            f"{format_cell(ratio, '1')}) / references = {cost:.4g} reads per reference"
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    best, first = cheapest(result), str(result["policy"][0])
    (row,), (other,) = (result.rows(chosen=True, policy=name) for name in (best, first))
    if best == first:
        others = ", and none of the others costs less without knowing the future" if len(inputs.policies) > 1 else ""
        return found(
            "{best} costs {cost} page reads per reference{others}: {own} of its references are hits.",
            others=", and it knows the future" if find(best)[0].offline else others,
            best=title_of(best),
            cost=bare(at(result, "cost", row)),
            own=percent(at(result, "hit_ratio", row)),
        )
    return found(
        "Without knowing the future {best} is cheapest, at {relative} of what {first} costs: {own} of its "
        "references are hits, {hits} of {first}'s.",
        best=title_of(best),
        first=title_of(first),
        relative=percent(at(result, "relative", row)),
        own=percent(at(result, "hit_ratio", row)),
        hits=percent(at(result, "hit_ratio", other)),
    )


def cheapest(result: Result, ratio: float | None = None) -> str:
    """The policy of lowest cost at a ratio of the curve, or at the device's own; offline bounds only where all are."""
    rows = result.rows(chosen=True) if ratio is None else result.rows(ratio=ratio)
    online = [row for row in rows if not find(str(result["policy"][row]))[0].offline]
    return str(result["policy"][min(online or rows, key=lambda row: result["cost"][row])])


def _notes(inputs: Inputs, loaded: Loaded, runs: list[Replay], costs: PageCosts):
    title = devices.title_of(inputs.device)
    yield from loaded.sentences()
    yield costs.busy.note
    if np.isnan(page_costs.page_energies(inputs.device, loaded.source.page_bytes)).any():
        yield f"{title}: its power is not known, so no energy is given."
    online = [run for run in runs if not find(run.policy)[0].offline]
    if online:
        best, low = max(online, key=lambda run: run.hits), min(online, key=lambda run: run.cost(1.0, costs.ratio))
        yield (
            f"Best hit ratio: {title_of(best.policy)}; cheapest on {title}, where a write costs "
            f"{format_si(costs.ratio, '1')} reads of device time: {title_of(low.policy)}."
        )
        alone = costs.alone.write_s / costs.alone.read_s
        if np.isfinite(alone) and costs.busy.depth != 1:
            low = min(online, key=lambda run: run.cost(1.0, alone))
            yield (
                f"One page after the other, a write takes {format_si(alone, '1')} times as long as a read; where "
                f"that is what counts, {title_of(low.policy)} is cheapest."
            )
    if any(find(run.policy)[0].offline for run in runs):
        fewest = f"{title_of('min')} has the fewest misses {among(inputs.policies)}"
        yield f"{fewest}; its write-backs are not the fewest, nor is its cost."


STUDY = Study(
    name="policy_cost",
    title="Why can the policy with the best hit ratio be the wrong one?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="buffer",
    source="fernando2011 §2.2; Park et al. 2006",
    presets={
        "recency and frequency": {"policies": ("lru", "fifo", "clock", "lfu", "lru-2", "2q", "arc", "lirs")},
        "newer ones": {"policies": ("lru", "mru", "s3-fifo", "sieve", "w-tinylfu", "min")},
        "flash-aware: clean pages first": {
            "policies": ("lru", "cflru", "lru-wsr", "ccf-lru", "ad-lru", "casa", "fd-buffer", "multi-buffer")
        },
        "flash-aware: writes in runs": {"policies": ("lru", "cflru", "cfdc", "ref", "fab", "bplru")},
        "CFLRU's window": {
            "policies": ("lru", "cflru:window=0.1", "cflru:window=0.25", "cflru:window=0.5", "cflru:window=1")
        },
        "PostgreSQL, on a USB stick": {"trace": "postgresql-order-entry", "device": "fernando-flash-drive"},
        "energy of a drive whose power is known": {"device": "intel-x25-m-g2-80gb"},
        "energy inside a flash chip": {"device": "samsung-4gb-flash-chip"},
    },
)
