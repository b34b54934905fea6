"""Runs of the transaction system that several questions ask for: a point by formula and by simulation.

A run is remembered by the system and by what its transactions are made of, never by arrays that hold them.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pagecost.remembering import remembered
from pagecost.transactions import Load, Run, TransactionSystem, before_repeating, debit_credit, simulate, theory
from pagecost.workload.debit_credit import DebitCredit

MOST = 100_000  # transactions of a point: what is still wider than 2 % shows its interval
PRECISION = 0.02  # half width of the 95 % interval that is wanted, over the mean

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


class Transactions(Protocol):
    """What transactions are made of: a value, equal where the transactions are."""

    def load(self, cached_pages: int = 0) -> Load:
        """The transactions as arrays; none repeats while caches of so many pages still hold what it touched.

        Those of a trace are as many as it has.
        """


@dataclass(frozen=True)
class DebitCreditLoad:
    """Debit-Credit with these settings."""

    model: DebitCredit
    seed: int = 1

    def load(self, cached_pages: int = 0) -> Load:
        """The transactions as arrays."""
        return debit_credit(self.model, before_repeating(cached_pages), self.seed)


class Case(NamedTuple):
    """One point: a label (series), the value of the x axis, and what is simulated.

    terminals: of a closed system, which then takes no rate; 0: open. arrivals: as in `Simulation`.
    """

    label: str
    x: float
    system: TransactionSystem
    transactions: Transactions
    rate_hz: float
    seed: int
    arrivals: str = "exponential"
    terminals: int = 0
    think_s: float = 0.0


class Point(NamedTuple):
    """What came out; run is None where the formula says that a station cannot keep up."""

    estimate: theory.Estimate
    run: Run | None

    @property
    def saturated(self) -> str:
        """The station that cannot keep up, or nothing."""
        return self.estimate.saturated or (self.run.saturated if self.run else "")


def estimated(case: Case) -> theory.Estimate:
    """The point by formula, which knows Poisson arrivals and terminals only."""
    load = case.transactions.load(case.system.cached_pages)
    if case.terminals:
        return theory.closed(case.system, load, case.terminals, case.think_s)
    return theory.estimate(case.system, load, case.rate_hz)


def simulated(case: Case, most: int = MOST, precision: float = PRECISION) -> Run:
    """One run with an interval below `precision`, or of `most` transactions; kept, so that a slider may come back."""
    source = (case.rate_hz, case.arrivals, case.terminals, case.think_s)
    return _simulated(case.system, case.transactions, *source, case.seed, most, precision)


@remembered
def _simulated(
    system: TransactionSystem,
    transactions: Transactions,
    rate_hz: float,
    arrivals: str,
    terminals: int,
    think_s: float,
    seed: int,
    most: int,
    precision: float,
) -> Run:
    source = {"terminals": terminals, "think_s": think_s} if terminals else {"rate_hz": rate_hz, "arrivals": arrivals}
    load = transactions.load(system.cached_pages)
    return simulate(system, load, seed=seed, most=most, precision=precision, **source)


def terms_of(run: Run) -> dict[str, float]:
    """Each of `TERMS` [s], from the finer composition of a run."""
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
    }


def hit_share(run: Run, *levels: int) -> float:
    """Share of the references that these levels answer. levels: 1 main memory, 2 NVEM, 3 caches of disks."""
    references = sum(row[0] for row in run.hits.values())
    return sum(row[level] for row in run.hits.values() for level in levels) / references
