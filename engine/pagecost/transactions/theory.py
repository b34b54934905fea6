"""Queueing formulas, and the response time that they give a transaction system whose visits were counted."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pagecost.errors import require
from pagecost.remembering import remembered
from pagecost.transactions.assembly import kind_of, station_names
from pagecost.transactions.feedback import feedback_waits_s
from pagecost.transactions.feedback_kernels import erlang_b, without_length
from pagecost.transactions.hits import hits
from pagecost.transactions.loads import Load
from pagecost.transactions.parameters import NONVOLATILE, NVEM, SPREADS, SSD, WRITE_BUFFER, Place, TransactionSystem
from pagecost.transactions.write_buffers import Behind, Buffered, lost_s, together
from pagecost.workload.debit_credit import DebitCredit


def erlang_c(servers: int, load: float) -> float:
    """Chance that a customer of M/M/c waits; load: arrival rate times service time, below `servers`."""
    require(0 <= load < servers, f"the load must be 0 <= load < {servers} servers; got {load}")
    blocked = erlang_b(int(servers), float(load))
    return blocked / (1 - load / servers * (1 - blocked))


def wait_s(rate_hz: float, service_s: float, servers: int = 1, squared_variation: float = 1.0) -> float:
    """Mean wait of M/G/c: exact for M/M/c and (Pollaczek and Khinchine) M/G/1, else Allen and Cunneen; inf if full.

    squared_variation: variance of the service time over its squared mean; 1 exponential, 0 constant. Raises ModelError
    for one below 0, and for a load below 0.
    """
    require(squared_variation >= 0, f"a squared variation must not be negative; got {squared_variation}")
    load = rate_hz * service_s
    if load >= servers:
        return math.inf
    if load == 0:
        return 0.0
    return erlang_c(servers, load) * service_s / (servers - load) * (1 + squared_variation) / 2


def closed_network_rate(demand_s: Sequence[float], servers: Sequence[int], terminals: int, think_s: float) -> float:
    """Throughput [1/s] of a closed network of exponential first-come stations, exact: by convolution (Buzen 1973).

    demand_s: service [s] that a customer asks of each station per round, servers: of each station, think_s: with nobody
    in the way. It is what exact MVA (Reiser, Lavenberg 1980) gives, but for several servers MVA takes the chance that a
    busy station is empty as one minus nearly one, and is wrong by half for many. Here all terms are positive.
    Raises ModelError without a terminal or a server, for stations without their servers, for times below 0, and where a
    round takes no time.
    """
    require(terminals >= 1, f"a closed network needs at least one terminal; got {terminals}")
    require(
        len(demand_s) == len(servers) and all(count >= 1 for count in servers),
        f"each station must have at least one server; got {len(demand_s)} stations and servers {list(servers)}",
    )
    times_s = (think_s, *demand_s)
    require(all(0 <= time_s < math.inf for time_s in times_s), f"times must be finite and not negative; got {times_s}")
    thinking = (think_s, math.inf)  # a server for everyone
    stations = [(d, c) for d, c in (thinking, *zip(demand_s, servers, strict=True)) if d > 0]
    require(bool(stations), "a round through a closed network must take time")
    # weights at this rate times the service have their peak where the customers are: none that counts underflows
    most_hz = min(terminals / sum(d for d, _ in stations), min(c / d for d, c in stations))
    customers = np.arange(1, terminals + 1)
    weight = np.zeros(terminals + 1)  # of so many customers in the stations so far, the largest 1
    weight[0] = 1.0
    for d, c in stations:
        logs = np.append(0.0, np.cumsum(np.log(most_hz * d / np.minimum(customers, c))))
        weight = np.convolve(weight, np.exp(logs - logs.max()))[: terminals + 1]
        weight /= weight.max()
    return float(most_hz * weight[-2] / weight[-1])


def share_of_stations(users: int, stations: float) -> float:
    """Share of their capacity that so many equal exponential stations reach, each asked by chance: U / (U + M - 1).

    users: each always has one request waiting or in service, and thinks not. What `closed_network_rate` gives for equal
    demands, in closed form (Lazowska et al., Quantitative System Performance, 1984, section 5.2.2, balanced systems):
    some stand idle while others have a queue. Raises ModelError unless there is at least one of each.
    """
    require(users >= 1, f"a closed queue needs at least one user; got {users}")
    require(stations >= 1, f"a closed queue needs at least one station; got {stations}")
    return users / (users + stations - 1)


CHE_LEAST_PAGES = 3
"""Pages that a transaction of clustered Debit-Credit changes in turn: with fewer, LRU holds no HISTORY page till the
next."""


def che_main_memory(buffer_pages: int, model: DebitCredit | None = None) -> Mapping[str, float]:
    """Hit ratio of each record type of clustered Debit-Credit in an LRU buffer, by Che's approximation.

    A page stays for tau transactions, in which 1 ACCOUNT page and 1 / 20 HISTORY page come in, and every branch that
    is referenced keeps its page: (1 + 1 / 20) tau + 1 + 500 (1 - exp(-tau / 500)) = buffer_pages. The newest HISTORY
    page is always held, and that of a branch from BRANCH to TELLER: nan below `CHE_LEAST_PAGES`, where it is not so.
    """
    model = model or DebitCredit()
    require(model.clustered, "Che's formula is worked out for clustered BRANCH and TELLER records")
    branches, new = model.pages_of()["BRANCH"], 1 / model.history_factor
    if buffer_pages < CHE_LEAST_PAGES:
        return dict.fromkeys(("ACCOUNT", "HISTORY", "BRANCH", "TELLER", "all"), math.nan)
    room = buffer_pages - 1
    low, high = 0.0, float(room)
    for _ in range(100):
        tau = (low + high) / 2
        held = (1 + new) * tau + branches * -math.expm1(-tau / branches)
        low, high = (tau, high) if held < room else (low, tau)
    hit = -math.expm1(-low / branches)
    found = {"ACCOUNT": 0.0, "HISTORY": 1 - new, "BRANCH": hit, "TELLER": 1.0}
    return found | {"all": sum(found.values()) / 4}


ROUNDS = 20  # in which the groups of commits and the rate of terminals find to each other


@dataclass(frozen=True)
class Estimate:
    """response_s by formula, inf beyond saturation; utilisation by station; saturated: the station, or empty."""

    response_s: float
    utilisation: Mapping[str, float]
    saturated: str

    @property
    def bottleneck(self) -> str:
        """The busiest station."""
        return max(self.utilisation, key=self.utilisation.__getitem__)


class Gathered(NamedTuple):
    """Members of a group of commits, the mean; and how long one waits until its group is closed [s], the mean."""

    members: float
    wait_s: float


def estimate(system: TransactionSystem, load: Load, rate_hz: float) -> Estimate:
    """Response time by formula: each station alone as M/M/c (M/G/c where times are constant), no lock waits.

    At the processors bursts follow each other at once where no device comes between them (`feedback_waits_s`, exact for
    one processor); with several the waits shrink as Erlang's formula says for equal bursts. A disk that reads what is
    old before it writes is asked twice, as if by two that come at random. How often a transaction visits a station
    comes from a replay without time (`hits`). Commits gather in groups as if they came at random (`commit_group`). A
    write that finds a write buffer full waits for the disk behind it (`write_buffers`); a page cache is never full.
    """
    gathered = _gathered(system, load, rate_hz)
    visits, servers, queues = _visits(system, load, gathered.members), _servers(system), _queues(system)
    response_s, used = visits.delay_s + _updates(load) * gathered.wait_s, {}
    for i, name in enumerate(station_names(system)):
        count, work_s, waited = visits.count[i], visits.work_s[i], visits.waited[i]
        used[name] = rate_hz * work_s / servers[i]
        response_s += visits.served_s[i]
        if i == 0:
            response_s += _processor_wait_s(visits, rate_hz, servers[0])
        elif waited > 0:
            of_queue = (rate_hz * count / queues[i], work_s / count, servers[i] // queues[i])
            response_s += waited * wait_s(*of_queue, visits.spread(i))
    if max(used.values()) < 1:
        buffers = together(visits.buffers)
        response_s += lost_s(buffers, [_behind(each, visits, rate_hz, servers, queues) for each in buffers])
    worst = max(used, key=used.__getitem__)
    full = used[worst] >= 1
    return Estimate(math.inf if full else response_s, used, worst if full else "")


def closed(system: TransactionSystem, load: Load, terminals: int, think_s: float) -> Estimate:
    """The same for terminals that think, as a closed network of exponential stations (`closed_network_rate`).

    That takes all bursts at the processors for equal, and so misses a fifth to a third of the response where long ones
    come before short ones (4.6 s for 6.7). Where that matters the response is the middle between its own and one that
    misses as much on the other side: at the rate X at which as many terminals think or wait in the open system of
    `estimate`, X (Z + R), as would with equal bursts at its rate. Both are the same for equal bursts and for so many
    terminals that one station always works; between them the middle is within 8 % of simulations (see the tests).

    What workers do behind the transactions' backs is left out, so that write buffers are never full; the channel's
    transmission and the disks' delays count as thinking. Raises ModelError where disks have queues of their own.
    """
    require(max(_queues(system)) == 1, "terminals have a formula where any disk of a unit takes the next page")
    gathered = Gathered(1.0, 0.0)
    for _ in range(ROUNDS if _groups(system) else 1):
        found = _closed(system, load, terminals, think_s, gathered)
        gathered = _gathered(system, load, terminals / (think_s + found.response_s), terminals)
    return found


def _closed(system: TransactionSystem, load: Load, terminals: int, think_s: float, gathered: Gathered) -> Estimate:
    visits, servers = _visits(system, load, gathered.members), _servers(system)
    demand_s = [float(s) for s in visits.served_s]
    if system.computer.nvem_synchronous:  # the processor is held during the access, so the wait is its own
        demand_s[0], demand_s[1] = float(visits.work_s[0]), 0.0
    idle_s = think_s + visits.delay_s + _updates(load) * gathered.wait_s
    rate_hz = closed_network_rate(demand_s, servers, terminals, idle_s)

    def present(rate_hz: float, *, equal: bool) -> float:
        """Terminals that think or wait in an open system of that rate, whose bursts are equal or as they are."""
        waits_s = [
            wait_s(rate_hz * n, each / n, c) * n if n and each else 0.0
            for n, each, c in zip(visits.waited, demand_s, servers, strict=True)
        ]
        if demand_s[0]:
            whole_s = float(visits.work_s[0])
            waits_s[0] = (
                wait_s(rate_hz, whole_s, servers[0]) if equal else _processor_wait_s(visits, rate_hz, servers[0])
            )
        return rate_hz * (idle_s + sum(demand_s) + sum(waits_s))

    wanted = present(rate_hz, equal=True)
    if math.isfinite(wanted):
        low, high = 0.0, min(c / d for d, c in zip(demand_s, servers, strict=True) if d)
        while high - low > 1e-4 * high:
            middle = (low + high) / 2
            low, high = (middle, high) if present(middle, equal=False) < wanted else (low, middle)
        rate_hz = terminals / (terminals / rate_hz + terminals / low) * 2
    used = {name: rate_hz * visits.work_s[i] / servers[i] for i, name in enumerate(station_names(system))}
    return Estimate(terminals / rate_hz - think_s, used, "")


def _servers(system: TransactionSystem) -> list[int]:
    """Servers of each station, in the order of the stations."""
    units = [count for unit in system.units for count in (unit.controllers, unit.servers)]
    return [system.computer.processors, system.computer.nvem_servers, *units]


def _queues(system: TransactionSystem) -> list[int]:
    """Queues of each station, likewise."""
    return [1, 1, *(count for unit in system.units for count in (1, unit.queues))]


MOST_STEPS = 12  # references whose bursts are told apart


@dataclass(frozen=True, slots=True)
class _Burst:
    """count: per transaction. behind: nobody waits for it. held: no device comes behind it, the next burst follows."""

    count: float
    mean_s: float
    second_s2: float
    behind: bool = False
    held: bool = False


@dataclass(eq=False)
class _Visits:
    """Per transaction and station: requests, their work [s]; requests waited for, and their service [s].

    square_s2: sum of the second moments of the times [s²]. delay_s: on the channels. bursts: what the processors are
    asked for; follows[i, j]: share of the bursts i after which burst j comes at once, returns[i, j]: after a device,
    where the transaction is for `away_s` on average.
    """

    count: np.ndarray
    work_s: np.ndarray
    waited: np.ndarray
    served_s: np.ndarray
    square_s2: np.ndarray
    delay_s: float = 0.0
    bursts: list[_Burst] = field(default_factory=list)
    buffers: list[Buffered] = field(default_factory=list)
    follows: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    returns: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    away_s: float = 0.0

    def spread(self, station: int) -> float:
        """Squared coefficient of variation of a station's times."""
        mean_s = self.work_s[station] / self.count[station]
        return max(0.0, float(self.square_s2[station] / self.count[station] / mean_s**2 - 1)) if mean_s else 0.0

    @cached_property
    def moments(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Of each kind of burst, shape (k,): how many, 0 of those without length; first and second moments of their
        times [s, s²]; and how many of them somebody waits for."""
        count, mean_s, second_s2, behind = (
            np.array([getattr(burst, name) for burst in self.bursts], float)
            for name in ("count", "mean_s", "second_s2", "behind")
        )
        count[mean_s == 0] = 0.0
        return count, mean_s, second_s2, count * (1 - behind)

    def compute(self, count: float, mean_s: float, behind: bool = False, held_s: float = 0.0) -> None:
        """Bursts of exponential length at the processors, each then held for `held_s`; no visits if without length."""
        if mean_s + held_s > 0:
            self.add(0, count, mean_s, behind)
            self.work_s[0] += count * held_s
        second_s2 = 2 * mean_s**2 + 2 * mean_s * held_s + held_s**2
        self.bursts.append(_Burst(count, mean_s + held_s, second_s2, behind, held_s > 0))

    def add(self, station: int, count: float, each_s: float, behind: bool = False, spread: float = 1.0) -> None:
        self.count[station] += count
        self.work_s[station] += count * each_s
        self.square_s2[station] += count * each_s**2 * (1 + spread)
        if not behind:
            self.waited[station] += count
            self.served_s[station] += count * each_s


def commit_group(commits_hz: float, most: int, timer_s: float) -> Gathered:
    """What gathers where commits come at random (Poisson), and a group closes with so many or so long after its first.

    With p_k, the chance that k or more come within the timer, a group has 1 + p_1 + … + p_(most - 1) members, and k of
    them are there for p_k / commits_hz on average before it closes; the waits of all are the sum of k p_k / commits_hz.
    """
    from scipy.special import gammainc  # late: every command imports this file, few come here

    came = np.arange(1, most)
    reached = gammainc(came, commits_hz * timer_s)
    members = 1 + float(reached.sum())
    return Gathered(members, float((came * reached).sum()) / commits_hz / members)


def _groups(system: TransactionSystem) -> bool:
    return system.computer.logging and system.computer.group_size > 1


def _gathered(system: TransactionSystem, load: Load, rate_hz: float, terminals: int | None = None) -> Gathered:
    """At a rate [1/s] of transactions, of whom no more than the terminals can wait together."""
    commits_hz = rate_hz * _updates(load)
    if not _groups(system) or not commits_hz:
        return Gathered(1.0, 0.0)
    computer = system.computer
    return commit_group(commits_hz, min(computer.group_size, terminals or computer.group_size), computer.group_wait_s)


@remembered
def _visits(system: TransactionSystem, load: Load, members: float = 1.0) -> _Visits:
    """members: of a group of commits, which share one write of the log; each waits for all of it."""
    computer = system.computer
    found = hits(system, load, transactions=20_000)
    stations = 2 + 2 * len(system.units)
    count, work_s, waited, served_s, square_s2 = (np.zeros(stations) for _ in range(5))
    visits = _Visits(count, work_s, waited, served_s, square_s2)
    seconds = 1 / computer.instructions_per_s
    references = load.page.size / load.transactions
    updates = _updates(load)
    nvem = found.ratio("nvem") * references + found.nvem_writes
    for i, name in enumerate(load.partitions):
        place, row = system.partitions[name], found.per_transaction[i]
        _, _, _, cache_hits, reads, writes, _, destaged = row
        nvem += _accesses(visits, system, place, reads, cache_hits, writes - destaged, destaged, computer.clean_early)
    held = computer.nvem_synchronous
    instructions = computer.instructions_nvem if held else computer.instructions_io
    held_s = computer.nvem_s if held else 0.0
    visits.compute(nvem, instructions * seconds, held_s=held_s)
    accesses, visits.bursts = visits.bursts, []
    before_s = float(visits.served_s[2:].sum()) + visits.delay_s
    if computer.logging:
        before = visits.waited.copy(), visits.served_s.copy(), visits.delay_s
        logged = _accesses(visits, system, system.log, 0.0, 0.0, updates / members, 0.0, False, members)
        visits.waited[2:] += (members - 1) * (visits.waited - before[0])[2:]
        visits.served_s[2:] += (members - 1) * (visits.served_s - before[1])[2:]
        visits.delay_s += (members - 1) * (visits.delay_s - before[2])
        visits.compute(logged, instructions * seconds, held_s=held_s)
        nvem += logged
    visits.add(1, nvem, computer.nvem_s, spread=0.0)
    log, visits.bursts = visits.bursts, []
    visits.away_s = before_s / max(sum(burst.count for burst in accesses if not burst.behind), 1e-12)
    _order_bursts(visits, computer, references, accesses, log)
    return visits


def _order_bursts(visits: _Visits, computer, references: float, accesses: list[_Burst], log: list[_Burst]) -> None:
    """Book begin, references and end, and put all bursts in the order of a transaction's life.

    The accesses that it waits for are spread evenly over its references, each at once behind the reference's burst; so
    is the log's behind the end. Of more than `MOST_STEPS` references, the bursts of some count as one kind.
    """
    seconds = 1 / computer.instructions_per_s
    steps = min(max(1, int(references)), MOST_STEPS)
    behind = [burst for burst in (*accesses, *log) if burst.behind]
    access = _mixed([burst for burst in accesses if not burst.behind])
    at_end = _mixed([burst for burst in log if not burst.behind])
    kinds = ["begin", *("reference", "access") * steps, "end", "log"]
    work = {
        "begin": (1.0, computer.instructions_begin * seconds),
        "reference": (references / steps, computer.instructions_reference * seconds),
        "end": (1.0, computer.instructions_end * seconds),
    }
    for kind in kinds:
        if kind in work:
            visits.compute(*work[kind])
        else:
            burst = replace(access, count=access.count / steps) if kind == "access" else at_end
            visits.bursts.append(burst)
    size = len(kinds)
    follows, returns = np.zeros((size, size)), np.zeros((size, size))
    for at in range(size - 1):
        if kinds[at] == "reference":
            share = min(1.0, visits.bursts[at + 1].count / visits.bursts[at].count)
            follows[at, at + 1], follows[at, at + 2] = share, (1 - share) * steps / references
            again = share / visits.bursts[at + 1].count if share else 0.0
            follows[at + 1, at + 2] = again * access.held
            returns[at + 1, at + 2] = again * (1 - access.held)
        elif kinds[at] == "access":
            continue
        elif kinds[at] == "begin":
            follows[at, at + 1] = 1.0
        else:
            follows[at, at + 1] = min(1.0, at_end.count)
    visits.bursts += behind
    visits.follows, visits.returns = (np.pad(matrix, (0, len(behind))) for matrix in (follows, returns))


def _mixed(bursts: list[_Burst]) -> _Burst:
    """All of them as one kind. held: the share after which no device comes."""
    count = sum(burst.count for burst in bursts)
    if not count:
        return _Burst(0.0, 0.0, 0.0)
    mean_s, second_s2, held = (
        sum(burst.count * getattr(burst, name) for burst in bursts) / count for name in ("mean_s", "second_s2", "held")
    )
    return _Burst(count, mean_s, second_s2, False, held)


def _processor_wait_s(visits: _Visits, rate_hz: float, servers: int) -> float:
    """Wait of a transaction for the processors, over all its own bursts; inf if they are full.

    Whoever comes back from a device finds the queue that it left if that was just now, and any queue if it was long
    ago; between the two the queue forgets with the relaxation time of M/M/c, 1 / (c μ (1 - √ρ)²) (Cohen, The Single
    Server Queue, 1982).
    """
    load = rate_hz * visits.work_s[0]
    if load >= servers or load == 0:
        return math.inf if load else 0.0
    count, mean_s, second_s2, own = visits.moments
    each_s, full = visits.work_s[0] / count.sum(), load / servers
    relaxation_s = each_s / servers / (1 - math.sqrt(full)) ** 2
    follows = visits.follows + visits.returns * math.exp(-visits.away_s / relaxation_s)
    without_length(mean_s, follows)
    waits_s = feedback_waits_s(rate_hz * count, mean_s / servers, second_s2 / servers**2, follows)
    return float((own * waits_s).sum()) * erlang_c(servers, load) / full


@remembered
def _updates(load: Load) -> float:
    """Share of the transactions that change something."""
    return float(np.maximum.reduceat(load.write, load.first[:-1]).mean())


def _behind(buffered: Buffered, visits: _Visits, rate_hz: float, servers: list[int], queues: list[int]) -> Behind:
    i, count = buffered.station, visits.count[buffered.station]
    each_s, asked = visits.work_s[i] / count, count / buffered.visits
    of_queue = (rate_hz * count / queues[i], each_s, servers[i] // queues[i])
    response_s = buffered.visits * (each_s + wait_s(*of_queue, visits.spread(i)))
    return Behind(rate_hz * asked, response_s, servers[i], buffered.writes / asked)


def _accesses(
    visits: _Visits, system, place: Place, reads, cache_hits, writes, destaged, clean_early, sharing=1.0
) -> float:
    """Book the accesses to a partition or the log where they happen; returns those that go to NVEM.

    sharing: transactions that wait for each write.
    """
    if place.home == NVEM:
        return reads + writes
    if all(place.home != unit.name for unit in system.units):
        return 0.0
    number = [unit.name for unit in system.units].index(place.home)
    unit, computer = system.units[number], system.computer
    io_s = computer.instructions_io / computer.instructions_per_s
    destage_s = computer.instructions_destage / computer.instructions_per_s
    controller, disk = 2 + 2 * number, 3 + 2 * number
    fast = unit.kind in (NONVOLATILE, WRITE_BUFFER)
    in_nvem = writes if place.nvem_write_buffer else 0.0
    direct = writes - in_nvem
    visits.compute(reads, io_s)
    visits.compute(direct, io_s, clean_early)
    visits.compute(in_nvem + destaged, destage_s, True)
    law = SPREADS[computer.controller_law]
    visits.add(controller, reads, unit.controller_s, spread=law)
    visits.add(controller, direct, unit.controller_s, clean_early, law)
    visits.add(controller, in_nvem + destaged, unit.controller_s, True, law)
    visits.delay_s += (reads + (0 if clean_early else direct)) * unit.transmission_s
    behind_s = unit.transmission_s + unit.write_delay_s
    size = (unit.cache_pages, unit.transmission_s, behind_s)
    if place.nvem_write_buffer:
        size = (computer.nvem_write_buffer_pages, computer.nvem_s, io_s + unit.controller_s + behind_s)
    if place.nvem_write_buffer or kind_of(system, unit) == WRITE_BUFFER:
        waits = 0.0 if clean_early else sharing * writes
        visits.buffers.append(Buffered(disk, writes, waits, 1 + unit.reads_old, place.nvem_write_buffer, *size))
    if unit.kind != SSD:
        of_read, of_write = (unit.spread(computer.disk_law, write=flag) for flag in (False, True))
        visits.add(disk, reads - cache_hits, unit.read_s, spread=of_read)
        of_a_write = [(unit.write_s, of_write), *([(unit.read_s, of_read)] if unit.reads_old else [])]
        for each_s, spread in of_a_write:
            visits.add(disk, direct, each_s, fast or clean_early, spread)
            visits.add(disk, in_nvem + destaged, each_s, True, spread)
            visits.add(disk, (unit.copies - 1) * (direct + in_nvem + destaged), each_s, True, spread)
        waited = 0 if fast or clean_early else direct
        visits.delay_s += (reads - cache_hits) * unit.read_delay_s + waited * unit.write_delay_s
    return in_nvem
