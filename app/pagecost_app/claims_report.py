"""The ledger as one HTML page, in light and dark and on paper: no network, no other file, hardly any script.

All records of `pagecost claims --format json` stand in it too, for programs.
"""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from pagecost import __version__, catalogue, whole_files
from pagecost.claims import KINDS, PAPERS, Verdict, changes, claims, counts
from pagecost.units import so_many
from pagecost_app import claims_told as told
from pagecost_app import plain_json, report_look
from pagecost_app.claims_look import SCRIPT, SHEET

WIDTH, HEIGHT = 150, 22  # of the small picture of a line, in pixels
DIGITS = 6  # of a value that moved


def write(verdicts: Sequence[Verdict], path: Path) -> None:
    """Write the verdicts as one page. A headline stands in it for the papers whose lines are all among them.

    Raises OSError where it cannot be written.
    """
    whole_files.write(path, page(verdicts))


def page(verdicts: Sequence[Verdict]) -> str:
    """The page as text."""
    records = plain_json.text([verdict.record() for verdict in verdicts], indent=None).replace("<", "\\u003c")
    body = "".join(
        [
            _head(verdicts),
            _filters(verdicts),
            *(_paper(paper, [v for v in verdicts if v.claim.paper == paper]) for paper in _papers(verdicts)),
            '<p id="none" hidden>No line is like that. Take a filter away.</p>',
            _contradictions(_papers(verdicts)),
            _missing(verdicts),
            _changes(verdicts),
        ]
    )
    held = f'<script type="application/json" id="records">{records}</script>'
    return report_look.page("pagecost: the ledger", body + held, sheet=SHEET, script=SCRIPT)


def _papers(verdicts: Iterable[Verdict]) -> list[str]:
    asked = {verdict.claim.paper for verdict in verdicts}
    return [paper for paper in PAPERS if paper in asked]


def _whole(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts on the papers whose lines are all there, so that they can be counted."""
    there = {verdict.claim.id for verdict in verdicts}
    whole = {paper for paper in _papers(verdicts) if {claim.id for claim in claims(paper)} <= there}
    return [verdict for verdict in verdicts if verdict.claim.paper in whole]


def _head(verdicts: Sequence[Verdict]) -> str:
    asked = _papers(verdicts)
    title = f"What {len(asked)} paper{'s' if len(asked) > 1 else ''} state, and what comes out here"
    made = f"pagecost {__version__} · {so_many(len(verdicts), 'line')}"
    head = f"<header><p class=muted>{made}</p><h1>{title if len(asked) > 1 else title.replace('state', 'states')}</h1>"
    whole = _whole(verdicts)
    if not whole:
        return f"{head}<p>These are some lines only: a headline needs all lines of a paper.</p></header>"
    found = counts(whole)
    tiles = "".join(
        f'<div class="tile {name}"><b>{count}</b><span>{words}</span></div>'
        for name, count, words in (
            ("sound", found.sound, f"of {found.items} items have a sound prediction"),
            ("checked", found.checked, "have a line that is checked at all"),
            ("fails", found.contradicted, "have a prediction that fails"),
            ("missing", found.missing, "are missing, or there in part"),
        )
    )
    kinds = "".join(
        f"<tr><th>{kind}<td class=number>{lines}<td class=number>{'' if kind == 'context' else hold}"
        f'<td><span class=bar style="--share:{hold / lines if lines else 0:.3f}"></span><td>{escape(KINDS[kind])}'
        for kind, (lines, hold) in found.by_kind.items()
    )
    lines = ", ".join(f"{count} {name}" for name, count in found.lines.items())
    return (
        f"{head}<p class=headline>{escape(found.headline)}.</p><div class=tiles>{tiles}</div>"
        f"<table class=kinds><caption>Lines by kind, each statement once. Of the predicted ones: {lines}.</caption>"
        f"<tr><th>kind<th>lines<th>hold<th><th>means{kinds}</table></header>"
    )


def _filters(verdicts: Sequence[Verdict]) -> str:
    kinds = [kind for kind in KINDS if any(verdict.kind == kind for verdict in verdicts)]
    outcomes = [each for each in told.OUTCOMES if any(told.outcome(verdict) == each for verdict in verdicts)]
    return (
        '<form id="filters" role="search"><input type="search" name="text" placeholder="search: R31, hit ratio, Fig. 7'
        ' …" aria-label="Search">'
        + _select("paper", "all papers", [(paper, told.called(paper)) for paper in _papers(verdicts)])
        + _select("kind", "all kinds", [(kind, kind) for kind in kinds])
        + _select("outcome", "all verdicts", [(each, f"{told.SIGNS[each]} {each}") for each in outcomes])
        + '<span id="count" role="status"></span><button type="button" id="theme">Light or dark</button></form>'
    )


def _select(name: str, everything: str, options: Iterable[tuple[str, str]]) -> str:
    listed = "".join(f'<option value="{escape(each)}">{escape(words)}</option>' for each, words in options)
    return f'<select name="{name}" aria-label="{name}"><option value="">{everything}</option>{listed}</select>'


def _paper(paper: str, verdicts: Sequence[Verdict]) -> str:
    source = catalogue.sources()[paper]
    groups = "".join(_place(paper, place, lines) for place, lines in told.by_place(verdicts).items())
    whole = _whole(verdicts)
    sum_up = f"<p>{escape(counts(whole).headline)}.</p>" if whole else ""
    return (
        f'<section class=paper id="{escape(paper)}"><h2>{escape(told.called(paper))}</h2>'
        f"<p class=muted>{escape(source.authors)}: {escape(source.title)}. {escape(source.publisher)}</p>"
        f"{sum_up}{_bar(verdicts)}{groups}</section>"
    )


def _bar(verdicts: Sequence[Verdict]) -> str:
    """How many lines come to what, as one bar."""
    found = {each: sum(told.outcome(verdict) == each for verdict in verdicts) for each in told.OUTCOMES}
    parts = "".join(
        f'<i class="{_class(each)}" style="flex:{count}" title="{count} {each}"></i>'
        for each, count in found.items()
        if count
    )
    words = " · ".join(f"{told.SIGNS[each]} {count} {each}" for each, count in found.items() if count)
    return f'<div class=outcomes aria-hidden="true">{parts}</div><p class="muted small">{words}</p>'


def _class(outcome: str) -> str:
    return outcome.replace(" ", "-")


def _place(paper: str, place: str, verdicts: Sequence[Verdict]) -> str:
    about = told.heading(paper, place)
    heading = f"<b>{escape(place)}</b> {escape(about)}"
    return f"<section class=place><h3>{heading}</h3>{''.join(_line(verdict) for verdict in verdicts)}</section>"


def _line(verdict: Verdict) -> str:
    claim, what = verdict.claim, told.outcome(verdict)
    rows = "".join(f"<dt>{escape(name)}<dd>{escape(words)}" for name, words in told.facts(verdict))
    searched = " ".join((claim.id, claim.place, claim.statement, claim.study, claim.note)).lower()
    return (
        f'<details class="line {_class(what)}" id="{escape(claim.id)}" data-paper="{escape(claim.paper)}" '
        f'data-kind="{verdict.kind}" data-outcome="{escape(what)}" data-text="{escape(searched)}"><summary>'
        f'<span class=sign title="{escape(told.OUTCOMES[what])}">{told.SIGNS[what]}</span>'
        f"<span class=says>{escape(claim.statement)} <small>{escape(claim.id)}</small></span>"
        f"<span class=value>{escape(told.stated(claim))}</span>"
        f"<span class=value>{escape(told.measured(verdict))}</span>"
        f"<span class=drawn>{_drawn(verdict)}</span><span class=kind>{verdict.kind}</span></summary>"
        f"<dl><dt>place<dd>{escape(claim.place)}{rows}</dl></details>"
    )


def _drawn(verdict: Verdict) -> str:
    """The band in which a number holds, the stated value, what came out with its interval, and rivals, as SVG."""
    known = told.picture(verdict)
    if known is None:
        return ""

    def at(found: float) -> str:
        return f"{4 + known.share(found) * (WIDTH - 8):.1f}"

    low, high = map(float, map(at, known.band))
    parts = [
        f'<line class=axis x1="4" x2="{WIDTH - 4}" y1="11" y2="11"/>',
        f'<rect class=band x="{low}" y="5" width="{max(high - low, 1):.1f}" height="12"/>',
        f'<line class=used x1="{at(known.used)}" x2="{at(known.used)}" y1="3" y2="19"/>',
    ]
    for name, found in known.rivals:
        x = float(at(found))
        parts.append(f'<path class=rival d="M{x - 3},8 l6,6 m0,-6 l-6,6"><title>{escape(name)}</title></path>')
    if known.interval is not None and known.interval[0] != known.interval[1]:
        parts.append(
            f'<line class=interval x1="{at(known.interval[0])}" x2="{at(known.interval[1])}" y1="11" y2="11"/>'
        )
    if known.measured is not None:
        parts.append(f'<circle class=measured cx="{at(known.measured)}" cy="11" r="3.5"/>')
    words = f"holds from {known.band[0]:.4g} to {known.band[1]:.4g} {known.unit}; comes out {told.measured(verdict)}"
    return f'<svg width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{escape(words)}">{"".join(parts)}</svg>'


def _contradictions(asked: Sequence[str]) -> str:
    cards = "".join(
        f'<article id="{escape(each["id"])}"><h3>{escape(each["id"])} '
        f"<small>{escape(', '.join(map(told.called, each['papers'])))}, {escape(each['where'])}</small></h3>"
        f"<p>{escape(each['what'])}</p><p class=muted>{escape(each.get('treatment', ''))}</p>"
        f"<p class=small>{_links(each.get('lines', ())) or escape(each.get('status', ''))}</p></article>"
        for each in told.contradictions(asked)
    )
    return f"<section class=cards><h2>Where the papers contradict themselves</h2><div>{cards}</div></section>"


def _links(patterns: Iterable[str]) -> str:
    names = [escape(claim.id) for claim in told.of_patterns(patterns)]
    return ", ".join(f'<a href="#{name}">{name}</a>' for name in names)


def _missing(verdicts: Sequence[Verdict]) -> str:
    rows = "".join(
        f"<tr><td>{escape(told.called(item['paper']))}<td>{escape(item['id'])}<td>{escape(item['what'])}"
        f"<td>{escape(item['status'])}<td>{escape(item['missing'])}"
        for item in told.items(verdicts)
        if item["status"] != "checked"
    )
    return (
        "<section><h2>Not yet, in part, or only cited</h2><table class=plain><tr><th>paper<th>item<th>is about"
        f"<th>status<th>what is missing{rows}</table></section>"
    )


def _changes(verdicts: Sequence[Verdict]) -> str:
    """What moved since the release; lines that moved for one reason stand together."""
    asked = {verdict.claim.id for verdict in verdicts}
    of_papers = [claim for paper in _papers(verdicts) for claim in claims(paper)]
    moved = [*changes.of_lines(of_papers), *changes.of_verdicts(verdicts)]
    by_reason: dict[str, list[changes.Change]] = {}
    for change in moved:
        if change.id in asked or change.now is None:
            by_reason.setdefault(change.reason, []).append(change)
    groups = "".join(
        f"<details class=moved><summary><b>{len({change.id for change in found})}</b> "
        f"{escape(why or 'not said yet')}</summary><table class=plain><tr><th>line<th>what<th>released<th>now"
        + "".join(
            f"<tr><td>{escape(change.id)}<td>{change.field}<td>{_short(change.before)}<td>{_short(change.now)}"
            for change in found
        )
        + "</table></details>"
        for why, found in by_reason.items()
    )
    return f"<section><h2>What moved since the last release, and why</h2>{groups or '<p>Nothing.</p>'}</section>"


def _short(value: str | float | None) -> str:
    return escape(f"{value:.{DIGITS}g}" if isinstance(value, float) else str("–" if value is None else value))
