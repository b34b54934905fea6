"""The exercises of lesson 13 that are worked out by hand; those that ask whole drives are in `more`."""

import math
import random
from collections.abc import Iterator

from pagecost.operators.joins import Join, block_nested_loops
from pagecost.operators.node_size import height
from pagecost.operators.selection import break_even_formula, cardenas
from pagecost.operators.sorting import external_sort, passes
from pagecost.operators.tables import Size
from pagecost_app.exercises.exercise import Axis
from pagecost_app.exercises.kinds import Curve, Number

PAGE_BYTES = 8192
ENTRY_BYTES, FILL = 20, 0.7
SHARES = (5, 10, 20, 30, 50, 75, 100, 120)  # of R that memory holds, of the curve


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
    return {"pages": pages, "rows": dice.choice((40, 50, 80)), "picks": dice.randrange(pages // 2, 2 * pages, 50)}


def _draw_in_page(dice: random.Random) -> dict:
    return {
        "pages_out": dice.randrange(20_000, 200_000, 1000),
        "change": dice.choice((100, 200, 400, 600, 900, 1200)),
        "sectors": dice.choice((8, 16, 32)),
    }


def _merges(pages_out, change, sectors) -> float:
    """Erases of in-page logging: a log region is merged when its sectors of 512 bytes are full."""
    return pages_out * math.ceil(change / 512) / sectors


def _steps_loops(outer, inner, memory) -> Iterator[str]:
    parts = math.ceil(outer / (memory - 2))
    yield f"{memory} − 2 pages of R at once: {outer} / {memory - 2}, rounded up, are {parts} parts."
    yield f"R once and S for each part: {outer} + {parts} × {inner} = {outer + parts * inner} pages."


def _steps_sort(pages, memory, cluster) -> Iterator[str]:
    count = passes(**_sizes(pages, memory, cluster))
    at_once = memory // cluster - 1
    yield f"{math.ceil(pages / memory)} runs of {memory} pages; {memory} / {cluster} − 1 = {at_once} merged at once."
    yield f"That takes {count} merge passes."
    moved = 2 * (1 + count) * pages
    yield f"Forming the runs and each pass read and write all pages: 2 × {1 + count} × {pages} = {moved} pages."


def _steps_scan(random_us, sequential_us, rows) -> Iterator[str]:
    part = f"{sequential_us / random_us:.3g}"
    yield f"The scan costs as much as fetching {sequential_us} / {random_us} = {part} of the pages."
    yield f"A page is left out if none of its {rows} rows is wanted: (1 − share)^{rows}."
    found = _scan_percent(random_us, sequential_us, rows)
    yield f"1 − (1 − share)^{rows} = {part}, so share = 1 − (1 − {part})^(1/{rows}) = {found:.4g} %."


def _steps_touched(pages, rows, picks) -> Iterator[str]:
    missed = 1 - cardenas(pages, picks) / pages
    yield f"A pick misses a given page with 1 − 1/{pages}, all {picks} with (1 − 1/{pages})^{picks} = {missed:.4f}."
    yield f"{pages} × (1 − that) = {cardenas(pages, picks):.4g} are hit at least once, however many rows a page has."


def _steps_in_page(pages_out, change, sectors) -> Iterator[str]:
    each = math.ceil(change / 512)
    yield f"{change} bytes take {each} sector{'s' * (each > 1)} of 512 bytes."
    yield f"{pages_out} × {each} sectors fill {sectors} at a time: {pages_out * each / sectors:g} erases."


def _draw_crossing(dice: random.Random) -> dict:
    return {
        "outer": dice.randrange(1000, 9000, 250),
        "inner": dice.randrange(10_000, 60_000, 500),
        "fetched": dice.randrange(2000, 30_000, 500),
        "write": dice.choice((1, 1.5, 2, 2.5, 3)),
    }


def _crossing(outer, inner, fetched, write) -> float:
    """Time of a page alone over one in a row at which DigestJoin and GRACE hash join take the same."""
    return (outer + inner) * (write + 1) / fetched


def _steps_crossing(outer, inner, fetched, write) -> Iterator[str]:
    both = outer + inner
    yield f"Both read the tables once; that is the same for both: {both} pages."
    yield (
        f"The hash join then writes {both} pages, {write} times as dear, and reads them: as much as "
        f"{both * (write + 1):g} pages read in a row."
    )
    yield (
        f"DigestJoin then reads {fetched} pages one by one; each may cost {both * (write + 1):g} / {fetched} = "
        f"{_crossing(outer, inner, fetched, write):.4g} of those in a row."
    )


def _draw_way(dice: random.Random) -> dict:
    return {
        "millions": dice.choice((1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)),
        "node_kib": dice.choice((4, 8, 16, 32, 64)),
        "alone_us": dice.choice((10, 60, 75, 90, 4000, 6000, 8000, 12_000)),
        "rate_mb_s": dice.choice((80, 120, 250, 500, 2500)),
    }


def _levels(millions, node_kib) -> int:
    """Levels of a tree whose nodes are full to `FILL`."""
    return int(height(1e6 * millions, 1024 * node_kib, entry_bytes=ENTRY_BYTES, fill=FILL))


def _node_us(node_kib, alone_us, rate_mb_s) -> float:
    return alone_us + 1024 * node_kib / rate_mb_s


def _way_us(millions, node_kib, alone_us, rate_mb_s) -> float:
    """Time from the root to a leaf [µs], no level in memory."""
    return _levels(millions, node_kib) * _node_us(node_kib, alone_us, rate_mb_s)


def _steps_way(millions, node_kib, alone_us, rate_mb_s) -> Iterator[str]:
    entries = FILL * 1024 * node_kib / ENTRY_BYTES
    exact = math.log(1e6 * millions) / math.log(entries)
    levels, node_us = _levels(millions, node_kib), _node_us(node_kib, alone_us, rate_mb_s)
    yield f"A node holds {FILL} × {1024 * node_kib} / {ENTRY_BYTES} = {entries:.0f} entries."
    yield f"log({millions} million) to the base {entries:.0f} is {exact:.3g}, so {levels} levels."
    yield f"A node takes {alone_us} + {1024 * node_kib} B / {rate_mb_s} MB/s = {node_us:.4g} µs."
    yield f"{levels} × {node_us:.4g} µs = {_way_us(millions, node_kib, alone_us, rate_mb_s):.4g} µs."


def _scans(outer, inner) -> list[float]:
    """Pages that block nested loops read, over those of both tables, at each share of `SHARES`."""
    return [_loops(outer, inner, round(outer * share / 100) + 2) / (outer + inner) for share in SHARES]


def _straight(outer, inner) -> list[float]:
    first, last = _scans(outer, inner)[0], 1.0
    return [
        first + (last - first) * (share - SHARES[0]) / (100 - SHARES[0]) if share < 100 else 1.0 for share in SHARES
    ]


EXERCISES = (
    Number(
        "nested-loop-pages",
        "Block nested loops with {memory} pages of memory, one of them for what comes in of S and one for the result. "
        "R has {outer} pages, S has {inner}. How many pages are read?",
        "1",
        draw=_draw_loops,
        reference=_loops,
        steps=_steps_loops,
        tolerance=0.0005,
        why="Twice the memory halves the scans of S; nothing is ever written.",
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
        why="Few passes want many runs merged at once, and few requests want large clusters: memory pays for both.",
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
        why="The more rows a page has, the sooner a scan pays: nearly every page has one that is wanted.",
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
        why="The first picks meet new pages; the last ones mostly pages that were read already.",
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
        why="Small changes share a log region, so that one erase stands for many pages written.",
        hints=("How many sectors does one page write?", "All sectors that are written, over those of a region."),
        mistakes=(
            (lambda pages_out, change, sectors: float(pages_out), "that is writing in place: an erase for each page."),
            (
                lambda pages_out, change, sectors: pages_out * change / 512 / sectors,
                "a sector is written as a whole, even if it is not full.",
            ),
        ),
    ),
    Number(
        "digest-crossing",
        "R has {outer} pages and S has {inner}. A GRACE hash join reads both, writes both in parts and reads the "
        "parts, all in long runs; a page written takes {write} times as long as one read. DigestJoin reads both, too, "
        "keeps the digests in memory, and then reads {fetched} pages one by one. Up to which ratio of a page alone to "
        "one in a row is DigestJoin the faster one?",
        "1",
        draw=_draw_crossing,
        reference=_crossing,
        steps=_steps_crossing,
        why="Late fetching trades writes and reads in a row for reads here and there.",
        hints=(
            "Leave out what both of them do. What is left of each?",
            "Writing and reading the parts against fetching: (R + S) · (write + 1) = fetched · ratio.",
        ),
        mistakes=(
            (
                lambda outer, inner, fetched, write: (outer + inner) * (write + 2) / fetched,
                "DigestJoin has to read both tables as well: it does not know the join attributes without.",
            ),
            (
                lambda outer, inner, fetched, write: (outer + inner) * write / fetched,
                "what was written in parts has to be read again.",
            ),
            (
                lambda outer, inner, fetched, write: (outer + inner) / fetched,
                "the parts are written before they are read.",
            ),
        ),
    ),
    Number(
        "way-down",
        "A B+-tree over {millions} million rows has nodes of {node_kib} KiB, 70 % full, with entries of 20 bytes. The "
        "drive takes {alone_us} µs to get to a node and reads it at {rate_mb_s} MB/s. No level is in memory. How long "
        "does the way from the root to a leaf take?",
        "µs",
        draw=_draw_way,
        reference=_way_us,
        steps=_steps_way,
        why="A larger node saves levels, and each costs more: where getting there is dear, large nodes win.",
        hints=(
            "How many entries has a node, and so how many levels has the tree?",
            "levels · (time to get there + bytes / rate); levels are whole.",
        ),
        mistakes=(
            (
                lambda millions, node_kib, alone_us, rate_mb_s: _node_us(node_kib, alone_us, rate_mb_s),
                "that is one node; the way passes one on each level.",
            ),
            (
                lambda millions, node_kib, alone_us, rate_mb_s: math.ceil(math.log2(1e6 * millions)) * alone_us,
                "that halves the rows at each step; a node leads to hundreds or thousands.",
            ),
            (
                lambda millions, node_kib, alone_us, rate_mb_s: _levels(millions, node_kib) * alone_us,
                "the node has to be transferred, too.",
            ),
        ),
    ),
    Curve(
        "loops-over-memory",
        "R has {outer} pages, S has {inner}. Block nested loops read R in parts as large as memory, and S once for "
        "each part. Memory grows from 5 % of R until it holds R (and the two pages besides). How many pages are read, "
        "over those of both tables?",
        draw=lambda dice: {"outer": dice.randrange(2000, 9000, 100), "inner": dice.randrange(10_000, 60_000, 1000)},
        x=lambda **_: Axis("memory over R", "%", 0, 120, positions=SHARES),
        y=lambda **_: Axis("pages read, over those of both tables", "", 0, 22),
        course=_scans,
        mistakes=((_straight, "not in proportion: half of R in memory already leaves only two scans of S."),),
        why="Pages over parts is a hyperbola: most is gained where memory is least.",
        hints=("How many times is S read with 5 %, with 10 % and with 50 % of R in memory?",),
        steps=lambda outer, inner: (
            f"{share} % of R in memory makes {math.ceil(100 / share)} part{'s' * (share < 100)}: "
            f"({outer} + {math.ceil(100 / share)} × {inner}) / {outer + inner} = {value:.3g}."
            for share, value in list(zip(SHARES, _scans(outer, inner), strict=True))[:-1]
        ),
    ),
)
