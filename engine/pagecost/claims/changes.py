"""What moved in the ledger since the last release: every value, tolerance and kind, with the reason for it.

`datasets/claims/released.json` holds the ledger of the last release as it was checked then; the reasons stand in
`datasets/claims/changes/PAPER.toml`, each with the lines (fnmatch patterns) that it is about.
"""

import fnmatch
import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pagecost import catalogue
from pagecost.claims.checking import Verdict
from pagecost.claims.ledger import Claim, read_toml

FIELDS = ("used", "tolerance", "kind")  # of a line: a change of one needs a reason
LARGEST_DRIFT = 1e-3  # of a measured value, relative, that is not said


@dataclass(frozen=True)
class Change:
    """One thing that is not as it was released. before, now: None where there was or is none."""

    id: str
    field: str
    before: str | float | None
    now: str | float | None
    reason: str


def of_lines(asked: Sequence[Claim]) -> list[Change]:
    """Lines that are new, gone or other than released. asked: all claims of the papers that are looked at."""
    found = []
    before, now = released(), {claim.id: claim for claim in asked}
    papers = {claim.paper for claim in asked}
    for name, claim in now.items():
        if name not in before:
            found.append(Change(name, "line", None, claim.kind, reason(claim.paper, name)))
            continue
        for field in FIELDS:
            if before[name][field] != getattr(claim, field):
                why = reason(claim.paper, name)
                found.append(Change(name, field, before[name][field], getattr(claim, field), why))
    for name, line in before.items():
        if line["paper"] in papers and name not in now:
            found.append(Change(name, "line", line["kind"], None, reason(line["paper"], name)))
    return found


def of_verdicts(verdicts: Sequence[Verdict]) -> list[Change]:
    """Values and verdicts that are other than released."""
    found = []
    before = released()
    for verdict in verdicts:
        line = before.get(verdict.claim.id)
        if line is None:
            continue
        why = reason(verdict.claim.paper, verdict.claim.id)
        if line["status"] != verdict.status:
            found.append(Change(verdict.claim.id, "verdict", line["status"], verdict.status, why))
        if _moved(line["measured"], verdict.measured):
            found.append(Change(verdict.claim.id, "measured", line["measured"], verdict.measured, why))
    return found


@functools.cache
def released() -> Mapping[str, Mapping]:
    """The lines of the last release by id: paper, used, tolerance, kind, measured, status."""
    return json.loads((catalogue.root() / "claims" / "released.json").read_text("utf8"))


def reason(paper: str, line: str) -> str:
    """Why a line is other than released; empty where nobody said it."""
    return "; ".join(
        record["reason"]
        for record in _log(paper)
        if any(fnmatch.fnmatchcase(line, pattern) for pattern in record["lines"])
    )


@functools.cache
def _log(paper: str) -> tuple[Mapping, ...]:
    path = catalogue.root() / "claims" / "changes" / f"{paper}.toml"
    return tuple(read_toml(path.name, path.read_text("utf8"))["change"]) if path.exists() else ()


def _moved(before, now) -> bool:
    if isinstance(before, str) or isinstance(now, str) or before is None or now is None:
        return before != now
    return abs(now - before) > LARGEST_DRIFT * max(abs(now), abs(before))
