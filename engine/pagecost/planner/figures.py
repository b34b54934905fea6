"""The figures of a plan: each with its formula, the numbers filled in, its sources and the line that gives it again."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite, isnan, nan

import numpy as np

from pagecost import catalogue, devices
from pagecost.economics import YEAR_S, hierarchy
from pagecost.economics.ownership import PARTS, Currency
from pagecost.planner.finalists import Simulated
from pagecost.planner.numbers import Numbers
from pagecost.planner.percentiles import OfTypes
from pagecost.planner.planned import Figure, Group
from pagecost.planner.room import held
from pagecost.planner.run_lines import run_line
from pagecost.planner.screening import TERMS, Screened
from pagecost.planner.space import Parts, Space, parts_of
from pagecost.system import NOTHING, System
from pagecost.units import format_bytes, format_cell, format_years, grouped

GROWS = "more work comes than the busiest part can do, so that its queue grows without end"

Interval = tuple[float, float]
EXACT: Interval = (nan, nan)


@dataclass(frozen=True, eq=False)
class Row:
    """One plan of a screened space."""

    space: Space
    screened: Screened
    numbers: Numbers
    place: int

    @cached_property
    def code(self) -> str:
        """Of the plan."""
        return self.space.code(self.place)

    @cached_property
    def parts(self) -> Parts:
        """Of the plan."""
        return parts_of(self.code)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """What the plan buys, by role."""
        parts, n = self.parts, self.numbers
        sizes = held(n, parts.hot is not None, parts.log is not None)
        found = [
            Group(role, group[0], 0 if by_bytes(n, group[0]) else group[1], group[2], float(getattr(sizes, role)))
            for role in ("database", "log", "hot")
            if (group := getattr(parts, role)) is not None
        ]
        if parts.write_buffer != NOTHING:
            count = 0 if by_bytes(n, parts.write_buffer) else 1
            found.append(Group("write buffer", parts.write_buffer, count, "raid-0", float(n.write_buffer_bytes)))
        return tuple(found)

    def __getattr__(self, name: str) -> float:
        """A number of this plan by its name in `Screened`."""
        return float(np.asarray(getattr(self.screened, name))[self.place])


def _in(currency: Currency, usd: float) -> float:
    """Dollars in that currency."""
    return float(currency.of_usd(usd))


def by_bytes(n: Numbers, device: str) -> bool:
    """Whether bytes of it are bought, not devices."""
    return bool(np.isfinite(n.byte_usd[n.place(device)]))


def title_of(row: Row) -> str:
    """A plan in a line, as people say it."""
    parts, words = row.parts, []
    for role, group in (("", parts.database), ("log on ", parts.log), ("hot pages on ", parts.hot)):
        if group is None:
            continue
        device, count, level = group
        name = devices.title_of(device)
        many = name if by_bytes(row.numbers, device) else f"{count} × {name}"
        words.append(f"{role}{many}" + (f" as {level.upper()}" if count > 1 or level != "raid-0" else ""))
    if parts.write_buffer != NOTHING:
        words.append(f"written through {devices.title_of(parts.write_buffer)}")
    words.append(f"{grouped(parts.buffer_frames)} frames of buffer")
    if parts.page_cache_bytes:
        words.append(f"{format_bytes(parts.page_cache_bytes)} of page cache")
    return ", ".join(words)


def figures_of(
    row: Row,
    system: System,
    settings: tuple[str, ...],
    currency: Currency,
    intervals: dict[str, Interval],
    simulated: Simulated | None,
) -> dict[str, Figure]:
    """Every figure of a plan. settings: `settings_of` the system. intervals: name -> ends within the uncertainty of the
    inputs; else what is exact."""
    memory = system.candidates.memory
    sources = sources_of(row.parts, *([memory] if row.memory_usd else []))
    line = run_line(settings, row.code)
    found = {
        name: Figure(name, title, value, unit, *intervals.get(name, EXACT), formula, sources, line)
        for name, title, value, unit, formula in _by_formula(row, system, currency)
    }
    if simulated and not simulated.why:
        line = run_line(settings, row.code, runs=simulated.runs)
        found |= {
            name: Figure(name, title, value, unit, value - half, value + half, formula, sources, line, simulated=True)
            for name, title, (value, half), unit, formula in _by_runs(simulated, system)
            if isfinite(value)
        }
    return found


def _by_formula(row: Row, system: System, currency: Currency) -> Iterator[tuple[str, str, float, str, str]]:
    n, at, percentile = row.numbers, row.place, system.targets.percentile
    money = currency.code
    terms = {name: float(np.asarray(values)[at]) for name, values in row.screened.terms.items()}
    said = " + ".join(f"{TERMS[name]} {format_cell(value, 's')}" for name, value in terms.items())
    steady = isfinite(row.response_s)
    yield (
        "response_s",
        "mean response time",
        row.response_s,
        "s",
        f"{said} = {format_cell(row.response_s, 's')}" if steady else GROWS,
    )
    yield (
        "percentile_s",
        f"response time of {percentile} %",
        row.percentile_s,
        "s",
        f"{_distribution(row.screened.of_types, at)}, at {percentile} % = {format_cell(row.percentile_s, 's')}"
        if steady
        else GROWS,
    )
    busy = {name: float(np.asarray(values)[at]) for name, values in row.screened.busy.items()}
    worst = max(busy, key=lambda name: busy[name])
    yield (
        "busy",
        "busy share of the busiest part",
        busy[worst],
        "1",
        f"the largest of {', '.join(f'{name} {share:.4g}' for name, share in busy.items() if share > 0)}",
    )
    yield (
        "capacity_hz",
        "transactions per second at most",
        row.capacity_hz,
        "1/s",
        f"{format_cell(n.rate_hz, '1')} transactions/s / {busy[worst]:.4g} busy share of the {worst} = "
        f"{format_cell(row.capacity_hz, '1')}/s",
    )
    yield (
        "usable",
        "room over what is stored",
        row.usable,
        "1",
        f"bytes that fit over bytes held, the least of all groups = {format_cell(row.usable, '1')}",
    )
    yield from _power_and_life(row)
    parts = {name: float(np.asarray(values)[at]) for name, values in row.screened.parts_usd.items()}
    memory = _in(currency, row.memory_usd)
    spent = {PARTS[name]: _in(currency, value) for name, value in parts.items() if value}
    if memory:
        spent["main memory"] = memory
    cost = _in(currency, row.cost_usd)
    added = " + ".join(f"{title} {value:.2f}" for title, value in spent.items())
    yield "cost", f"cost of {format_years(n.horizon_s / YEAR_S)}", cost, money, f"{added} = {cost:.2f} {money}"
    yield (
        "purchase",
        "devices and main memory at the start",
        _in(currency, row.purchase_usd),
        money,
        f"{' + '.join(_bought(row, currency))} = {_in(currency, row.purchase_usd):.2f} {money}",
    )
    if n.carbon_kg_per_kwh:
        kwh = float(np.asarray(row.screened.energy_kwh)[at])
        carbon = kwh * n.carbon_kg_per_kwh
        yield (
            "carbon_kg",
            f"CO₂ of the energy of {format_years(n.horizon_s / YEAR_S)}",
            carbon,
            "kg",
            f"{kwh:.4g} kWh × {n.carbon_kg_per_kwh:g} kg/kWh = {carbon:.4g} kg; making the devices is left out",
        )
    for name in PARTS:
        if name != "purchase" and parts[name]:
            value = _in(currency, parts[name])
            yield (
                name,
                PARTS[name],
                value,
                money,
                f"over {format_years(n.horizon_s / YEAR_S)}, of all devices = {value:.2f}",
            )


def _distribution(of: OfTypes, at: int) -> str:
    """How response times are distributed, by type of transaction where there are several."""
    each = [
        f"mean {format_cell(mean, 's')} and deviation {format_cell(deviation, 's')}"
        for mean, deviation in zip(of.mean_s[:, at], of.deviation_s[:, at], strict=True)
    ]
    if len(each) == 1:
        return f"gamma distribution with {each[0]}"
    parts = (f"{share:.1%} {name} ({of_it})" for share, name, of_it in zip(of.share, of.names, each, strict=True))
    return f"gamma distributions, one for each type of transaction: {', '.join(parts)}"


def _bought(row: Row, currency: Currency) -> Iterator[str]:
    n = row.numbers
    for group in row.groups:
        at = n.place(group.device)
        if group.count:
            yield f"{group.count} × {_in(currency, n.price_usd[at]):g}"
        else:
            device = catalogue.device(group.device)
            price = hierarchy.newest_price(device)
            per = device.bytes_of(price)
            yield f"{format_cell(group.size_bytes / per, '1')} {price.per} × {_in(currency, n.byte_usd[at]) * per:g}"
    if row.memory_usd:
        parts = row.parts
        size = parts.buffer_frames * n.page_bytes + parts.page_cache_bytes
        each = format_cell(_in(currency, n.memory_byte_usd) * 1e9, "1")
        yield f"{format_cell(size / 1e9, '1')} GB of memory × {each}"


def _power_and_life(row: Row) -> Iterator[tuple[str, str, float, str, str]]:
    n, groups = row.numbers, row.groups
    places = {devices.title_of(group.device): n.place(group.device) for group in groups}
    watts = []
    for group in groups:
        at, count = n.place(group.device), f"{group.count} × " if group.count else ""
        idle, active = _or_unknown(n.idle_w[at], "W"), _or_unknown(n.active_w[at], "W")
        watts.append(f"{count}{devices.title_of(group.device)} ({idle} idle, {active} at work)")
    mean = _or_unknown(row.mean_w, "W", ".4g")
    shares = "by busy shares of the first year" if n.growth_per_year else "by busy shares"
    yield "mean_w", "power of all devices", row.mean_w, "W", f"{' + '.join(watts)}, {shares} = {mean}"
    worn = [f"{title} {_bytes_or_unknown(n.written_bytes[at])}" for title, at in places.items()]
    unknown = [title for title, at in places.items() if isnan(n.written_bytes[at])]
    years = row.life_s / YEAR_S
    if years < inf:
        grows = f", {100 * n.growth_per_year:.3g} % more each year" if n.growth_per_year else ""
        written = f"those written to one a second{grows}"
        formula = f"bytes that wear one out ({', '.join(worn)}) over {written} = {years:.4g} years"
    elif unknown:
        formula = f"the endurance of {', '.join(unknown)} is not known, so that the life of the plan is not"
    else:
        formula = "nothing of it is worn out by writes"
    yield "life_years", "life of the devices", years, "year", formula


def _bytes_or_unknown(count: float) -> str:
    return format_bytes(count, decimal=True) if isfinite(count) else _or_unknown(count, "B")


def _or_unknown(value: float, unit: str, digits: str = "g") -> str:
    if isnan(value):
        return "not known"
    return f"{value:{digits}} {unit}" if value < inf else "without end"


def _by_runs(found: Simulated, system: System) -> Iterator[tuple[str, str, tuple[float, float], str, str]]:
    runs = f"mean of {found.runs} runs with other random numbers" if found.runs > 1 else "one run"
    percentile = system.targets.percentile
    yield "simulated_tps", "transactions per second, simulated", found.tps, "1/s", runs
    yield "simulated_response_s", "mean response time, simulated", found.response_s, "s", runs
    title = f"response time of {percentile} %, simulated"
    yield "simulated_percentile_s", title, found.percentile_s, "s", runs
    yield "simulated_busy", "busy share of the busiest device, simulated", found.busy, "1", runs
    yield "simulated_w", "power of all devices, simulated", found.mean_w, "W", runs


def sources_of(parts: Parts, *beside: str) -> tuple[str, ...]:
    """Keys of the catalogue's sources of the numbers and prices of a plan's devices, and of what is bought beside."""
    found: list[str] = []
    groups = [group[0] for group in (parts.database, parts.log, parts.hot) if group]
    for name in (*groups, parts.write_buffer, *beside):
        device = catalogue.devices().get(name)
        if device is not None:
            found += [each.source for each in device.parameters.values()]
            found += [hierarchy.newest_price(device).source] if device.dollar_prices else []
    return tuple(dict.fromkeys(found))


def _seconds(value: float) -> str:
    return format_cell(value, "s")
