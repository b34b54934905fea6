"""The exercises of lesson 8: the XML experiment, its caches, its watts and what it costs."""

import math
import random

from pagecost import economics, studies
from pagecost.economics import Cost
from pagecost_app.exercises.exercise import Exercise

GB = 1e9


def _half_writing() -> float:
    """Transactions per second on the SSD over those on the disk, half of them writing."""
    study = studies.find("xml_writes")
    inputs = study.inputs({"mappings": ("el",)})
    result = study.compute(inputs)
    disk, ssd = (result["tps"][result.rows(device=name, chosen=True)[0]] for name in inputs.devices)
    return float(ssd / disk)


def _draw_rate(dice: random.Random) -> dict:
    return {
        "cpu_ms": dice.choice((5, 8, 10)),
        "pages": dice.choice((5, 6, 8)),
        "hit_percent": dice.choice((70, 75, 80)),
        "read_ms": dice.choice((10, 13, 15)),
    }


def _rate(cpu_ms, pages, hit_percent, read_ms) -> float:
    return 1e3 / (cpu_ms + pages * (1 - hit_percent / 100) * read_ms)


def _draw_twice(dice: random.Random) -> dict:
    return {
        "buffer": dice.choice((16, 24, 32)),
        "cache": dice.choice((48, 64, 128)),
        "twice": dice.choice((60, 75, 90)),
    }


def _draw_pays(dice: random.Random) -> dict:
    return {
        "disks": dice.choice((20, 26, 30)),
        "disk_usd": dice.choice((40, 50, 60)),
        "disk_w": dice.choice((9, 10, 12)),
        "ssds": dice.choice((8, 10)),
        "ssd_usd": dice.choice((330, 400, 440)),
        "ssd_w": dice.choice((0.5, 1.5)),
        "kwh_usd": dice.choice((0.1, 0.2)),
        "pue": dice.choice((1.5, 2.0)),
    }


def _pays(disks, disk_usd, disk_w, ssds, ssd_usd, ssd_w, kwh_usd, pue) -> float:
    """Years until both have cost the same; inf if they never have."""
    one = Cost(disks * disk_usd, economics.energy_per_s(disks * disk_w, kwh_usd, pue))
    other = Cost(ssds * ssd_usd, economics.energy_per_s(ssds * ssd_w, kwh_usd, pue))
    found_s = economics.break_even_s(one, other)
    return math.inf if found_s is None else found_s / economics.YEAR_S


def _draw_interval(dice: random.Random) -> dict:
    return {
        "page_kib": dice.choice((4, 8, 16)),
        "device_usd": dice.choice((60, 100, 400)),
        "iops": dice.choice((100, 200, 50_000)),
        "memory_usd": dice.choice((3, 5, 8)),
    }


def _interval(page_kib, device_usd, iops, memory_usd) -> float:
    """Break-even interval [s]."""
    return economics.break_even_interval_s(page_kib * 1024, 1 / iops, device_usd, memory_usd / GB)


EXERCISES = (
    Exercise(
        "ssd-half-writing",
        "1 GB of XML, half of the transactions write. The SSD does 24 times the random reads of a consumer disk, and "
        "half as many random writes. How many transactions does the SSD do in the time in which the disk does one?",
        "1",
        draw=lambda dice: {},
        reference=_half_writing,
        within=1.4,
        hints=("How many pages does a transaction read, and how many does it write, once the buffer has answered?",),
        surprise="Most reads never leave the buffer, and a changed page is written whatever the buffer holds. So it is "
        "the slow writes that decide, and nearly all of the lead in reading is lost.",
    ),
    Exercise(
        "rate-from-parts",
        "A query takes {cpu_ms} ms of the processor and touches {pages} pages. The buffer holds {hit_percent} % of "
        "them; each of the others is a random read of {read_ms} ms. Nothing overlaps. How many queries per second?",
        "1/s",
        draw=_draw_rate,
        reference=_rate,
        hints=(
            "How long does one query take?",
            "Pages that are not in the buffer, times the time of a read, plus the processor's time.",
        ),
        mistakes=(
            (lambda cpu_ms, **_: 1e3 / cpu_ms, "so many if nothing were read."),
            (
                lambda cpu_ms, pages, hit_percent, read_ms: 1e3 / (cpu_ms + pages * read_ms),
                "that reads every page; the buffer holds most of them.",
            ),
            (
                lambda cpu_ms, pages, hit_percent, read_ms: _rate(cpu_ms, pages, 100 - hit_percent, read_ms),
                "that reads what the buffer holds, and holds what must be read.",
            ),
            (
                lambda cpu_ms, pages, hit_percent, read_ms: 1e3 / (pages * (1 - hit_percent / 100) * read_ms),
                "the processor's time comes on top.",
            ),
        ),
    ),
    Exercise(
        "kept-twice",
        "The database's buffer holds {buffer} MiB of pages, the operating system's page cache {cache} MiB. {twice} % "
        "of the buffer's pages are in the page cache, too. How much of the database is in memory?",
        "MiB",
        draw=_draw_twice,
        reference=lambda buffer, cache, twice: buffer + cache - buffer * twice / 100,
        tolerance=0.001,
        hints=("What is in both counts once.", "Both sizes, less the pages that are in both."),
        mistakes=(
            (
                lambda buffer, cache, twice: float(buffer + cache),
                "so much memory is in use; some of it holds the same pages.",
            ),
            (lambda buffer, cache, twice: float(cache), "the buffer holds pages that the page cache does not."),
            (
                lambda buffer, cache, twice: buffer + cache - cache * twice / 100,
                "the share is one of the buffer's pages.",
            ),
            (lambda buffer, cache, twice: buffer * twice / 100, "that is what is there twice."),
        ),
    ),
    Exercise(
        "ssd-pays",
        "{disks} disks at {disk_usd} $ draw {disk_w} W each; {ssds} SSDs at {ssd_usd} $ draw {ssd_w} W each and do the "
        "same work. A kWh costs {kwh_usd} $, and cooling multiplies all energy by {pue} (PUE). After how many years "
        "have both cost the same?",
        "year",
        draw=_draw_pays,
        reference=_pays,
        hints=(
            "How much dearer are the SSDs to buy, and how much less do they cost in a year?",
            "A year has 8760 hours; watts times hours over 1000 are kWh.",
        ),
        mistakes=(
            (lambda pue, **numbers: _pays(pue=1.0, **numbers), "cooling is paid for, too."),
            (
                lambda disk_usd, **numbers: _pays(disk_usd=0, **numbers),
                "the disks have a price as well: only the difference must be earned.",
            ),
            (
                lambda disks, disk_usd, disk_w, ssds, ssd_usd, ssd_w, kwh_usd, pue: _pays(
                    1, disk_usd, disk_w, 1, ssd_usd, ssd_w, kwh_usd, pue
                ),
                "that is one device of each; compare the systems.",
            ),
        ),
    ),
    Exercise(
        "five-minutes",
        "A page of {page_kib} KiB can stay in memory, which costs {memory_usd} $ per GB (10^9 bytes), or be read from "
        "a device of {device_usd} $ that does {iops} accesses per second. How often must it be read to be worth its "
        "place: at least once in how many seconds?",
        "s",
        draw=_draw_interval,
        reference=_interval,
        hints=(
            "Which share of the device does a page keep busy that is read once in T seconds? What is it worth?",
            "Dollars per access a second of the device, over dollars of memory for one page.",
        ),
        mistakes=(
            (
                lambda page_kib, device_usd, iops, memory_usd: 1 / _interval(page_kib, device_usd, iops, memory_usd),
                "that is how many times a second; how many seconds lie between two reads?",
            ),
            (
                lambda page_kib, **numbers: _interval(page_kib=1, **numbers),
                "that is for a page of 1 KiB.",
            ),
            (
                lambda iops, **numbers: _interval(iops=1, **numbers),
                "that takes a device that does one access per second.",
            ),
        ),
    ),
)
