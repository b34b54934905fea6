"""What the studies of the transaction system share: the parameters of Rahm 1992, and points with their formulas."""

import functools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field, field_validator

from pagecost import devices
from pagecost.errors import known, require
from pagecost.studies.fields import Choice, From, Steps
from pagecost.studies.study import Column, StudyInputs
from pagecost.transactions import Computer, DiskUnit, Load, Run, TransactionSystem, debit_credit, rahm, simulate, theory
from pagecost.units import format_seconds
from pagecost.workload.debit_credit import DebitCredit

TABLE = "rahm1992 Table 4.1"
RATES = (10.0, 50.0, 100.0, 150.0, 180.0, 200.0, 300.0, 400.0, 500.0, 600.0, 700.0)
OWN = "as set here"
LAWS = {"exponential": "exponential", "constant": "constant"}
STRATEGIES = {"NOFORCE": "NOFORCE", "FORCE": "FORCE"}
PAGE_BYTES = 4096
MOST = 30_000  # transactions of a point: what is still wider than 2 % shows its interval

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


def device_choices() -> dict[str, str]:
    """Table 4.1's times, or a device of the catalogue in their place."""
    return {OWN: OWN} | devices.modelled()


def thousands(value: float) -> str:
    return f"{value / 1000:g} thousand"


class TransactionInputs(StudyInputs):
    """The parameters of Tables 3.1 to 3.3 that a study does not vary itself, with the settings of Table 4.1."""

    processors: Annotated[
        int,
        Steps((1, 2, 4, 8, 16), "1", str),
        From(TABLE),
        Field(ge=1, le=1000, title="Processors", description="NumCPU."),
    ] = 4
    instructions_per_s: Annotated[
        float,
        Steps((10e6, 25e6, 50e6, 100e6, 200e6, 1e9, 10e9), "1/s", lambda rate: f"{rate / 1e6:g} MIPS"),
        From(TABLE),
        Field(gt=0, le=1e12, title="Speed of a processor", description="MIPS."),
    ] = 50e6
    instructions_begin: Annotated[
        float,
        Steps((10e3, 20e3, 40e3, 80e3), "1", thousands),
        From(TABLE),
        Field(ge=0, le=1e9, title="Instructions to begin", description="InstrBOT, mean of an exponential."),
    ] = 40e3
    instructions_reference: Annotated[
        float,
        Steps((10e3, 20e3, 40e3, 80e3), "1", thousands),
        From(TABLE),
        Field(ge=0, le=1e9, title="Instructions per reference", description="InstrOR, mean of an exponential."),
    ] = 40e3
    instructions_end: Annotated[
        float,
        Steps((10e3, 25e3, 50e3, 100e3), "1", thousands),
        From(TABLE),
        Field(ge=0, le=1e9, title="Instructions to end", description="InstrEOT, mean of an exponential."),
    ] = 50e3
    instructions_io: Annotated[
        float,
        Steps((300, 1000, 3000, 10e3, 30e3), "1", thousands),
        From(TABLE),
        Field(ge=0, le=1e9, title="Instructions per I/O", description="InstrIO: two process switches and a channel."),
    ] = 3000
    instructions_nvem: Annotated[
        float,
        Steps((100, 300, 1000, 3000), "1", thousands),
        From(TABLE),
        Field(ge=1, le=1e9, title="Instructions per NVEM access", description="InstrNVEM."),
    ] = 300
    multiprogramming: Annotated[
        int,
        Steps((1, 5, 10, 20, 50, 100, 500), "1", str),
        Field(ge=1, le=10_000, title="Transactions at a time", description="MPL; others wait in an input queue."),
    ] = 500
    buffer_pages: Annotated[
        int,
        Steps((200, 500, 1000, 1500, 2000, 3000, 5000), "pages", lambda pages: f"{pages} pages"),
        From(TABLE),
        Field(ge=2, le=1_000_000, title="Main-memory buffer", description="BufferSize, one LRU list for all."),
    ] = 2000
    nvem_s: Annotated[
        float,
        Steps((10e-6, 25e-6, 50e-6, 75e-6, 100e-6), "s", format_seconds),
        From(TABLE),
        Field(ge=0, le=1, title="NVEM access", description="NVEMdelay, constant; the processor waits."),
    ] = 50e-6
    controller_s: Annotated[
        float,
        Steps((0.1e-3, 0.5e-3, 1e-3, 2e-3), "s", format_seconds),
        From(TABLE),
        Field(ge=0, le=1, title="Controller", description="ContrDelay per page; none in a device of the catalogue."),
    ] = 1e-3
    transmission_s: Annotated[
        float,
        Steps((0.0, 0.1e-3, 0.4e-3, 1e-3), "s", format_seconds),
        From(TABLE),
        Field(ge=0, le=1, title="Transmission", description="TransDelay; none in a device of the catalogue."),
    ] = 0.4e-3
    database_disk_s: Annotated[
        float,
        Steps((2e-3, 5e-3, 10e-3, 15e-3, 20e-3), "s", format_seconds),
        From(TABLE),
        Field(gt=0, le=10, title="Database disk", description="DiskDelay of the database disks."),
    ] = 15e-3
    log_disk_s: Annotated[
        float,
        Steps((1e-3, 2.5e-3, 5e-3, 10e-3), "s", format_seconds),
        From(TABLE),
        Field(gt=0, le=10, title="Log disk", description="DiskDelay of a log disk: sequential, so less seeking."),
    ] = 5e-3
    database_device: Annotated[
        str,
        Choice(device_choices),
        Field(title="In place of the database disks", description="A device of the catalogue, by its mean times."),
    ] = OWN
    ssd_device: Annotated[
        str,
        Choice(device_choices),
        Field(title="In place of the SSD", description="As set: battery-backed DRAM behind controller and channel."),
    ] = OWN
    log_device: Annotated[
        str,
        Choice(device_choices),
        Field(title="In place of the log disk", description="A device of the catalogue, writing in sequence."),
    ] = OWN
    local_share: Annotated[
        float,
        Steps((0.0, 0.5, 0.85, 1.0), "1", lambda share: f"{share:.0%}"),
        From(TABLE),
        Field(ge=0, le=1, title="Local accounts", description="K: accounts of the teller's own branch."),
    ] = 0.85
    clustering: Annotated[
        str,
        Choice(lambda: {"on": "tellers on their branch's page", "off": "apart"}),
        From(TABLE),
        Field(title="Clustering", description="Whether BRANCH and TELLER records share pages."),
    ] = "on"
    law: Annotated[
        str,
        Choice(lambda: LAWS),
        Field(title="Service times", description="Of controllers and disks; the paper gives means only."),
    ] = "exponential"
    seed: Annotated[
        int,
        Steps(tuple(range(1, 11)), "1", lambda seed: f"seed {seed}"),
        Field(ge=1, le=2**31, title="Seed", description="Equal seeds give equal numbers."),
    ] = 1

    @field_validator("clustering")
    @classmethod
    def _known_clustering(cls, name):
        return known("clustering", name, ("on", "off"))

    @field_validator("law")
    @classmethod
    def _known_law(cls, name):
        return known("distribution", name, LAWS)

    @field_validator("database_device", "ssd_device", "log_device")
    @classmethod
    def _known_device(cls, name):
        if name != OWN:
            times = [float(devices.load(name).service(f"random {what}", PAGE_BYTES).total_s) for what in _PATTERNS]
            require(bool(np.isfinite(times).all()), f"{name}: it was not measured with pages of {PAGE_BYTES} bytes")
        return name

    @property
    def force(self) -> bool:
        """Whether changed pages are written at commit."""
        return False

    @property
    def load(self) -> Load:
        """The Debit-Credit load."""
        return debit_credit(
            DebitCredit(local_share=self.local_share, clustered=self.clustering == "on"), seed=self.seed
        )

    def system(
        self, database: str, log: str, *, log_disks: int = 1, cache_pages: int = 1000, **computer
    ) -> TransactionSystem:
        """A system with these allocations; `computer` changes what the inputs say."""
        names = (
            *("processors", "instructions_per_s", "multiprogramming", "buffer_pages", "nvem_s", "force"),
            *("instructions_begin", "instructions_reference", "instructions_end"),
            *("instructions_io", "instructions_nvem"),
        )
        own = {name: getattr(self, name) for name in names} | {"controller_law": self.law, "disk_law": self.law}
        stand_in = self.ssd_device if database == "ssd" else self.database_device
        log_stand_in = self.ssd_device if log == "ssd" else self.log_device
        return rahm.system(
            _kept(database, stand_in),
            _kept(log, log_stand_in),
            computer=Computer(**own | computer),
            database_unit=self._unit(rahm.DATABASE, stand_in, "random", self.database_disk_s, 400, 100),
            log_unit=self._unit(rahm.LOG, log_stand_in, "sequential", self.log_disk_s, log_disks, 4 * log_disks),
            cache_pages=cache_pages,
        )

    def _unit(self, name, stand_in, pattern, disk_s, disks, controllers) -> DiskUnit:
        if stand_in == OWN:
            times = {"read_s": disk_s, "write_s": disk_s}
            times |= {"controller_s": self.controller_s, "transmission_s": self.transmission_s}
        else:
            model = devices.load(stand_in)
            times = {f"{what}_s": float(model.service(f"{pattern} {what}", PAGE_BYTES).total_s) for what in _PATTERNS}
            times |= {"controller_s": 0.0, "transmission_s": 0.0}
        return DiskUnit(name=name, disks=disks, controllers=controllers, **times)


class StrategyInputs(TransactionInputs):
    """With the update strategy as an input."""

    strategy: Annotated[
        str,
        Choice(lambda: STRATEGIES),
        From("rahm1992 §4.2"),
        Field(title="Update strategy", description="FORCE writes every changed page at commit."),
    ] = "NOFORCE"

    @field_validator("strategy")
    @classmethod
    def _known_strategy(cls, name):
        return known("update strategy", name, STRATEGIES)

    @property
    def force(self) -> bool:
        """Whether changed pages are written at commit."""
        return self.strategy == "FORCE"


_PATTERNS = ("read", "write")


def _kept(allocation: str, stand_in: str) -> str:
    """A device of the catalogue in place of the SSD is a unit whose every access goes to the device."""
    return "disk" if allocation == "ssd" and stand_in != OWN else allocation


class Case(NamedTuple):
    """One point: a label (series), the value of the x axis, and what is simulated."""

    label: str
    x: float
    system: TransactionSystem
    load: Load
    rate_hz: float
    seed: int


class Point(NamedTuple):
    """What came out; run is None where the formula says that a station cannot keep up."""

    estimate: theory.Estimate
    run: Run | None


def answer(cases: Sequence[Case], progress: Callable, result: Callable[[list], object]):
    """The points of all cases, on all processors; `result` makes a Result of the (case, point) pairs that are there.

    The formulas come at once, with empty simulations; then the points as they come in.
    """
    found: dict[Case, Point] = {case: Point(estimated(case), None) for case in cases}
    waiting = [case for case in cases if not found[case].estimate.saturated]
    progress(0.0, result([(case, found[case]) for case in cases]))
    workers = ThreadPoolExecutor(max_workers=min(os.cpu_count() or 1, 8))
    try:
        running = {workers.submit(_simulated, case): case for case in waiting}
        for done, future in enumerate(as_completed(running), start=1):
            case = running[future]
            found[case] = Point(found[case].estimate, future.result())
            if done % 4 == 0:
                progress(done / len(running), result([(case, found[case]) for case in cases]))
    finally:
        workers.shutdown(cancel_futures=True)
    return [(case, found[case]) for case in cases]


def estimated(case: Case) -> theory.Estimate:
    return theory.estimate(case.system, case.load, case.rate_hz)


def _simulated(case: Case) -> Run:
    return simulated(case.system, case.load, case.rate_hz, case.seed)


@functools.lru_cache(maxsize=4096)
def simulated(system: TransactionSystem, load: Load, rate_hz: float, seed: int) -> Run:
    """One run with an interval below 2 %, or of MOST transactions; kept, so that a slider may come back."""
    return simulate(system, load, rate_hz=rate_hz, seed=seed, most=MOST)


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
    return {
        "cpu_service_s": lambda: c["CPU service"],
        "cpu_wait_s": lambda: c["CPU wait"],
        "lock_wait_s": lambda: c["lock wait"],
        "nvem_s": lambda: c["NVEM service"] + c["NVEM wait"],
        "transmission_s": lambda: c["transmission"],
        "database_s": lambda: c["database controller service"] + c["database disk service"],
        "database_wait_s": lambda: c["database controller wait"] + c["database disk wait"],
        "log_s": lambda: c["log controller service"] + c["log disk service"],
        "log_wait_s": lambda: c["log controller wait"] + c["log disk wait"],
        "queue_s": lambda: c["input queue"] + c["commit group"],
    }[term]()


def notes(points: list[tuple[Case, Point]], inputs: TransactionInputs):
    """What a reader must know: how it was simulated, and where no point is."""
    yield (
        "Poisson arrivals; main memory and caches are filled before the clock starts, 2000 transactions warm up, then "
        "10 000 to 30 000 are measured, until the 95 % interval (20 batch means) is within 2 %. Thin lines: each "
        "station alone by formula, without waits for locks or of processors for a busy NVEM."
    )
    for label in dict.fromkeys(case.label for case, _ in points):
        over = [(case.x, _saturated(point)) for case, point in points if case.label == label and _saturated(point)]
        if over:
            yield f"{label}: saturated from {over[0][0]:g} on, by {over[0][1]}."
    for name, device in (
        ("database disks", inputs.database_device),
        ("SSD", inputs.ssd_device),
        ("log disk", inputs.log_device),
    ):
        if device != OWN:
            yield (
                f"In place of the {name}: {device}, by its mean times (of a rated device 1 / throughput, which is less "
                "than one access alone takes; a log is written at the sequential rate, as if into the disk's cache). "
                "Controller and channel are part of them."
            )


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
