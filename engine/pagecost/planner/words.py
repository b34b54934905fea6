"""The answer in sentences: why this plan, why not the others, and what would be nearest where nothing is possible."""

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite, isnan

import numpy as np

from pagecost import catalogue, devices
from pagecost.answers.bounds_said import average_seeks, bounds_alone, knows_distances
from pagecost.answers.oltp_drives import model_of
from pagecost.economics import YEAR_S, hierarchy
from pagecost.economics.ownership import Currency
from pagecost.planner import demand
from pagecost.planner.figures import Interval, Row
from pagecost.planner.finalists import SERVED, Simulated
from pagecost.planner.front import Limit
from pagecost.planner.growth import last_load, processors_in_last_year
from pagecost.planner.numbers import Numbers
from pagecost.planner.planned import Plan, Swing
from pagecost.planner.sensitivity import Judged
from pagecost.system import FORCE, FileSystem, Load, Placement, System
from pagecost.units import format_bytes, format_cell, format_seconds, format_si, format_years, grouped
from pagecost.workload.loads import DEBIT_CREDIT

INTERVAL = (2.5, 97.5)  # percentiles of the draws between which a figure lies


def intervals(judged: Judged | None, currency: Currency, carbon_kg_per_kwh: float) -> Mapping[str, list[Interval]]:
    """Ends of figures by name and plan: between them 95 % of the draws lie."""
    if judged is None:
        return {}
    made = judged.made
    usd = {name: values for name, values in made.parts_usd.items() if name != "purchase"}
    usd |= {"cost": made.cost_usd, "purchase": made.purchase_usd}  # with main memory, as the figures of these names
    values = {
        "response_s": made.response_s,
        "percentile_s": made.percentile_s,
        "busy": made.busiest,
        "capacity_hz": made.capacity_hz,
        "usable": made.usable,
        "mean_w": made.mean_w,
        "life_years": made.life_s / YEAR_S,
        "carbon_kg": made.energy_kwh * carbon_kg_per_kwh,
    } | {name: currency.of_usd(each) for name, each in usd.items()}
    return {name: ends(judged, column) for name, column in values.items()}


def ends(judged: Judged, column: np.ndarray) -> list[Interval]:
    """Ends of an array of what was judged, by plan."""
    found = np.percentile(judged.rows(column), INTERVAL, axis=0, method="nearest")
    return [(float(low), float(high)) for low, high in found.T]


def shown(value: float, unit: str) -> str:
    """A number as people read it."""
    if isnan(value):
        return "not known"
    if unit == "1":
        return f"{value:.3g}"
    return format_cell(value, unit) if isfinite(value) else "no end"


def percent(share: float) -> str:
    """A share, as people read it: what is less than all is not said to be 100 %."""
    digits = next((each for each in range(3, 9) if share >= 1 or float(f"{share:.{each}g}") < 1), 9)
    return f"{100 * share:.{digits}g} %"


def broken(row: Row, limits: Sequence[Limit]) -> str:
    """Which target a plan misses by most, with what it has of it."""
    worst = max(limits, key=lambda limit: float(limit.excess[row.place]))
    value = float(worst.values[row.place])
    if worst.name == "usable":
        return f"Its devices hold {percent(value)} of what must be stored."
    if worst.name == "price":
        return "It has no price."
    if worst.name == "processors":
        most = percent(worst.limit)
        return f"Its processors would be busy {percent(value)} of the time in the last year; {most} is the most."
    if worst.name == "busy":
        part = max(row.screened.busy, key=lambda name: float(np.asarray(row.screened.busy[name])[row.place]))
        return f"Its {part} would be busy {percent(value)} of the time; {percent(worst.limit)} is the most."
    bound = "at least" if worst.at_least else "at most"
    has = f"is {shown(value, worst.unit)}" if isfinite(value) or isnan(value) else "grows without end"
    return f"Its {worst.title} {has}; {bound} {shown(worst.limit, worst.unit)} is asked for."


def broken_or_held(row: Row, limits: Sequence[Limit]) -> str:
    """Which target a plan misses by most, or that it meets them all by formula."""
    misses = any(float(limit.excess[row.place]) > 1 for limit in limits)
    return broken(row, limits) if misses else "By formula it meets every target."


def failed_when_simulated(made: Simulated, system: System, n: Numbers, row: Row, limits: Sequence[Limit]) -> str:
    """Why a plan that was simulated does not hold."""
    targets = system.targets
    if targets.response_s is not None and made.percentile_s[0] > targets.response_s:
        return (
            f"Simulated, {targets.percentile} % answer within {format_seconds(made.percentile_s[0])}; "
            f"{format_seconds(targets.response_s)} is asked for."
        )
    if made.tps[0] < SERVED * n.rate_hz:
        asked, does = (format_cell(rate, "1") for rate in (n.rate_hz, made.tps[0]))
        return f"Simulated, it does {does} transactions per second; {asked} are asked for."
    return broken(row, limits)


def untried(plan: Plan) -> str:
    """Why a plan that by formula would be better is not chosen."""
    cost = plan.figures["cost"]
    return f"By formula it holds and costs {shown(cost.value, cost.unit)}, but it was not simulated, so it is no proof."


def dearer(plan: Plan, chosen: Plan) -> str:
    """Why a plan that holds was not chosen: it costs more, for what."""
    more = plan.value("cost") - chosen.value("cost")
    unit = chosen.figures["cost"].unit
    proven = "simulated_percentile_s"  # like is compared with like: runs with runs, the formula with the formula
    response = proven if proven in plan.figures and proven in chosen.figures else "percentile_s"
    better = []
    for name, sign in ((response, 1), ("mean_w", 1), ("life_years", -1)):
        if name not in chosen.figures:
            continue
        has, instead = (shown(each.value(name), chosen.figures[name].unit) for each in (chosen, plan))
        less = sign * plan.value(name) < sign * chosen.value(name)
        if has != instead and (less or (isnan(chosen.value(name)) and not isnan(plan.value(name)))):
            better.append(f"{chosen.figures[name].title} {has} against {instead}")
    costs = f"It costs {shown(more, unit)} more than the plan that is chosen" if more > 0 else "It costs the same"
    return f"{costs}{', for ' + ' and '.join(better) if better else ', for nothing that counts here'}."


def dominated(plan: Plan, other: Plan) -> str:
    """Why a plan is not among the best."""
    cost, unit = other.value("cost"), other.figures["cost"].unit
    known = " that is known of it" if any(isnan(plan.value(name)) for name in ("mean_w", "life_years")) else ""
    return f"In nothing{known} is it better than {other.title}, which costs {shown(cost, unit)}."


def reasons(
    system: System,
    best: Plan | None,
    second: Plan | None,
    sureness: float,
    tornado: Sequence[Swing],
    titles: Mapping[str, str],
) -> tuple[str, ...]:
    """The plan, and why; the answer stands in the first sentence. titles: of plans by their codes."""
    return () if best is None else tuple(_reasons(system, best, second, sureness, tornado, titles))


def _reasons(
    system, best: Plan, second: Plan | None, sureness: float, tornado: Sequence[Swing], titles: Mapping[str, str]
) -> Iterator[str]:
    targets = system.targets
    years = targets.years or system.economics.horizon_years
    rate = targets.transactions_per_s or system.load.transaction_rate_hz
    cost = best.figures["cost"]
    name = "simulated_percentile_s" if "simulated_percentile_s" in best.figures else "percentile_s"
    how = "simulated" if best.simulated else "by formula, not simulated"
    response = f"{targets.percentile} % of {format_cell(rate, '1')} transactions per second answer within "
    yield (
        f"Take {best.title}: {shown(cost.value, cost.unit)} for {format_years(years)}, and {response}"
        f"{shown(best.value(name), 's')} ({how})."
    )
    if best.simulated:
        yield f"The formula says {shown(best.value('percentile_s'), 's')} for the same share."
    if second is not None:
        yield f"The next is {second.title}: {second.binding[0].lower()}{second.binding[1:]}"
    flips = [swing for swing in tornado if {swing.chosen_low, swing.chosen_high} != {best.code}]
    for swing in flips[:3]:
        end, taken = (swing.low, swing.chosen_low) if swing.chosen_low != best.code else (swing.high, swing.chosen_high)
        then = f"{titles[taken]} would be chosen" if taken else "none of the plans looked at meets the targets"
        yield f"With {swing.title} of {shown(end, swing.unit)} in place of {shown(swing.base, swing.unit)}, {then}."
    if isfinite(sureness):
        off = "" if not flips else " the rest mostly by what stands above"
        yield f"In {percent(sureness)} of the draws of all inputs within their intervals the same plan is chosen" + (
            f",{off}." if off else "."
        )


def impossible(
    best: Plan, limits: Sequence[Limit], row: Row, made: Simulated | None, system: System, n: Numbers
) -> str:
    """No plan meets the targets: the nearest that does what, and what it misses."""
    missed = []
    for limit in limits:
        has, is_missed, how = float(limit.values[row.place]), limit.excess[row.place] > 1, ""
        if limit.name == "percentile_s" and made is not None and not made.why:
            has, how = made.percentile_s[0], " (simulated)"
            is_missed = has > limit.limit
        if is_missed:
            if limit.name == "usable":
                missed.append(f"{limit.title}: it holds {percent(has)} of them")
                continue
            missed.append(f"{limit.title} {shown(has, limit.unit)}{how} in place of {shown(limit.limit, limit.unit)}")
    why = f"it misses {'; '.join(missed)}" if missed else ""
    if not missed and made is not None:
        why = failed_when_simulated(made, system, n, row, limits)
        why = why[0].lower() + why[1:].rstrip(".")
    return f"No plan of the candidates meets the targets. The nearest is {best.title}: {why}."


def notes(
    n: Numbers, system: System, of: demand.Asked, used: Sequence[str], simulated: Sequence[Simulated]
) -> tuple[str, ...]:
    """What a reader must know of the numbers."""
    return (*_notes(n, system, used, simulated), *_of_buffers(system, of), *of.left_out())


def _of_buffers(system: System, of: demand.Asked) -> Iterator[str]:
    """Which buffers are larger than what is looked at can fill."""
    frames = system.candidates.buffers or (system.memory.buffer_frames,)
    roomy = {each: share for each in frames if (share := demand.filled(of, each)) < 1}
    if roomy:
        named = ", ".join(f"{grouped(each)} frames to {percent(share)}" for each, share in roomy.items())
        yield (
            f"The transactions that are looked at fill buffers of {named}. What such a buffer writes to make room is "
            "too little, and what it reads too much: its plans are less sure than others."
        )


def _notes(n: Numbers, system: System, used: Sequence[str], simulated: Sequence[Simulated]) -> Iterator[str]:
    doubt = system.candidates.uncertainty
    log = "" if n.log_spread else "the log is written one write at a time, "
    yield (
        "Screened by formula: each device is a queue of its own (M/G/c) to which a transaction comes back for page "
        f"after page, {log}response times of each type of transaction are a gamma distribution; locks and checkpoints "
        "are left out. Transactions come at random, in simulations as well. The load is that of "
        f"{system.load.source} as it is, in pages of {format_bytes(n.page_bytes)}."
    )
    touched, volume = format_si(n.load_bytes, "B"), format_si(n.volume_bytes, "B")
    more = n.volume_bytes > 2 * n.load_bytes
    yield f"The load's pages are {touched} in all; the volume, {volume}, counts for room alone" + (
        ": with so much more data in use a buffer would hold a smaller part, and devices be asked more often."
        if more
        else "."
    )
    asked_bytes = system.memory.page_bytes
    if asked_bytes not in (None, n.page_bytes):
        yield f"The load has pages of its own size; those of the system, {format_bytes(asked_bytes)}, are not used."
    yield from _left_out(system)
    yield (
        "Intervals and draws: a price that the catalogue gives as a range has that range, and a device's speed (pages "
        "a second, and a request alone alike) goes from the lowest to the highest that the ranges of its times leave "
        f"open; all else is ± {percent(doubt)}. All are drawn evenly and independently."
    )
    if "raid-0" in system.candidates.levels:
        yield (
            "RAID-0, and a device alone, keep no copy: when a device fails, what is on it is lost. Plans that outlive "
            "that have raid-1, raid-5 or raid-6 among candidates.levels."
        )
    if system.log.update_strategy == FORCE:
        how = "side by side" if n.writes_together else "one after the other"
        yield f"FORCE: each page that a transaction has changed is written once before it ends, {how}; none is later."
    if system.targets.growth_per_year:
        yield from _of_growth(n)
    if n.memory_byte_usd:
        memory = system.candidates.memory
        a_gb = format_cell(n.memory_byte_usd * 1e9, "USD/GB")
        dated = hierarchy.newest_price(catalogue.device(memory)).date
        yield (
            f"Memory for buffers costs {a_gb}: {devices.title_of(memory)}, price of {dated}. It is bought by the byte, "
            "not by the module, and its power is left out."
        )
    if n.unpriced:
        titles = ", ".join(devices.title_of(name) for name in n.unpriced)
        yield (
            f"No price is known of {titles}, so that no plan with it can be chosen; say yours in "
            f"[economics.price_usd_per_device], such as {n.unpriced[0]} = 100."
        )
    for what, values in (("power", n.active_w), ("endurance", n.written_bytes)):
        names = [devices.title_of(name) for name, value in zip(n.devices, values, strict=True) if np.isnan(value)]
        names = [name for name in names if name in used]
        if names:
            left, column = _OF_UNKNOWN[what]
            yield (
                f"Not known: the {what} of {', '.join(names)}; {left}. In {column} a plan with it counts as no better "
                "than any other."
            )
    has = [name for name in n.devices if devices.title_of(name) in used]
    yield from bounds_alone((devices.title_of(name), model_of(name)) for name in has)
    asleep = [
        devices.title_of(name)
        for name, idle, active in zip(n.devices, n.idle_w, n.active_w, strict=True)
        if idle == active and devices.title_of(name) in used
    ]
    if asleep:
        yield f"Of {', '.join(asleep)} only the power at work is known; it counts all the time."
    yield from average_seeks(has)
    if arms := [devices.title_of(name) for name in has if knows_distances(name)]:
        lies = ""
        if system.load.source != DEBIT_CREDIT and any(made.runs for made in simulated):
            lies = f"; in simulations the load's {format_si(n.load_bytes, 'B')} lie evenly among the rest"
        yield f"The arms of {', '.join(arms)} move over the part of a disk that holds data{lies}."
    skipped = sorted({made.why for made in simulated if made.why})
    for why in skipped:
        yield f"Some finalists were not simulated: {why}."


_OF_UNKNOWN = {
    "power": ("its energy costs nothing here", "power"),
    "endurance": (
        "none that is worn out is bought anew here, and how long it lives is not known, nor how long a plan with it",
        "life",
    ),
}


def _of_growth(n: Numbers) -> Iterator[str]:
    """What is bought as load and data grow, and what is not."""
    load = float(last_load(n))
    yield (
        f"Growth: in the last year load and data are {load:.3g} times those of the start. A plan that keeps within the "
        "response time and the busy share then, too, gets more devices for its data only; to the others devices are "
        "added as it grows, so that the load of each is never above that of the start. Processors are not added: in "
        f"the last year they are busy {percent(float(processors_in_last_year(n)))} of the time. Response times, power "
        "and simulations are those of the start."
    )


def _left_out(system: System) -> Iterator[str]:
    """What a system says that no plan has."""
    load = system.load
    if load.users is not None or load.think_s is not None:
        yield "Transactions come at their rate, however long they take: the system's users and thinking are left out."
    if load.read_share != Load.model_fields["read_share"].default:
        yield "Reads and writes are counted from the load; the share of reads that the system says is left out."
    for each in system.devices:
        if each.role == "cache":
            yield f"The system's cache on {devices.title_of(each.device)} is in no plan; candidates.write_buffers are."
        elif each.write_cache_bytes:
            yield (
                f"The write cache of the system ({format_bytes(each.write_cache_bytes)} in each device of the "
                f"{each.role}) is in no plan: each write takes as long as on the device without it."
            )
    ordered = sorted({each.scheduler for each in system.devices} - {Placement.model_fields["scheduler"].default})
    if ordered:
        yield f"In every plan requests are served as they come, and not by {' or '.join(ordered)} as in the system."
    layout = system.file_system.layout
    if layout != FileSystem.model_fields["layout"].default:
        if load.source == DEBIT_CREDIT:
            yield f"Plans of Debit-Credit know no file system: that of the system, {layout}, is in none."
        else:
            yield (
                f"A {layout} file system: what it writes beside the pages wears the devices, by formula too. What it "
                "reads to find them and what its cleaner copies, and the time of both, is in simulations only: "
                "response times by formula are too low, by a factor of three where each page is made durable alone."
            )
