"""The exercises of lesson 6: replacement policies, clean and dirty victims, and what a buffer costs."""

import random
from collections.abc import Callable, Iterator

from pagecost.buffer import References, Replay, Stepper, replay
from pagecost_app.exercises.kinds import EXACT, Choice, Claim, Number

FRAMES = 4


def _string(dice: random.Random, length: int = 14) -> str:
    return " ".join(f"{dice.randint(1, 6)}{dice.choice('rrw')}" for _ in range(length))


def _draw_walk(dice: random.Random) -> dict:
    """A string on which LRU and CFLRU write back differently often, and no typical mistake gives the right answer."""
    while True:
        text = _string(dice, dice.randrange(14, 31))
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
        "references": dice.choice((100_000, 200_000, 300_000)),
        "hit_percent": dice.randrange(75, 93),
        "dirty_percent": dice.randrange(20, 51, 5),
        "read_us": dice.randrange(80, 161, 10),
        "write_us": dice.randrange(400, 1201, 50),
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
    misses = dice.randrange(20_000, 40_001, 500)
    return {
        "misses": misses,
        "more_misses": misses + dice.randrange(1200, 2500, 50),
        "written": misses // 2,
        "less_written": misses // 2 - dice.randrange(400, 1001, 50),
    }


def _break_even(misses, more_misses, written, less_written) -> float:
    return (more_misses - misses) / (written - less_written)


MAIL = {"hits_a": 90, "dirty_a": 50, "hits_b": 88, "dirty_b": 25, "ratio": 8}


def _draw_mail(dice: random.Random) -> dict:
    hits, dirty = dice.randrange(86, 94), dice.randrange(40, 61, 5)
    return {
        "hits_a": hits,
        "dirty_a": dirty,
        "hits_b": hits - dice.randrange(1, 4),
        "dirty_b": dirty - dice.randrange(15, 31, 5),
        "ratio": dice.randrange(2, 13),
    }


def _mail_cost(hits: int, dirty: int, ratio: float) -> float:
    """Page reads that 1000 references cost."""
    misses = 1000 - 10 * hits
    return Replay("", 0, 1000, 10 * hits, 0, misses * dirty // 100, 0).cost(1.0, ratio)


def _mail_ratio(hits_a, dirty_a, hits_b, dirty_b, ratio) -> float:
    return _mail_cost(hits_b, dirty_b, ratio) / _mail_cost(hits_a, dirty_a, ratio)


def _mail_steps(hits_a, dirty_a, hits_b, dirty_b, ratio) -> Iterator[str]:
    costs = []
    for name, hits, dirty in (("A", hits_a, dirty_a), ("B", hits_b, dirty_b)):
        misses = 1000 - 10 * hits
        writes = misses * dirty // 100
        costs.append(misses + ratio * writes)
        yield (
            f"{name}: of 1000 references {misses} are read, {writes} written: {misses} + {ratio} · {writes} = "
            f"{costs[-1]}."
        )
    yield f"{costs[1]} / {costs[0]} = {costs[1] / costs[0]:.4g}."


def _walk_steps(references: str) -> Iterator[str]:
    """Every victim of the walk, as the stepper names it."""
    stepper = Stepper(References.of_text(references), FRAMES, "lru")
    for _ in range(stepper.size):
        step = stepper.forward()
        for page, dirty in step.victims:
            fate = "is dirty and is written" if dirty else "is clean and is dropped"
            yield f"Reference {step.position}: page {page} was used longest ago; it {fate} ({step.write_backs} so far)."


def _cost_steps(references, hit_percent, dirty_percent, read_us, write_us) -> Iterator[str]:
    misses = references - references * hit_percent // 100
    written = misses * dirty_percent // 100
    yield (
        f"Misses: {references} · {100 - hit_percent} % = {misses}; dirty victims: {misses} · {dirty_percent} % = "
        f"{written}."
    )
    yield f"Reading takes {misses} · {read_us} µs = {misses * read_us / 1e6:.5g} s."
    yield f"Writing takes {written} · {write_us} µs = {written * write_us / 1e6:.5g} s."
    yield f"Together {(misses * read_us + written * write_us) / 1e6:.4g} s."


def _even_steps(misses, more_misses, written, less_written) -> Iterator[str]:
    yield f"The second reads {more_misses} − {misses} = {more_misses - misses} pages more."
    yield f"It writes {written} − {less_written} = {written - less_written} pages less."
    found = (more_misses - misses) / (written - less_written)
    yield f"Both cost the same if a write costs {more_misses - misses} / {written - less_written} = {found:.4g} reads."


EXERCISES = (
    Choice(
        "which-policy",
        "A page write costs {ratio} page reads. Policy A hits {hits_a} % of the references and {dirty_a} % of its "
        "victims "
        "are dirty; policy B hits {hits_b} %, and {dirty_b} % of its victims are dirty. Which is the cheaper one?",
        draw=_draw_mail,
        usable=lambda **numbers: abs(_mail_ratio(**numbers) - 1) > 0.02,
        options=(
            Claim("A", lambda **numbers: _mail_ratio(**numbers) > 1, "A misses less and writes more: weigh both."),
            Claim("B", lambda **numbers: _mail_ratio(**numbers) < 1, "B writes less and misses more: weigh both."),
            Claim("both cost the same", lambda **numbers: False, "they differ: count both for 1000 references."),
        ),
        reasons=(
            Claim(
                "the reads that B adds cost less than the writes that it saves",
                lambda **numbers: _mail_ratio(**numbers) < 1,
                "for these numbers what B adds costs more than what it saves.",
            ),
            Claim(
                "the reads that B adds cost more than the writes that it saves",
                lambda **numbers: _mail_ratio(**numbers) > 1,
                "for these numbers what B adds costs less than what it saves.",
            ),
            Claim("the higher hit ratio is always cheaper", lambda **numbers: False, "writes are paid for as well."),
            Claim("fewer dirty victims are always cheaper", lambda **numbers: False, "reads are paid for as well."),
        ),
        hints=("Take 1000 references. How many pages does each read, how many does it write?",),
        why="Hits and dirty victims count by what a read and a write cost.",
        steps=_mail_steps,
    ),
    Number(
        "saved-write-backs",
        "A mail server's pages, 40 % of the references are writes, on a flash disk where a page write costs {ratio} "
        "reads. Policy A hits {hits_a} % of the references and {dirty_a} % of its victims are dirty. Policy B hits "
        "only "
        "{hits_b} %, and {dirty_b} % of its victims are dirty. What does B cost, as a ratio of what A costs?",
        "1",
        draw=_draw_mail,
        lesson_case=MAIL,
        reference=_mail_ratio,
        steps=_mail_steps,
        why="Reads that are added and writes that are saved count by what each of them costs.",
        within=1.15,
        side=True,
        usable=lambda **numbers: abs(_mail_ratio(**numbers) - 1) > 0.02,
        hints=("Take 1000 references. How many pages does each read, how many does it write?",),
        surprise="B reads more pages and writes fewer: weigh both by what they cost before you compare.",
    ),
    Number(
        "victims",
        "A buffer of 4 frames under LRU, empty at first, and the references {references} (r reads, w writes). How "
        "many pages does it write back before the end?",
        "1",
        draw=_draw_walk,
        reference=lambda references: float(_run(references, "lru").write_backs),
        attempts=2,  # there are few whole numbers
        steps=_walk_steps,
        why="Only a victim that was changed while it was there is written.",
        tolerance=EXACT,
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
    Number(
        "buffer-cost",
        "{references} references, {hit_percent} % of them hits. The buffer is full, and {dirty_percent} % of the "
        "victims are dirty. A page is read in {read_us} µs and written in {write_us} µs. How long is the device busy?",
        "s",
        draw=_draw_cost,
        reference=_cost(),
        steps=_cost_steps,
        why="Every miss is read, and of the victims only the dirty ones are written.",
        hints=("misses × read + write-backs × write", "Every miss has a victim; only the dirty ones are written."),
        mistakes=(
            (_cost(writes=0), "that is reading alone; a dirty victim must be written first."),
            (_cost(reads=0), "that is writing alone; every miss reads a page."),
            (_cost(every_miss=True), "a clean victim is simply dropped: not every miss writes."),
            (_of_references, "the dirty ones are a share of the victims, not of the references."),
        ),
    ),
    Number(
        "break-even",
        "On one trace LRU misses {misses} times and writes {written} pages back; a policy that spares dirty pages "
        "misses {more_misses} times and writes {less_written}. How many page reads must a page write cost at least, "
        "before the second is the cheaper one?",
        "1",
        draw=_draw_break_even,
        reference=_break_even,
        steps=_even_steps,
        why="At this price what is added and what is saved are worth the same.",
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
