"""The exercises of lesson 13: what joins and selections ask of a device."""

import math
import random
from collections.abc import Iterator
from functools import lru_cache

from pagecost import devices, studies
from pagecost.operators.joins import Join, block_nested_loops
from pagecost.operators.selection import break_even_formula, cardenas
from pagecost.operators.sorting import external_sort, passes
from pagecost.operators.tables import Size
from pagecost_app.exercises.kinds import Number, Order

PAGE_BYTES = 8192
MOVED = {"pages_read": "read", "pages_written": "written"}
ORDERED = {
    "loops": "block nested loops",
    "index": "index nested loops",
    "hash": "hybrid hash join",
    "flash": "FlashJoin",
}
DISKS = ("hgst-7k1000-750gb", "cheetah-15k5")
DRIVES = ("mtron-pro-7500", "intel-x25-e", "samsung-970-pro-1tb", "intel-optane-p4800x-375gb")


@lru_cache(maxsize=256)
def _joined(device, percent):
    """What the study has of the joins on a drive, where so many percent of the rows find a partner."""
    study = studies.find("joins_by_device")
    return study.compute(study.inputs({"devices": (device,), "device": device, "share": percent / 100}))


def _hash_over_flash(device, percent) -> float:
    """Time of a hybrid hash join over that of FlashJoin."""
    result = _joined(device, percent)
    hashed, flash = (result["time_s"][result.rows(method=name)[0]] for name in ("hybrid hash join", "FlashJoin"))
    return float(hashed / flash)


def _table(pages: int) -> Size:
    """A table of so many pages, one row a page: only pages matter here."""
    return Size(rows=pages, row_bytes=PAGE_BYTES, page_bytes=PAGE_BYTES)


def _draw_loops(dice: random.Random) -> dict:
    """Tables and a memory where a forgotten page for input or output is seen."""
    while True:
        numbers = {
            "outer": dice.randrange(1000, 5000, 20),
            "inner": dice.randrange(5000, 20_000, 100),
            "memory": dice.choice((52, 102, 152, 202)),
        }
        parts, wrong = (math.ceil(numbers["outer"] / (numbers["memory"] - taken)) for taken in (2, 0))
        if wrong < parts <= 30:
            return numbers


def _loops(outer, inner, memory) -> float:
    """Pages that block nested loops read."""
    return block_nested_loops(Join(_table(outer), _table(inner), memory)).pages_read


def _draw_merge(dice: random.Random) -> dict:
    """A sort of at least two merge passes, of which a mistake makes another number."""
    while True:
        numbers = {
            "pages": dice.randrange(20_000, 400_000, 1000),
            "memory": dice.choice((100, 200, 400)),
            "cluster": dice.choice((4, 10, 20)),
        }
        told = {_sorted(**numbers), *(wrong(**numbers) for wrong, _ in SORT_MISTAKES)}
        if passes(**_sizes(**numbers)) >= 2 and len(told) == len(SORT_MISTAKES) + 1:
            return numbers


def _sizes(pages, memory, cluster) -> dict:
    return {"pages": pages, "memory_pages": memory, "cluster_pages": cluster}


def _sorted(pages, memory, cluster) -> float:
    """Pages read and written by an external sort."""
    plan = external_sort(**_sizes(pages, memory, cluster))
    return plan.pages_read + plan.pages_written


SORT_MISTAKES = (
    (
        lambda pages, memory, cluster: 2.0 * pages * passes(**_sizes(pages, memory, cluster)),
        "forming the runs reads and writes all pages once, too.",
    ),
    (
        lambda pages, memory, cluster: 1.0 * pages * (1 + passes(**_sizes(pages, memory, cluster))),
        "each pass reads and writes.",
    ),
    (
        lambda pages, memory, cluster: _sorted(pages, memory, 1),
        "that merges as many runs as memory has pages; each run wants a whole cluster.",
    ),
)


def _draw_scan(dice: random.Random) -> dict:
    return {
        "random_us": dice.choice((*range(60, 200, 10), 8000, 10_000, 12_000)),
        "sequential_us": dice.randrange(12, 50, 2),
        "rows": dice.choice((20, 30, 40, 50, 60, 80, 100)),
    }


def _scan_percent(random_us, sequential_us, rows) -> float:
    """Percent of the rows from which on a scan is faster, pages fetched sorted, once each."""
    return 100 * break_even_formula(random_us, sequential_us, rows)


def _draw_touched(dice: random.Random) -> dict:
    pages = dice.randrange(1000, 10_000, 50)
    return {"pages": pages, "rows": dice.choice((40, 50, 80)), "picks": round(pages * dice.choice((0.5, 0.75, 1, 1.5)))}


def _draw_in_page(dice: random.Random) -> dict:
    return {
        "pages_out": dice.randrange(20_000, 200_000, 1000),
        "change": dice.choice((100, 200, 400, 600, 900, 1200)),
        "sectors": dice.choice((8, 16, 32)),
    }


def _merges(pages_out, change, sectors) -> float:
    """Erases of in-page logging: a log region is merged when its sectors of 512 bytes are full."""
    return pages_out * math.ceil(change / 512) / sectors


def _steps_join(device, percent) -> Iterator[str]:
    result = _joined(device, percent)
    for method in ("hybrid hash join", "FlashJoin"):
        (row,) = result.rows(device=device, method=method)
        moved = ", ".join(f"{result[name][row]:,.0f} pages {said}" for name, said in MOVED.items())
        yield f"{method}: {moved}, {result.cell('time_s', row)}."


def _steps_loops(outer, inner, memory) -> Iterator[str]:
    parts = math.ceil(outer / (memory - 2))
    yield f"{memory} − 2 pages of R at once: {outer} / {memory - 2}, rounded up, are {parts} parts."
    yield f"R once and S for each part: {outer} + {parts} × {inner}."


def _steps_sort(pages, memory, cluster) -> Iterator[str]:
    count = passes(**_sizes(pages, memory, cluster))
    at_once = memory // cluster - 1
    yield f"{math.ceil(pages / memory)} runs of {memory} pages; {memory} / {cluster} − 1 = {at_once} merged at once."
    yield f"That takes {count} merge passes."
    yield f"Forming the runs and each pass read and write all pages: 2 × {1 + count} × {pages}."


def _steps_scan(random_us, sequential_us, rows) -> Iterator[str]:
    part = f"{sequential_us / random_us:.3g}"
    yield f"The scan costs as much as fetching {sequential_us} / {random_us} = {part} of the pages."
    yield f"A page is left out if none of its {rows} rows is wanted: (1 − share)^{rows}."
    yield f"1 − (1 − share)^{rows} = {part}, so share = 1 − (1 − {part})^(1/{rows})."


def _steps_touched(pages, rows, picks) -> Iterator[str]:
    missed = 1 - cardenas(pages, picks) / pages
    yield f"A pick misses a given page with 1 − 1/{pages}, all {picks} with (1 − 1/{pages})^{picks} = {missed:.4f}."
    yield f"So {pages} × (1 − that) are hit at least once. How many rows a page has does not matter."


def _steps_in_page(pages_out, change, sectors) -> Iterator[str]:
    each = math.ceil(change / 512)
    yield f"{change} bytes take {each} sector{'s' * (each > 1)} of 512 bytes."
    yield f"{pages_out} × {each} sectors fill {sectors} at a time."


def _draw_order(dice: random.Random) -> dict:
    return {"device": dice.choice((*DISKS, *DRIVES)), "percent": dice.randint(1, 60)}


def _times(device, percent) -> dict[str, float]:
    """Join -> its time [s], of those that are to be put in order."""
    result = _joined(device, percent)
    return {key: float(result["time_s"][result.rows(method=name)[0]]) for key, name in ORDERED.items()}


def _times_elsewhere(device, percent) -> dict[str, float]:
    """The same on a disk for somebody who is asked about an SSD, and the other way round."""
    return _times(DRIVES[1] if device in DISKS else DISKS[0], percent)


EXERCISES = (
    Number(
        "join-on-an-ssd",
        "Tables of one and of four million rows of 200 bytes lie on {name}; {percent} % of the rows of each find a "
        "partner, and memory holds a tenth of the smaller table. A hybrid hash join reads both, writes most of both in "
        "parts, and reads the parts. FlashJoin reads only the columns that are joined, and fetches pages of the rows "
        "that matched one by one, a quarter of their columns. How long does the hash join take, as a ratio of "
        "FlashJoin?",
        "1",
        draw=lambda dice: {"device": dice.choice(DRIVES), "percent": dice.randint(1, 90)},
        reference=_hash_over_flash,
        steps=_steps_join,
        within=1.6,
        hints=("How many pages does each of the two move? Single pages cost an SSD little more than pages in a row.",),
        surprise="A random read costs an SSD little, so what counts is how many pages are moved at all; and a hash "
        "join moves all of them three times.",
        show=lambda numbers: {"name": devices.title_of(numbers["device"])},
    ),
    Number(
        "nested-loop-pages",
        "Block nested loops with {memory} pages of memory, one of them for what comes in of S and one for the result. "
        "R has {outer} pages, S has {inner}. How many pages are read?",
        "1",
        draw=_draw_loops,
        reference=_loops,
        steps=_steps_loops,
        tolerance=0.0005,
        hints=(
            "How many pages of R fit at once? For each such part S is read as a whole.",
            "R once, and S once for each part; the last part may be small.",
        ),
        mistakes=(
            (
                lambda outer, inner, memory: float(outer + math.ceil(outer / memory) * inner),
                "two pages of the memory are taken: one for S, one for the result.",
            ),
            (lambda outer, inner, memory: float(outer + outer * inner), "that scans S for each page of R."),
            (
                lambda outer, inner, memory: float(math.ceil(outer / (memory - 2)) * inner),
                "R is read as well.",
            ),
        ),
    ),
    Number(
        "sorted-pages",
        "{pages} pages are sorted with {memory} pages of memory: runs as long as memory, then merge passes through "
        "clusters of {cluster} pages, one for each run and one for what comes out. The last pass writes the sorted "
        "table. How many pages are read and written in all?",
        "1",
        draw=_draw_merge,
        reference=_sorted,
        steps=_steps_sort,
        tolerance=0.0005,
        hints=(
            "How many runs are there, and how many can be merged at once?",
            "Runs: pages / memory. At once: memory / cluster − 1. Each pass reads and writes all pages.",
        ),
        mistakes=SORT_MISTAKES,
    ),
    Number(
        "index-or-scan-share",
        "A page costs {random_us} µs alone and {sequential_us} µs in a scan; {rows} rows stand in a page. Pages that "
        "an index names are fetched sorted, each once. From which share of the rows on is the scan faster? Leave the "
        "index's own pages out.",
        "%",
        draw=_draw_scan,
        reference=_scan_percent,
        steps=_steps_scan,
        hints=(
            "Which share of the pages may be fetched until that takes as long as the scan?",
            "A page is not fetched if none of its rows is wanted: (1 − share) to the power of its rows.",
        ),
        mistakes=(
            (
                lambda random_us, sequential_us, rows: 100 * sequential_us / random_us,
                "that is the share of the pages; a page is fetched for any of its rows.",
            ),
            (
                lambda random_us, sequential_us, rows: 100 * (1 - sequential_us / random_us) ** (1 / rows),
                "that is the share of rows that are not wanted.",
            ),
        ),
    ),
    Number(
        "pages-touched",
        "{picks} rows at random are wanted of a table of {pages} pages with {rows} rows each. How many different pages "
        "are that, by Cardenas?",
        "1",
        draw=_draw_touched,
        reference=lambda pages, rows, picks: cardenas(pages, picks),
        steps=_steps_touched,
        hints=(
            "Some pages are hit twice. How likely is it that one pick misses a page? That all do?",
            "P · (1 − (1 − 1/P)^k)",
        ),
        mistakes=(
            (lambda pages, rows, picks: pages * (1 - 1 / pages) ** picks, "so many are not touched."),
            (
                lambda pages, rows, picks: cardenas(pages * rows, picks) / rows,
                "that many pages would do if the rows stood close together.",
            ),
        ),
    ),
    Number(
        "in-page-merges",
        "In-page logging: {pages_out} changed pages leave the buffer, each with {change} bytes of changes, which take "
        "whole log sectors of 512 bytes. The log region of an erase unit has {sectors} sectors; when it is full, the "
        "unit is merged and erased. How many erases is that?",
        "1",
        draw=_draw_in_page,
        reference=_merges,
        steps=_steps_in_page,
        hints=("How many sectors does one page write?", "All sectors that are written, over those of a region."),
        mistakes=(
            (lambda pages_out, change, sectors: float(pages_out), "that is writing in place: an erase for each page."),
            (
                lambda pages_out, change, sectors: pages_out * change / 512 / sectors,
                "a sector is written as a whole, even if it is not full.",
            ),
        ),
    ),
    Order(
        "joins-in-order",
        "Tables of one and of four million rows of 200 bytes lie on {name}; {percent} % of the rows of each find a "
        "partner, memory holds a tenth of the smaller table, and a quarter of the columns is shown. As many requests "
        "are outstanding as the drive's rates were measured with.",
        draw=_draw_order,
        show=lambda numbers: {"name": devices.title_of(numbers["device"])},
        items=lambda **numbers: dict(ORDERED),
        sizes=_times,
        first="the fastest first",
        unit="s",
        mistakes=((_times_elsewhere, "so it is on the other kind of drive: what does a single page cost here?"),),
        hints=(
            "How many pages does each of them read and write, and how many of them one by one?",
            "On a disk a page alone costs a hundred times one in a row, on an SSD two or three times.",
        ),
        steps=lambda **numbers: (f"{ORDERED[key]}: {time:.3g} s." for key, time in _times(**numbers).items()),
    ),
)
