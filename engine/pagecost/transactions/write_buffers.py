"""How often a write finds a write buffer full, and how long it then waits for the disk behind it.

All writes go to that disk in the order in which they came; whoever finds a page of the buffer free does not wait for
it. So the queue of the disk does not change, only who waits: a chain of how many are there, and how many of them have
a page of the buffer. Who is served next has one with the chance of any that is there, for the chain does not know in
which order they stand.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from pagecost.errors import require
from pagecost.remembering import remembered
from pagecost.transactions.feedback_kernels import erlang_b

RARE = 1e-6  # chance of a full buffer that is none
MOST_PAGES = 32  # of the chain: of a larger buffer several pages, and as many writes, go together
MOST_LEVELS = 600  # of the chain: with more at the disk the buffer is as often full as with these
HALVINGS = 50


@dataclass(frozen=True)
class Buffered:
    """Writes of a transaction that ask for pages of one buffer before one station of disks.

    writes: per transaction; waits: those that somebody waits for where the buffer is full, one for each who does;
    visits: of one write to a disk; pages: of the buffer, which stands in NVEM, before all stations, or before this one.
    counted_s: what a write takes where it is not full; held_s: it has its page, or waits, besides the disk's queue and
    service.
    """

    station: int
    writes: float
    waits: float
    visits: int
    in_nvem: bool
    pages: int
    counted_s: float
    held_s: float


class Behind(NamedTuple):
    """The disks behind a buffer: customers_hz, of all together; response_s of one of them; disks; share: of them that
    write."""

    customers_hz: float
    response_s: float
    disks: int
    share: float


def together(buffers: Iterable[Buffered]) -> list[Buffered]:
    """All writes to one station as one, for they share its buffer."""
    found: dict[int, Buffered] = {}
    for each in buffers:
        known = found.get(each.station, replace(each, writes=0.0, waits=0.0))
        found[each.station] = replace(known, writes=known.writes + each.writes, waits=known.waits + each.waits)
    return [each for each in found.values() if each.writes]


def lost_s(buffers: Sequence[Buffered], behind: Sequence[Behind]) -> float:
    """Time that a transaction loses to full buffers [s], the mean; each buffer with the disks behind it.

    Of a buffer before several stations each has the share of the pages that its writes hold, were there enough.
    """
    kept_s = [disks.response_s + each.held_s for each, disks in zip(buffers, behind, strict=True)]
    in_nvem_s = sum(each.writes * kept for each, kept in zip(buffers, kept_s, strict=True) if each.in_nvem)
    lost = 0.0
    for each, disks, kept in zip(buffers, behind, kept_s, strict=True):
        part = each.writes * kept / in_nvem_s if each.in_nvem else 1.0
        customers, pages = disks.customers_hz * kept, max(1, round(part * each.pages))
        if never_full(customers, disks.disks, pages):
            continue
        full, times = finds_full(load_with(customers, disks.disks), disks.disks, pages, min(1.0, disks.share))
        lost += each.waits * full * max(0.0, times * kept - each.counted_s)
    return lost


def never_full(customers: float, servers: int, pages: int) -> bool:
    """Whether so many customers on average hold all pages with less than the chance that is `RARE`: a bound that takes
    no time, for most buffers are far larger than that. More are there than at one server with the same load, and from
    `servers` on each further one is less likely by the load.
    """
    most_load = min(customers / servers, customers / (1 + customers))
    return pages > servers and most_load ** (pages - servers) < RARE


def present(load: float, servers: int) -> float:
    """Customers of M/M/c, the mean. load: of each server, below 1."""
    blocked = erlang_b(servers, load * servers)
    return load * servers + blocked / (1 - load * (1 - blocked)) * load / (1 - load)


def load_with(customers: float, servers: int) -> float:
    """The load of each server at which so many are there on average: for other laws of service, an equal queue."""
    low, high = 0.0, customers / (1 + customers)
    if servers == 1:
        return high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if present(middle, servers) < customers else (low, middle)
    return low


@remembered
def finds_full(load: float, servers: int, pages: int, share: float = 1.0) -> tuple[float, float]:
    """Chance that a write finds no page free, and its response then, as a multiple of that of any customer.

    load: of each server, within 0..1; share: of the customers that are writes; the others ask for no page. Raises
    ModelError for a load outside, for fewer than one server or page, and a share outside 0..1.
    """
    require(0 <= load < 1, f"the load of a disk must be 0 <= load < 1; got {load}")
    require(servers >= 1 and pages >= 1, f"a disk and a page are needed at least; got {servers} and {pages}")
    require(0 <= share <= 1, f"a share of writes must lie within 0..1; got {share}")
    if load == 0 or share == 0:
        return 0.0, 1.0
    chance, beyond = _present_by_level(max(pages - 1, servers), load, servers)
    if chance[pages:].sum() + beyond < RARE:
        return 0.0, 1.0
    of_one = math.ceil(pages / MOST_PAGES)  # pages, and customers, that are one in the chain
    slots, c, rho = round(pages / of_one), max(1, round(servers / of_one)), load**of_one
    wanted = math.ceil(math.log(RARE / 1e3) / math.log(rho))
    levels = max(2 * (slots + c), min(MOST_LEVELS, wanted))
    full = _full_by_level(rho, c, slots, share, levels)
    known = 9 * levels // 10  # the last levels feel the end of the chain
    chance, beyond = _present_by_level(known, rho, c)
    found = np.append(chance * full[: known + 1], beyond * full[known])
    finds = float(found.sum())
    if finds < RARE:
        return 0.0, 1.0
    customers = np.append(np.arange(known + 1), known + 1 + rho / (1 - rho)) * of_one
    response = 1 + np.maximum(customers - servers + 1, 0) / servers
    mean = present(load, servers) / (load * servers)
    return finds, float((found * response).sum() / finds / mean)


def _present_by_level(most: int, load: float, servers: int) -> tuple[np.ndarray, float]:
    """Chance of 0..most customers in M/M/c, most >= servers: float64[most + 1]; and of more."""
    n = np.arange(1, most + 1)
    logs = np.append(0.0, np.cumsum(np.log(load * servers / np.minimum(n, servers))))
    chance = np.exp(logs - logs.max())
    beyond = chance[-1] * load / (1 - load)
    total = chance.sum() + beyond
    return chance / total, float(beyond / total)


def _full_by_level(load: float, servers: int, slots: int, share: float, levels: int) -> np.ndarray:
    """Chance that all slots are taken with 0..levels customers at the disk, float64[levels + 1].

    How many are there is known (M/M/c), so the chain is solved for what it is given that: flows are those of the chain
    times the chance of the level that they leave over that of the level that they reach.
    """
    from scipy.linalg import solve_banded  # late: every command imports this file, few come here

    width = slots + 1
    size = (levels + 1) * width
    n, b = np.divmod(np.arange(size), width)
    there = b <= n
    leaves = load * servers * (n < levels) + np.minimum(n, servers)
    down = np.where(there & (n > 0), load * servers, 0.0)
    up = np.where(there & (n < levels), np.minimum(n + 1, servers), 0.0)
    of_writes = down * b / np.maximum(n, 1)  # one that has a slot leaves
    takes = np.where(b < slots, up * share, 0.0)
    middle = width + 1
    band = np.zeros((2 * middle + 1, size))  # band[middle + i - j, j]: flow from state j into state i
    band[middle] = np.where(there, leaves, 1.0)
    band[0], band[1] = -of_writes, of_writes - down
    band[-1], band[-2] = -takes, takes - up
    wanted = np.zeros(size)
    likely = int(np.argmax(_present_by_level(levels, load, servers)[0])) * width
    columns = likely + np.arange(width)  # the chances of the likeliest level are 1 together, in place of one balance
    wanted[likely], band[middle + likely - columns, columns] = 1.0, 1.0
    band[0, likely + width + 1] = band[1, likely + width] = 0.0
    if likely:
        band[-2, likely - width] = 0.0
    return solve_banded((middle, middle), band, wanted).reshape(levels + 1, width)[:, slots]
