"""How a number was computed: a small window at each marked number, which the browser itself opens and closes.

It opens by click, Enter or Space, and closes by Escape or a click beside it; no code of ours runs for that.
"""

from collections.abc import Iterable
from html import escape

from pagecost import glossary, units
from pagecost.glossary import Term
from pagecost.studies import Column, Study
from pagecost.studies.finding import Derived, Finding
from pagecost.studies.study import Fact
from pagecost_app.pages.terms import with_terms

MOST_LINES = 4  # of the reasons that a window repeats; all of them stand at the page's end

FINDING = """
:host { font-family: var(--font); color: var(--ink); }
p { margin: 2px 0 6px; font-size: 15px; line-height: 1.5; max-width: 62em; }
"""
WINDOW = """
.number { font: inherit; font-weight: 650; color: inherit; background: none; border: 0; padding: 0 1px; cursor: help;
  border-bottom: 2px solid #0072B2; border-radius: 0; white-space: nowrap; }
.number:focus-visible, .why:focus-visible { outline: 2px solid #0072B2; outline-offset: 2px; }
.why { font: inherit; font-size: 11px; line-height: 13px; width: 15px; height: 15px; padding: 0; margin-left: 5px;
  border: 1px solid var(--muted); border-radius: 50%; background: none; color: var(--muted); cursor: help; }
.how { font: 13px/1.45 var(--font); color: var(--ink); background: var(--ground); border: 1px solid var(--muted);
  border-radius: 8px; box-shadow: 0 6px 24px #0004; padding: 12px 16px; max-width: min(34em, 86vw); max-height: 60vh;
  overflow: auto; white-space: normal; font-weight: 400; }
.how b { font-weight: 650; }
.how ul { margin: 6px 0; padding-left: 18px; }
.how .source { color: var(--muted); margin: 6px 0 0; font-size: 12px; }
@supports (position-area: bottom) {
  .how { position-area: bottom span-right; position-try-fallbacks: flip-block, flip-inline; margin: 6px 0 0; }
}
"""


def finding_html(finding: str, study: Study, reasons: Iterable[str]) -> str:
    """A finding as HTML: each of its numbers is a button, and behind the sentence stand the windows that they open."""
    reasons, words, windows, seen = tuple(reasons), "", "", set[Term]()
    for part in finding.parts if isinstance(finding, Finding) else (finding,):
        if isinstance(part, Fact):
            name = f"{study.name}-number-{windows.count('popover')}"
            words += _button(name, "number", escape(part.cell), f"{part.cell}: how was this computed?")
            windows += _window(name, _of_number(part, reasons), study.source)
        else:
            words += with_terms(part, seen)
    return f'<p role="status">{words}</p>{windows}'


def head_html(study: Study, name: str, column: Column) -> str:
    """The head of a table's column as HTML: its label, and a button that says what stands in the column."""
    where, label = f"{study.name}-column-{name}", escape(column.label)
    said = f"<b>{label[:1].upper()}{label[1:]}</b>{_unit(column.unit)}."
    said += _lines(f"{each.term}: {each.said}" for each in glossary.of_texts(column.label))
    button = _button(where, "why", "?", f"{column.label}: how was this computed?")
    return label + button + _window(where, said, study.source)


def _of_number(number: Fact, reasons: tuple[str, ...]) -> str:
    label = escape(number.label)
    text = f"<b>{escape(number.cell)}</b> {label}{_exactly(number)}"
    own = [number.cell, number.label]
    if isinstance(number, Derived):
        text += f"<br>= {escape(number.how)}" if number.how else ""
        own += [said for each in number.of for said in (each.cell, each.label)]
    return text + _lines(_about(reasons, own))


def _exactly(number: Fact) -> str:
    """Every digit of a number, with its unit."""
    if number.unit == units.TEXT or isinstance(number, Derived):
        return ""
    unit = "" if number.unit == "1" else f" {escape(units.spoken(number.unit))}"
    return f" (exactly {units.in_wanted(number.number, number.unit)!r}{unit})"


def _unit(unit: str) -> str:
    return {"1": ": a count or a ratio", units.TEXT: ""}.get(unit, f", in {escape(units.spoken(unit))}")


def _about(reasons: Iterable[str], words: Iterable[str]) -> list[str]:
    """The reasons that say one of these words, else the first of all."""
    reasons = list(reasons)
    words = [word.lower() for word in words if len(word) > 2]
    own = [line for line in reasons if any(word in line.lower() for word in words)]
    return (own or reasons)[:MOST_LINES]


def _lines(lines: Iterable[str]) -> str:
    listed = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<ul>{listed}</ul>" if listed else ""


def _button(window: str, look: str, shown: str, said: str) -> str:
    # a head's click sorts the table; the window's is its own
    return (
        f'<button type="button" class="{look}" popovertarget="{window}" aria-label="{escape(said)}" '
        f'onclick="event.stopPropagation()">{shown}</button>'
    )


def _window(name: str, said: str, source: str) -> str:
    return (
        f'<div popover id="{name}" class="how" role="note" onclick="event.stopPropagation()">{said}'
        f'<p class="source">From {escape(source)}. All reasons stand below, under “How was this computed?”</p></div>'
    )
