"""A comparison as HTML, for the page and for the report: what differs carries a sign, not only a colour."""

from collections.abc import Callable, Sequence
from html import escape

from pagecost_app.workspace.answers import Answer
from pagecost_app.workspace.comparison import Line, Numbers, facts, inputs

SHEET = """
.bk-clearfix:has(> .sides) { display: block; max-width: 100%; }
.sides { overflow: auto; max-height: 62vh; margin: 6px 0 14px; }
.sides table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: auto; }
.sides caption { text-align: left; font-weight: 600; padding: 4px 0; max-width: calc(100vw - 48px); }
.sides th, .sides td { text-align: left; vertical-align: top; padding: 4px 18px 4px 0; font-weight: 400;
  border-bottom: 1px solid var(--faint); min-width: 90px; max-width: 260px; overflow-wrap: break-word; }
.sides thead th { font-weight: 600; position: sticky; top: 0; background: var(--ground); }
.sides tbody th { color: var(--muted); padding-left: 22px; text-indent: -16px; }
.sides tr.differs th { color: var(--ink); font-weight: 600; }
.sides tr.differs th::before { content: "≠ "; }
.sides td.other { font-weight: 600; }
.sides a { color: inherit; }
"""


def heads(answers: Sequence[Answer], link: Callable[[Answer], str | None]) -> str:
    """The row of names. link(answer): where its name leads; None for a bare one."""
    cells = []
    for number, answer in enumerate(answers, start=1):
        place = link(answer)
        name = f"{number}. {escape(answer.name)}"
        cells.append(f'<th scope="col">{f"<a href={quoted(place)}>{name}</a>" if place else name}</th>')
    return f'<thead><tr><th scope="col"><span hidden>what</span></th>{"".join(cells)}</tr></thead>'


def quoted(text: str) -> str:
    """An attribute of HTML."""
    return f'"{escape(text)}"'


def asked(answers: Sequence[Answer], link: Callable[[Answer], str | None] = lambda answer: None) -> str:
    """Inputs as rows, an answer a column; those that differ first."""
    lines = inputs(answers)
    differing = sum(line.differs for line in lines)
    said = "1 input differs" if differing == 1 else f"{differing} inputs differ"
    title = f"What was asked: {said}" if len(answers) > 1 else "What was asked"
    return _table(title, heads(answers, link), lines)


def found(answers: Sequence[Answer]) -> str:
    """What came out, in words and facts."""
    words = Line("the answer", tuple(answer.headline for answer in answers))
    made = Line("computed by", tuple(_made_by(answer) for answer in answers))
    return _table("What came out", heads(answers, lambda answer: None), [words, *facts(answers), made])


def numbers(answers: Sequence[Answer], chosen: Numbers) -> str:
    """One column of a table, row by row."""
    title = f"{chosen.title}, by {chosen.key}" if chosen.key else chosen.title
    return _table(title, heads(answers, lambda answer: None), (*chosen.asked, *chosen.lines))


def _made_by(answer: Answer) -> str:
    return f"pagecost {answer.version}, {answer.made_at[:10]}"


def _table(caption: str, head: str, lines: Sequence[Line]) -> str:
    rows = "".join(_row(line) for line in lines)
    table = f"<table><caption>{escape(caption)}</caption>{head}<tbody>{rows}</tbody></table>"
    return f'<div class="sides" tabindex="0" role="region" aria-label={quoted(caption)}>{table}</div>'


def _row(line: Line) -> str:
    cells = "".join(f"<td{' class=other' if cell != line.cells[0] else ''}>{escape(cell)}</td>" for cell in line.cells)
    return f'<tr{" class=differs" if line.differs else ""}><th scope="row">{escape(line.title)}</th>{cells}</tr>'
