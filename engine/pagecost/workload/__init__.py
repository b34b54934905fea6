"""Where page requests come from: generators of known reference behaviour, and recordings of real systems."""

from pagecost.workload.debit_credit import DebitCredit
from pagecost.workload.insight import Insight, Profile
from pagecost.workload.loads import LOADS, PATTERNS
from pagecost.workload.patterns import HotCold, Loop, Pattern, ScanPolluted, ShiftingLocality, Zipf
from pagecost.workload.reference_matrix import Partition, ReferenceMatrix, TransactionType, debit_credit_matrix
from pagecost.workload.tpcc import TpcC
from pagecost.workload.zipf import zipf_pages

__all__ = [
    "LOADS",
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
