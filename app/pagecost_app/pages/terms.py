"""Words of the glossary in a text: underlined with dots, their meaning shown by pointer and by keyboard."""

from collections.abc import Iterable
from html import escape

from pagecost import glossary
from pagecost.glossary import Term

TERMS = """
.term { position: relative; border-bottom: 1px dotted currentColor; cursor: help; }
.term:focus-visible { outline: 2px solid #0072B2; outline-offset: 2px; }
.term:hover::after, .term:focus::after { content: attr(data-means); position: absolute; left: 0; top: calc(100% + 6px);
  z-index: 20; width: max-content; max-width: min(26em, 60vw); padding: 8px 12px; border: 1px solid var(--muted);
  border-radius: 6px; background: var(--ground); color: var(--ink); font: 400 13px/1.4 var(--font); white-space: normal;
  box-shadow: 0 4px 16px #0004; pointer-events: none; }
"""


def with_terms(text: str, seen: set[Term] | None = None) -> str:
    """A text as HTML in which each term says what it means. seen: terms that need no sign again; it grows."""
    seen = set() if seen is None else seen
    return "".join(_shown(piece, term, seen) for piece, term in glossary.in_text(text))


def words_html(terms: Iterable[Term]) -> str:
    """Terms and what they mean, as a list that unfolds; nothing where there are none."""
    lines = "".join(
        f"<li><b>{escape(each.term)}</b>: {escape(each.said)} <span style='color:var(--muted)'>({escape(each.source)})"
        "</span></li>"
        for each in terms
    )
    summary = "<summary style='font-size:15px;font-weight:600;cursor:pointer'>What do these words mean?</summary>"
    return f"<details>{summary}<ul>{lines}</ul></details>" if lines else ""


def _shown(piece: str, term: Term | None, seen: set[Term]) -> str:
    if term is None or term in seen:
        return escape(piece)
    seen.add(term)
    means = escape(f"{term.term}: {term.said}")
    return f'<span class="term" tabindex="0" data-means="{means}" aria-description="{means}">{escape(piece)}</span>'
