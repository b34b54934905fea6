"""Which configuration of the storage hierarchy is the best of several? Up to eight, named or built, side by side."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import Field, model_validator

from pagecost.answers.transaction_runs import Case, Transactions, hit_share
from pagecost.errors import ModelError, known, require
from pagecost.studies.fields import About, Choice, Choices, Group, OfSystem, Steps
from pagecost.studies.finding import Finding, cells, compared
from pagecost.studies.study import Column, Progress, Result, Study, formulas_first, no_progress
from pagecost.studies.transactions import transaction_inputs as parameters
from pagecost.studies.transactions import transaction_loads
from pagecost.studies.transactions import transaction_system as shared
from pagecost.studies.transactions.transaction_inputs import SWITCH, choice, number, pages, seconds
from pagecost.studies.transactions.transaction_plans import system_of
from pagecost.studies.transactions.transaction_system import overloaded, saturated
from pagecost.transactions import Run, rahm
from pagecost.transactions.parameters import NONVOLATILE, REGULAR, SSD, VOLATILE, WRITE_BUFFER
from pagecost.transactions.plans import HOMES, LOG_HOMES, UNITS, Plan, check_home
from pagecost.units import format_cell, format_seconds, grouped

BUILT = "built"
MOST = 8
OPEN, CONSTANT, CLOSED = "Poisson", "constant", "terminals"
ARRIVALS = {
    OPEN: "open: Poisson arrivals",
    CONSTANT: "open: one after a constant time",
    CLOSED: "closed: terminals that think",
}
OWN_PLAN, SOURCE = "The configuration to build", "Source of the transactions"
_ALL, _DATA = ("account", "history", "branch", "log"), ("account", "history", "branch")
NAMED: dict[str, tuple[str, dict[str, str]]] = {
    "disk": ("disk", {}),
    "disk cache write buffer": (HOMES["disk cache write buffer"], dict.fromkeys(_ALL, "disk cache write buffer")),
    "NVEM write buffer": (HOMES["NVEM write buffer"], dict.fromkeys(_ALL, "NVEM write buffer")),
    "ssd": ("SSD", dict.fromkeys(_ALL, "ssd")),
    "nvem": ("NVEM", dict.fromkeys(_ALL, "nvem")),
    "main memory": ("main memory, log on disk", dict.fromkeys(_DATA, "main memory")),
    "main memory with NVEM log": ("main memory, log in NVEM", dict.fromkeys(_DATA, "main memory") | {"log": "nvem"}),
    "log in NVEM": ("disk, log in NVEM", {"log": "nvem"}),
    "volatile cache": (HOMES["volatile cache"], dict.fromkeys(_DATA, "volatile cache")),
    "non-volatile cache": (
        HOMES["non-volatile cache"],
        dict.fromkeys(_DATA, "non-volatile cache") | {"log": "disk cache write buffer"},
    ),
    "NVEM cache": ("disk, page cache and log in NVEM", dict.fromkeys(_DATA, "NVEM cache") | {"log": "nvem"}),
    "hot in NVEM": (
        "log and BRANCH in NVEM, the rest buffered there",
        dict.fromkeys(_DATA, "NVEM write buffer") | {"branch": "nvem", "log": "nvem"},
    ),
    BUILT: ("the one to build", {}),
}
"""Name -> (title, homes that differ from disk)."""

BOXES = {
    **{"database": UNITS[REGULAR], "buffered": UNITS[WRITE_BUFFER], "volatile": UNITS[VOLATILE]},
    **{"nonvolatile": UNITS[NONVOLATILE], "ssd": UNITS[SSD], "log": rahm.LOG},
}
"""Disk units: what they are called in a picture -> name of the unit."""

_KEYS = {**dict.fromkeys(_ALL, str), "buffer_pages": int, "cache_pages": int, "write_buffer_pages": int}


def _home(who: str, title: str, meaning: str) -> About:
    """The kind of input that is a home of a partition or of the log."""
    homes = LOG_HOMES if who == "the log" else HOMES
    return choice(homes, OWN_PLAN, title, meaning, such=lambda home: check_home(home, who))


class Inputs(parameters.StrategyInputs):
    """The configurations to compare, the one to build, and where the transactions come from."""

    configurations: Annotated[
        tuple[str, ...],
        Choices(
            lambda: {name: title for name, (title, _) in NAMED.items()},
            most=MOST,
            keep=lambda inputs: inputs.built,
            such=lambda name: parsed(name),
        ),
        Field(min_length=1, title="Configurations", description="Named ones, or ones that you built."),
    ] = ("disk", "disk cache write buffer", "NVEM cache", "hot in NVEM", "ssd", "nvem")
    shown: Annotated[
        int,
        Steps(tuple(range(1, MOST + 1)), "1", lambda number: f"number {number}"),
        Field(ge=1, le=MOST, title="Drawn as a picture", description="Its place in the list of configurations."),
    ] = 4
    rate_hz: Annotated[float, *parameters.rate("; a closed source has none", "Rate")] = 500.0
    own_account: Annotated[
        str, *_home("ACCOUNT", "ACCOUNT", "DBallocation, CachingNVEM, WriteBufferNVEM of the partition.")
    ] = "NVEM write buffer"
    own_history: Annotated[str, *_home("HISTORY", "HISTORY", "Likewise.")] = "NVEM write buffer"
    own_branch: Annotated[str, *_home("BRANCH", "BRANCH and TELLER", "Likewise, or MemResident.")] = "main memory"
    own_log: Annotated[str, *_home("the log", "Log", "LogAllocation.")] = "NVEM write buffer"
    cache_pages: Annotated[
        int,
        *number(
            (250, 500, 1000, 2000, 4000),
            pages,
            parameters.BUFFERS,
            "Page cache",
            "CacheSizeNVEM, or CacheSize of a disk cache.",
            unit="pages",
            ge=2,
            le=100_000,
        ),
    ] = 1000
    log_disks: Annotated[
        int,
        *number((1, 2, 4, 8, 50), str, parameters.STORAGE, "Log disks", "NumDisks of the log.", ge=1, le=1000),
        OfSystem("devices.log.count"),
    ] = 50
    source: Annotated[
        str,
        Choice(transaction_loads.titles, free=True, typed="path of a trace, or of a matrix as CSV"),
        Group(SOURCE),
        Field(title="Transactions", description="Or the path of a trace, or of a reference matrix as CSV."),
    ] = transaction_loads.DEBIT_CREDIT
    references: Annotated[
        int,
        Steps((1, 2, 4, 8, 16, 32), "1", str),
        Group(SOURCE),
        Field(ge=1, le=64, title="References per transaction", description="Of a trace, which does not know any."),
    ] = 4
    arrivals: Annotated[str, *choice(ARRIVALS, SOURCE, "Arrivals", "The paper's source is open.")] = OPEN
    terminals: Annotated[
        int,
        Steps((1, 10, 50, 100, 200, 500), "1", str),
        Group(SOURCE),
        OfSystem("load.users"),
        Field(ge=1, le=1000, title="Terminals", description="Of a closed source."),
    ] = 50
    think_s: Annotated[
        float,
        Steps((0.0, 0.01, 0.1, 1.0, 10.0), "s", format_seconds),
        Group(SOURCE),
        OfSystem("load.think_s"),
        Field(ge=0, le=1000, title="Think time", description="Mean of an exponential, of a closed source."),
    ] = 0.1
    group_size: Annotated[
        int,
        Steps((1, 2, 4, 8, 16), "1", lambda size: "off" if size == 1 else f"{size} transactions"),
        Group(parameters.PROCESSING),
        OfSystem("log.group_size"),
        Field(ge=1, le=1000, title="Commit group", description="Transactions that share a log write."),
    ] = 1
    group_wait_s: Annotated[
        float,
        *seconds(
            (1e-3, 2e-3, 5e-3, 10e-3, 20e-3),
            parameters.PROCESSING,
            "Group timer",
            "A group that is not full is written then.",
            gt=0,
            le=10,
        ),
    ] = 5e-3
    clean_early: Annotated[
        str,
        *choice(SWITCH, parameters.PROCESSING, "Early writing", "Modified pages are written before they are replaced."),
    ] = "off"

    def places(self, name: str) -> dict[str, str]:
        """Where each partition and the log of a configuration live."""
        plan = self.plan(name)
        places = {part: plan.homes.get(part, plan.account) for part in self.transactions.load().partitions}
        if self.clustering == "on" and "TELLER" in places:
            places["BRANCH with TELLER"] = places.pop("BRANCH")
            del places["TELLER"]
        return places | {"log": plan.log}

    @model_validator(mode="after")
    def _possible(self):
        """Every configuration makes sense with the load, before any run."""
        self.transactions.load()
        for name in self.configurations:
            try:
                case_of(self, name)
            except ModelError as error:
                raise ModelError(f"configuration {name}: {error}") from None
        return self

    def unused(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Inputs that change nothing here, and why."""
        if self.arrivals == CLOSED:
            yield ("rate_hz",), "Terminals that think send the next transaction when the last has ended"
        else:
            yield ("terminals", "think_s"), f"Transactions arrive by themselves ({ARRIVALS[self.arrivals]})"

    @property
    def transactions(self) -> Transactions:
        """What the transactions are made of."""
        if self.source == transaction_loads.DEBIT_CREDIT:
            return super().transactions
        return transaction_loads.transactions(self.source, self.references, self.seed)

    @property
    def built(self) -> str:
        """The configuration to build, as a text that `configurations` takes."""
        homes: dict[str, str | int] = {
            "account": self.own_account,
            "history": self.own_history,
            "branch": self.own_branch,
        }
        homes |= {"log": self.own_log, "buffer_pages": self.buffer_pages, "cache_pages": self.cache_pages}
        homes |= {"write_buffer_pages": self.write_buffer_pages}
        return "; ".join(f"{key}={value}" for key, value in homes.items() if value != "disk")

    def plan(self, name: str) -> Plan:
        """The plan of a configuration by its name or text."""
        sizes = {name: getattr(self, name) for name in ("buffer_pages", "cache_pages", "write_buffer_pages")}
        if name == BUILT:
            return parsed(self.built)
        return Plan(**sizes | NAMED[name][1]) if name in NAMED else parsed(name, sizes)


def parsed(text: str, sizes: Mapping[str, int] | None = None) -> Plan:
    """A plan from `account=disk; log=nvem; buffer_pages=500`. Raises ModelError for what it cannot read."""
    values: dict[str, Any] = dict(sizes or {})  # homes are texts, sizes are numbers
    for part in text.split(";"):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        require(
            bool(equals),
            f"unknown configuration {text!r}; known: {', '.join(NAMED)}, or a text like "
            "account=disk; branch=nvem; log=nvem; buffer_pages=500",
        )
        try:
            values[key] = _KEYS[known("part of a configuration", key, _KEYS)](value)
        except ValueError:
            raise ModelError(f"configuration {text!r}: {key} needs a whole number; got {value!r}") from None
    return Plan(**values)


def label(inputs: Inputs, name: str) -> str:
    """A configuration as a legend calls it; a text by its number."""
    if name in NAMED:
        return NAMED[name][0]
    return f"kept, number {inputs.configurations.index(name) + 1}"


def drawn(inputs: Inputs) -> tuple[int, str]:
    """(place in the list, name in a legend) of the configuration that is drawn as a picture."""
    place = min(inputs.shown, len(inputs.configurations))
    return place, label(inputs, inputs.configurations[place - 1])


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per configuration that keeps up. Table "units": each of its disk units, how busy it is.

    Table "saturated": configurations that do not keep up.
    """
    cases = [case_of(inputs, name) for name in inputs.configurations]
    points = shared.answer(cases, progress, lambda points: _result(inputs, points))
    return _result(inputs, points).with_notes(_notes(inputs, points))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The terms of each response time, which add up, and what each configuration is."""
    lines = shared.explain_rows(result, np.arange(len(result)))
    for place, name in enumerate(inputs.configurations, start=1):
        homes = inputs.places(name)
        lines.append(f"{place}: {', '.join(f'{part} {HOMES[home]}' for part, home in homes.items())}.")
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    rate = format_cell(inputs.rate_hz, "1")
    load = f"{rate} TPS" if inputs.arrivals != "terminals" else f"{grouped(inputs.terminals)} terminals"
    return Finding(
        compared(
            result,
            range(len(result)),
            "response_s",
            cells(result, "configuration"),
            several="At {load} {least} answers fastest, in {low}; {most} takes {high}, {times} as long.",
            half="half_width_s",
            one="At {load} {most} answers in {high}.",
            none="At {load} nothing keeps up.",
            load=load,
        ),
        saturated(overloaded(result)),
    )


def case_of(inputs: Inputs, name: str) -> Case:
    """A configuration as a point."""
    transactions = inputs.transactions
    system = system_of(
        inputs,
        inputs.plan(name),
        log_disks=inputs.log_disks,
        partitions=transactions.load().partitions,
        group_size=inputs.group_size,
        group_wait_s=inputs.group_wait_s,
        clean_early=inputs.clean_early == "on",
    )
    place = inputs.configurations.index(name) + 1 if name in inputs.configurations else 0
    case = Case(label(inputs, name), place, system, transactions, inputs.rate_hz, inputs.seed)
    if inputs.arrivals == CLOSED:
        return case._replace(terminals=inputs.terminals, think_s=inputs.think_s)
    return case._replace(arrivals="constant" if inputs.arrivals == CONSTANT else "exponential")


def _result(inputs: Inputs, points) -> Result:
    runs = [(case, point.run) for case, point in points if not point.saturated]

    def further(place: np.ndarray) -> dict[str, Column]:
        def of(read, label: str) -> Column:
            return Column(np.array([np.nan if run is None else read(run) for _, run in runs], float), "1", label)

        return {
            "nvem_hits": of(lambda run: hit_share(run, 2), "hit ratio of NVEM"),
            "cache_hits": of(lambda run: hit_share(run, 3), "hit ratio of disk caches"),
            "nvem_busy": of(lambda run: run.utilisation["NVEM"], "busy share of NVEM"),
            "chosen": Column(place == drawn(inputs)[0], "1", "drawn"),
        }

    units = [
        (case.x, case.label, unit.name, *_work(run, unit.name))
        for case, run in runs
        if run is not None
        for unit in case.system.units
    ]
    more = {UNITS_TABLE: _units(units)} if units else {}
    return shared.answered(points, {}, ("place", "1", "place in the list"), further, more)


UNITS_TABLE = "units"


def _work(run: Run, unit: str) -> tuple[float, float, float]:
    """Busy share of a unit's disks and of its controllers, and its I/Os per transaction."""
    disks, controllers = (run.utilisation.get(f"{unit} {what}", 0.0) for what in ("disk", "controller"))
    return disks, controllers, sum(run.ios.get(f"{unit} {what}", 0.0) for what in ("reads", "writes"))


def _units(rows) -> dict[str, Column]:
    column = [np.array(each) for each in zip(*rows, strict=True)]
    return {
        "place": Column(column[0], "1", "place in the list"),
        "configuration": Column(column[1], "text", "configuration"),
        "unit": Column(column[2], "text", "disk unit"),
        "disk_busy": Column(column[3], "1", "busy share of its disks"),
        "controller_busy": Column(column[4], "1", "busy share of its controllers"),
        "ios": Column(column[5], "1", "I/Os per transaction"),
    }


def _notes(inputs: Inputs, points):
    yield from shared.notes(points, inputs, {})
    if inputs.arrivals == CLOSED:
        yield (
            f"Closed: {grouped(inputs.terminals)} terminals, each thinks for {format_seconds(inputs.think_s)} on "
            "average; the formula is that of a closed network, exact for "
            "stations without locks and without what is written behind."
        )
    if inputs.arrivals == CONSTANT:
        yield "Constant times between arrivals; the formula is that of Poisson arrivals."
    if inputs.source != transaction_loads.DEBIT_CREDIT:
        yield (
            "Partitions that are not Debit-Credit's live where ACCOUNT does. Inputs of the load other than the seed "
            "do not apply."
        )
    if isinstance(inputs.transactions, transaction_loads.TraceLoad):
        yield from inputs.transactions.left_out()


STUDY = Study(
    name="transaction_configurations",
    title="Build a storage hierarchy: which of up to eight configurations is the best?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    estimate=formulas_first(compute),
    place="whole path",
    source="rahm1992 §3, §4 and §5",
    presets={
        "six of the paper": {},
        "main memory, three logs": {
            "configurations": ("main memory", "main memory with NVEM log", "built"),
            "own_account": "main memory",
            "own_history": "main memory",
            "own_log": "ssd",
            "shown": 3,
        },
        "50 terminals instead of a rate": {"arrivals": CLOSED},
        "constant arrivals": {"arrivals": CONSTANT},
        "a reference matrix: updates and queries": {
            "source": transaction_loads.QUERIES,
            "rate_hz": 100.0,
            "configurations": ("disk", "volatile cache", "non-volatile cache", "NVEM cache", "ssd"),
        },
        "the same in 2009, by the mechanics of the devices": {
            "database_device": "hgst-7k1000-750gb",
            "log_device": "hgst-7k1000-750gb",
            "ssd_device": "intel-x25-e",
            "device_times": parameters.MECHANICS,
        },
    },
)
