"""Every plan by closed form at once: queues of its devices, response time and percentile, power, wear and money.

Arrays with one entry per plan; what it rests on stands in docs/models/planner.md#by-formula.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

import numpy as np

from pagecost.economics import LEVELS
from pagecost.economics.ownership import PARTS, Holding, Owned, Terms, ownership, worn_out_s
from pagecost.economics.sizing import GROUP
from pagecost.planner.growth import NO_GOAL, Goal, in_last_year, last_load
from pagecost.planner.numbers import Numbers
from pagecost.planner.percentiles import OfTypes, percentile_of_types
from pagecost.planner.room import Held, held, pages_lie_over
from pagecost.planner.space import LEVEL_NAMES, Space
from pagecost.planner.station import (
    NOT_BUFFERED,
    PLACES_OF_COPIES,
    PLACES_TAKEN,
    WRITE_WRITES,
    Destaged,
    Station,
    choose,
    each_of,
    station,
)
from pagecost.planner.visits import Visits
from pagecost.planner.waits import (
    Wait,
    for_writer,
    log_writes_hz,
    most_of,
    servers_wait,
    visits_wait_variance,
    writer_utilisation,
)
from pagecost.planner.write_buffer import Buffer, durable_in, write_buffer

LEAST_LIFE = 1e-3  # of the horizon: what is worn out sooner is as good as worn out at once
ROLES = ("database", "hot", "log")
Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Screened:
    """What each plan gives; arrays with one entry per plan. Money in dollars, times in s.

    terms: of the mean response, which add up to it. busy: of the busiest part, by `parts`. capacity_hz: transactions
    per second at which that part is always busy. parts_usd: what the cost is made of beside main memory, by
    `economics.PARTS`. energy_kwh: over the horizon, with all that the devices' energy brings along.
    """

    response_s: Array
    percentile_s: Array
    of_types: OfTypes
    terms: Mapping[str, Array]
    busy: Mapping[str, Array]
    capacity_hz: Array
    usable: Array
    mean_w: Array
    life_s: Array
    purchase_usd: Array
    memory_usd: Array
    cost_usd: Array
    parts_usd: Mapping[str, Array]
    energy_kwh: Array

    @property
    def busiest(self) -> Array:
        """Share of the time that the busiest part works, at least 0."""
        return np.max(list(self.busy.values()), axis=0)


TERMS = {
    "processor_s": "processing and waiting for a processor",
    "reads_s": "reading pages",
    "writes_s": "writing pages that make room or are forced",
    "log_s": "log",
}


def screen(space: Space, numbers: Numbers, visits: Visits, percentile: float, goal: Goal = NO_GOAL) -> Screened:
    """Every plan of the space. percentile: of the response time, in %. goal: a plan whose devices reach it with the
    load of the last year, too, needs no more of them for the load; to the others devices are added as it grows, so
    that the load of each is never above that of the start.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        lasting: Array = np.ones(space.size, bool)
        if np.any(last_load(numbers) > 1):
            last = _screen(space, in_last_year(numbers), visits, percentile, lasting)
            lasting = (last.percentile_s <= goal.response_s) & (last.busiest <= goal.busy)
        return _screen(space, numbers, visits, percentile, lasting)


def _screen(space: Space, n: Numbers, visits: Visits, percentile: float, lasting: Array) -> Screened:
    at = space.memory
    cold_reads, hot_reads = visits.cold_reads[at], visits.hot_reads[at]
    cold_writes, hot_writes = visits.cold_writes[at], visits.hot_writes[at]
    apart, own_log, buffered = space.hot >= 0, space.log >= 0, space.write_buffer >= 0
    rate, committed = n.rate_hz, n.rate_hz * n.updates
    zero = np.zeros(space.size)
    reads = {"database": cold_reads + np.where(apart, 0, hot_reads), "hot": np.where(apart, hot_reads, 0)}
    writes = {"database": cold_writes + np.where(apart, 0, hot_writes), "hot": np.where(apart, hot_writes, 0)}
    places = {
        "database": space.database,
        "hot": np.where(apart, space.hot, space.database),
        "log": np.where(own_log, space.log, space.database),
    }
    holds = held(n, apart, own_log)
    lies_over = pages_lie_over(n, holds)
    processor = servers_wait(zero + rate, zero + n.transaction_s, zero + n.processors, zero + 1.0)
    log_buffered = buffered & ~own_log
    again, in_turn = _page_after_page(n, reads, writes, buffered, log_buffered)
    between_s = each_of(n.transaction_s + processor.wait_s, in_turn)
    destaged = _destaged(n, reads, writes, committed, buffered, own_log)
    stations: dict[str, Station] = {}
    for role in ("database", "hot"):
        asked = (rate * reads[role], rate * writes[role], zero)
        stations[role] = station(space, n, places[role], getattr(lies_over, role), *asked, again[role], between_s)
    with_log = np.where(own_log, inf, lies_over.database)  # the arm of a log's own disk moves little either way
    log_alone = station(space, n, places["log"], with_log, zero, zero, zero, zero, zero)
    log_behind = station(space, n, places["log"], with_log, zero, zero, zero + committed, zero, zero, at_end=True)
    shared = np.where(own_log, 0, stations["database"].wait_s)
    write_s = log_alone.write_steps * shared + np.where(own_log, log_behind.log_s, log_alone.write_s)
    buffer = write_buffer(space, n, rate * writes["database"])
    write_s = np.where(log_buffered, buffer.wait_s + buffer.write_s, write_s)
    logs_hz = log_writes_hz(committed, write_s, n.group_size, space.size)
    in_database = (rate * reads["database"], rate * writes["database"], np.where(own_log, 0, logs_hz))
    stations["database"] = station(
        space, n, places["database"], lies_over.database, *in_database, again["database"], between_s, destaged=destaged
    )
    stations["log"] = station(space, n, places["log"], with_log, zero, zero, logs_hz, zero, zero, at_end=True)
    buffer = write_buffer(space, n, rate * writes["database"] + np.where(own_log, 0, logs_hz))
    log = choose(own_log, stations["log"], stations["database"])
    log = choose(log_buffered, durable_in(buffer, log), log)
    log_write_s, log_wait_s = log.log_s, log.write_steps * log.log_wait_s
    writer = zero
    if not n.log_spread:  # one write at a time
        shared_busy = np.where(own_log, 0, np.where(buffered, buffer.busy, stations["database"].busy))
        queue_s, queue_variance = (np.where(own_log, 0, each) for each in (log_wait_s, log.log_wait_variance))
        writer = writer_utilisation(zero + committed / n.group_size, log_write_s, queue_s, shared_busy)
        for_writer_s, variance = for_writer(n.group_size, logs_hz, log_write_s + queue_s, queue_variance + log.variance)
        log_wait_s = queue_s + for_writer_s
        log = log._replace(log_wait_variance=queue_variance + variance)
    database, hot = stations["database"], stations["hot"]
    write_each = np.where(
        buffered, buffer.wait_s + buffer.write_s, database.write_steps * database.wait_s + database.write_s
    )
    waves, once_s = writes["database"], zero
    if n.writes_together:  # side by side, and the transaction waits for the device that gets most
        device, count, level = space.groups.of(places["database"])
        most = most_of(waves * PLACES_TAKEN[level], count / PLACES_OF_COPIES[level]) / n.at_once[device]
        once_s = np.where((waves > 1) & ~buffered, np.maximum(most - 1, 0) * database.write_once_s, 0.0)
        waves = np.where(waves > 1, np.maximum(most, 1), waves)
    terms = {
        "processor_s": n.transaction_s + processor.wait_s,
        "reads_s": reads["database"] * (database.wait_s + database.read_s) + reads["hot"] * (hot.wait_s + hot.read_s),
        "writes_s": waves * write_each - once_s + writes["hot"] * (hot.write_steps * hot.wait_s + hot.write_s),
        "log_s": n.updates * (log_write_s + log_wait_s),
    }
    response = np.sum(list(terms.values()), axis=0)
    in_turn_writes = {"database": np.where(buffered, 0, waves), "hot": writes["hot"]}
    of_types = _of_types(n, visits, at, terms, reads, writes, in_turn_writes, stations, log, processor)
    busy = {
        "processors": processor.busy,
        "database": database.busy,
        "hot": np.where(apart, hot.busy, 0),
        "log": np.where(own_log, np.maximum(stations["log"].busy, writer), writer),
        "write buffer": np.where(buffered, buffer.busy, 0),
    }
    if n.group_size > 1:  # a log that gathers is busy and seldom full
        busy["log"] = writer
    busiest = np.max(list(busy.values()), axis=0)
    saturated = busiest >= 1
    response = np.where(saturated, inf, response)
    money = _money(space, n, places, holds, stations, buffer, writes, logs_hz, apart, own_log, buffered, lasting)
    memory_bytes = space.memories.frames[at] * float(n.page_bytes) + space.memories.cache_bytes[at]
    memory_usd = memory_bytes * n.memory_byte_usd
    return Screened(
        response_s=response,
        percentile_s=np.where(saturated, inf, percentile_of_types(of_types, percentile)),
        of_types=of_types,
        terms=terms,
        busy=busy,
        capacity_hz=rate / busiest,
        usable=money.usable,
        mean_w=money.mean_w,
        life_s=money.life_s,
        purchase_usd=money.purchase_usd + memory_usd,
        memory_usd=memory_usd,
        cost_usd=money.total_usd + memory_usd,
        parts_usd=money.parts_usd,
        energy_kwh=money.energy_kwh,
    )


def _page_after_page(n: Numbers, reads, writes, buffered, log_buffered) -> tuple[dict[str, Array], Array]:
    """By role, the share of the requests after which a transaction asks for another page there; and for how many it
    waits, one after the other. None comes behind writes that go together, and nobody waits for those to a buffer; a
    log behind the buffer (log_buffered) is among the requests to the database's devices."""
    waited = {
        "database": reads["database"] + np.where(buffered | n.writes_together, 0, writes["database"]),
        "hot": reads["hot"] + (0 if n.writes_together else writes["hot"]),
    }
    in_turn = waited["database"] + waited["hot"]
    goes_on = each_of(np.maximum(in_turn - 1, 0), in_turn)
    logs = {"database": np.where(log_buffered, n.updates / n.group_size, 0.0), "hot": 0.0}
    return {
        role: each_of(pages * goes_on, reads[role] + writes[role] + logs[role]) * each_of(pages, in_turn)
        for role, pages in waited.items()
    }, in_turn


def _destaged(n: Numbers, reads, writes, committed: float, buffered: Array, own_log: Array) -> Destaged:
    """What goes on from the write buffer to the database's devices: at once, each page that makes room before the read
    that it makes room for; and when a transaction ends what FORCE writes, and its log where that lies there."""
    logs = np.where(own_log, 0, 1 / n.group_size)
    if n.forced:
        pages = each_of(writes["database"], n.updates)
        at_end = Destaged(0.0, np.maximum(pages + logs, 1), np.where(pages + logs > 0, committed, 0))
    else:
        made_room = np.minimum(each_of(writes["database"], reads["database"]), 1)
        at_end = Destaged(made_room, np.ones_like(logs), committed * logs)
    return Destaged(*(np.where(buffered, of, none) for of, none in zip(at_end, NOT_BUFFERED, strict=True)))


_MIRRORED = LEVEL_NAMES.index("raid-1")
_PARITIES = np.array([LEVELS[name].parities for name in LEVEL_NAMES])


def _of_types(n, visits: Visits, at, terms, reads, writes, waves, stations, log: Station, processor: Wait) -> OfTypes:
    """Each type waits at each device as all do, as often as it comes. Its variance is that of the visits, and that of
    the number of visits, which goes with the references: what touches more, computes and writes more. waves: of the
    writes, those for which a transaction waits one after the other.
    """
    types = visits.types
    read, wrote = visits.reads[at].T, visits.writes[at].T
    read_s = each_of(terms["reads_s"], reads["database"] + reads["hot"])
    write_s = each_of(terms["writes_s"], writes["database"] + writes["hot"])
    processing_s = types.processing[:, None] * n.transaction_s
    updates, logged_s = types.updates[:, None], each_of(terms["log_s"], n.updates)
    mean = processing_s + processor.wait_s + read * read_s + wrote * write_s + updates * logged_s
    own = processing_s**2 / (types.references[:, None] + 1) + processor.wait_variance
    every_read, every_write = (of["database"] + of["hot"] for of in (reads, writes))
    for role in ("database", "hot"):
        group, of_reads, of_writes = stations[role], reads[role], waves[role]
        here = read * each_of(of_reads, every_read) + wrote * each_of(of_writes, every_write)
        waited = each_of(of_reads * group.wait_variance + of_writes * group.write_wait_variance, of_reads + of_writes)
        served = each_of(of_reads * group.variance + of_writes * group.write_variance, of_reads + of_writes)
        demand = types.share[:, None] * (here**2 + visits.reads_variance[at].T + visits.writes_variance[at].T)
        others_s = group.service_s * each_of(np.sum(demand, axis=0), 2 * (of_reads + of_writes))
        stays = mean * (1 - np.minimum(group.busy, 1)) ** 2 / np.maximum(others_s, 1e-12)
        waits = visits_wait_variance(here, waited, group.devices, stays)
        own = own + np.where(here > 0, waits + here * served, 0)
    own = own + updates * (log.log_wait_variance + log.variance) + updates * (1 - updates) * logged_s**2
    counted = np.sqrt(types.references_variation)[:, None] * processing_s
    for each_s, variance in ((read_s, visits.reads_variance), (write_s, visits.writes_variance)):
        counted = counted + np.sqrt(variance[at].T) * each_s
    return OfTypes(types.names, types.share, mean, np.sqrt(own + counted**2))


class _Money(NamedTuple):
    usable: Array
    mean_w: Array
    life_s: Array
    purchase_usd: Array
    total_usd: Array
    parts_usd: dict[str, Array]
    energy_kwh: Array


def _money(
    space, n: Numbers, places, holds: Held, stations, buffer: Buffer, writes, logs_hz, apart, own_log, buffered, lasting
) -> _Money:
    """Devices and bytes of each role over the horizon. usable: bytes that fit over bytes that are held, the least.
    lasting: plans whose devices are enough for the load of all years."""
    terms = Terms(
        horizon_s=n.horizon_s,
        price_per_kwh=n.price_per_kwh,
        power_usage_effectiveness=n.power_usage_effectiveness,
        discount_per_year=n.discount_per_year,
        growth_per_year=n.growth_per_year,
        spare_share=n.spare_share,
        failures_per_year=n.failures_per_year,
    )
    written = {
        "database": n.rate_hz * writes["database"] * n.durable_page_bytes + ~own_log * logs_hz * n.durable_log_bytes,
        "hot": n.rate_hz * writes["hot"] * n.durable_page_bytes,
        "log": np.where(own_log, logs_hz * n.log_bytes, 0.0),
    }
    there = {"database": np.ones(space.size, bool), "hot": apart, "log": own_log}
    usable = np.full(space.size, inf)
    mean_w, life = np.zeros(space.size), np.full(space.size, inf)
    purchase, total = np.zeros(space.size), np.zeros(space.size)
    owned: dict[str, Owned] = {}
    for role in ROLES:
        device, count, level = space.groups.of(places[role])
        share = space.groups.usable[places[role]]
        fits = n.capacity_bytes[device] * count * share
        stored = getattr(holds, role)
        usable = np.where(there[role], np.minimum(usable, fits / np.maximum(stored, 1)), usable)
        each_hz = WRITE_WRITES[level] * written[role] / count
        worn = np.where(each_hz > 0, n.written_bytes[device] / np.where(each_hz > 0, each_hz, 1), inf)
        busy = np.clip(stations[role].busy, 0, 1)
        by_bytes = np.isfinite(n.byte_usd[device])
        price = np.where(by_bytes, n.byte_usd[device] * stored / np.maximum(share, 1e-9) / count, n.price_usd[device])
        power = _power(n, device, busy)
        holding = Holding(
            count=np.where(there[role], count, 0),
            price=price,
            mean_w=np.nan_to_num(power.mean_w),
            worn_s=_worn(n, worn),
            idle_w=np.nan_to_num(power.idle_w),
            wanted=np.where(there[role] & ~lasting, count, 0),
            data=np.where(there[role], stored / n.capacity_bytes[device], 0.0),
            together=np.where(level == _MIRRORED, 2, 1),
            parities=_PARITIES[level],
            group=GROUP,
        )
        owned[role] = ownership(holding, terms)
        mean_w = mean_w + np.where(there[role], count * power.mean_w, 0)
        life = np.where(there[role], _least(life, _worn_out(worn, holding, terms)), life)
        purchase = purchase + np.where(there[role], count * price, 0)
        total = total + np.where(there[role], owned[role].total, 0)
    device = np.maximum(space.write_buffer, 0)
    by_bytes = np.isfinite(n.byte_usd[device])
    price = np.where(by_bytes, n.byte_usd[device] * n.write_buffer_bytes, n.price_usd[device])
    worn = n.written_bytes[device] / np.maximum(written["database"], 1e-30)
    power = _power(n, device, np.clip(buffer.busy, 0, 1))
    holding = Holding(
        buffered * 1,
        price,
        np.nan_to_num(power.mean_w),
        _worn(n, worn),
        idle_w=np.nan_to_num(power.idle_w),
        wanted=np.where(buffered & ~lasting, 1, 0),
    )
    owned["write buffer"] = ownership(holding, terms)
    there["write buffer"] = buffered

    def of_all(name: str) -> Array:
        return np.sum([np.where(there[role], getattr(each, name), 0) for role, each in owned.items()], axis=0)

    return _Money(
        usable,
        mean_w + np.where(buffered, power.mean_w, 0),
        np.where(buffered, _least(life, _worn_out(worn, holding, terms)), life),
        purchase + np.where(buffered, price, 0),
        total + np.where(buffered, owned["write buffer"].total, 0),
        {name: of_all(name) for name in PARTS},
        of_all("energy_kwh"),
    )


class _Power(NamedTuple):
    """Of one device; nan where it is not known, which then costs nothing, and a note says so."""

    idle_w: Array
    mean_w: Array


def _power(n: Numbers, device: Array, busy: Array) -> _Power:
    idle, active = n.idle_w[device], n.active_w[device]
    return _Power(np.where(np.isnan(active), np.nan, idle), idle + (active - idle) * busy)


def _worn(n: Numbers, worn_s: Array) -> Array:
    """When a device is bought anew: never where that is not known, and not more often than can be counted."""
    return np.where(np.isnan(worn_s), inf, np.maximum(worn_s, LEAST_LIFE * n.horizon_s))


def _worn_out(worn_s: Array, holding: Holding, terms: Terms) -> Array:
    """When a device of the start is worn out: worn_s by the load of the start; nan where it is not known."""
    if not np.any(terms.growth_per_year):
        return worn_s
    known = np.isfinite(worn_s)
    return np.where(known, worn_out_s(replace(holding, worn_s=np.where(known, worn_s, inf)), terms), worn_s)


def _least(one: Array, other: Array) -> Array:
    """The smaller, nan where one is not known."""
    return np.where(np.isnan(one) | np.isnan(other), np.nan, np.minimum(one, other))
