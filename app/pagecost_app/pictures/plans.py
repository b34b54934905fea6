"""Pictures of the way from a measurement to a plan, drawn from the state of the fit and of the planner.

`depths(observations)` what was measured, beside Little's law; `unknowns(fit)` what the files say of each number of
the model; `machine(system, code)` one plan at work; `funnel(made)` what became of all plans; `grounds(made)` what the
chosen plan rests on. Each shows itself in a notebook, in the colours of the page, and says the same in words.
"""

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pagecost import catalogue, planner
from pagecost.calibration import Calibrated, Found, Observation, Observations
from pagecost.devices import title_of
from pagecost.errors import require
from pagecost.planner import Planned
from pagecost.planner.screening import TERMS
from pagecost.planner.words import percent
from pagecost.system import System
from pagecost.units import format_bytes, format_cell, format_seconds, grouped
from pagecost_app.pictures.drawing import WIDTH, Picture, box, dot, line, text


@dataclass(frozen=True)
class _Scale:
    """A logarithmic axis from `low` to `high`, drawn from `start` to `end` [px]."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        value = min(max(value, self.low), self.high)
        return self.start + (self.end - self.start) * math.log(value / self.low) / math.log(self.high / self.low)

    @property
    def decades(self) -> list[float]:
        first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
        return [10.0**power for power in range(first, last + 1)]


def depths(observations: Observations, pattern: str = "random read", block_bytes: int = 4096) -> Picture:
    """Requests per second against the mean time of one, a dot per queue depth, over lines of equally many outstanding.

    The bars are the slowest and the fastest run. Raises ModelError where no such requests were measured.
    """
    found = [each for each in observations.all if each.pattern == pattern and each.block_bytes == block_bytes]
    found.sort(key=lambda each: each.depth)
    require(bool(found), f"nothing was measured of {pattern} of {format_bytes(block_bytes)}")
    rates = [rate for each in found for rate in _runs(each)]
    times = [each.depth / rate for each in found for rate in _runs(each)]
    left, right, top, bottom = 70, WIDTH - 20, 16, 330
    x = _Scale(min(rates) / 1.8, max(rates) * 1.8, left, right)
    y = _Scale(min(times) / 1.6, max(times) * 1.6, bottom, top)
    drawn = [line(x.at(rate), top, x.at(rate), bottom, "faint") for rate in x.decades]
    drawn += [text(x.at(rate), bottom + 18, grouped(rate), "m c") for rate in x.decades]
    drawn += [line(left, y.at(time), right, y.at(time), "faint") for time in y.decades]
    drawn += [text(left - 6, y.at(time) + 4, format_seconds(time), "m e") for time in y.decades]
    drawn += [_little(each.depth, x, y) for each in found]
    drawn.append(f'<polyline class="way" points="{" ".join(_place(each, x, y) for each in found)}"/>')
    for each in found:
        low, high = min(_runs(each)), max(_runs(each))
        drawn.append(line(x.at(low), y.at(each.depth / low), x.at(high), y.at(each.depth / high), "spread"))
        at_x, at_y = (float(part) for part in _place(each, x, y).split(","))
        drawn += [
            dot(at_x, at_y, "two" if each.held_out else "one"),
            text(at_x - 9, at_y - 9, str(each.depth), "b e"),
        ]
    drawn.append(text((left + right) / 2, bottom + 38, "requests a second", "c"))
    drawn.append(text(left + 6, top + 14, "mean time of a request; dashed: so many outstanding", ""))
    first, last = found[0], found[-1]
    words = (
        f"{pattern.capitalize()}s of {format_bytes(block_bytes)}: with {first.depth} outstanding "
        f"{format_cell(first.iops, '1/s')}, {format_seconds(first.depth / first.iops)} each; with {last.depth} "
        f"outstanding {format_cell(last.iops, '1/s')}, {format_seconds(last.depth / last.iops)} each. A bar leads "
        f"from the slowest to the fastest of {len(first.logs)} runs."
    )
    return Picture("".join(drawn), bottom + 48, words)


def _runs(each: Observation) -> list[float]:
    return [math.exp(log) for log in each.logs]


def _place(each: Observation, x: _Scale, y: _Scale) -> str:
    return f"{x.at(each.iops):.1f},{y.at(each.depth / each.iops):.1f}"


def _little(depth: int, x: _Scale, y: _Scale) -> str:
    """The line on which so many requests are outstanding: rate times time, cut where the picture ends."""
    low, high = max(x.low, depth / y.high), min(x.high, depth / y.low)
    return line(x.at(low), y.at(depth / low), x.at(high), y.at(depth / high), "grid") if low < high else ""


def unknowns(fit: Calibrated) -> Picture:
    """Each number of the model on the range in which it was sought: found with an interval, bounded, or open."""
    row, left, right = 46, 350, WIDTH - 24
    drawn: list[str] = []
    for at, each in enumerate(fit.found):
        y = 26 + at * row
        scale = _Scale(each.unknown.low, each.unknown.high, left, right)
        drawn += [text(0, y, each.unknown.name, "b"), text(0, y + 16, each.unknown.meaning, "m")]
        drawn.append(line(left, y, right, y, "faint"))
        drawn += [line(scale.at(mark), y - 4, scale.at(mark), y + 4, "faint") for mark in scale.decades]
        drawn += _known(each, scale, y)
    determined = [each.unknown.name for each in fit.found if each.is_determined]
    words = (
        f"{len(determined)} of {len(fit.found)} numbers are found, with an interval (filled): {', '.join(determined)}. "
        "Dashed: no value there fits significantly worse, so the files only bound it, or say nothing. A tick is a "
        "factor of ten."
    )
    return Picture("".join(drawn), 20 + row * len(fit.found), words)


def _known(each: Found, scale: _Scale, y: float) -> list[str]:
    unit = each.unknown.unit

    def said(value: float) -> str:
        return f"{value:.3g}" if unit == "1" else format_cell(value, unit)

    if each.is_determined:
        low, high = scale.at(each.low), scale.at(each.high)
        told = f"{said(each.value)} ({said(each.low)} to {said(each.high)})"
        middle = min(max((low + high) / 2, scale.start + 110), scale.end - 110)
        return [
            box(low, y - 5, high - low, 10, "one"),
            dot(scale.at(each.value), y, "one", 6),
            text(middle, y + 20, told, "c"),
        ]
    low = scale.at(each.low) if math.isfinite(each.low) else scale.start
    high = scale.at(each.high) if math.isfinite(each.high) else scale.end
    bounds = [
        f"{word} {said(value)}"
        for word, value in (("at least", each.low), ("at most", each.high))
        if math.isfinite(value)
    ]
    told = ", ".join(bounds) or "anything"
    return [box(low, y - 5, high - low, 10, "open"), text((low + high) / 2, y + 20, told, "m c")]


def machine(system: System, code: str) -> Picture:
    """One plan at work: what a transaction asks of each part, how busy that is, and how long the transaction is there.

    Raises ModelError as the planner does for the plan.
    """
    found = planner.search(planner.candidates_of(code, system))
    one = planner.figures_of_one(planner.candidates_of(code, system), code)
    screened, visits = found.screened, found.visits
    reads, writes = (
        float(visits.cold_reads[0] + visits.hot_reads[0]),
        float(visits.cold_writes[0] + visits.hot_writes[0]),
    )
    asks = {
        "processors": format_seconds(found.numbers.transaction_s) + " each",
        "database": f"{reads:.3g} pages read, {writes:.3g} written",
        "log": f"{float(found.numbers.updates):.3g} log writes",
        "write buffer": f"{writes:.3g} pages written",
    }
    most, left, bar, row = system.candidates.busy_at_most, 330, 300, 54
    drawn, y = [], 30
    for part, shares in screened.busy.items():
        share = float(shares[0])
        if not share:
            continue
        over = share > most
        drawn += [text(0, y, part, "b"), text(0, y + 17, f"a transaction: {asks.get(part, 'its pages')}", "m")]
        drawn += [box(left, y - 13, bar, 18), box(left, y - 13, bar * min(share, 1), 18, "two" if over else "one")]
        drawn.append(text(left + bar + 12, y + 1, f"{percent(share)} busy", "b"))
        y += row
    at = left + bar * most
    drawn += [line(at, 8, at, y - 26, "arrow"), text(at, y - 10, f"at most {percent(most)}", "m c")]
    y += 18
    drawn += _terms(one.terms, y, one.plan.value("percentile_s"), system.targets.percentile)
    words = f"{one.plan.title}: {', '.join(_said(one.terms))}. {' '.join(one.notes[-1:])}"
    return Picture("".join(drawn), y + 56, words)


def _said(terms: Mapping[str, float]) -> Iterable[str]:
    return (
        f"{TERMS[name]} {format_seconds(value) if math.isfinite(value) else 'without end'}"
        for name, value in terms.items()
    )


def _terms(terms: Mapping[str, float], y: float, late: float, percentile: int) -> list[str]:
    """The mean response time as one bar, cut into its terms."""
    total = sum(terms.values())
    if not math.isfinite(total):
        return [text(0, y + 20, "The queue grows without end: it has no response time.", "b")]
    drawn, x = [], 0.0
    for name, value in terms.items():
        width = (WIDTH - 4) * value / total
        drawn.append(box(x, y, width, 22, "box"))
        if width > 90:
            drawn.append(text(x + 6, y + 16, f"{TERMS[name].split()[0]} {format_seconds(value)}"))
        x += width
    told = f"a transaction: {format_seconds(total)} on average, {percentile} % within {format_seconds(late)}"
    return [*drawn, text(0, y + 44, told, "b")]


def funnel(made: Planned) -> Picture:
    """What became of every plan: missed a target by formula, dearer or dominated, simulated, chosen."""
    simulated = [plan for plan in made.finalists if plan.simulated]
    fell = [plan for plan in simulated if "imulated" in plan.binding and "asked for" in plan.binding]
    stages = [
        ("plans by formula", made.screened, [f"{count} miss most: {title}" for title, count in made.rejected.items()]),
        (
            "meet every target by formula",
            made.feasible,
            [f"{made.feasible - len(simulated)} are not worth a run: dominated, or dearer"],
        ),
        ("simulated", len(simulated), [f"{len(fell)} of them miss a target after all"]),
        ("best in something", len(made.pareto), ["on the front: more money buys something"]),
        ("chosen", int(made.best is not None), [made.best.title if made.best else "none meets the targets"]),
    ]
    drawn, y = [], 20
    for name, count, lost in stages:
        width = 300 * math.log1p(count) / math.log1p(made.screened)
        drawn += [box(300 - width, y - 14, width, 22, "one"), text(312, y + 2, f"{count} {name}", "b")]
        drawn += [text(312, y + 19 + 16 * at, line, "m") for at, line in enumerate(lost)]
        y += 34 + 16 * len(lost)
    return Picture("".join(drawn), y - 8, f"{made.sentence} {made.screened} plans were looked at by formula.")


MEASURED, ASSUMED, UNKNOWN = "measured", "assumed", "not known"
OF_STATUS = {"fitted": MEASURED, "measured": MEASURED, "derived": MEASURED}


@dataclass(frozen=True)
class Grounds:
    """What a plan rests on: sentences by `MEASURED`, `ASSUMED` and `UNKNOWN`."""

    said: dict[str, tuple[str, ...]]

    def _repr_html_(self) -> str:
        wide = "vertical-align:top;text-align:left;white-space:normal"
        columns = "".join(
            f'<td style="{wide}"><ul style="padding-left:1.2em;margin:0">{_listed(lines)}</ul></td>'
            for lines in self.said.values()
        )
        heads = "".join(f'<th scope="col" style="text-align:left">{name}</th>' for name in self.said)
        rows = f"<thead><tr>{heads}</tr></thead><tbody><tr>{columns}</tr></tbody>"
        return f'<table style="width:100%;table-layout:fixed">{rows}</table>'

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {line}" for name, lines in self.said.items() for line in lines)


def _listed(lines: Iterable[str]) -> str:
    return "".join(f"<li>{html.escape(line)}</li>" for line in lines)


def grounds(made: Planned) -> Grounds:
    """What the chosen plan rests on. Raises ModelError where none is chosen."""
    require(made.best is not None, "no plan is chosen, so there is nothing to defend")
    assert made.best is not None
    system = made.system
    names = list(dict.fromkeys(group.device for group in made.best.groups))
    of: dict[str, list[str]] = {MEASURED: [f"the references: {system.load.source}"], ASSUMED: [], UNKNOWN: []}
    for name in names:
        _device_lines(name, system, of)
    rate = system.targets.transactions_per_s or system.load.transaction_rate_hz
    of[ASSUMED] += [
        f"{rate:g} transactions a second",
        f"{format_cell(system.load.volume_bytes, 'B')} of data",
        f"{format_seconds(system.processors.transaction_s)} of processor a transaction",
        f"± {percent(system.candidates.uncertainty)} for whatever has no interval",
    ]
    of[UNKNOWN] += [note.removeprefix("Not known: ") for note in made.notes if note.startswith("Not known")]
    of[UNKNOWN] += ["locks and checkpoints, and what fails: they are not in the model"]
    return Grounds({name: tuple(lines) for name, lines in of.items()})


def _device_lines(name: str, system: System, of: dict[str, list[str]]) -> None:
    device = catalogue.devices().get(name)
    parameters: Sequence = tuple(device.parameters.values()) if device else ()
    own = [each for each in parameters if OF_STATUS.get(each.status) == MEASURED and each.low is not None]
    stated = [each for each in parameters if each.status == "stated" and each.name != "capacity_bytes"]
    if own:
        of[MEASURED].append(f"{title_of(name)}: {len(own)} numbers with intervals, from runs of fio")
    if stated:
        of[ASSUMED].append(f"{title_of(name)}: {len(stated)} numbers of its data sheet")
    if name in system.economics.price_usd_per_device:
        of[ASSUMED].append(f"{title_of(name)}: {system.economics.price_usd_per_device[name]:g} USD, our own price")
    elif device and device.prices:
        of[MEASURED].append(f"{title_of(name)}: {device.price_usd:g} USD, a dated price of the catalogue")
