"""The transaction system over an extended storage hierarchy: Rahm's TPSIM (1992), as a fast discrete-event engine.

from pagecost.transactions import debit_credit, rahm, simulate
simulate(rahm.system(log="nvem"), debit_credit(), rate_hz=500).response_s
"""

from pagecost.transactions import rahm, theory
from pagecost.transactions.hits import Hits, hits
from pagecost.transactions.loads import Load, TransactionType, before_repeating, debit_credit, synthetic, trace
from pagecost.transactions.parameters import (
    USES,
    Computer,
    DiskUnit,
    Place,
    TransactionSystem,
    check_use,
)
from pagecost.transactions.system import Run, Simulation, simulate, term_names

__all__ = ["USES", "Computer", "DiskUnit", "Hits", "Load", "Place", "Run", "Simulation", "TransactionSystem"]
__all__ += [
    "TransactionType",
    "before_repeating",
    "check_use",
    "debit_credit",
    "hits",
    "rahm",
    "simulate",
    "synthetic",
    "term_names",
]
__all__ += ["theory", "trace"]
