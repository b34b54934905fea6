"""The words of the study `total_cost`: of its columns, its notes, and its formula with the numbers."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from pagecost import catalogue
from pagecost.devices import title_of
from pagecost.economics import LEVELS, MOST_YEARS, YEAR_S, group_said, hierarchy
from pagecost.errors import present
from pagecost.studies.economics.total_cost_parts import ALL_PARTS
from pagecost.studies.finding import Derived, Finding, at, compared
from pagecost.studies.shared_fields import percent
from pagecost.studies.study import Column, Fact, Result, Table
from pagecost.studies.typed import CATALOGUE, typed_failures, typed_prices
from pagecost.units import format_cell, format_seconds, format_si, format_years, grouped

if TYPE_CHECKING:
    from pagecost.studies.economics.total_cost import Answer, Inputs

TIME, PAIRS, CROSSINGS, ENDURANCE, POWER = "time", "pairs", "crossings", "endurance", "power"
MADE_OF, BY_YEAR, CARBON = "parts", "by_year", "carbon"
COUNTED, LEFT_OUT = "counted", "left out"
USUAL_SHARE = 0.08, 0.25  # of a database server's energy that its storage takes, Schmidt 2009, §2


LABELS = {
    "device": ("text", "device"),
    "other": ("text", "compared with"),
    "decided_by": ("text", "what sets the number of devices"),
    "count": ("1", "devices"),
    "for_volume": ("1", "devices for the volume"),
    "for_throughput": ("1", "devices for the requests"),
    "busy": ("1", "share of the time that a device works"),
    "max_iops": ("1/s", "requests a second at most"),
    "written_bytes_per_s": ("B/s", "written to a device"),
    "wear": ("text", "endurance"),
    "price_usd": ("USD", "price of a device"),
    "initial_usd": ("USD", "devices"),
    "replaced_usd": ("USD", "worn devices bought anew"),
    "added_usd": ("USD", "devices for growth, spares and failures"),
    "energy_usd": ("USD", "energy"),
    "memory_usd": ("USD", "main memory and its energy"),
    "total_usd": ("USD", "cost in all"),
    "usd_per_iops": ("USD s", "cost of a request a second that it can do"),
    "mean_w": ("W", "mean power"),
    "storage_share": ("1", "storage's share of the server's energy"),
    "years": ("year", "years in use"),
    "cheaper": ("text", "the cheaper one in the end"),
    "now_cheaper": ("text", "the cheaper one from then on"),
    "rated_bytes": ("B", "bytes that a device may be written"),
    "worn_years": ("year", "years until worn out"),
    "replacements": ("1", "times that all are replaced"),
    "idle_w": ("W", "power of an idle device"),
    "active_w": ("W", "power of a working device"),
    "iops_per_w": ("1/J", "requests a second and watt"),
    "overtaken_years": ("year", "years until energy costs as much as the devices"),
    "rated_per_day": ("1", "drive writes a day that wear it out in the runtime"),
    "asked_per_day": ("1", "drive writes a day that it gets"),
    "year": ("1", "year"),
    "energy_kwh": ("kWh", "energy of the runtime"),
    "energy_kg": ("kg", "CO₂ of the energy"),
    "embodied_kg": ("kg", "CO₂ of making the devices"),
    **{part: ("", label) for part, label in ALL_PARTS.items()},
    "total": ("", "cost in all"),
}
"""Unit and label of every column; no unit: in the inputs' currency."""


def columns_of(rows: list[dict], names: dict[str, str], currency: str) -> dict[str, Column]:
    """Rows of one kind as columns."""
    named = ("device", "other", "cheaper", "now_cheaper")
    columns = {}
    for name in rows[0]:
        unit, label = LABELS[name]
        values = np.array([row[name] for row in rows])
        columns[name] = Column(values, unit or currency, label, names if name in named else {})
    return columns


def notes(inputs: "Inputs", answers: Mapping[str, "Answer"]) -> Iterator[str]:
    """What a reader must know of prices, power, wear and what is left out."""
    typed = typed_prices(inputs.prices)
    for name, answer in answers.items():
        device, title = catalogue.device(name), title_of(name)
        newest = device.newest_price
        if name not in typed and newest is None:
            yield f"{title}: the catalogue has no price; give one, such as {name}=100, to see what it costs."
        elif name not in typed and newest is not None:
            yield f"{title}: {hierarchy.said(newest)} of {newest.date} ({catalogue.STATUSES[newest.status]})."
        if answer.power_unknown:
            yield f"{answer.power_unknown}. So its energy and its cost in all are not known."
        if answer.endurance is None:
            yield f"{title}: how much it may be written is not known, so no replacement by wear is counted."
    if inputs.wear == LEFT_OUT:
        yield "Replacement by wear is left out."
    redundancy = LEVELS[inputs.level]
    if redundancy.parities:
        lost = f"a group survives the loss of {redundancy.parities}"
        yield f"{group_said(inputs.level, inputs.group)}: {lost} of its devices."
    yield from _failures(inputs, answers)
    if inputs.money.code != "USD":
        yield (
            f"Prices of the catalogue are dollars, at {inputs.money.usd_per_unit:g} $ for 1 {inputs.money.code} as you "
            "say; tables whose amounts have a $ are in dollars at the same rate (in CSV and JSON they end in usd)."
        )
        usual, code = type(inputs).model_fields["price_per_kwh"].default, inputs.money.code
        if inputs.price_per_kwh == usual:
            yield (
                f"A kWh costs {usual:g} {code} here, a number that is usual in dollars, which are "
                f"{format_cell(inputs.money.of_usd(usual), code)}: say what it costs you."
            )
    if inputs.memory_bytes:
        yield from _memory(inputs)
    if inputs.growth:
        yield "What is added or bought anew later costs what it costs now."
        yield (
            "Devices, how busy they are and the requests a second that they do at most are those of the start; mean "
            "power, its share and the cost of a request a second are means of all years."
        )
    if inputs.carbon_kg_per_kwh and any(np.isnan(answer.owned.carbon_kg) for answer in answers.values()):
        yield "What making the devices emits is not known of all of them, and left out."
    yield "Prices of different years stand beside each other; controllers, space and work are left out."
    yield "Rates are those of data sheets, mostly with many requests outstanding; a request here is 4 KiB."


def _memory(inputs: "Inputs") -> Iterator[str]:
    """Of which modules main memory is, and at which price and power."""
    module = catalogue.device(inputs.memory)
    newest = present(module.newest_price, f"{module.id}: no price of one in dollars is known")
    power = module.parameter("active_w")
    yield (
        f"Main memory is {-(-inputs.memory_bytes // module.value('capacity_bytes')):.0f} × {module.name}, "
        f"{hierarchy.said(newest)} of {newest.date} ({catalogue.STATUSES[newest.status]}) and {power.stated} each "
        f"({catalogue.STATUSES[power.status]}); it is the same of all systems, wears nothing and does not fail."
    )


def _failures(inputs: "Inputs", answers: Mapping[str, "Answer"]) -> Iterator[str]:
    """How often devices fail, and where that is from."""
    if inputs.failures == LEFT_OUT:
        yield "Failed devices are left out."
        return
    typed = {} if inputs.failures == CATALOGUE else typed_failures(inputs.failures)
    for name, answer in answers.items():
        rate = f"{answer.owning.terms.failures_per_year:.3g} failures a device and year"
        if name in typed:
            yield f"{title_of(name)}: {rate}, as you say."
        elif answer.owning.terms.failures_per_year:
            stated = catalogue.device(name).parameter("mtbf_s").stated
            yield f"{title_of(name)}: {rate}, from {stated} between failures, as its maker says."
        else:
            yield f"{title_of(name)}: how often it fails is not known, so none is counted."


def explain(inputs: "Inputs", result: Result) -> list[str]:
    """The number of devices, when they wear out, the total cost with its terms, and each break-even."""
    years = inputs.years if inputs.growth else MOST_YEARS
    lines = [_counted(inputs, result, row) for row in range(len(result))]
    for row in result.rows_in(PAIRS):
        pairs = result.tables[PAIRS]
        one, other, cheaper = (pairs.columns[name].cell(row) for name in ("device", "other", "cheaper"))
        found = result.rows_in(CROSSINGS, device=pairs["device"][row], other=pairs["other"][row])
        if found.size:
            crossings = result.tables[CROSSINGS]
            first = f"{crossings['years'][found[0]]:.3g} years"
            again = (
                f" and change places {len(found) - 1} times more within {format_years(years)}" if len(found) > 1 else ""
            )
            now = crossings.columns["now_cheaper"].cell(found[0])
            lines.append(f"{one} and {other} have cost the same after {first}; then {now} is the cheaper one{again}.")
        else:
            lines.append(f"{one} and {other}: no break-even, {cheaper} is cheaper all along.")
    return lines


def _counted(inputs: "Inputs", result: Result, row: int) -> str:
    """How many of a device are needed, and what they cost."""
    count, title = int(result["count"][row]), result.cell("device", row)
    start = (
        f"{title}: {grouped(result['for_volume'][row])} for {format_si(inputs.volume_bytes, 'B')}, "
        f"{grouped(result['for_throughput'][row])} for {format_cell(inputs.iops, '1')} requests a second at "
        f"{percent(inputs.busy_at_most)} busy, {group_said(inputs.level, inputs.group)}: {count}"
    )
    if not np.isfinite(result["total_usd"][row]):
        unknown = "price" if np.isnan(result["price_usd"][row]) else "power"
        return f"{start}. Its {unknown} is not known."
    code = inputs.money.code
    made = result.tables[MADE_OF]
    (at,) = made.rows(device=result["device"][row])
    price = format_cell(inputs.money.of_usd(result["price_usd"][row]), code)
    mean = " in the mean" if inputs.growth else ""
    energy = (
        f"{format_si(result['mean_w'][row], 'W')}{mean} × PUE {inputs.overhead:g} × {format_years(inputs.years)} × "
        f"{format_cell(inputs.price_per_kwh, code)}/kWh"
    )
    terms = {part: label for part, label in ALL_PARTS.items() if made[part][at] or part in ("purchase", "energy")}
    left = [{"purchase": f"{start} × {price}", "energy": energy}.get(part, label) for part, label in terms.items()]
    right = [made.columns[part].cell(at) for part in terms]
    discounted = f", later money discounted by {inputs.discount:.1%} a year" if inputs.discount else ""
    changing = f", {inputs.growth:+.0%} a year" if inputs.growth else ""
    return (
        f"{' + '.join(left)} = {' + '.join(right)} = {made.columns['total'].cell(at)}{discounted}."
        f"{_worn(result, row, changing)}{_overtaken(inputs, result, row)}{_emitted(result, row)} It takes "
        f"{result['storage_share'][row]:.1%} of the server's energy; {USUAL_SHARE[0]:.0%} to {USUAL_SHARE[1]:.0%} are "
        "usual."
    )


def _emitted(result: Result, row: int) -> str:
    """What its energy emits, where that is asked for."""
    there = _row_of(result, CARBON, row)
    if there is None:
        return ""
    table, at = there
    made = f" and making it {table.columns['embodied_kg'].cell(at)}" if "embodied_kg" in table.columns else ""
    return f" Its {table.columns['energy_kwh'].cell(at)} emit {table.columns['energy_kg'].cell(at)} of CO₂{made}."


def _row_of(result: Result, table: str, row: int) -> tuple[Table, int] | None:
    """The row of a further table that speaks of the device in a row of the main one."""
    rows = result.rows_in(table, device=result["device"][row])
    return (result.tables[table], int(rows[0])) if rows.size else None


def _worn(result: Result, row: int, changing: str) -> str:
    """When its rated bytes are written, and how often all are replaced. changing: what the load does every year."""
    there = _row_of(result, ENDURANCE, row)
    if there is None:
        return ""
    table, at = there
    times = int(table["replacements"][at])
    replaced = f"all are replaced {times} time{'s' * (times != 1)}" if times else "none is replaced"
    rate = format_cell(table["written_bytes_per_s"][at], "B/s")
    worn = format_seconds(table["worn_years"][at] * YEAR_S)
    asked, bears = (f"{table[name][at]:.2g}" for name in ("asked_per_day", "rated_per_day"))
    rated = format_cell(table["rated_bytes"][at], "B")
    return (
        f" A device, {result['wear'][row]}, is written at {rate}, {asked} drive writes a day{changing}, and worn out "
        f"after {worn}: {replaced}. (Over the whole runtime it bears {rated}, {bears} drive writes a day.)"
    )


def _overtaken(inputs: "Inputs", result: Result, row: int) -> str:
    """Belady's question: when has running cost as much as buying?"""
    there = _row_of(result, POWER, row)
    if there is None:
        return ""
    table, at = there
    after = format_seconds(table["overtaken_years"][at] * YEAR_S)
    of_start = " at the load of the start" if inputs.growth else ""
    return f" Energy has cost as much as the devices after {after}{of_start}."


def describe(inputs: "Inputs", result: Result) -> Finding:
    """The answer in words."""
    names = systems_of(result)
    crossings = first_crossings(inputs, result)["years"]
    even = f"; break-even after {format_cell(crossings[0], 'year')}" if crossings else ""
    return compared(
        result,
        range(len(result)),
        "total_usd",
        lambda row: names[row],
        several=f"In {{years}} {{least}} cost least, {{low}}; {{most}} cost {{high}}{even}.",
        one=f"In {{years}} {{most}} cost {{high}}{even}.",
        none="What the storage costs is not known.",
        show=lambda fact: _summed(result, fact),
        years=format_years(inputs.years),
    )


def _summed(result: Result, total_usd: Fact) -> Derived:
    """What a system costs in all, in the currency of the inputs, and of which parts that is the sum."""
    row = int(np.flatnonzero(result["total_usd"] == total_usd.number)[0])
    made = result.tables[MADE_OF]
    (place,) = made.rows(device=result["device"][row])
    parts = [f"{label}, {made.columns[part].cell(place)}" for part, label in ALL_PARTS.items() if made[part][place]]
    total = at(made, "total", place)
    return Derived(total.number, total.unit, total.label, " + ".join(parts), (total,))


def systems_of(result: Result) -> list[str]:
    """The systems as people read them: 4 × Intel X25-M G2."""
    return [f"{result['count'][i]:.0f} × {result.cell('device', i)}" for i in range(len(result))]


def first_crossings(inputs: "Inputs", result: Result) -> dict[str, list]:
    """When the cheaper one of two systems changes within the runtime, the first time for each two: their names as
    `device` and `other`, the `years` and what both have cost by then, `total_usd`; lists of one length."""
    found: dict[str, list] = {name: [] for name in ("device", "other", "years", "total_usd")}
    table = result.tables.get(CROSSINGS)
    if table is None:
        return found
    for i in range(len(table)):
        pair = table.columns["device"].cell(i), table.columns["other"].cell(i)
        if table["years"][i] <= inputs.years and pair not in zip(found["device"], found["other"], strict=True):
            values = (*pair, float(table["years"][i]), float(table["total_usd"][i]))
            for name, value in zip(found, values, strict=True):
                found[name].append(value)
    return found
