"""Measures of claims about waits for locks: how many requests for one are denied, per transaction of Debit-Credit."""

import dataclasses

import numpy as np

from pagecost.errors import known
from pagecost.transactions import Computer, Load, debit_credit, rahm, simulate
from pagecost.workload.debit_credit import DebitCredit

TRANSACTIONS = 100_000  # of a run: enough for one request in a hundred to be denied a thousand times
LOG_DISKS = 50  # so many that the log is no bottleneck, as in Rahm's §4.3
ORDERS = {"small types last": (0, 1, 2, 3), "small types first": (2, 3, 0, 1)}
"""Debit-Credit's references in the order in which it makes them: ACCOUNT, HISTORY, BRANCH, TELLER."""


def clustering_eases_locks(rate_hz: float, share: float, database: str = "disk", seed: int = 1) -> str:
    """Whether clustering BRANCH and TELLER takes more than this share of denied requests away: "reduced" or "not"."""
    loads = (debit_credit(DebitCredit(clustered=clustered), seed=seed) for clustered in (True, False))
    together, apart = (_denied(load, rate_hz, database, seed) for load in loads)
    return "reduced" if together < (1 - share) * apart else "not"


def last_eases_locks(rate_hz: float, share: float, database: str = "disk", seed: int = 1) -> str:
    """Whether to reference BRANCH and TELLER last takes more than this share of the denied requests away."""
    loads = (_in_order(debit_credit(seed=seed), order) for order in ("small types last", "small types first"))
    last, first = (_denied(load, rate_hz, database, seed) for load in loads)
    return "reduced" if last < (1 - share) * first else "not"


def force_raises_locks(rate_hz: float, share: float, database: str = "disk", log: str = "disk", seed: int = 1) -> str:
    """Whether FORCE has more denied requests than NOFORCE, by more than this share of those: "raised" or "not"."""
    load = debit_credit(seed=seed)
    forced, not_forced = (_denied(load, rate_hz, database, seed, log, force) for force in (True, False))
    return "raised" if forced > (1 + share) * not_forced else "not"


def _denied(load: Load, rate_hz: float, database: str, seed: int, log: str = "disk", force: bool = False) -> float:
    """Denied requests for a lock, per transaction."""
    system = rahm.system(database, log, computer=Computer(force=force), log_unit=rahm.log_disk(LOG_DISKS, LOG_DISKS))
    run = simulate(system, load, rate_hz=rate_hz, seed=seed, least=TRANSACTIONS, most=TRANSACTIONS)
    return run.locks["denied"]


def _in_order(load: Load, order: str) -> Load:
    """The load with the four references of each transaction in another order."""
    places = np.arange(load.page.size).reshape(-1, 4)[:, ORDERS[known("order", order, ORDERS)]].ravel()
    names = ("page", "lock", "write", "record")
    return dataclasses.replace(load, **{name: getattr(load, name)[places] for name in names})
