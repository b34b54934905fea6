"""Measures of claims about how the transaction system is built: its parameters, queues, buffers and cache rules."""

from collections.abc import Mapping

import numpy as np

from pagecost import studies
from pagecost.errors import ModelError, known, require
from pagecost.studies.transactions import storage_cost, transaction_configurations
from pagecost.transactions import Computer, Simulation, debit_credit, rahm, simulate, theory
from pagecost.transactions import caches_kernels as caches
from pagecost.transactions import storage_kernels as storage
from pagecost.transactions.plans import Plan

EFFECT_TRANSACTIONS = 2000  # enough for a change to be felt
CACHE_KINDS = {"volatile": storage.VOLATILE, "non-volatile": storage.NONVOLATILE, "write buffer": storage.WRITE_BUFFER}


def takes_effect(change: str, given: str = "") -> str:
    """Whether an input of the study transaction_configurations changes what comes out of a run: "changes", "does not".

    change: "name=value", or several with " and " between; without any, nothing is changed. given: what is set before.
    """
    before, after = _outcome(_values(given)), _outcome(_values(given) | _values(change))
    return "does not" if before == after else "changes"


def _values(text: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in text.split(" and ") if part)


def _outcome(values: Mapping[str, str]) -> tuple:
    """What a short run of the configuration to build leaves: times, shares and counts, to the last digit."""
    inputs = transaction_configurations.STUDY.inputs({"configurations": ["built"], **values})
    case = transaction_configurations.case_of(inputs, "built")
    run = simulate(
        case.system,
        case.transactions.load(),
        rate_hz=case.rate_hz,
        seed=case.seed,
        least=EFFECT_TRANSACTIONS,
        most=EFFECT_TRANSACTIONS,
    )
    return (
        run.response_s,
        tuple(run.composition.values()),
        tuple(run.ios.values()),
        tuple(map(tuple, run.hits.values())),
    )


def processors_alone(arrivals: str = "exponential") -> float:
    """Response time of a system of processors only at 600 TPS, over that of M/M/4.

    Six services of one mean, no locks, no storage and no log: a network with a product form.
    """
    mean = 250_000 / 6
    computer = Computer(logging=False, instructions_begin=mean, instructions_reference=mean, instructions_end=mean)
    free = dict.fromkeys(rahm.LOCKING, "none")
    system = rahm.system("main memory", computer=computer, locking=free)
    run = simulate(
        system, debit_credit(), rate_hz=600.0, arrivals=arrivals, precision=0.005, least=400_000, most=400_000
    )
    each_s = mean / computer.instructions_per_s
    return run.response_s / (6 * (each_s + theory.wait_s(3600.0, each_s, computer.processors)))


def mean_active(multiprogramming: int) -> float:
    """Mean number of transactions at work (throughput times response without the input queue), of 60 that want to."""
    system = rahm.system(log="nvem", computer=Computer(multiprogramming=multiprogramming))
    run = simulate(system, debit_credit(), terminals=60, least=20_000, most=20_000)
    return run.throughput_hz * (run.response_s - run.composition["input queue"])


def pages_twice(force: bool) -> float:
    """Pages that are in main memory and in the NVEM cache at once, after 20 000 transactions at 300 TPS."""
    system = rahm.system("NVEM cache", "nvem", computer=Computer(force=force, buffer_pages=1000), cache_pages=1000)
    simulation = Simulation(system, debit_credit(), rate_hz=300.0)
    simulation.carry_on(20_000)
    held = simulation.state.caches
    return float(sum(caches.find(held, caches.NVEM, key) >= 0 for key in _keys(held, caches.MAIN)))


def _keys(held, cache: int) -> list[int]:
    first, size = held.at[cache, caches.FIRST], held.at[cache, caches.SIZE]
    return [int(key) for key in held.key[first : first + size] if caches.find(held, cache, key) >= 0]


def cache_rule(kind: str, access: str, clean_left: bool = True) -> str:
    """What a disk cache of two pages does: who serves an access ("cache" or "disk"), and whether it keeps the page.

    access: read or write, hit or miss. clean_left: whether the cache still holds an unmodified page.
    """
    rules = storage.Rules(np.zeros((2, 6), np.int64), np.array([[CACHE_KINDS[kind], 1, 0]]), False, True)
    held, buffered = caches.new_caches([1, 0, 2]), np.zeros(1, np.int64)
    if not clean_left:
        for page in (8, 9):  # both frames are modified, or full
            storage.write_unit(held, rules, 0, page, buffered)
    verb, _, outcome = access.partition(" ")
    known("access", access, ("read hit", "read miss", "write hit", "write miss"))
    if outcome == "hit":
        storage.read_unit(held, rules, 0, 1)
    fast = storage.read_unit(held, rules, 0, 1) if verb == "read" else storage.write_unit(held, rules, 0, 1, buffered)
    kept = caches.find(held, caches.FIRST_UNIT, 1) >= 0 or (kind == "write buffer" and fast)
    return f"{'cache' if fast else 'disk'}, {'kept' if kept else 'not kept'}"


def cheapest_plan(what: str, set: Mapping | None = None) -> str:
    """A property of the cheapest plan within the target of the study storage_cost.

    what: "account", "branch", "log": its home; "sizes": whether main memory is "smaller" than an NVEM cache behind it,
    "not smaller", or that the plan has "no NVEM cache".
    """
    result = studies.find("storage_cost").compute(studies.find("storage_cost").inputs(set))
    rows = result.rows(chosen=True)
    require(rows.size == 1, "storage_cost: no plan with a price meets the target")
    if what == "sizes":
        if result["account"][rows[0]] != "NVEM cache":
            return "no NVEM cache"
        return "smaller" if result["buffer_pages"][rows[0]] < result["nvem_pages"][rows[0]] else "not smaller"
    return HOMES.get(str(result[known("property", what, ("account", "branch", "log", "sizes"))][rows[0]]), "disk")


HOMES = {
    **dict.fromkeys(("disk cache write buffer", "NVEM write buffer", "NVEM cache"), "disk behind non-volatile memory"),
    **dict.fromkeys(("nvem", "ssd"), "non-volatile memory"),
    "main memory": "main memory",
}
"""Homes in the words of the paper's conclusions."""


def half_in_nvem(whole: int, end: str, nvem: int | None = None) -> str:
    """Whether a buffer of which `nvem` pages (default: half) are NVEM is "cheaper" than one of main memory, or not.

    The hits of both are those of `whole` pages. end: of the printed price ranges.
    """
    inputs = storage_cost.STUDY.inputs({"price_end": end})
    nvem = whole // 2 if nvem is None else nvem
    home = "NVEM cache" if nvem else "disk"
    mixed = Plan(account=home, history=home, branch=home, buffer_pages=whole - nvem, cache_pages=nvem or 1)
    return "cheaper" if _price_usd(inputs, mixed) < _price_usd(inputs, Plan(buffer_pages=whole)) else "not cheaper"


def _price_usd(inputs: storage_cost.Inputs, plan: Plan) -> float:
    bought = storage_cost.buy(inputs, plan)
    if bought is None:
        raise ModelError(f"storage_cost: not all of {plan} is for sale in the price ranges of {inputs.price_end}")
    return bought.total_usd
