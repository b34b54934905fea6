"""`pagecost claims`: the ledger, what moved in it since the last release, and what would flip a line of it."""

import fnmatch
from collections.abc import Callable

from pagecost import catalogue
from pagecost.claims import Claim, Verdict, changes, check_these, claims, counts, flips
from pagecost.errors import require
from pagecost_app import printing, terminal
from pagecost_app.command_parts import DataFormat, Output
from pagecost_app.terminal import Shown

HEAD = ("claim", "status", "stated", "measured", "unit", "kind", "tolerance", "used")
MARKS = {"holds": "holds", "fails": "FAILS", "undecided": "undecided", "unchecked": "-"}


def asked(names: list[str], paper: str | None) -> list[Claim]:
    """The claims whose ids are meant, * standing for any text; all, or all of one paper, where none is named.

    Raises ModelError for an unknown paper, and for a name that no claim has.
    """
    found = claims(paper)
    for name in names:
        require(
            any(fnmatch.fnmatchcase(claim.id, name) for claim in found),
            f"no claim is called {name!r}; `pagecost claims --format csv` lists them, and R31.* asks for a whole table",
        )
    return [claim for claim in found if not names or any(fnmatch.fnmatchcase(claim.id, name) for name in names)]


def verdicts(names: list[str], paper: str | None, said: Callable[[float], None]) -> list[Verdict]:
    """Verdicts on the claims that are asked for."""
    return check_these(asked(names, paper), said)


def show(found: list[Verdict], out: Output, *, whole: bool) -> None:
    """Print verdicts. whole: they are all of their papers, so that a headline can be said."""
    made = printing.typed(out)
    if out.format != DataFormat.table:
        printing.records([verdict.record() for verdict in found], out, made, _said(found, whole))
        return
    terminal.say(_said(found, whole), strong=True)
    print()
    for paper in dict.fromkeys(verdict.claim.paper for verdict in found):
        terminal.say(catalogue.sources()[paper].title)
        rows = [_row(verdict) for verdict in found if verdict.claim.paper == paper]
        columns = zip(*rows, strict=True)
        terminal.table(
            [Shown(head, cells, True) for head, cells in zip(HEAD, columns, strict=True)], wide=out.wide, most=None
        )
        print()
    for verdict in found:
        if verdict.status in ("fails", "undecided"):
            why = verdict.claim.note.removeprefix("Fails: ") or "not expected"
            terminal.say(f"{verdict.claim.id} {verdict.status}: {why}")
    if whole:
        print()
        told = counts(found)
        for kind, (lines, hold) in told.by_kind.items():
            print(f"{kind}: {f'{lines}, not checked' if kind == 'context' else f'{hold} of {lines} hold'}")
        print(f"predicted lines: {', '.join(f'{count} {name}' for name, count in told.lines.items())}")
    printing.foot(out, made)


def _said(found: list[Verdict], whole: bool) -> str:
    """The verdicts in a sentence."""
    if whole:
        return f"{counts(found).headline}."
    statuses = [verdict.status for verdict in found]
    return "; ".join(f"{statuses.count(status)} {status}" for status in dict.fromkeys(statuses))


def _row(verdict: Verdict) -> list[str]:
    claim = verdict.claim
    flattered = verdict.kind == "predicted" and verdict.status == "holds" and not verdict.informative
    return [
        claim.id,
        MARKS[verdict.status] + ("" if claim.should_hold else " (known)") + (", a rival too" if flattered else ""),
        printing.short(claim.stated),
        printing.short(verdict.measured),
        claim.unit,
        verdict.kind,
        "" if claim.tolerance is None else f"± {claim.tolerance:g}",
        printing.short(claim.used),
    ]


def show_changes(names: list[str], paper: str | None, found: list[Verdict], out: Output) -> None:
    """Print what moved since the last release of the lines that are meant: the lines themselves, and their verdicts.

    What it is now and why fit a narrow window; what it was is left to wide ones and to other formats.
    """
    moved = [
        change
        for change in changes.of_lines(claims(paper)) + changes.of_verdicts(found)
        if not names or any(fnmatch.fnmatchcase(change.id, name) for name in names)
    ]
    if not moved:
        print("nothing moved since the last release")
        return
    rows = [{name: getattr(change, name) for name in ("id", "now", "reason", "field", "before")} for change in moved]
    if out.format == DataFormat.table:
        rows = [{name: printing.short(value) for name, value in row.items()} for row in rows]
        if not out.wide:
            rows = [{"id": row["id"], "now": f"{row['field']} {row['now']}", "reason": row["reason"]} for row in rows]
    printing.records(rows, out, printing.typed(out), f"{len(rows)} moved since the last release")


def show_flips(found: list[Claim], out: Output, said: Callable[[float], None]) -> None:
    """Print, for each claim, which numbers would flip its verdict, and how far they would have to move."""
    rows = [
        {"claim": claim.id, "number": flip.name, "down_to": flip.down, "up_to": flip.up}
        for claim in found
        if claim.measure
        for flip in flips(claim, said)
        if out.format != DataFormat.table or flip.down or flip.up
    ]
    require(bool(rows), "nothing that is read flips it, from an eighth to eight times its value")
    printing.records(rows, out, printing.typed(out))
