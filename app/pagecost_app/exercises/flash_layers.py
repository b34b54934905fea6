"""The exercises of lesson 4: translation layers and garbage collection."""

import random
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from pagecost.devices import ftl
from pagecost.devices.ftl import lifetime, theory, told
from pagecost_app.exercises.exercise import Axis
from pagecost_app.exercises.kinds import Choice, Claim, Curve, Number, Order

PAGE_BYTES, PAGES_PER_BLOCK = 4096, 64
GIB, GB = 2**30, 10**9


def _draw_victim(dice: random.Random) -> dict:
    pages = dice.choice((64, 128, 192, 256, 512))
    return {"pages": pages, "live": dice.randrange(pages * 6 // 10, pages * 9 // 10)}


def _victim(live: int, pages: int) -> float:
    """Collecting a block makes room for pages - live host pages, for which the block is programmed as a whole."""
    counts = ftl.Counts(host_pages=pages - live, copied_pages=live, programmed_pages=pages)
    return counts.write_amplification


def _draw_capacity(dice: random.Random) -> dict:
    raw = dice.choice((64, 128, 256, 512, 1024))
    return {"raw_gib": raw, "seen_gb": round(raw * dice.randrange(745, 981) / 1000)}


def _device(raw_gib: int, seen_gb: int) -> ftl.Geometry:
    whole_pages = seen_gb * GB // PAGE_BYTES * PAGE_BYTES
    return ftl.Geometry.of_capacity(raw_gib * GIB, PAGE_BYTES, PAGES_PER_BLOCK, whole_pages)


def _draw_life(dice: random.Random) -> dict:
    return {
        "capacity_gb": dice.choice((240, 480, 960, 1920)),
        "cycles": dice.randrange(1000, 5001, 500),
        "amplification": dice.randrange(21, 60) / 10,
        "daily_gb": dice.randrange(100, 401, 10),
    }


def _life(times_amplification: float = -1, per_year: float = 365) -> Callable[..., float]:
    """Years of a device, as someone sees it who takes write amplification to another power, or other years."""

    def years(capacity_gb, cycles, amplification, daily_gb):
        total = lifetime.total_bytes_written(capacity_gb * GB, cycles) * amplification**times_amplification
        return lifetime.years(total, daily_gb * GB / lifetime.DAY_S) * 365 / per_year

    return years


def _draw_spare(dice: random.Random) -> dict:
    return {"percent": dice.randrange(40, 161) / 10, "pages": dice.choice((64, 128, 256))}


def _full_device(percent: float, pages: int) -> float:
    return theory.greedy(theory.load(ftl.Geometry(blocks=4096, spare=percent / 100)), pages)


def _full_steps(percent: float, pages: int) -> Iterator[str]:
    found = _full_device(percent, pages)
    live = 1 - 1 / found
    yield f"To write, a block must be erased first, and {percent:g} % of spare space is spread over all blocks."
    yield f"Even the block that has most of it is {100 * live:.3g} % live in the long run (greedy collection, theory)."
    yield f"What is live is copied: 1 / (1 − {live:.4g}) = {found:.4g} pages are programmed for one of the host."


def _victim_steps(live: int, pages: int) -> Iterator[str]:
    yield f"A block of {pages} pages is erased, and its {live} live pages are programmed again elsewhere."
    yield f"That makes room for {pages} − {live} = {pages - live} pages of the host."
    yield (
        f"So {pages} pages are programmed for {pages - live}: {pages} / {pages - live} = {pages / (pages - live):.4g}."
    )


def _capacity_steps(raw_gib: int, seen_gb: int) -> Iterator[str]:
    raw, seen = raw_gib * GIB, seen_gb * GB
    yield f"{raw_gib} GiB are {raw_gib} · 1024³ = {raw:.6g} B; {seen_gb} GB are {seen:.6g} B."
    yield f"{raw:.6g} / {seen:.6g} − 1 = {100 * (raw / seen - 1):.4g} %."


def _life_steps(capacity_gb, cycles, amplification, daily_gb) -> Iterator[str]:
    flash = capacity_gb * cycles
    yield f"All cells together can be programmed with {capacity_gb} GB · {cycles} = {flash} GB."
    yield f"The host may write 1 / {amplification} of that: {flash / amplification:.5g} GB."
    days = flash / amplification / daily_gb
    yield f"At {daily_gb} GB a day that takes {days:.5g} days, or {days:.5g} / 365 = {days / 365:.4g} years."


SPARE_STEPS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0)  # of the smallest share of a drawing


def _draw_amplification(dice: random.Random) -> dict:
    return {
        "least": dice.randrange(40, 81) / 10,
        "pages": dice.choice((32, 48, 64, 96, 128, 192, 256)),
    }


def _shares(least: float) -> tuple[float, ...]:
    return tuple(round(least * step, 1) for step in SPARE_STEPS)


def _amplifications(least: float, pages: int) -> list[float]:
    """Write amplification of greedy collection under random writes, over the share of spare space."""
    return [theory.greedy(1 - percent / 100, pages) for percent in _shares(least)]


def _as_full_as_the_device(least: float, pages: int) -> list[float]:
    """As if the block that is collected were as full as all others: 1 / spare."""
    return [100 / percent for percent in _shares(least)]


def _amplification_steps(least: float, pages: int) -> Iterator[str]:
    yield "A device that is full collects blocks that are nearly full; with more spare space their pages die first."
    for percent, value in zip(_shares(least), _amplifications(least, pages), strict=True):
        yield f"{percent:g} % of spare space: the emptiest block is {100 * (1 - 1 / value):.3g} % live, {value:.3g}."


LAYERS = {"page": "page map", "block": "block map", "bast": "BAST", "fast": "FAST"}
SMALL_PAGES, SMALL_BLOCK = 16, 4  # of a device that can be stepped by hand


def _draw_string(dice: random.Random) -> dict:
    hot = dice.sample(range(SMALL_PAGES), 5)
    pages = [dice.choice(hot) if dice.random() < 0.6 else dice.randrange(SMALL_PAGES) for _ in range(14)]
    return {"pages": tuple(pages)}


@lru_cache(maxsize=1024)
def _programs(pages: tuple[int, ...]) -> Mapping[str, float]:
    """Pages that each layer programs for these writes on a small device that is full."""
    spent = {}
    for name in LAYERS:
        # 32 pages of flash for 16 of the host; half a page more, so that rounding down gives those
        spare = 1 - (SMALL_PAGES + 0.5) / 32
        geometry = ftl.Geometry(blocks=8, pages_per_block=SMALL_BLOCK, page_bytes=4096, spare=spare)
        teller = told.Told(ftl.LAYERS[name](geometry, ftl.Options(log_blocks=2, reserve_blocks=1)))
        teller.fill()
        for page in pages:
            teller.serve("w", page)
        written = (told.PROGRAM, told.COPY, told.FILL, told.MAP_WRITE)
        spent[name] = float(sum(one.kind in written for one in teller.happenings))
    return spent


def _string_steps(pages: tuple[int, ...]) -> Iterator[str]:
    spent = _programs(pages)
    yield f"The page map programs {spent['page']:g}: it copies only what is live in a block that it must collect."
    yield f"FAST programs {spent['fast']:g}: its shared log is used to its end before it is merged."
    yield f"BAST programs {spent['bast']:g}: it merges whenever another block of data needs one of two log blocks."
    yield f"The block map programs {spent['block']:g}: it moves a block for every single write."


def _draw_blocks(dice: random.Random) -> dict:
    pages = dice.choice((64, 128, 256))
    live = [dice.randrange(pages // 3, pages) for _ in range(3)]
    return {"pages": pages, "a": live[0], "b": live[1], "c": live[2]}


def _emptiest(name: str) -> Callable[..., bool]:
    """Whether it is the one block with fewest live pages, by far enough to be told from the others."""

    def holds(pages, **live) -> bool:
        return all(live[name] + pages // 16 < live[other] for other in live if other != name)

    return holds


def _victim_said(name: str) -> str:
    return "block " + name.upper() + ", {" + name + "} of {pages} pages live"


def _victims_steps(pages: int, **live: int) -> Iterator[str]:
    for name, count in live.items():
        yield (
            f"Block {name.upper()}: {count} copies for {pages - count} pages of the host, "
            f"{count / (pages - count):.3g} each."
        )


NOT_THE_EMPTIEST = "it costs more copies for each page that it gains; compare all three."

EXERCISES = (
    Curve(
        "amplification-over-spare",
        "A solid state disk with blocks of {pages} pages is full, and its pages are overwritten at random. Greedy "
        "collection takes the emptiest block. Draw how many pages are programmed for one of the host, over the share "
        "of the flash that the disk keeps for itself.",
        draw=_draw_amplification,
        x=lambda least, **_: Axis("spare space", "%", positions=_shares(least), least=0, most=8 * least),
        y=lambda **_: Axis("write amplification", "", least=0, most=25),
        course=_amplifications,
        tolerance=0.1,
        mistakes=(
            (
                _as_full_as_the_device,
                "that is a block chosen at random, as full as the whole device; the emptiest one is emptier.",
            ),
        ),
        hints=(
            "With half of the flash to spare hardly anything is copied: where does the curve end?",
            "At the left nearly every block is full: copies for one page gained are about 1 / (2 · spare).",
        ),
        why="The first per cents of spare space are worth most.",
        steps=_amplification_steps,
    ),
    Order(
        "layers-on-a-string",
        "A small flash of 8 blocks of 4 pages holds 16 pages of the host, each written once, in order. Then the host "
        "writes the pages {string}. Which translation layer programs how many pages? BAST and FAST have two log "
        "blocks.",
        draw=_draw_string,
        show=lambda numbers: {"string": " ".join(map(str, numbers["pages"]))},
        items=lambda **_: LAYERS,
        sizes=_programs,
        first="the fewest first",
        unit="pages",
        mistakes=(
            (
                lambda pages: {"block": 1.0, "bast": 2.0, "fast": 3.0, "page": 4.0},
                "that is the order of their memory; who remembers more programs less.",
            ),
            (
                lambda pages: {"page": 1.0, "bast": 2.0, "fast": 3.0, "block": 4.0},
                "a log block that belongs to one block of data is merged before it is full; a shared one is not.",
            ),
        ),
        hints=(
            "step_ftl() walks through any of them; give it the string with a w before each page.",
            "Who has to move a page that nobody wrote?",
        ),
        why="What a layer does not remember it has to pay for with copies.",
        steps=_string_steps,
    ),
    Choice(
        "greedy-victim",
        "Room is needed. Block A was filled first and holds {a} of {pages} pages live, block B was filled second and "
        "holds {b}, block C last and holds {c}. Which one does greedy collection take?",
        draw=_draw_blocks,
        options=tuple(Claim(_victim_said(name), _emptiest(name), NOT_THE_EMPTIEST) for name in "abc"),
        reasons=(
            Claim("it gains most pages for the host, and fewest are copied for them", lambda **_: True, ""),
            Claim(
                "it was filled first, so its pages had most time to die",
                lambda **_: False,
                "that is FIFO; what counts is how many died, not how long they had.",
            ),
            Claim(
                "it evens the wear of the blocks",
                lambda **_: False,
                "greedy does not look at erases; wear levelling does.",
            ),
        ),
        hints=("How many pages does each of them gain, and how many are copied for that?",),
        steps=_victims_steps,
    ),
    Number(
        "full-device",
        "A solid state disk, its blocks of {pages} pages, keeps {percent:g} % of its flash for itself. It is full, "
        "and the host overwrites 4 KiB pages here and there at random. How many pages does the "
        "flash program, in the long run, for one page of the host?",
        "1",
        draw=_draw_spare,
        lesson_case={"percent": 7, "pages": PAGES_PER_BLOCK},
        reference=_full_device,
        steps=_full_steps,
        why="Every block that can be erased is still mostly in use, and that part is copied.",
        within=1.5,
        hints=("To write somewhere it has to erase a block first. Who lives in that block?",),
        surprise="Nearly every block that can be erased is still mostly in use, and all that must be copied first.",
    ),
    Number(
        "victim",
        "The blocks that garbage collection chooses hold {live} of {pages} pages live on average. How many pages are "
        "programmed for one page of the host?",
        "1",
        draw=_draw_victim,
        reference=_victim,
        steps=_victim_steps,
        why="The whole block is programmed, and only what was not live is gained.",
        tolerance=0.005,
        hints=(
            "Follow one block: how many of its pages are free for the host after the live ones have moved?",
            "The whole block is programmed once more, and only pages − live of that is the host's.",
        ),
        mistakes=(
            (
                lambda live, pages: live / (pages - live),
                "these are the copies for one host page; the host's page itself is programmed, too.",
            ),
            (lambda live, pages: 1 + live / pages, "a block makes room for fewer host pages than it has pages."),
            (lambda live, pages: pages / live, "divide by what is gained, not by what is copied."),
        ),
    ),
    Number(
        "over-provisioning",
        "A drive is built of {raw_gib} GiB of flash and sold as {seen_gb} GB. What is its over-provisioning, as makers "
        "state it: spare space as a share of what the host sees?",
        "%",
        draw=_draw_capacity,
        reference=lambda **numbers: 100 * _device(**numbers).over_provisioning,
        steps=_capacity_steps,
        why="Part of the spare space is the difference between GiB and GB itself.",
        hints=(
            "GiB are 1024³ bytes, GB are 1000³ bytes: bring both to bytes.",
            "physical / logical − 1.",
        ),
        mistakes=(
            (
                lambda raw_gib, seen_gb: 100 * (raw_gib / seen_gb - 1),
                "a GiB is larger than a GB by 7.4 %: that is part of the spare space.",
            ),
            (
                lambda **numbers: 100 * _device(**numbers).spare,
                "that is a share of the flash; makers state it as a share of what the host sees.",
            ),
        ),
    ),
    Number(
        "years",
        "A drive of {capacity_gb} GB has cells that stand {cycles} erases. Under its load write amplification is "
        "{amplification}, wear is even, and the host writes {daily_gb} GB a day. How many years (of 365 days) does it "
        "last? Leave the spare space out.",
        "year",
        draw=_draw_life,
        reference=_life(),
        steps=_life_steps,
        why="Copies wear the cells as the host's own writes do.",
        hints=(
            "First: how many bytes can be programmed at all, until every cell has had its erases?",
            "Of each byte that is programmed, only 1 / write amplification is the host's.",
        ),
        mistakes=(
            (_life(times_amplification=0), "that would be so if the flash programmed only what the host writes."),
            (_life(times_amplification=1), "write amplification wears the device out sooner, not later."),
            (_life(per_year=1), "these are days."),
        ),
    ),
)
