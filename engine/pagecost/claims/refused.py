"""Lines of the ledger that ask for what there is not: one sentence, with file and line, before anything runs."""

from collections.abc import Iterable

from pagecost.claims import papers
from pagecost.claims.ledger import Claim
from pagecost.claims.measures import MEASURES
from pagecost.errors import known, require
from pagecost.studies import STUDIES


def refuse_wrong(asked: Iterable[Claim]) -> None:
    """Raises ModelError for the first line with an unknown measure, study or place, or with words that do not stand in
    its paper."""
    for claim in asked:
        for place in claim.place.split(", "):
            known(f"place of {claim.where}, claim {claim.id},", place, papers.PAPERS[claim.paper]["places"])
        if claim.anchor:
            require(
                papers.stands_in(claim.paper, claim.anchor),
                f"{claim.where}: claim {claim.id}: {claim.anchor!r} does not stand in {claim.paper}",
            )
        if claim.measure:
            require(
                bool(claim.anchor), f"{claim.where}: claim {claim.id} has no anchor: three to eight words of the paper"
            )
            known(f"measure of {claim.where}, claim {claim.id},", claim.measure["measure"], MEASURES)
        if claim.study:
            known(f"study of {claim.where}, claim {claim.id},", claim.study, STUDIES)
        if claim.kind == "predicted":
            require(
                bool(claim.rival) or claim.tolerance is not None,
                f"{claim.where}: claim {claim.id} is called predicted and names no rival",
            )
