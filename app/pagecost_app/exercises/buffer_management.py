"""The exercises of lesson 5: replacement policies, clean and dirty victims, and what a buffer costs."""

import random
from collections.abc import Callable

from pagecost.buffer import References, Replay, replay
from pagecost_app.exercises.exercise import Exercise

FRAMES = 4


def _string(dice: random.Random, length: int = 14) -> str:
    return " ".join(f"{dice.randint(1, 6)}{dice.choice('rrw')}" for _ in range(length))


def _draw_walk(dice: random.Random) -> dict:
    """A string on which LRU and CFLRU write back differently often, and no typical mistake gives the right answer."""
    while True:
        text = _string(dice)
        lru, cflru = _run(text, "lru"), _run(text, "cflru")
        writes = int(References.of_text(text).writes.sum())
        told = {lru.write_backs, cflru.write_backs, writes, lru.write_backs + lru.dirty_left}
        if lru.write_backs > cflru.write_backs > 0 and len(told) == 4 and lru.misses not in told:
            return {"references": text}


def _run(references: str, policy: str) -> Replay:
    return replay(References.of_text(references), FRAMES, policy)


def _writes(references: str) -> float:
    return float(References.of_text(references).writes.sum())


def _draw_cost(dice: random.Random) -> dict:
    return {
        "references": dice.choice((100_000, 200_000)),
        "hit_percent": dice.choice((80, 85, 90)),
        "dirty_percent": dice.choice((25, 30, 40)),
        "read_us": dice.choice((100, 150)),
        "write_us": dice.choice((400, 800, 1200)),
    }


def _cost(reads: float = 1.0, writes: float = 1.0, every_miss: bool = False) -> Callable[..., float]:
    """Device time [s], as someone sees it who leaves a term out, or takes every victim to be dirty."""

    def time(references, hit_percent, dirty_percent, read_us, write_us):
        hits = references * hit_percent // 100
        misses = references - hits
        write_backs = misses if every_miss else misses * dirty_percent // 100
        run = Replay("", 0, references, hits, 0, write_backs, 0)
        return run.cost(reads * read_us / 1e6, writes * write_us / 1e6)

    return time


def _of_references(references, hit_percent, dirty_percent, read_us, write_us) -> float:
    """The same for someone who takes dirty victims as a share of the references."""
    return references * ((1 - hit_percent / 100) * read_us + dirty_percent / 100 * write_us) / 1e6


def _draw_break_even(dice: random.Random) -> dict:
    misses = dice.choice((20_000, 30_000, 40_000))
    return {
        "misses": misses,
        "more_misses": misses + dice.choice((1200, 1500, 2400)),
        "written": misses // 2,
        "less_written": misses // 2 - dice.choice((400, 1000)),
    }


def _break_even(misses, more_misses, written, less_written) -> float:
    return (more_misses - misses) / (written - less_written)


EXERCISES = (
    Exercise(
        "saved-write-backs",
        "A mail server's pages, 40 % of the references are writes, on a flash disk where a page write costs eight "
        "reads. Policy A hits 90 % of the references and half of its victims are dirty. Policy B hits only 88 %, and "
        "a quarter of its victims are dirty. What does B cost, as a ratio of what A costs?",
        "1",
        draw=lambda dice: {},
        reference=lambda: (
            Replay("", 0, 1000, 880, 0, 30, 0).cost(1.0, 8.0) / Replay("", 0, 1000, 900, 0, 50, 0).cost(1.0, 8.0)
        ),
        within=1.15,
        hints=("Take 1000 references. How many pages does each read, how many does it write?",),
        surprise="B reads a fifth more pages, and that is little beside the writes that it saves.",
    ),
    Exercise(
        "victims",
        "A buffer of 4 frames under LRU, empty at first, and the references {references} (r reads, w writes). How "
        "many pages does it write back before the end?",
        "1",
        draw=_draw_walk,
        reference=lambda references: float(_run(references, "lru").write_backs),
        tolerance=1e-9,
        hints=(
            "Note for every page in the buffer when it was used last, and whether it was changed since it came.",
            'step("lru", "…") walks through them; only a victim that is dirty is written back.',
        ),
        mistakes=(
            (_writes, "these are the references that write; a page changed twice in the buffer is written once."),
            (
                lambda references: float(_run(references, "lru").misses),
                "these are the misses; not every miss has a victim, and not every victim is dirty.",
            ),
            (
                lambda references: float(_run(references, "lru").write_backs + _run(references, "lru").dirty_left),
                "those that are dirty in the end are still in the buffer.",
            ),
            (
                lambda references: float(_run(references, "cflru").write_backs),
                "that is CFLRU, which lets clean pages leave first.",
            ),
        ),
    ),
    Exercise(
        "buffer-cost",
        "{references} references, {hit_percent} % of them hits. The buffer is full, and {dirty_percent} % of the "
        "victims are dirty. A page is read in {read_us} µs and written in {write_us} µs. How long is the device busy?",
        "s",
        draw=_draw_cost,
        reference=_cost(),
        hints=("misses × read + write-backs × write", "Every miss has a victim; only the dirty ones are written."),
        mistakes=(
            (_cost(writes=0), "that is reading alone; a dirty victim must be written first."),
            (_cost(reads=0), "that is writing alone; every miss reads a page."),
            (_cost(every_miss=True), "a clean victim is simply dropped: not every miss writes."),
            (_of_references, "the dirty ones are a share of the victims, not of the references."),
        ),
    ),
    Exercise(
        "break-even",
        "On one trace LRU misses {misses} times and writes {written} pages back; a policy that spares dirty pages "
        "misses {more_misses} times and writes {less_written}. How many page reads must a page write cost at least, "
        "before the second is the cheaper one?",
        "1",
        draw=_draw_break_even,
        reference=_break_even,
        hints=(
            "Write down both costs with a page read as 1 and a page write as x, and set them equal.",
            "The misses it adds, over the write-backs it saves.",
        ),
        mistakes=(
            (
                lambda **numbers: 1 / _break_even(**numbers),
                "the other way round: what is paid (misses) over what is gained (write-backs).",
            ),
            (
                lambda misses, more_misses, written, less_written: more_misses / less_written,
                "take the differences between the policies, not the totals of one.",
            ),
            (
                lambda misses, more_misses, written, less_written: (more_misses / misses) / (written / less_written),
                "shares do not balance: the two policies' differences in pages do.",
            ),
        ),
    ),
)
