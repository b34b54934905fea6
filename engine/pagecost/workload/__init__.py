"""Where page requests come from: generators of known reference behaviour, and recordings of real systems."""

from pagecost.workload.debit_credit import DebitCredit
from pagecost.workload.zipf import zipf_pages

__all__ = ["DebitCredit", "zipf_pages"]
