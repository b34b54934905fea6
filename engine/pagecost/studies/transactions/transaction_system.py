"""What the studies of the transaction system share: points with their formulas, and the columns of their answers."""

import functools
from collections.abc import Callable, Sequence
from concurrent.futures import as_completed
from typing import NamedTuple

import numpy as np

from pagecost.studies.study import Column, Result
from pagecost.studies.transactions.transaction_inputs import MECHANICS, OWN, TransactionInputs
from pagecost.studies.workers import workers
from pagecost.transactions import Load, Run, TransactionSystem, simulate, theory
from pagecost.units import format_seconds

MOST = 100_000  # transactions of a point: what is still wider than 2 % shows its interval

TERMS = {
    "cpu_service_s": "processing",
    "cpu_wait_s": "wait for a processor",
    "lock_wait_s": "wait for locks",
    "nvem_s": "NVEM",
    "transmission_s": "transmission",
    "database_s": "database disks and controllers",
    "database_wait_s": "wait for them",
    "log_s": "log disk and controller",
    "log_wait_s": "wait for the log",
    "queue_s": "input queue, commit group",
}
"""The terms of a response time as they are drawn."""


class Case(NamedTuple):
    """One point: a label (series), the value of the x axis, and what is simulated.

    terminals: of a closed system, which then takes no rate; 0: open. arrivals: as in `Simulation`.
    """

    label: str
    x: float
    system: TransactionSystem
    load: Load
    rate_hz: float
    seed: int
    arrivals: str = "exponential"
    terminals: int = 0
    think_s: float = 0.0


class Point(NamedTuple):
    """What came out; run is None where the formula says that a station cannot keep up."""

    estimate: theory.Estimate
    run: Run | None


def answer(cases: Sequence[Case], progress: Callable, result: Callable[[list], object], most: int = MOST):
    """The points of all cases, on all processors; `result` makes a Result of the (case, point) pairs that are there.

    The formulas come at once, with empty simulations; then the points as they come in, the longest begun first.
    most: transactions of a point.
    """
    found: dict[Case, Point] = {case: Point(estimated(case), None) for case in cases}
    waiting = [case for case in cases if not found[case].estimate.saturated]
    waiting.sort(key=lambda case: -max(found[case].estimate.utilisation.values()))  # near saturation runs are long
    progress(0.0, result([(case, found[case]) for case in cases]))
    with workers() as pool:
        running = {pool.submit(simulated, case, most): case for case in waiting}
        for done, future in enumerate(as_completed(running), start=1):
            case = running[future]
            found[case] = Point(found[case].estimate, future.result())
            if done % 4 == 0:
                progress(done / len(running), result([(case, found[case]) for case in cases]))
    return [(case, found[case]) for case in cases]


def estimated(case: Case) -> theory.Estimate:
    """The point by formula, which knows Poisson arrivals and terminals only."""
    if case.terminals:
        return theory.closed(case.system, case.load, case.terminals, case.think_s)
    return theory.estimate(case.system, case.load, case.rate_hz)


@functools.lru_cache(maxsize=4096)
def simulated(case: Case, most: int = MOST) -> Run:
    """One run with an interval below 2 %, or of `most` transactions; kept, so that a slider may come back."""
    source = {"rate_hz": case.rate_hz, "arrivals": case.arrivals}
    if case.terminals:
        source = {"terminals": case.terminals, "think_s": case.think_s}
    return simulate(case.system, case.load, seed=case.seed, most=most, **source)


def by_rate(inputs: TransactionInputs, labels: Sequence[str], points: list[tuple[Case, Point]]) -> Result:
    """The points of series over the arrival rate; `chosen` are those at the rate in detail."""
    return table(points, labels, ("rate_hz", "1/s", "arrival rate"), inputs.rate_hz, "rate in detail")


def table(points, labels: Sequence[str], axis: tuple[str, str, str], chosen: float, chosen_label: str) -> Result:
    """The points in the order of their series and along the axis, which is (name, unit, label) of its column."""
    ordered = sorted(points, key=lambda item: (labels.index(item[0].label), item[0].x))
    found = columns(ordered, *axis)
    found["chosen"] = Column(found[axis[0]].values == np.float64(chosen), "1", chosen_label)
    return Result.of(found)


def columns(points: list[tuple[Case, Point]], x: str, x_unit: str, x_label: str) -> dict[str, Column]:
    """The columns that every study of the transaction system has, one row per point."""
    runs = [point.run for _, point in points]

    def of(read: Callable[[Run], float]) -> np.ndarray:
        return np.array([np.nan if run is None else read(run) for run in runs], float)

    formula = np.array([point.estimate.response_s for _, point in points])
    table = {
        "configuration": Column(np.array([case.label for case, _ in points]), "text", "configuration"),
        x: Column(np.array([case.x for case, _ in points], float), x_unit, x_label),
        "response_s": Column(of(lambda run: run.response_s), "s", "mean response time"),
        "half_width_s": Column(of(lambda run: run.half_width_s), "s", "± at 95 % confidence"),
        "formula_s": Column(np.where(np.isfinite(formula), formula, np.nan), "s", "response time by formula"),
        "percentile_95_s": Column(of(lambda run: run.percentiles[95]), "s", "95 % are faster"),
        "throughput_hz": Column(of(lambda run: run.throughput_hz), "1/s", "transactions per second"),
        "cpu": Column(of(lambda run: run.utilisation["CPU"]), "1", "busy share of the processors"),
        "log_disk": Column(of(lambda run: run.utilisation["log disk"]), "1", "busy share of the log disks"),
        "saturated": Column(np.array([_saturated(point) for _, point in points]), "text", "cannot keep up"),
        "main_hits": Column(of(lambda run: _hits(run, 1)), "1", "hit ratio of main memory"),
        "second_hits": Column(of(lambda run: _hits(run, 2, 3)), "1", "hit ratio of NVEM and disk caches"),
        "page_reads": Column(of(lambda run: run.ios["page reads"]), "1", "page reads per transaction"),
        "page_writes": Column(of(lambda run: run.ios["page writes"]), "1", "page writes per transaction"),
        "log_writes": Column(of(lambda run: run.ios["log writes"]), "1", "log writes per transaction"),
        "lock_waits": Column(of(lambda run: run.locks["denied"]), "1", "lock waits per transaction"),
        "deadlocks": Column(of(lambda run: run.locks["deadlocks"]), "1", "deadlocks per transaction"),
        "transactions": Column(of(lambda run: run.transactions), "1", "transactions measured"),
    }
    for term, label in TERMS.items():
        table[term] = Column(of(lambda run, term=term: term_of(run, term)), "s", label)
    return table


def term_of(run: Run, term: str) -> float:
    """A term of `TERMS`, from the finer composition of a run."""
    c = run.composition
    waits = {name: time_s for name, time_s in c.items() if name.endswith((" controller wait", " disk wait"))}
    served = {name: time_s for name, time_s in c.items() if name.endswith((" controller service", " disk service"))}
    log_wait_s, log_s = (sum(t for name, t in of.items() if name.startswith("log ")) for of in (waits, served))
    return {
        "cpu_service_s": c["CPU service"],
        "cpu_wait_s": c["CPU wait"],
        "lock_wait_s": c["lock wait"],
        "nvem_s": c["NVEM service"] + c["NVEM wait"],
        "transmission_s": c["transmission"],
        "database_s": sum(served.values()) - log_s,
        "database_wait_s": sum(waits.values()) - log_wait_s,
        "log_s": log_s,
        "log_wait_s": log_wait_s,
        "queue_s": c["input queue"] + c["commit group"],
    }[term]


def notes(points: list[tuple[Case, Point]], inputs: TransactionInputs):
    """What a reader must know: how it was simulated, and where no point is."""
    yield (
        "Poisson arrivals; main memory and caches are filled before the clock starts, 2000 transactions warm up, then "
        "at least 10 000 are measured, until the 95 % interval (20 batch means) is within 2 %; near saturation that "
        "takes too many, and the bars show what is left. Thin lines: each "
        "station alone by formula, without waits for locks or of processors for a busy NVEM."
    )
    yield from saturation_notes(points)
    for name, device in (
        ("database disks", inputs.database_device),
        ("SSD", inputs.ssd_device),
        ("log disk", inputs.log_device),
    ):
        if device == OWN:
            continue
        if inputs.device_times == MECHANICS:
            yield (
                f"In place of the {name}: {device}, by the times of single page requests of the simulated device, half "
                "of them writes (a log: writes in sequence); each access draws one of them. Nothing is cached in the "
                "device, and of requests that wait it does not choose the nearest."
            )
        else:
            yield (
                f"In place of the {name}: {device}, by its mean times (of a rated device 1 / throughput, which is less "
                "than one access alone takes; a log is written at the sequential rate, as if into the disk's cache). "
                "Controller and channel are part of them."
            )


def saturation_notes(points: list[tuple[Case, Point]]):
    """For every series from which x on a station cannot keep up; of a series of one point, which station."""
    for label in dict.fromkeys(case.label for case, _ in points):
        over = [(case.x, _saturated(point)) for case, point in points if case.label == label and _saturated(point)]
        if over:
            several = sum(case.label == label for case, _ in points) > 1
            yield f"{label}: saturated{f' from {over[0][0]:g} on' if several else ''}, by {over[0][1]}."


def explain_rows(result, rows) -> list[str]:
    """For each row the sum, or which station cannot keep up."""
    lines = []
    for row in rows:
        label = str(result["configuration"][row])
        if result["saturated"][row]:
            lines.append(f"{label}: saturated, the {result['saturated'][row]} cannot keep up.")
            continue
        parts = [f"{TERMS[term]} {format_seconds(result[term][row])}" for term in TERMS if result[term][row] > 5e-9]
        response, half, formula = (
            format_seconds(float(result[name][row])) for name in ("response_s", "half_width_s", "formula_s")
        )
        lines.append(
            f"{label}: {' + '.join(parts)} = {response} ± {half}; by formula {formula}; processors "
            f"{result['cpu'][row]:.1%} busy."
        )
    return lines


def _saturated(point: Point) -> str:
    return point.estimate.saturated or (point.run.saturated if point.run else "")


def _hits(run: Run, *levels: int) -> float:
    references = sum(row[0] for row in run.hits.values())
    return sum(row[level] for row in run.hits.values() for level in levels) / references
