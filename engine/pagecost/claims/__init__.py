"""The ledger: what the papers state, and what comes out here."""

from pagecost.claims.checking import Verdict, check, check_all, control_fails
from pagecost.claims.ledger import KINDS, Claim, claims
from pagecost.claims.papers import PAPERS

__all__ = ["KINDS", "PAPERS", "Claim", "Verdict", "check", "check_all", "claims", "control_fails"]
