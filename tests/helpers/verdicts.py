"""Verdicts on claims, computed once for all processes of a test run: they are kept as those of a stopped run are."""

import time
from collections.abc import Mapping

from pagecost.claims import Claim, Verdict, check, kept

AGAIN_S = 20.0  # all that is kept is read as seldom as this: it is hundreds of lines, and a test asks for each
_known: dict[str, Mapping] = {}
_read_s = -AGAIN_S


def verdict(claim: Claim) -> Verdict:
    """The verdict on a claim by this code on these data, from this run or another."""
    global _read_s
    if claim.id not in _known and time.monotonic() - _read_s > AGAIN_S:
        _known.update(kept.kept())  # by the other process, since
        _read_s = time.monotonic()
    found = kept.verdict(claim, _known)
    if found is None:
        found = check(claim)
        kept.keep(found)
        _known.update({claim.id: kept.record(found)})
    return found
