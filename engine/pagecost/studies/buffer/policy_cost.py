"""Which replacement policy is cheapest, as a page write gets dearer than a page read?"""

import functools

import numpy as np

from pagecost import catalogue
from pagecost.buffer import Replay, mean_block_run, replay
from pagecost.buffer.policies import find, title_of
from pagecost.devices import energy
from pagecost.studies.buffer import buffer_fields, page_sources
from pagecost.studies.buffer.buffer_size import opened, page_times, references_of
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress

BLOCK_PAGES = 64  # of an erase block
RATIOS = tuple(float(ratio) for ratio in np.round(np.geomspace(0.25, 64, 33), 6))


class Inputs(StudyInputs):
    """What is replayed, at which size, and on what the misses and write-backs fall."""

    trace: buffer_fields.TRACE = "sqlite-order-entry"
    frames: buffer_fields.SIZE = 256
    policies: buffer_fields.policies("The first is the yardstick. Parameters are written cflru:window=0.25.") = (
        *("lru", "clock", "arc", "sieve", "cflru", "lru-wsr", "cfdc", "min"),
    )
    device: buffer_fields.device("Its cost of a random page write over a random page read is marked.") = "intel-x25-e"


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per policy and ratio of write to read cost; `chosen` marks the device's own ratio.

    cost is in page reads per reference: (misses + write-backs x ratio) / references.
    """
    source, progress = opened(inputs.trace, progress)
    read_s, write_s = page_times(inputs.trace, inputs.device)
    joules = page_energies(inputs.trace, inputs.device)
    own = write_s / read_s
    ratios = np.unique([*RATIOS, own])
    runs = []
    for done, policy in enumerate(inputs.policies, start=1):
        runs.append(_replayed(source, policy, inputs.frames))
        progress(done / len(inputs.policies), _result(runs, ratios, own, read_s, joules))
    return _result(runs, ratios, own, read_s, joules, tuple(_notes(inputs, source, runs, own)))


def page_energies(trace: str, device: str) -> tuple[float, float]:
    """Joules of a random read and a random write of one page of the trace; nan where they are not known.

    Of a drive its load power for as long as it works; of a flash chip what it needs itself, with a share of an erase.
    """
    known_device = catalogue.devices().get(device)
    if known_device is None:
        return np.nan, np.nan
    if known_device.get("active_w") is not None:
        power = known_device.value("active_w")
        read_j, write_j = (float(energy.request_j(power, power, seconds)) for seconds in page_times(trace, device))
        return read_j, write_j
    blocks = page_sources.page_bytes_of(trace) / energy.FOUR_KIB
    read_j, program_j, erase_j = (energy.of_chip(known_device, name).value * blocks for name in energy.OPERATIONS)
    return read_j, program_j + erase_j


@functools.lru_cache(maxsize=256)
def _replayed(source, policy: str, frames: int) -> Replay:
    return replay(references_of(source), frames, policy, warm_up=source.warm_up, keep_written=True)


def _result(runs, ratios, own: float, read_s: float, joules: tuple[float, float], notes=()) -> Result:
    rows = [(run, ratio) for run in runs for ratio in ratios]
    ratio = np.array([ratio for _, ratio in rows])
    cost = np.array([run.cost(1.0, ratio) / run.references for run, ratio in rows])
    yardstick = np.array([runs[0].cost(1.0, ratio) / runs[0].references for _, ratio in rows])
    spent = np.array([run.cost(*joules) / run.references if ratio == own else np.nan for run, ratio in rows])
    first = max(runs[0].write_backs, 1)
    block_run = {run.policy: mean_block_run(run.written, BLOCK_PAGES) for run in runs}
    columns = {
        "policy": Column(np.array([run.policy for run, _ in rows]), "text", "replacement policy"),
        "ratio": Column(ratio, "1", "cost of a page write over a page read"),
        "chosen": Column(ratio == own, "1", "the device's own ratio"),
        "frames": Column(np.array([run.frames for run, _ in rows]), "1", "buffer size in frames"),
        "hit_ratio": Column(np.array([run.hit_ratio for run, _ in rows]), "1", "hit ratio"),
        "misses": Column(np.array([run.misses for run, _ in rows]), "1", "misses"),
        "write_backs": Column(np.array([run.write_backs for run, _ in rows]), "1", "write-backs"),
        "relative_write_backs": Column(
            np.array([run.write_backs / first for run, _ in rows]), "1", "write-backs over those of the first policy"
        ),
        "block_run": Column(
            np.array([block_run[run.policy] for run, _ in rows]),
            "1",
            f"write-backs in a row to one block of {BLOCK_PAGES} pages, mean",
        ),
        "cost": Column(cost, "1", "page reads per reference, writes weighted"),
        "relative": Column(cost / yardstick, "1", "cost over that of the first policy"),
        "time_per_reference_s": Column(cost * read_s, "s", "device time per reference if a read costs what it does"),
        "energy_per_reference_j": Column(spent, "J", "energy per reference, at the device's own ratio"),
    }
    return Result.of(columns, notes)


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The cost of each policy at the device's own ratio."""
    lines = []
    for row in result.rows(chosen=True):
        misses, written, ratio, cost = (result[name][row] for name in ("misses", "write_backs", "ratio", "cost"))
        title = title_of(str(result["policy"][row]))
        per = "reads per reference"
        lines.append(
            f"{title}: ({misses} misses + {written} write-backs × {ratio:.3g}) / references = {cost:.4g} {per}"
        )
    return lines


def cheapest(result: Result, ratio: float | None = None) -> str:
    """The policy of lowest cost at a ratio of the curve, or at the device's own; offline bounds are left out."""
    rows = result.rows(chosen=True) if ratio is None else result.rows(ratio=ratio)
    online = [row for row in rows if not find(str(result["policy"][row]))[0].offline]
    return str(result["policy"][min(online, key=lambda row: result["cost"][row])])


def _notes(inputs: Inputs, source, runs, own: float):
    references = references_of(source)
    page_bytes = source.requests.page_bytes
    yield f"{source.name}: {references.size} references to {references.distinct} pages of {page_bytes} bytes."
    if np.isnan(page_energies(inputs.trace, inputs.device)).any():
        yield f"{inputs.device}: its power is not known, so no energy is given."
    online = [run for run in runs if not find(run.policy)[0].offline]
    if online:
        best, low = max(online, key=lambda run: run.hits), min(online, key=lambda run: run.cost(1.0, own))
        yield (
            f"Best hit ratio: {title_of(best.policy)}; cheapest on {inputs.device}, where a write costs {own:.3g} "
            f"reads: {title_of(low.policy)}."
        )
    if any(find(run.policy)[0].offline for run in runs):
        yield "MIN has the fewest misses of all policies; its write-backs are not the fewest, nor is its cost."


STUDY = Study(
    name="policy_cost",
    title="Why can the policy with the best hit ratio be the wrong one?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
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
