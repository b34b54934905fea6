"""Lesson 13: joins and plans on whole drives, with few and with many requests outstanding."""

import math
import random
from collections.abc import Callable, Iterator
from functools import lru_cache

from pagecost import devices, operators
from pagecost.operators import MANY, IndexSize, Join, Pax, Plan, Size
from pagecost.studies.operators.joins_by_device import plan_of
from pagecost.units import format_seconds, grouped
from pagecost_app.exercises.kinds import Choice, Claim, Number, Order

LESSON = "joins"

PAGE_BYTES = 8192
ROWS, ROW_BYTES = (1_000_000, 4_000_000), 200  # of R and of S
PAX = Pax(8)
ORDERED = {
    "loops": "block nested loops",
    "hash": "hybrid hash join",
    "digest": "DigestJoin",
    "flash": "FlashJoin",
}
DISKS = ("hgst-7k1000-750gb", "cheetah-15k5")
DRIVES = ("mtron-pro-7500", "intel-x25-e", "samsung-970-pro-1tb", "intel-optane-p4800x-375gb")
OUTSTANDING = {
    MANY: "as many requests are outstanding as the drive's rates were measured with",
    1: "each request waits for the one before",
}


@lru_cache(maxsize=512)
def _planned(device, percent, kept, memory, depth, method) -> tuple[Plan, float]:
    """The plan of a join on a drive and its time [s]; percent: of the rows find a partner, kept: of the columns are
    shown, memory: of R fits."""
    outer, inner = (Size(rows, ROW_BYTES, PAGE_BYTES) for rows in ROWS)
    join = Join(outer, inner, round(memory / 100 * outer.pages), percent / 100, kept=kept / 100)
    times = operators.on_device(device, PAGE_BYTES, depth)
    plan = plan_of(ORDERED[method], join, PAX, times)
    return plan, plan.time_s(times)


def _hash_over_flash(device, percent, kept) -> float:
    """Time of a hybrid hash join over that of FlashJoin."""
    hashed, flash = (_planned(device, percent, kept, 10, MANY, name)[1] for name in ("hash", "flash"))
    return hashed / flash


def _page_s(device, depth) -> tuple[float, float]:
    """Time of a page [s]: read alone, and as one of many neighbours."""
    times = operators.on_device(device, PAGE_BYTES, depth)
    return float(times.run_s(1.0)), float(times.run_s(1e4)) / 1e4


def _show_device(numbers) -> dict:
    depth = numbers.get("depth", MANY)
    alone, in_a_row = map(format_seconds, _page_s(numbers["device"], depth))
    return {
        "name": devices.title_of(numbers["device"]),
        "outstanding": OUTSTANDING[depth],
        "alone": alone,
        "in_a_row": in_a_row,
    }


def _steps_join(device, percent, kept) -> Iterator[str]:
    for method in ("hash", "flash"):
        plan, time_s = _planned(device, percent, kept, 10, MANY, method)
        yield (
            f"{plan.name}: {grouped(plan.pages_read)} pages read, {grouped(plan.pages_written)} written, in "
            f"{grouped(plan.runs)} requests: {format_seconds(time_s)}."
        )
    yield f"The one over the other: {_hash_over_flash(device, percent, kept):.4g}."


def _draw_order(dice: random.Random) -> dict:
    return {
        "device": dice.choice((*DISKS, *DRIVES)),
        "percent": dice.choice((1, 2, 3, 5, 8, 12, 20, 30, 50)),
        "kept": dice.choice((10, 25, 50)),
        "memory": dice.choice((5, 10, 20, 40)),
        "depth": dice.choice((MANY, 1)),
    }


def _times(**numbers) -> dict[str, float]:
    """Join -> its time [s], of those that are to be put in order."""
    return {key: _planned(**numbers, method=key)[1] for key in ORDERED}


def _times_elsewhere(device, **numbers) -> dict[str, float]:
    """The same on a disk for somebody who is asked about an SSD, and the other way round, with many outstanding."""
    return _times(device=DRIVES[1] if device in DISKS else DISKS[0], **numbers | {"depth": MANY})


def _steps_order(**numbers) -> Iterator[str]:
    for key, name in ORDERED.items():
        plan, time_s = _planned(**numbers, method=key)
        moved, runs = plan.pages_read + plan.pages_written, plan.runs
        yield f"{name}: {grouped(moved)} pages in {grouped(runs)} requests, {time_s:.4g} s."


def _draw_flip(dice: random.Random) -> dict:
    return {
        "device": dice.choice(DISKS),
        "drive": dice.choice(DRIVES),
        "depth": dice.choice((MANY, 1)),
        "rows": dice.choice((20, 40, 80)),
        "permyriad": dice.choice((0.2, 0.3, 0.5, 1, 2, 3, 5, 8, 10, 20, 30, 50, 80, 100, 200, 300, 500, 600)),
    }


def _index_over_scan(device, depth, rows, permyriad) -> float:
    """Time of an index scan, pages sorted, over that of a table scan of ten million rows."""
    table, times = Size(10_000_000, PAGE_BYTES // rows, PAGE_BYTES), operators.on_device(device, PAGE_BYTES, depth)
    index = operators.index_scan(IndexSize(table), permyriad / 1e4)
    return index.time_s(times) / operators.table_scan(table).time_s(times)


def _wins(on_disk: bool, on_drive: bool) -> Callable[..., bool]:
    """Whether just there the index is faster; not where one of the plans is less than a fifth better."""

    def holds(device, drive, depth, rows, permyriad) -> bool:
        ratios = [_index_over_scan(each, depth, rows, permyriad) for each in (device, drive)]
        clear = all(abs(math.log(ratio)) > math.log(1.2) for ratio in ratios)
        return clear and [ratio < 1 for ratio in ratios] == [on_disk, on_drive]

    return holds


def _show_flip(numbers) -> dict:
    found = {}
    for key in ("device", "drive"):
        alone, in_a_row = map(format_seconds, _page_s(numbers[key], numbers["depth"]))
        found[f"{key}_name"] = f"{devices.title_of(numbers[key])} ({alone} alone, {in_a_row} in a row)"
    return found | {"outstanding": OUTSTANDING[numbers["depth"]], "percent": f"{numbers['permyriad'] / 100:g}"}


def _steps_flip(device, drive, depth, rows, permyriad) -> Iterator[str]:
    touched = 1 - (1 - permyriad / 1e4) ** rows
    yield f"A page is wanted with probability 1 − (1 − {permyriad / 1e4:g})^{rows} = {touched:.3g}."
    for each in (device, drive):
        alone, in_a_row = _page_s(each, depth)
        ratio = _index_over_scan(each, depth, rows, permyriad)
        yield (
            f"{devices.title_of(each)}: alone a page costs {alone / in_a_row:.3g} times one in a row; × {touched:.3g} "
            f"= {touched * alone / in_a_row:.3g} scans, with the index's own pages {ratio:.3g}."
        )


EXERCISES = (
    Number(
        "join-on-an-ssd",
        "Tables of one and of four million rows of 200 bytes lie on {name}; {percent} % of the rows of each find a "
        "partner, memory holds a tenth of the smaller table, and {outstanding}. A hybrid hash join reads both, writes "
        "most of both in parts, and reads the parts. FlashJoin reads only the columns that are joined, and then "
        "fetches {kept} % of the columns of the rows that matched, here and there. A page alone is read in {alone}, "
        "one in a row in {in_a_row}. How long does the hash join take, as a ratio of FlashJoin?",
        "1",
        draw=lambda dice: {
            "device": dice.choice(DRIVES),
            "percent": dice.randint(1, 60),
            "kept": dice.choice((10, 25, 50)),
        },
        reference=_hash_over_flash,
        steps=_steps_join,
        within=1.6,
        hints=("How many pages does each of the two move, and how many of them here and there?",),
        surprise="With many outstanding a page alone costs an SSD at most twice one in a row, so what counts is how "
        "many pages are moved; and a hash join moves nearly all of them three times, once of that in writing.",
        show=_show_device,
    ),
    Choice(
        "plan-that-flips",
        "{percent} % of ten million rows are wanted, {rows} rows stand in a page. An index names them, and their pages "
        "are fetched in order, each once; or the whole table is scanned. The same table lies on {device_name} and on "
        "{drive_name}; {outstanding}. Where is the index the faster plan?",
        draw=_draw_flip,
        show=_show_flip,
        options=(
            Claim("on both", _wins(True, True), "compare for the disk: pages that are wanted, times what one costs."),
            Claim(
                "on the SSD only", _wins(False, True), "work it out for both; one of them is not as you have it here."
            ),
            Claim("on neither", _wins(False, False), "so few pages are wanted that fetching them beats the scan."),
        ),
        reasons=(
            Claim(
                "what counts is the share of the pages, times what a page alone costs over one in a row",
                lambda **_: True,
                "",
            ),
            Claim(
                "what counts is the share of the rows: it is far below one",
                lambda **_: False,
                "a page is fetched for any of its rows, so far more pages than that are wanted.",
            ),
            Claim(
                "an SSD has no arm, so that a page costs it the same wherever it lies",
                lambda **_: False,
                "its pages in a row come many at once; alone one costs more, with one outstanding far more.",
            ),
        ),
        why="The same plan is good or bad by one product, and the queue depth is part of it.",
        hints=("Which share of the pages is wanted? Times what a page alone costs, over one in a row.",),
        steps=_steps_flip,
    ),
    Order(
        "joins-in-order",
        "Tables of one and of four million rows of 200 bytes lie on {name}; {percent} % of the rows of each find a "
        "partner, memory holds {memory} % of the smaller table, and {kept} % of the columns are shown; {outstanding}. "
        "A page alone is read in {alone}, one in a row in {in_a_row}.",
        draw=_draw_order,
        show=_show_device,
        items=lambda **numbers: dict(ORDERED),
        sizes=_times,
        first="the fastest first",
        unit="s",
        mistakes=((_times_elsewhere, "so it is on the other kind of drive: what does a single page cost here?"),),
        why="A join that moves few pages wins where a page alone is cheap, one of long runs where it is dear.",
        hints=(
            "How many pages does each of them read and write, and how many of them here and there?",
            "Block nested loops: S once for each part of R. Hash: nearly all pages three times. DigestJoin: all pages "
            "once and those that matched once more. FlashJoin: few pages, and none of them in a long run.",
        ),
        steps=_steps_order,
    ),
)
