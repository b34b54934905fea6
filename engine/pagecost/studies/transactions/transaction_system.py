"""What the studies of the transaction system share: points with their formulas, and the tables of their answers."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from functools import partial

import numpy as np

from pagecost import catalogue, devices
from pagecost.answers import service_samples
from pagecost.answers.device_servers import log_servers_of, servers_of
from pagecost.answers.transaction_runs import MOST, TERMS, Case, Point, estimated, hit_share, simulated, terms_of
from pagecost.studies.finding import Finding, cells, compared
from pagecost.studies.shared_fields import unused_said
from pagecost.studies.study import Column, Progress, Result
from pagecost.studies.transactions.transaction_inputs import MECHANICS, OWN, PAGE_BYTES, RATES, TransactionInputs
from pagecost.studies.workers import workers
from pagecost.transactions import Run
from pagecost.units import format_cell, format_seconds

SATURATED = "saturated"
"""The table of the points that have no answer, where there are some."""

Axis = tuple[str, str, str]
"""(name, unit, label) of a column."""

RATE: Axis = ("rate_hz", "1/s", "arrival rate")


def curves(
    inputs: TransactionInputs,
    names: Mapping[str, str],
    xs: Iterable[float],
    case_of: Callable[[str, float], Case],
    progress: Progress,
    *,
    chosen: float,
    axis: Axis = RATE,
    chosen_label: str = "rate in detail",
    most: int = MOST,
) -> Result:
    """The whole answer of a study with a series per name over an axis: a row per point, `chosen` those in detail.

    names: series -> title. case_of(series, x). most: transactions of a point.
    """
    cases = [case_of(name, x) for x in sorted({*xs, chosen}) for name in names]

    def result(points: list[tuple[Case, Point]]) -> Result:
        ordered = sorted(points, key=lambda item: (list(names).index(item[0].label), item[0].x))
        return answered(
            ordered, names, axis, lambda kept: {"chosen": Column(kept == np.float64(chosen), "1", chosen_label)}
        )

    points = answer(cases, progress, result, most)
    return result(points).with_notes(notes(points, inputs, names))


def over_rates(inputs, names: Mapping[str, str], case_of, progress: Progress, most: int = MOST) -> Result:
    """`curves` over the arrival rates of the paper and that of the inputs."""
    return curves(inputs, names, RATES, case_of, progress, chosen=inputs.rate_hz, most=most)


def answer(cases: Sequence[Case], progress: Progress, result: Callable[[list], Result], most: int = MOST):
    """The points of all cases, on all processors; `result` makes a Result of the (case, point) pairs that are there.

    The formulas come at once, with empty simulations; then the points as they come in, the longest begun first.
    most: transactions of a point.
    """
    found: dict[Case, Point] = {case: Point(estimated(case), None) for case in cases}
    waiting = [case for case in cases if not found[case].estimate.saturated]
    waiting.sort(key=lambda case: -max(found[case].estimate.utilisation.values()))  # near saturation runs are long
    progress(0.0, partial(result, [(case, found[case]) for case in cases]))
    with workers() as pool:
        running = {pool.submit(simulated, case, most): case for case in waiting}
        for done, future in enumerate(as_completed(running), start=1):
            case = running[future]
            found[case] = Point(found[case].estimate, future.result())
            if done % 4 == 0:
                progress(done / len(running), partial(result, [(case, found[case]) for case in cases]))
    return [(case, found[case]) for case in cases]


def answered(
    points: list[tuple[Case, Point]],
    names: Mapping[str, str],
    axis: Axis,
    further: Callable[[np.ndarray], dict[str, Column]],
    more: Mapping[str, Mapping[str, Column]] | None = None,
) -> Result:
    """The points that keep up, a row each; the others in the table `SATURATED`, with the station that cannot.

    further(x of the rows): columns of one study. more: its other tables.
    """
    kept = [(case, point) for case, point in points if not point.saturated]
    over = [(case, point) for case, point in points if point.saturated]
    tables = dict(more or {})
    if over:
        stations = Column(np.array([point.saturated for _, point in over]), "text", "what cannot keep up")
        tables[SATURATED] = _heads(over, names, axis) | {"station": stations}
    found = columns(kept, names, axis)
    return Result.of(found | further(found[axis[0]].values), more=tables)


def _heads(points: list[tuple[Case, Point]], names: Mapping[str, str], axis: Axis) -> dict[str, Column]:
    name, unit, label = axis
    return {
        "configuration": Column(np.array([case.label for case, _ in points], str), "text", "configuration", names),
        name: Column(np.array([case.x for case, _ in points], float), unit, label),
    }


def columns(points: list[tuple[Case, Point]], names: Mapping[str, str], axis: Axis) -> dict[str, Column]:
    """The columns that every study of the transaction system has, one row per point."""

    def of(read: Callable[[Run], float], unit: str, label: str) -> Column:
        values = [np.nan if point.run is None else read(point.run) for _, point in points]
        return Column(np.array(values, float), unit, label)

    terms = [dict.fromkeys(TERMS, np.nan) if point.run is None else terms_of(point.run) for _, point in points]
    formula = np.array([point.estimate.response_s for _, point in points], float)
    return {
        **_heads(points, names, axis),
        "response_s": of(lambda run: run.response_s, "s", "mean response time"),
        "half_width_s": of(lambda run: run.half_width_s, "s", "± at 95 % confidence"),
        "formula_s": Column(np.where(np.isfinite(formula), formula, np.nan), "s", "response time by formula"),
        "percentile_95_s": of(lambda run: run.percentiles[95], "s", "95 % are faster"),
        "throughput_hz": of(lambda run: run.throughput_hz, "1/s", "transactions per second"),
        "cpu": of(lambda run: run.utilisation["CPU"], "1", "busy share of the processors"),
        "log_disk": of(lambda run: run.utilisation["log disk"], "1", "busy share of the log disks"),
        "main_hits": of(lambda run: hit_share(run, 1), "1", "hit ratio of main memory"),
        "second_hits": of(lambda run: hit_share(run, 2, 3), "1", "hit ratio of NVEM and disk caches"),
        "page_reads": of(lambda run: run.ios["page reads"], "1", "page reads per transaction"),
        "page_writes": of(lambda run: run.ios["page writes"], "1", "page writes per transaction"),
        "log_writes": of(lambda run: run.ios["log writes"], "1", "log writes per transaction"),
        "lock_waits": of(lambda run: run.locks["denied"], "1", "lock waits per transaction"),
        "deadlocks": of(lambda run: run.locks["deadlocks"], "1", "deadlocks per transaction"),
        "transactions": of(lambda run: run.transactions, "1", "transactions measured"),
        **{
            term: Column(np.array([of_run[term] for of_run in terms], float), "s", label)
            for term, label in TERMS.items()
        },
    }


def overloaded(result: Result, **where) -> dict[str, str]:
    """Name of a series -> the station that cannot keep up, of the saturated points that agree with `where`."""
    if SATURATED not in result.tables:
        return {}
    table = result.tables[SATURATED]
    return {table.columns["configuration"].cell(row): str(table["station"][row]) for row in table.rows(**where)}


NAMED = 2  # of what cannot keep up, in a sentence


def saturated(over: Mapping[str, str]) -> str:
    """What of `overloaded` cannot keep up, as a sentence behind another; nothing where all do."""
    if not over:
        return ""
    named = list(over)[:NAMED]
    names = f"{', '.join(named)} and {len(over) - NAMED} more" if len(over) > NAMED else " and ".join(named)
    stations = " or the ".join(dict.fromkeys(over[name] for name in named))
    return f" {names[0].upper()}{names[1:]} cannot keep up: saturated is the {stations}."


def at_rate(inputs: TransactionInputs) -> str:
    """The point that is taken apart, in words."""
    return f"at {format_cell(inputs.rate_hz, '1')} transactions per second"


def describe_at_rate(inputs: TransactionInputs, result: Result) -> Finding:
    """The answer in words where x is the arrival rate."""
    return fastest(result, at_rate(inputs), rate_hz=inputs.rate_hz)


def fastest(result: Result, point: str, **where) -> Finding:
    """Who answers fastest and slowest at the chosen point, and who of those that agree with `where` cannot keep up.

    point: `at_rate`, or other words for it.
    """
    point = point[0].upper() + point[1:]
    return Finding(
        compared(
            result,
            result.rows(chosen=True),
            "response_s",
            cells(result, "configuration"),
            several="{point} {least} answers fastest, in {low}; {most} takes {high}, {times} as long.",
            half="half_width_s",
            one="{point} {most} answers in {high}.",
            none="{point} nothing keeps up.",
            point=point,
        ),
        saturated(overloaded(result, **where)),
    )


def notes(points: list[tuple[Case, Point]], inputs: TransactionInputs, names: Mapping[str, str]) -> Iterator[str]:
    """What a reader must know: how it was simulated, and where no point is."""
    yield (
        "Poisson arrivals; main memory and caches are filled before the clock starts, 2000 transactions warm up, then "
        "at least 10 000 are measured, until the 95 % interval (20 batch means) is within 2 %; near saturation that "
        "takes too many, and the bars show what is left. Pale lines: each "
        "station alone by formula, without waits for locks, for a place among the transactions that may run at a "
        "time, or of processors for a busy NVEM."
    )
    yield from saturation_notes(points, names)
    yield from unused_said(inputs, inputs.unused())
    yield from device_notes(inputs)


def device_notes(inputs: TransactionInputs) -> Iterator[str]:
    """For every device of the catalogue that stands in: by which times, as how many servers, what is not known."""
    for name, device, patterns in (
        ("database disks", inputs.database_device, ("random",)),
        ("SSD", inputs.ssd_device, ("random", "sequential")),
        ("log disk", inputs.log_device, ("sequential",)),
    ):
        if device == OWN:
            continue
        if inputs.device_times == MECHANICS:
            yield (
                f"In place of the {name}: {devices.title_of(device)}, by the times of single page requests of the "
                "simulated device, half of them writes (a log: writes in sequence); each access draws one of them. "
                "It works on one request at a time, and of those that wait it does not choose the nearest. "
                f"{service_samples.cache_sentence(catalogue.device(device))}"
            )
            for pattern in patterns:
                of_log = " in sequence" if pattern == "sequential" else ""
                known = service_samples.times(catalogue.device(device), pattern).sentence
                yield f"Times of {devices.title_of(device)}{of_log}: {known}"
            continue
        for pattern in patterns:
            log = ", for the log" if pattern == "sequential" else ""
            found = log_servers_of(device, PAGE_BYTES) if log else servers_of(device, pattern, PAGE_BYTES)
            yield f"In place of the {name}{log}: {found.note} Controller and channel are part of its times."


def saturation_notes(points: list[tuple[Case, Point]], names: Mapping[str, str]) -> Iterator[str]:
    """For every series from which x on a station cannot keep up; of a series of one point, which station."""
    for label in dict.fromkeys(case.label for case, _ in points):
        over = [(case.x, point.saturated) for case, point in points if case.label == label and point.saturated]
        if over:
            several = sum(case.label == label for case, _ in points) > 1
            from_x = f" from {format_cell(over[0][0], '1')} on" if several else ""
            yield f"{names.get(label, label)}: saturated{from_x}, by {over[0][1]}."


def explain_rows(result: Result, rows, **where) -> list[str]:
    """For each row the sum; then which series cannot keep up, of those that agree with `where`."""
    lines = []
    for row in rows:
        parts = [f"{TERMS[term]} {format_seconds(result[term][row])}" for term in TERMS if result[term][row] > 5e-9]
        response, half, formula = (result.cell(name, row) for name in ("response_s", "half_width_s", "formula_s"))
        lines.append(
            f"{result.cell('configuration', row)}: {' + '.join(parts)} = {response} ± {half}; by formula {formula}; "
            f"processors {result['cpu'][row]:.1%} busy."
        )
    return lines + [f"{name}: saturated, the {by} cannot keep up." for name, by in overloaded(result, **where).items()]
