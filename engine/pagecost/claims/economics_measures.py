"""How claims on cost, on the caches below a database, and on the spread of results are measured."""

import math
from collections.abc import Mapping

import numpy as np

from pagecost import catalogue, economics
from pagecost.claims.answers import answer
from pagecost.oscaches import Host

EXACT = 1e-9  # rounding of a sum of times
MANY_PAGES = 4096  # of a page cache that holds all that is read here


def cost_growth(
    study: str, device: str, runtime_s: float, set: Mapping | None = None, less_initial: bool = True
) -> float:
    """What a system has cost after twice a runtime over that after once, both less the purchase, unless told not to."""
    time = answer(study, values=set).tables["time"]
    rows = time.rows(device=device)
    times_s = time["years"][rows] * economics.YEAR_S
    once, twice = np.interp([runtime_s, 2 * runtime_s], times_s, time["total_usd"][rows])
    initial = time["total_usd"][rows[0]] if less_initial else 0.0
    return float((twice - initial) / (once - initial))


def crossing_ratio(study: str, one: str, other: str, overhead: float = 1.0, set: Mapping | None = None) -> float:
    """Where two cost curves of a study cross, over difference of purchases / difference of running costs.

    overhead: that of the formula alone.
    """
    result = answer(study, values=set)
    time = result.tables["time"]
    lines = [time.rows(device=device) for device in (one, other)]
    years, gap = time["years"][lines[0]], time["total_usd"][lines[0]] - time["total_usd"][lines[1]]
    (at,) = np.flatnonzero(np.diff(np.sign(gap)) != 0)
    crossing = years[at] + (years[at + 1] - years[at]) * gap[at] / (gap[at] - gap[at + 1])
    purchase, running = [], []
    for device in (one, other):
        (row,) = result.rows(device=device)
        purchase.append(result["initial_usd"][row])
        running.append(result["energy_usd"][row] / years[-1] * overhead)
    return float(crossing / ((purchase[1] - purchase[0]) / (running[0] - running[1])))


def break_even(study: str, one: str, other: str, set: Mapping | None = None) -> str:
    """Whether two systems have at some time cost the same: "some time" or "never"."""
    crossings = answer(study, values=set).tables.get("crossings")
    return "some time" if crossings and crossings.rows(device=one, other=other).size else "never"


def overtaken(study: str, device: str, within_years: float, set: Mapping | None = None) -> str:
    """Whether energy has cost as much as the devices after so many years: "within" or "later"."""
    power = answer(study, values=set).tables["power"]
    (row,) = power.rows(device=device)
    return "within" if power["overtaken_years"][row] <= within_years else "later"


def yearly_factor(first: str, last: str, name: str, years: float) -> float:
    """The factor a year between two devices of one kind: of a number of the catalogue, or "usd_per_byte"."""
    return economics.yearly_factor(_number(first, name), _number(last, name), years)


def grows_faster(kind: str, than: str, name: str, first: int, last: int) -> str:
    """Whether a number of the five-minute rule's devices of one kind grows "faster" or "slower" than of another."""
    factors = [
        yearly_factor(f"five-minute-{each}-{first}", f"five-minute-{each}-{last}", name, last - first)
        for each in (kind, than)
    ]
    return "faster" if factors[0] > factors[1] else "slower"


def parity_years(dear: str, cheap: str, first: int, last: int) -> float:
    """Years after `last` until a byte of two kinds of devices costs the same, if prices go on falling as they did."""
    names = {each: [f"five-minute-{each}-{year}" for year in (first, last)] for each in (dear, cheap)}
    prices = [_number(names[each][1], "usd_per_byte") for each in (dear, cheap)]
    factors = [yearly_factor(before, now, "usd_per_byte", last - first) for before, now in names.values()]
    found = economics.parity_years(*prices, *factors)
    return math.nan if found is None else found


def read_ahead(pages: list[int], options: Mapping | None = None) -> float:
    """Pages that the operating system reads ahead of these reads, one page each."""
    host = Host(buffer_pages=1, page_cache_pages=MANY_PAGES, **(options or {}))
    return float(host.run(pages, np.zeros(len(pages)), MANY_PAGES).prefetched)


def fewer_stalls(pages: int, options: Mapping, without: Mapping) -> str:
    """Whether a sequential reader waits for the device "less often" or "as often" as with other options."""
    found = []
    for chosen in (options, without):
        traffic = Host(buffer_pages=1, page_cache_pages=MANY_PAGES, **chosen).run(
            np.arange(pages), np.zeros(pages), MANY_PAGES
        )
        found.append(traffic.asked["page"][0] - traffic.hits["page"][0])
    return "less often" if found[0] < found[1] else "as often"


def slower_without(study: str, device: str, part: str, set: Mapping | None = None) -> str:
    """Whether a device does "less" transactions a second in a variant of the cache hierarchy than with all of it.

    "no less" otherwise.
    """
    result = answer(study, values=set)
    (row,) = result.rows(device=device, name=part)
    return "less" if result["slower"][row] > 1 + EXACT else "no less"


def spread_percent(study: str, column: str, where: Mapping, set: Mapping | None = None) -> float:
    """The difference of the largest and the smallest value of a column in percent of the largest."""
    result = answer(study, values=set)
    values = result[column][result.rows(**where)]
    return float(100 * np.ptp(values) / values.max())


def spreads_more(study: str, column: str, more: Mapping, less: Mapping, set: Mapping | None = None) -> str:
    """Whether a column's spread is "larger" or "not larger" among some rows than among others."""
    spreads = [spread_percent(study, column, where, set) for where in (more, less)]
    return "larger" if spreads[0] > spreads[1] else "not larger"


def falls(study: str, column: str, where: Mapping, set: Mapping | None = None) -> str:
    """Whether a column falls from each row to the next: "always" or "not always"."""
    result = answer(study, values=set)
    return "always" if (np.diff(result[column][result.rows(**where)]) < 0).all() else "not always"


def all_between(study: str, column: str, where: Mapping, low: float, high: float, set: Mapping | None = None) -> str:
    """Whether "all" values of a column lie within bounds, or "not all"."""
    result = answer(study, values=set)
    values = result[column][result.rows(**where)]
    return "all" if ((values >= low) & (values <= high)).all() else "not all"


def _number(device: str, name: str) -> float:
    known = catalogue.device(device)
    return known.price_usd / known.value("capacity_bytes") if name == "usd_per_byte" else known.value(name)
