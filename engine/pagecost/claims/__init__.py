"""The ledger: what the papers state, and what comes out here."""

from pagecost.claims.checking import Verdict, check, control_fails
from pagecost.claims.counts import Counts, counts
from pagecost.claims.ledger import KINDS, Claim, claims
from pagecost.claims.papers import PAPERS
from pagecost.claims.sensitivity import Flip, flips
from pagecost.claims.whole import check_all, check_these

__all__ = [
    "KINDS",
    "PAPERS",
    "Claim",
    "Counts",
    "Flip",
    "Verdict",
    "check",
    "check_all",
    "check_these",
    "claims",
    "control_fails",
    "counts",
    "flips",
]
