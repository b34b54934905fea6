"""Measures of claims about the transaction system; each asks the same systems as the studies, one point at a time."""

import dataclasses
import importlib
from collections.abc import Mapping, Sequence

import numpy as np

from pagecost import catalogue, studies
from pagecost.answers.transaction_runs import Case, Point, estimated, simulated
from pagecost.claims.answers import answer, ranked
from pagecost.errors import ModelError, known
from pagecost.studies.transactions import transaction_system as shared
from pagecost.transactions import (
    Computer,
    DiskUnit,
    Load,
    Place,
    check_use,
    debit_credit,
    hits,
    rahm,
    simulate,
)
from pagecost.transactions.parameters import NVEM, SSD, WRITE_BUFFER
from pagecost.units import from_si
from pagecost.workload.debit_credit import DebitCredit

PRECISION, MOST = 0.008, 200_000  # narrower than what a study draws: orders of close curves are claimed


def transactions(
    study: str, series: str, x: float, column: str | Sequence[str], set: Mapping | None = None, scale: float = 1.0
) -> float:
    """A column (or the sum of some) of one point of a study of the transaction system, times `scale`."""
    names = [column] if isinstance(column, str) else column
    return scale * sum(_value(study, series, x, name, set) for name in names)


def transactions_ratio(
    study: str, series: str, x: float, over: Mapping, column: str = "response_s", set: Mapping | None = None
) -> float:
    """One point over another; over: what differs (series, x)."""
    below = _value(study, over.get("series", series), over.get("x", x), column, set)
    return _value(study, series, x, column, set) / below


def transactions_difference(
    study: str, series: str, x: float, less: Mapping, column: str = "response_s", set: Mapping | None = None
) -> float:
    """One point less another; less: what differs (series, x)."""
    other = _value(study, less.get("series", series), less.get("x", x), column, set)
    return _value(study, series, x, column, set) - other


def transactions_order(
    study: str, series: Sequence[str], x: float, column: str = "response_s", set: Mapping | None = None
) -> str:
    """The series by rising value at x: "nvem < ssd < disk"."""
    return ranked({name: _value(study, name, x, column, set) for name in series})


def transactions_limit(study: str, series: str, set: Mapping | None = None) -> float:
    """Transactions per second when there is always another one: 400 terminals that do not think."""
    case = _case(study, series, 100.0, set)
    return simulate(case.system, case.transactions.load(), terminals=400, least=20_000, most=20_000).throughput_hz


def branch_disk_limit(disk_s: float) -> float:
    """The same under FORCE when BRANCH and TELLER lie on one disk of their own."""
    return _limit_by_home("disk", disk_s, force=True)


def branch_home_limit(home: str, access_s: float | None = None, than: float = 70.0, force: bool = True) -> str:
    """Whether as many transactions per second are "below" or "above" `than` with BRANCH and TELLER at a home.

    home: "disk", one of their own; "write buffer" before that disk; "ssd"; "nvem". access_s: of an access there, one at
    a time; None: as in Table 4.1. force: FORCE, else NOFORCE.
    """
    known("home", home, HOMES)
    return "below" if _limit_by_home(home, access_s, force) < than else "above"


HOMES = ("disk", "write buffer", "ssd", "nvem")


def _limit_by_home(home: str, access_s: float | None, force: bool) -> float:
    """Transactions per second of 300 terminals that do not think."""
    one_s = {} if access_s is None else {"controllers": 1, "controller_s": access_s}
    units: dict[str, dict] = {
        "disk": {} if access_s is None else {"read_s": access_s, "write_s": access_s},
        "write buffer": {"kind": WRITE_BUFFER, "cache_pages": rahm.LOG_CACHE_PAGES, **one_s},
        "ssd": {"kind": SSD, **one_s},
    }
    nvem_s = access_s if home == "nvem" and access_s is not None else Computer().nvem_s
    system = rahm.system(computer=Computer(force=force, nvem_s=nvem_s), log_unit=rahm.log_disk(50, 50))
    own = (DiskUnit(name="branch", disks=1, **units[home]),) if home in units else ()
    places = {name: Place(home="branch" if own else NVEM) for name in ("BRANCH", "TELLER")}
    system = dataclasses.replace(system, units=(*system.units, *own), partitions=dict(system.partitions) | places)
    return simulate(system, debit_credit(), terminals=300, least=20_000, most=20_000).throughput_hz


def memory_hits(buffer_pages: int, record: str | None = None) -> float:
    """Hit ratio of main memory [%] of Debit-Credit, of all references or of one record type."""
    system = rahm.system(computer=Computer(buffer_pages=buffer_pages))
    return 100 * hits(system, debit_credit()).ratio("main", record)


def combined_hits(sizes: Sequence[int], over: Sequence[int], database: str = "NVEM cache") -> float:
    """Hits [points] of main memory and a second level together less those of two others; sizes: pages of each."""
    return _both_levels(sizes, database) - _both_levels(over, database)


def _both_levels(sizes: Sequence[int], database: str) -> float:
    main, second = sizes
    if not second:
        return memory_hits(main)
    system = rahm.system(database, computer=Computer(buffer_pages=main), cache_pages=second)
    found = hits(system, debit_credit())
    return 100 * (found.ratio("main") + found.second_level)


def hits_order(study: str, configurations: Sequence[str], buffer_pages: int, set: Mapping | None = None) -> str:
    """Second levels of the study multi_level_hits by rising hit ratio: "volatile < non-volatile = NVEM"."""
    result = answer(study, values=set)
    ratio = {
        name: float(result["second_hits"][result.rows(configuration=name, buffer_pages=buffer_pages)[0]])
        for name in configurations
    }
    return ranked(ratio)


def hits_gain(
    study: str, configuration: str, buffer_pages: int, switch: Mapping, points: float = 0.0, set: Mapping | None = None
) -> str:
    """Whether a switch of the study multi_level_hits "raises" the hits of a second level, by more than so many points
    of all references, or "does not"."""
    before, after = (answer(study, values={**(set or {}), **values}) for values in ({}, switch))
    row = before.rows(configuration=configuration, buffer_pages=buffer_pages)[0]
    gain = 100 * (after["second_hits"][row] - before["second_hits"][row])
    return "raises" if gain > points else "does not"


def can_serve(storage: str, use: str) -> str:
    """Table 2.2: "+" or "-"."""
    try:
        check_use(storage, use)
    except ModelError:
        return "-"
    return "+"


def setting(name: str, factor: float = 1.0) -> float:
    """A setting of Table 4.1 by its name in the engine, in SI, times `factor`."""
    parts = {
        "computer": Computer(),
        "database_unit": DiskUnit(name="database"),
        "log_unit": rahm.log_disk(),
        "load": DebitCredit(),
    }
    part, _, field = name.partition(".")
    return factor * float(getattr(parts[known("part", part, parts)], field))


def lock_granule(record: str) -> str:
    """What is locked of a record type in Table 4.1: "page" or "none"."""
    return rahm.LOCKING[known("record type", record, rahm.LOCKING)]


def pathlength(what: str, factor: float = 1.0) -> float:
    """From Table 4.1: "instructions" of a transaction, "seconds" of a processor, "rate" of all processors [1/s], or
    "utilisation" at 700 TPS with three I/Os [%]. factor: times the instructions per reference."""
    c = Computer()
    count = c.instructions_begin + 4 * factor * c.instructions_reference + c.instructions_end
    return {
        "instructions": count,
        "seconds": count / c.instructions_per_s,
        "rate": c.processors * c.instructions_per_s / count,
        "utilisation": 100 * 700 * (count + 3 * c.instructions_io) / (c.processors * c.instructions_per_s),
    }[known("quantity", what, ("instructions", "seconds", "rate", "utilisation"))]


def local_accounts(local_share: float) -> float:
    """Share [%] of Debit-Credit transactions whose account belongs to the branch they reference."""
    load = debit_credit(DebitCredit(local_share=local_share))
    number = (load.page & ((1 << 40) - 1)).reshape(-1, 4)
    return 100 * float(np.mean(number[:, 0] // 10_000 == number[:, 2]))


def deadlocks(reverse_every: int) -> float:
    """Deadlocks in 10 000 transactions on ten branches; every so many-th transaction references in reverse order."""
    load = debit_credit(DebitCredit(branches=10, accounts_per_branch=20), 10_000)
    place = np.arange(load.page.size).reshape(-1, 4)
    if reverse_every:
        place[::reverse_every] = place[::reverse_every, ::-1]
    order = place.ravel()
    arrays = (load.page[order], load.lock[order], load.write[order], load.record[order])
    mixed = Load("mixed", load.partitions, load.first, *arrays, load.appended)
    run = simulate(rahm.system(log="nvem"), mixed, rate_hz=60.0, least=10_000, most=10_000)
    return run.locks["deadlocks"] * run.transactions


def price(device: str, bound: str) -> float:
    """The low or high end of a device's price range, in dollars per MB."""
    return float(getattr(catalogue.device(device).prices[0], known("bound", bound, ("low", "high"))))


def access_range(device: str, bound: str, unit: str) -> float:
    """The low or high end of a device's access time, in the unit; nan where no range is known."""
    end = getattr(catalogue.device(device).parameter("access_s"), known("bound", bound, ("low", "high")))
    return float("nan") if end is None else from_si(end, unit)


def price_ratio(device: str, over: str) -> float:
    """The middle of a device's price range per MB over the middle of another's."""
    middle = [sum(price(name, bound) for bound in ("low", "high")) / 2 for name in (device, over)]
    return middle[0] / middle[1]


def times_faster(device: str, than: str) -> float:
    """How many accesses of `device` fit into one of `than`."""
    return catalogue.device(than).value("access_s") / catalogue.device(device).value("access_s")


def transfer_s(device: str, size_bytes: float) -> float:
    """Time to move so many bytes over the device's interface [s]."""
    return size_bytes / catalogue.device(device).value("interface_bytes_per_s")


def better_access_mode(instructions_io: float) -> str:
    """Whether NVEM is better accessed synchronously or with process switches of that length, at 500 TPS."""
    responses = {}
    for mode, waits in (("synchronous", True), ("asynchronous", False)):
        computer = Computer(nvem_synchronous=waits, instructions_io=instructions_io)
        run = simulate(rahm.system("nvem", "nvem", computer=computer), debit_credit(), rate_hz=500.0)
        responses[mode] = run.response_s
    return min(responses, key=responses.__getitem__)


def _case(study: str, series: str, x: float, values: Mapping | None) -> Case:
    module = importlib.import_module(studies.find(study).module)
    return module.case_of(studies.find(study).inputs(values), series, x)


def _value(study: str, series: str, x: float, column: str, values: Mapping | None) -> float:
    case = _case(study, series, float(x), values)
    point = Point(estimated(case), simulated(case, MOST, PRECISION))
    return float(shared.columns([(case, point)], {}, ("x", "1", "x"))[column].values[0])
