"""One page access from end to end, as the walk through the path records it: what the start page plays.

The record is kept in `story.json`, so that playing it needs no kernel; `python -m pagecost_app.walks.story` writes it,
and a test compares it with the walk.
"""

import functools
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from pagecost.buffer.policies import title_of
from pagecost.errors import require
from pagecost.walk import DEVICES, events
from pagecost_app.walks.path_walk import PathWalk
from pagecost_app.walks.path_words import path_sentence, transaction_name

FILE = Path(__file__).with_name("story.json")
WHOLE = {events.MISS, events.APPEND, events.FLASH_READ, events.LOG_FLUSH, events.FLASH_PROGRAM}  # what it must show


@dataclass(frozen=True)
class Step:
    """An event of the walk. event: its number; place: where it happens, as `events.PLACE_OF`; costs of the device."""

    event: int
    place: str
    words: str
    time_s: float
    energy_j: float
    usd: float


@dataclass(frozen=True)
class Story:
    """whose: the transaction that asks; parts: what stands at each place; steps: from its access to the write that
    makes it durable, in order."""

    whose: str
    parts: dict[str, str]
    steps: tuple[Step, ...]

    @property
    def totals(self) -> tuple[float, float, float]:
        """Time [s], energy [J] and money [$] of all steps."""
        return tuple(sum(getattr(step, name) for step in self.steps) for name in ("time_s", "energy_j", "usd"))


@functools.cache
def story() -> Story:
    """As it is kept."""
    kept = json.loads(FILE.read_text("utf8"))
    return Story(kept["whose"], kept["parts"], tuple(Step(**step) for step in kept["steps"]))


def recorded() -> Story:
    """As the walk is by default: its shortest access that misses, drives a changed page out and is made durable.

    What follows from the access comes first, then what follows from the commit of its transaction.
    """
    walk = PathWalk()
    record = walk.walker.system.events
    commits = {event.cause: number for number, event in enumerate(record) if event.kind == events.COMMIT}
    candidates = []
    for number, event in enumerate(record):
        if event.kind == events.REFERENCE and event.cause in commits:
            chosen = [*_caused(walk, number), *_caused(walk, commits[event.cause])]
            kinds = {record[each].kind for each in chosen}
            dirty = any(record[each].kind == events.EVICT and record[each].place % 2 for each in chosen)
            if dirty and kinds >= WHOLE:
                candidates.append((len(chosen), chosen))
    require(bool(candidates), "no access of this walk goes through all layers; take more transactions")
    chosen = min(candidates)[1]
    steps = []
    for number in chosen:
        event = record[number]
        walk.go(number + 1)
        place = events.PLACE_OF[event.kind]
        steps.append(Step(number, place, path_sentence(walk), event.time_s, event.energy_j, event.usd))
    whose = transaction_name(walk.walker, walk.walker.transaction_of(chosen[0]) or 0)
    setup = walk.setup
    parts = {
        "buffer": f"{setup.frames} frames, {title_of(setup.policy)}",
        "log": f"{setup.group_commit} commits a flush",
        "page cache": f"{setup.page_cache_pages} pages",
        "file system": f"writes {setup.file_system}",
        "device": DEVICES[setup.device],
    }
    return Story(whose, parts, tuple(steps))


def _caused(walk: PathWalk, number: int) -> list[int]:
    """The event and all that follows from it, however late."""
    record = walk.walker.system.events
    found = {number}
    for later in range(number + 1, len(record)):
        if record[later].cause in found:
            found.add(later)
    return sorted(found)


if __name__ == "__main__":
    FILE.write_text(json.dumps(asdict(recorded()), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
