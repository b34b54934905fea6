"""Which storage hierarchy is worth its price: every plan that makes sense, what it costs, and which ones are best.

Plain functions over values. A level is what is paid for: main memory, NVEM, disk caches, SSD, disks.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pagecost.catalogue import Device, Price
from pagecost.errors import known, present, require
from pagecost.transactions.plans import LOG_HOMES, Plan
from pagecost.units import grouped, usd

LEVELS = {"main": "main memory", "nvem": "NVEM", "cache": "disk caches", "ssd": "SSD", "disk": "disks"}
"""What is paid for."""
ENDS = {"low": "low ends", "middle": "middle", "high": "high ends"}
"""Where a price is a range."""

MAIN_PAGES = (200, 500, 1000, 2000)
CACHE_PAGES = (500, 1000, 2000)
WAYS = ("disk", "disk cache write buffer", "NVEM write buffer", "ssd", "nvem")
BRANCH_HOMES = ("nvem", "ssd", "main memory")
LOGS = ("disk", "disk cache write buffer", "NVEM write buffer", "ssd", "nvem")


class Offer(NamedTuple):
    """What a level can be bought for. usd: of a byte, or of a device of `capacity_bytes` [B]; None: bytes."""

    usd: float
    capacity_bytes: float | None = None

    @property
    def usd_per_byte(self) -> float:
        """Dollars a byte, of a device as if parts of one could be bought."""
        return self.usd / (self.capacity_bytes or 1)

    def cost(self, size_bytes: float, busy_s: float, most_busy: float) -> tuple[float, int]:
        """(dollars, devices; 0 where bytes are priced) of so many bytes.

        As many devices as hold the bytes and do `busy_s` seconds of work per second, each busy `most_busy` of its
        time at most.
        """
        if self.capacity_bytes is None:
            return self.usd * size_bytes, 0
        count = max(math.ceil(size_bytes / self.capacity_bytes), math.ceil(busy_s / most_busy))
        return self.usd * count, count


class Sizes(NamedTuple):
    """Pages of what has to live somewhere. branch: of BRANCH and TELLER."""

    account: int
    history: int
    branch: int
    log: int


class Bought(NamedTuple):
    """A plan with what it costs. cost_usd: by level, nan where a price is not known. devices: level -> how many, of
    the levels that are priced apiece. nvem_pages: held there in all."""

    plan: Plan
    cost_usd: dict[str, float]
    devices: dict[str, int]
    nvem_pages: float

    @property
    def total_usd(self) -> float:
        """Dollars of all levels, nan where the price of one is not known."""
        return sum(self.cost_usd.values())


def newest_price(device: Device) -> Price:
    """The newest price of a device in dollars. Raises ModelError for a device without one."""
    require(bool(device.dollar_prices), f"{device.id}: no price in dollars is known")
    return max(device.dollar_prices, key=lambda price: price.date)


def amount(price: Price, end: str) -> float:
    """Dollars of a price, of a range at that end (of `ENDS`)."""
    known("end of a price range", end, ENDS)
    if price.amount is not None:
        return price.amount
    low = present(price.low, f"{price.device}: its price has neither an amount nor a low end")
    high = present(price.high, f"{price.device}: its price has neither an amount nor a high end")
    return {"low": low, "middle": (low + high) / 2, "high": high}[end]


def said(price: Price) -> str:
    """A price in dollars as people read it, of a range both ends and that its middle is taken."""
    if price.amount is not None or price.low is None or price.high is None:
        return usd(price.middle)
    return f"{usd(price.low)} to {usd(price.high)}, of which the middle is taken,"


def offer(device: Device, end: str) -> Offer:
    """A device at its newest price. Raises ModelError where a device is priced whose capacity is not known."""
    price = newest_price(device)
    dollars = amount(price, end)
    size_bytes = device.bytes_of(price)
    return Offer(dollars, size_bytes) if price.per == "device" else Offer(dollars / size_bytes)


def plans(buffer_pages: int, write_buffer_pages: int) -> list[Plan]:
    """Every combination of sizes and homes that makes sense, with one more size of main memory [pages].

    ACCOUNT and HISTORY share a home; BRANCH and TELLER live there too, or in one of `BRANCH_HOMES`.
    """
    found = []
    ways = [(way, 1000) for way in WAYS] + [("NVEM cache", pages) for pages in CACHE_PAGES]
    for main, (home, pages), log in itertools.product(sorted({*MAIN_PAGES, buffer_pages}), ways, LOGS):
        for branch in dict.fromkeys((home, *BRANCH_HOMES)):
            sizes = {"buffer_pages": main, "cache_pages": pages, "write_buffer_pages": write_buffer_pages}
            found.append(Plan(account=home, history=home, branch=branch, log=log, **sizes))
    return found


def held_pages(plan: Plan, sizes: Sizes) -> dict[str, float]:
    """Pages on each level. A home behind a cache is on disk, and its cache on the level of the cache."""
    held = dict.fromkeys(LEVELS, 0.0)
    held["main"] = plan.buffer_pages
    held["nvem"] = plan.nvem_cached() + plan.nvem_buffered()
    in_cache = [plan.account, plan.log].count("disk cache write buffer")
    held["cache"] = plan.write_buffer_pages * in_cache
    for home, pages in zip((plan.account, plan.history, plan.branch, plan.log), sizes, strict=True):
        held[_LEVEL_OF.get(home, "disk")] += pages
    return held


_LEVEL_OF = {"main memory": "main", "nvem": "nvem", "ssd": "ssd"}


def buy(
    plan: Plan,
    held: Mapping[str, float],
    offers: Mapping[str, Offer | None],
    work_s: Mapping[str, float],
    *,
    page_bytes: int,
    most_busy: float,
) -> Bought | None:
    """What a plan costs; None where it needs a level that is not for sale (no offer).

    held: pages by level. work_s: seconds of work per second by level. A disk cache may stand without an offer: then
    its cost is nan.
    """
    if any(held[level] and offers[level] is None for level in LEVELS if level != "cache"):
        return None
    cost, devices = dict.fromkeys(LEVELS, 0.0), {}
    for level, offered in offers.items():
        if not held[level]:
            continue
        if offered is None:
            cost[level] = math.nan
            continue
        cost[level], count = offered.cost(held[level] * page_bytes, work_s.get(level, 0.0), most_busy)
        if count:
            devices[level] = count
    return Bought(plan, cost, devices, held["nvem"])


def front(cost_usd: Sequence[float], response_s: Sequence[float], gain: float) -> list[int]:
    """Places of the plans that are worth their price, the cheapest first.

    cost_usd: rising, nan where not known (last). A plan is worth it when it answers faster than every cheaper one by a
    share of at least `gain` of the best of them.
    """
    found: list[int] = []
    best = math.inf
    for place, (cost, response) in enumerate(zip(cost_usd, response_s, strict=True)):
        if not math.isnan(cost) and response < (1 - gain) * best:
            found.append(place)
            best = response
    return found


def cheapest_within(places: Sequence[int], response_s: Sequence[float], target_s: float) -> int | None:
    """The first of the places (cheapest first) that answers within the target; None if none does."""
    return next((place for place in places if response_s[place] <= target_s), None)


def spread(places: Sequence[int], most: int, kept: int | None) -> list[int]:
    """At most `most` of the places, evenly spread, the first and the last among them, with the one that is kept."""
    if len(places) <= most:
        return list(places)
    chosen = {places[at] for at in np.linspace(0, len(places) - 1, most - 1).round().astype(int).tolist()}
    return [place for place in places if place in chosen or place == kept]


def describe(plan: Plan) -> str:
    """A plan in a line."""
    home = plan.account
    pages = {
        "disk cache write buffer": "disk with a write buffer in its cache",
        "NVEM write buffer": "disk with a write buffer in NVEM",
        "NVEM cache": f"disk with {grouped(plan.cache_pages)} pages of cache in NVEM",
    }.get(home, LOG_HOMES.get(home, home))
    branch = "" if plan.branch == home else f", BRANCH and TELLER in {LOG_HOMES.get(plan.branch, plan.branch)}"
    log = {"disk": "log on disk", "ssd": "log on SSD", "nvem": "log in NVEM"}.get(
        plan.log, "log through a write buffer in " + ("NVEM" if plan.log.startswith("NVEM") else "its disk's cache")
    )
    return f"{grouped(plan.buffer_pages)} pages of main memory, rest on {pages}{branch}, {log}"
