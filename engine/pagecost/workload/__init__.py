"""Where page requests come from: generators of known reference behaviour, and recordings of real systems."""

from pagecost.workload.debit_credit import DebitCredit
from pagecost.workload.insight import Insight, Profile
from pagecost.workload.patterns import HotCold, Loop, Pattern, ScanPolluted, ShiftingLocality, Zipf
from pagecost.workload.reference_matrix import Partition, ReferenceMatrix, TransactionType, debit_credit_matrix
from pagecost.workload.tpcc import TpcC
from pagecost.workload.zipf import zipf_pages

PATTERNS: dict[str, type[Pattern]] = {
    "zipf": Zipf,
    "hot-cold": HotCold,
    "scan-polluted": ScanPolluted,
    "shifting-locality": ShiftingLocality,
    "loop": Loop,
}
"""Every generator of single references by its name."""

__all__ = [
    "PATTERNS",
    "DebitCredit",
    "HotCold",
    "Insight",
    "Loop",
    "Partition",
    "Pattern",
    "Profile",
    "ReferenceMatrix",
    "ScanPolluted",
    "ShiftingLocality",
    "TpcC",
    "TransactionType",
    "Zipf",
    "debit_credit_matrix",
    "zipf_pages",
]
