"""Verdicts on claims, computed once for all processes of a test run: they are kept as those of a stopped run are."""

from collections.abc import Mapping

from pagecost.claims import Claim, Verdict, check, kept

_known: dict[str, Mapping] = {}


def verdict(claim: Claim) -> Verdict:
    """The verdict on a claim by this code on these data, from this run or another."""
    if claim.id not in _known:
        _known.update(kept.kept())  # by the other process, since
    found = kept.verdict(claim, _known)
    if found is None:
        found = check(claim)
        kept.keep(found)
        _known.update({claim.id: kept.record(found)})
    return found
