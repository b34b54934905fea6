"""The exercises of lesson 3: translation layers and garbage collection."""

import random
from collections.abc import Callable

from pagecost.devices import ftl
from pagecost.devices.ftl import lifetime, theory
from pagecost_app.exercises.exercise import Exercise

PAGE_BYTES, PAGES_PER_BLOCK = 4096, 64
GIB, GB = 2**30, 10**9


def _draw_victim(dice: random.Random) -> dict:
    pages = dice.choice((64, 128, 256))
    return {"pages": pages, "live": round(pages * dice.choice((0.6, 0.7, 0.75, 0.8, 0.875)))}


def _victim(live: int, pages: int) -> float:
    """Collecting a block makes room for pages - live host pages, for which the block is programmed as a whole."""
    counts = ftl.Counts(host_pages=pages - live, copied_pages=live, programmed_pages=pages)
    return counts.write_amplification


def _draw_capacity(dice: random.Random) -> dict:
    raw, seen = dice.choice(((128, 120), (256, 240), (512, 480), (128, 100), (256, 200), (512, 400)))
    return {"raw_gib": raw, "seen_gb": seen}


def _device(raw_gib: int, seen_gb: int) -> ftl.Geometry:
    whole_pages = seen_gb * GB // PAGE_BYTES * PAGE_BYTES
    return ftl.Geometry.of_capacity(raw_gib * GIB, PAGE_BYTES, PAGES_PER_BLOCK, whole_pages)


def _draw_life(dice: random.Random) -> dict:
    return {
        "capacity_gb": dice.choice((240, 480, 960)),
        "cycles": dice.choice((1000, 3000, 5000)),
        "amplification": dice.choice((2.5, 3.2, 4.5)),
        "daily_gb": dice.choice((100, 150, 400)),
    }


def _life(times_amplification: float = -1, per_year: float = 365) -> Callable[..., float]:
    """Years of a device, as someone sees it who takes write amplification to another power, or other years."""

    def years(capacity_gb, cycles, amplification, daily_gb):
        total = lifetime.total_bytes_written(capacity_gb * GB, cycles) * amplification**times_amplification
        return lifetime.years(total, daily_gb * GB / lifetime.DAY_S) * 365 / per_year

    return years


def _full_device() -> float:
    return theory.greedy(theory.load(ftl.Geometry(blocks=4096, spare=0.07)), PAGES_PER_BLOCK)


EXERCISES = (
    Exercise(
        "full-device",
        "A solid state disk keeps 7 % of its flash for itself. It is full, and the host overwrites 4 KiB pages here "
        "and there at random. How many pages does the flash program, in the long run, for one page of the host?",
        "1",
        draw=lambda dice: {},
        reference=_full_device,
        within=1.5,
        hints=("To write somewhere it has to erase a block first. Who lives in that block?",),
        surprise="Nearly every block that can be erased is still mostly in use, and all that must be copied first.",
    ),
    Exercise(
        "victim",
        "The blocks that garbage collection chooses hold {live} of {pages} pages live on average. How many pages are "
        "programmed for one page of the host?",
        "1",
        draw=_draw_victim,
        reference=_victim,
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
    Exercise(
        "over-provisioning",
        "A drive is built of {raw_gib} GiB of flash and sold as {seen_gb} GB. What is its over-provisioning, as makers "
        "state it: spare space as a share of what the host sees?",
        "%",
        draw=_draw_capacity,
        reference=lambda **numbers: 100 * _device(**numbers).over_provisioning,
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
    Exercise(
        "years",
        "A drive of {capacity_gb} GB has cells that stand {cycles} erases. Under its load write amplification is "
        "{amplification}, wear is even, and the host writes {daily_gb} GB a day. How many years (of 365 days) does it "
        "last? Leave the spare space out.",
        "year",
        draw=_draw_life,
        reference=_life(),
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
