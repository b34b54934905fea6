"""The exercises of lesson 9: the XML experiment, its caches, its watts and what it costs."""

import math
import random
from collections.abc import Iterator
from functools import lru_cache

from pagecost import economics, studies
from pagecost.economics import Cost
from pagecost_app.exercises.kinds import Choice, Claim, Number, Order

GB = 1e9


DEVICES = ("wd800aajs", "consumer-ssd-2009")


def _draw_writing(dice: random.Random) -> dict:
    return {"percent": dice.randrange(30, 81, 10), "cpu_ms": dice.randrange(50, 151) / 10}


@lru_cache(maxsize=512)
def _rates_writing(percent: int, cpu_ms: float) -> tuple[float, float]:
    """Transactions per second on the disk and on the SSD."""
    study = studies.find("xml_writes")
    asked = {"devices": DEVICES, "mappings": ("el",), "write_share": percent / 100, "transaction_s": cpu_ms / 1e3}
    result = study.compute(study.inputs(asked))
    disk, ssd = (float(result["tps"][result.rows(device=name, chosen=True)[0]]) for name in DEVICES)
    return disk, ssd


def _writing_gain(**numbers) -> float:
    disk, ssd = _rates_writing(**numbers)
    return ssd / disk


def _writing_steps(**numbers) -> Iterator[str]:
    disk, ssd = _rates_writing(**numbers)
    yield (
        f"A transaction takes {1e3 / disk:.4g} ms on the disk, {1e3 / ssd:.4g} ms on the SSD ({numbers['percent']} % "
        "write)."
    )
    yield (
        "The reads are mostly in the buffer; the changed pages are written at the commit, which the SSD does more "
        "slowly."
    )
    yield f"{ssd:.4g} / {disk:.4g} transactions per second = {ssd / disk:.4g}."


def _draw_rate(dice: random.Random) -> dict:
    return {
        "cpu_ms": dice.randrange(10, 31) / 2,
        "pages": dice.randrange(5, 11),
        "hit_percent": dice.randrange(68, 83),
        "read_ms": dice.randrange(20, 32) / 2,
    }


def _rate(cpu_ms, pages, hit_percent, read_ms) -> float:
    return 1e3 / (cpu_ms + pages * (1 - hit_percent / 100) * read_ms)


def _draw_twice(dice: random.Random) -> dict:
    return {
        "buffer": dice.randrange(16, 41, 4),
        "cache": dice.randrange(48, 129, 8),
        "twice": dice.randrange(55, 96, 5),
    }


def _draw_pays(dice: random.Random) -> dict:
    return {
        "disks": dice.randrange(20, 31),
        "disk_usd": dice.randrange(40, 61, 5),
        "disk_w": dice.randrange(9, 13),
        "ssds": dice.randrange(8, 11),
        "ssd_usd": dice.randrange(330, 441, 10),
        "ssd_w": dice.choice((0.5, 1.0, 1.5)),
        "kwh_usd": dice.choice((0.1, 0.15, 0.2, 0.25)),
        "pue": dice.choice((1.4, 1.5, 1.7, 2.0)),
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
        "device_usd": dice.randrange(60, 401, 20),
        "iops": dice.choice((100, 125, 150, 200, 20_000, 50_000)),
        "memory_usd": dice.randrange(3, 9),
    }


def _interval(page_kib, device_usd, iops, memory_usd) -> float:
    """Break-even interval [s]."""
    return economics.break_even_interval_s(page_kib * 1024, 1 / iops, device_usd, memory_usd / GB)


def _rate_steps(cpu_ms, pages, hit_percent, read_ms) -> Iterator[str]:
    missed = pages * (100 - hit_percent) / 100
    yield f"Of {pages} pages {pages} · {100 - hit_percent} % = {missed:.4g} are read: {missed * read_ms:.4g} ms."
    yield f"With the processor {cpu_ms:g} + {missed * read_ms:.4g} = {cpu_ms + missed * read_ms:.4g} ms for a query."
    yield f"1000 / {cpu_ms + missed * read_ms:.4g} = {1e3 / (cpu_ms + missed * read_ms):.4g} queries per second."


def _twice_steps(buffer, cache, twice) -> Iterator[str]:
    both = buffer * twice / 100
    yield f"Both together hold {buffer} + {cache} = {buffer + cache} MiB."
    yield (
        f"In both are {buffer} · {twice} % = {both:g} MiB, which count once: {buffer + cache} − {both:g} = "
        f"{buffer + cache - both:g}."
    )


def _pays_steps(disks, disk_usd, disk_w, ssds, ssd_usd, ssd_w, kwh_usd, pue) -> Iterator[str]:
    dearer, saved = ssds * ssd_usd - disks * disk_usd, disks * disk_w - ssds * ssd_w
    a_year = saved / 1e3 * 8760 * kwh_usd * pue
    yield f"The SSDs cost {ssds} · {ssd_usd} − {disks} · {disk_usd} = {dearer} dollars more."
    yield f"They draw {disks} · {disk_w} − {ssds} · {ssd_w} = {saved:g} W less."
    yield f"A year: {saved:g} W · 8760 h / 1000 · {kwh_usd} dollars · {pue} = {a_year:.5g} dollars."
    yield f"{dearer} / {a_year:.5g} = {dearer / a_year:.4g} years."


def _interval_steps(page_kib, device_usd, iops, memory_usd) -> Iterator[str]:
    access, place = device_usd / iops, page_kib * 1024 * memory_usd / GB
    yield f"One access per second of the device costs {device_usd} / {iops} = {access:.4g} dollars."
    yield f"A page of memory costs {page_kib * 1024} B · {memory_usd} / 10⁹ = {place:.4g} dollars."
    yield (
        f"A read every T seconds takes 1 / T of an access per second: T = {access:.4g} / {place:.4g} = "
        f"{access / place:.4g} s."
    )


SETTINGS = "ABCD"


def _draw_settings(dice: random.Random) -> dict:
    return {
        name: (dice.randrange(10, 31) / 2, dice.randrange(4, 10), dice.randrange(60, 97), dice.choice((0.3, 6.0, 13.0)))
        for name in SETTINGS
    }


def _query_ms(cpu_ms, pages, hit_percent, read_ms) -> float:
    return 1e3 / _rate(cpu_ms, pages, hit_percent, read_ms)


def _settings_steps(**settings) -> Iterator[str]:
    for name, (cpu_ms, pages, hit_percent, read_ms) in settings.items():
        yield (
            f"{name}: {cpu_ms:g} + {pages} · {100 - hit_percent} % · {read_ms:g} = "
            f"{_query_ms(cpu_ms, pages, hit_percent, read_ms):.4g} ms."
        )


def _draw_horizon(dice: random.Random) -> dict:
    return {
        "cheap_usd": dice.randrange(800, 1501, 20),
        "cheap_w": dice.randrange(150, 301, 10),
        "dear_usd": dice.randrange(1600, 2601, 20),
        "dear_w": dice.randrange(5, 41),
        "kwh_usd": dice.choice((0.1, 0.15, 0.2, 0.3)),
        "years": dice.randrange(1, 8),
    }


def _pays_within(cheap_usd, cheap_w, dear_usd, dear_w, kwh_usd, years) -> float:
    """Cost of the dearer system after so many years over that of the cheaper one."""
    time_s = years * economics.YEAR_S
    one = Cost(cheap_usd, economics.energy_per_s(cheap_w, kwh_usd, 1.0))
    other = Cost(dear_usd, economics.energy_per_s(dear_w, kwh_usd, 1.0))
    return (other.initial + other.per_s * time_s) / (one.initial + one.per_s * time_s)


def _horizon_steps(cheap_usd, cheap_w, dear_usd, dear_w, kwh_usd, years) -> Iterator[str]:
    for name, usd, watts in (("A", cheap_usd, cheap_w), ("B", dear_usd, dear_w)):
        energy_usd = watts / 1e3 * 8760 * years * kwh_usd
        yield f"{name}: {watts} W · 8760 h · {years} / 1000 · {kwh_usd} = {energy_usd:.5g} dollars of energy,"
        yield f"with the price {usd} + {energy_usd:.5g} = {usd + energy_usd:.5g} dollars."


EXERCISES = (
    Number(
        "ssd-half-writing",
        "1 GB of XML, {percent} % of the transactions write, and each takes {cpu_ms:g} ms of the processor. The SSD "
        "does "
        "24 times the random reads of a consumer disk, and half as many random writes. How many transactions does the "
        "SSD do in the time in which the disk does one?",
        "1",
        draw=_draw_writing,
        reference=_writing_gain,
        steps=_writing_steps,
        why="What the SSD gains in reading it gives back in writing.",
        within=1.4,
        hints=("How many pages does a transaction read, and how many does it write, once the buffer has answered?",),
        surprise="Most reads never leave the buffer, and a changed page is written whatever the buffer holds. So it is "
        "the slow writes that decide, and nearly all of the lead in reading is lost.",
    ),
    Number(
        "rate-from-parts",
        "A query takes {cpu_ms} ms of the processor and touches {pages} pages. The buffer holds {hit_percent} % of "
        "them; each of the others is a random read of {read_ms} ms. Nothing overlaps. How many queries per second?",
        "1/s",
        draw=_draw_rate,
        reference=_rate,
        steps=_rate_steps,
        why="Only what misses the buffer is read, and nothing overlaps.",
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
    Number(
        "kept-twice",
        "The database's buffer holds {buffer} MiB of pages, the operating system's page cache {cache} MiB. {twice} % "
        "of the buffer's pages are in the page cache, too. How much of the database is in memory?",
        "MiB",
        draw=_draw_twice,
        reference=lambda buffer, cache, twice: buffer + cache - buffer * twice / 100,
        steps=_twice_steps,
        why="What both hold is in memory twice and in the database once.",
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
    Number(
        "ssd-pays",
        "{disks} disks at {disk_usd} dollars draw {disk_w} W each; {ssds} SSDs at {ssd_usd} dollars draw {ssd_w} W "
        "each and do the "
        "same work. A kWh costs {kwh_usd} dollars, and cooling multiplies all energy by {pue} (PUE). After how many "
        "years "
        "have both cost the same?",
        "year",
        draw=_draw_pays,
        reference=_pays,
        steps=_pays_steps,
        why="What is dearer to buy is earned back by what each year costs less.",
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
    Number(
        "five-minutes",
        "A page of {page_kib} KiB can stay in memory, which costs {memory_usd} dollars per GB (10⁹ bytes), or be "
        "read from "
        "a device of {device_usd} dollars that does {iops} accesses per second. How often must it be read to be "
        "worth its "
        "place: at least once in how many seconds?",
        "s",
        draw=_draw_interval,
        reference=_interval,
        steps=_interval_steps,
        why="At this interval a place in memory and the accesses that it saves cost the same.",
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
    Order(
        "rates-in-order",
        "Four settings of the experiment, one query at a time, nothing overlaps. Put them in the order of the time of "
        "a query.",
        draw=_draw_settings,
        items=lambda **settings: {
            name: f"{cpu:g} ms of the processor, {pages} pages, {hits} % of them in the buffer, {read:g} ms for a read"
            for name, (cpu, pages, hits, read) in settings.items()
        },
        sizes=lambda **settings: {name: _query_ms(*parts) for name, parts in settings.items()},
        first="the fastest first",
        unit="ms",
        mistakes=(
            (
                lambda **settings: {name: 100.0 - parts[2] for name, parts in settings.items()},
                "that is the order of the hit ratios; a miss costs what its device takes, and the processor comes on "
                "top.",
            ),
            (
                lambda **settings: {name: parts[3] + parts[0] / 1e3 for name, parts in settings.items()},
                "that is the order of the devices; how often is each of them asked?",
            ),
        ),
        hints=("How long does one query take: the processor, and the pages that are not in the buffer?",),
        why="Times add up, each as often as it comes.",
        steps=_settings_steps,
    ),
    Choice(
        "cheaper-after-years",
        "System A costs {cheap_usd} dollars and draws {cheap_w} W, system B costs {dear_usd} dollars and draws "
        "{dear_w} W. A kWh costs {kwh_usd} dollars. Which one has cost less after {years} year(s)?",
        draw=_draw_horizon,
        usable=lambda **numbers: abs(_pays_within(**numbers) - 1) > 0.03,
        options=(
            Claim("A", lambda **numbers: _pays_within(**numbers) > 1, "what A draws has cost more than it saved."),
            Claim("B", lambda **numbers: _pays_within(**numbers) < 1, "the time is too short for B's lower power."),
            Claim("both the same", lambda **numbers: False, "they differ: count price and energy of both."),
        ),
        reasons=(
            Claim(
                "the energy saved is worth more than the difference in price",
                lambda **numbers: _pays_within(**numbers) < 1,
                "count the kWh of these years: they are worth less than that difference.",
            ),
            Claim(
                "the energy saved is worth less than the difference in price",
                lambda **numbers: _pays_within(**numbers) > 1,
                "count the kWh of these years: they are worth more than that difference.",
            ),
            Claim("what is cheaper to buy is cheaper", lambda **numbers: False, "it is paid for each year again."),
            Claim("what draws less is cheaper", lambda **numbers: False, "it was dearer to buy, too."),
        ),
        hints=("A year has 8760 hours. What do both draw in the whole time, in kWh and in dollars?",),
        why="A price is paid once, power as long as it is drawn.",
        steps=_horizon_steps,
    ),
)
