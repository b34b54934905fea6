"""What a page access must at least cost where writes cost more than reads: exact on small cases, bounds elsewhere.

With write-backs the offline optimum is NP-complete (Beckmann et al. 2020), so only the exact search of small cases is
called an optimum.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pagecost.buffer.frames import whole_frames
from pagecost.buffer.policies import POLICIES
from pagecost.buffer.pool import Replay, replay
from pagecost.buffer.references import References
from pagecost.errors import present, require

DEMAND = tuple(name for name, policy in POLICIES.items() if not policy.bypasses)
"""The policies that load every page they miss: MIN bounds the misses of no other."""
MOST_STATES = 5_000  # held at once by the exact search: at most a second for each 64 references


@dataclass(frozen=True)
class Bounds:
    """Any policy that may look ahead costs at least `lower`; the replay `by` reaches `upper`."""

    lower: float
    upper: float
    by: Replay


def optimal_cost(pages, frames: int, read: float, write: float, writes=None) -> float:
    """The least misses x read + write-backs x write of any demand policy, by dynamic programming over what is held.

    Pages left dirty at the end cost nothing, as in `replay`. Raises ModelError when more than 5 000 states would be
    held at once, for frames that are not whole or less than 1, and whatever `References.of` raises.
    """
    references = pages if isinstance(pages, References) else References.of(pages, writes)
    frames = whole_frames(frames)
    _require_costs(read, write)
    states: dict[frozenset, float] = {frozenset(): 0.0}  # held (page, dirty) pairs -> least cost so far
    for page, changed in zip(references.pages.tolist(), references.writes.tolist(), strict=True):
        following: dict[frozenset, float] = {}
        for held, cost in states.items():
            old = next((entry for entry in held if entry[0] == page), None)
            if old is not None:
                _keep(following, held - {old} | {(page, bool(old[1] or changed))}, cost)
                continue
            loaded = (page, bool(changed))
            if len(held) < frames:
                _keep(following, held | {loaded}, cost + read)
                continue
            for victim in held:
                _keep(following, held - {victim} | {loaded}, cost + read + (write if victim[1] else 0.0))
        require(
            len(following) <= MOST_STATES,
            f"the exact search would hold more than {MOST_STATES} states; it is meant for a few pages and frames",
        )
        states = following
    return min(states.values())


def fewest_write_backs(references: References, frames: int) -> int:
    """No policy writes back fewer pages from a buffer of `frames` frames that is empty at first.

    The dirty pages are themselves a cache of the pages last written: every write that does not find its page dirty
    makes one dirty, which is written back unless it is still there at the end. MIN over the writes alone has fewest.
    Raises ModelError for frames that are not whole or less than 1.
    """
    frames = whole_frames(frames)
    written = references.ids[references.pages[references.writes == 1]]
    if written.size == 0:
        return 0
    made_dirty = replay(written, frames, "min").misses
    return max(made_dirty - min(frames, np.unique(written).size), 0)


def cost_bounds(references: References, runs: Sequence[Replay], read: float, write: float) -> Bounds:
    """Bounds of that least cost where it cannot be found.

    Below: MIN's misses and the fewest write-backs, which no policy need reach together; above: the cheapest of the
    runs. runs: replays of all the references with one buffer size by policies of `DEMAND`, MIN among them. Raises
    ModelError without MIN, and for costs below 0.
    """
    _require_costs(read, write)
    names = ", ".join(run.policy for run in runs) or "none"
    fewest = present(
        next((run for run in runs if run.policy == "min"), None),
        f"bounds need a replay by min among their runs; got {names}",
    )
    cheapest = min(runs, key=lambda run: run.cost(read, write))
    written = fewest_write_backs(references, fewest.frames)
    return Bounds(fewest.misses * read + written * write, cheapest.cost(read, write), cheapest)


def _require_costs(read: float, write: float) -> None:
    require(read >= 0 and write >= 0, f"the cost of a read and of a write must not be negative; got {read}, {write}")


def _keep(states: dict, held: frozenset, cost: float) -> None:
    if cost < states.get(held, float("inf")):
        states[held] = cost
