"""How claims on operators of query plans, on in-page logging and on the order of requests are measured."""

from collections.abc import Mapping

import numpy as np

from pagecost.answers.join_runs import Load, ran
from pagecost.claims.answers import answer
from pagecost.errors import require
from pagecost.operators import late
from pagecost.studies.operators.joins_by_device import OTHERS

CLASSIC = "classic"


def fastest_joins(study: str, devices: list[str], classes: Mapping, set: Mapping | None = None) -> str:
    """The kind of the fastest join on each device, in order: "classic, FlashJoin".

    classes: name of a join -> what it is called; any other is "classic". Joins that `classes` maps to "" are left out.
    """
    result = answer(study, values={**(set or {}), "devices": devices})
    found = []
    for device in devices:
        rows = [row for row in result.rows(device=device) if classes.get(str(result["method"][row]), CLASSIC)]
        best = min(rows, key=lambda row: result["time_s"][row])
        found.append(classes.get(str(result["method"][best]), CLASSIC))
    return ", ".join(found)


def fetching_late_crosses(study: str, kind: str, set: Mapping | None = None) -> str:
    """How the join that fetches late stands as a random read grows dearer: "faster, then slower", or one of them."""
    table = answer(study, values=set).tables["ratio"]
    mine, others = (table["time_s"][table.rows(kind=each)] for each in (kind, OTHERS))
    ahead = mine < others
    turns = np.flatnonzero(np.diff(ahead.astype(int)))
    require(turns.size <= 1, f"{kind} and the others cross {turns.size} times")
    if not turns.size:
        return "faster" if ahead[0] else "slower"
    return "faster, then slower" if ahead[0] else "slower, then faster"


def logging_ratio(study: str, column: str, method: str, over: str, set: Mapping | None = None) -> float:
    """A column of the study of in-page logging at the chosen size of an update: of one way of writing over another."""
    result = answer(study, values=set)
    one, other = (result[column][result.rows(method=name, chosen=True)] for name in (method, over))
    return float(one[0] / other[0])


def logging_order(study: str, column: str, method: str, over: str, set: Mapping | None = None) -> str:
    """Whether that column is "smaller" or "not smaller", by a tenth at least, of one way of writing than of another."""
    return "smaller" if logging_ratio(study, column, method, over, set) < 0.9 else "not smaller"


def logging_merges(study: str, set: Mapping | None = None) -> float:
    """Erases for each page that leaves the buffer, times the sectors of a log region."""
    result = answer(study, values=set)
    (row,) = result.rows(method="in-page logging", chosen=True)
    pages, sectors = (result.facts[name].number for name in ("pages_written", "log_sectors"))
    return float(result["erases_per_update"][row] / pages * sectors)


# pages counted on real rows -----------------------------------------------------------------------------------------

DIGEST, HASH, FLASH = "DigestJoin, ", "GRACE hash join", "FlashJoin"
OUTER_ROWS, INNER_ROWS, PAGE_BYTES = 3000, 9000, 1024


def _load(share: float, row_bytes: int, memory_pages: int, times: int = 1) -> Load:
    """Generated rows; times: as many."""
    return Load(times * OUTER_ROWS, times * INNER_ROWS, row_bytes, PAGE_BYTES, share, memory_pages)


def written_of_hash_join(row_bytes: int, order: str, memory_pages: int = 130) -> float:
    """Pages that DigestJoin writes over those that a hash join of whole rows writes; tables are 20 times as large.

    The memory is about the least for the rows of R, so that few of its digests stay in it.
    """
    load = _load(0.1, row_bytes, memory_pages, 20)
    return ran(f"{DIGEST}{order}", load).found.pages_written / ran(HASH, load).found.pages_written


def fetches_fewer(order: str, over: list[str], share: float, memory_pages: int) -> str:
    """Whether DigestJoin reads "fewer" or "no fewer" pages with an order of fetching than with each of others."""
    load = _load(share, 64, memory_pages)
    mine, *others = (ran(f"{DIGEST}{each}", load).found.pages_read for each in (order, *over))
    return "fewer" if mine < min(others) else "no fewer"


def flash_join_asks_fewer(share: float, kept: float, pax_pages: int, memory_pages: int) -> str:
    """Whether FlashJoin reads and writes "fewer" or "no fewer" pages than both DigestJoin and a hash join."""
    load = _load(share, 64, memory_pages)._replace(kept=kept, pax_pages=pax_pages)
    found = [ran(method, load).found for method in (FLASH, f"{DIGEST}{late.BY_OUTER}", HASH)]
    mine, *others = (each.pages_read + each.pages_written for each in found)
    return "fewer" if mine < min(others) else "no fewer"
