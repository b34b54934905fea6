"""Pseudo-code beside a picture: the lines that ran in the last step are lit, by what the model did and nothing else."""

import html
from collections.abc import Collection, Iterable

CODE_CSS = """
.walk-code { margin: 0; min-width: 0; }
.walk .walk-code ol { display: block; counter-reset: line; margin: 0; padding: 0; }
.walk .walk-code li { display: block; position: relative; text-align: left; border: 0; border-radius: 0;
  border-left: 4px solid transparent;
  background: none; margin: 0; min-width: 0; font: 12.5px/1.45 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono",
  monospace; color: var(--w-muted); counter-increment: line; }
.walk .walk-code li::before { content: counter(line); position: absolute; left: 0; width: 24px; text-align: right;
  color: var(--w-muted); font-size: 11px; }
.walk .walk-code li.lit { border-left-color: #D55E00; background: var(--w-panel); color: var(--w-ink);
  font-weight: 600; }
"""


def lit(when: str, facts: Collection[str]) -> bool:
    """Whether a line ran. when: facts that must all be there, joined by "&"; several such ways by "|"; "" never."""
    ways = [way.split("&") for way in when.split("|")] if when else []
    return any(all(fact.strip() in facts for fact in way) for way in ways)


def code_picture(title: str, code: Iterable[tuple[str, str]], facts: Collection[str]) -> str:
    """Lines (text, when), indented by spaces, as HTML; those that ran are lit and say so to a screen reader."""
    rows = []
    for text, when in code:
        mark = ' class="lit" aria-current="true"' if lit(when, facts) else ""
        words = text.lstrip(" ")
        # a line that wraps stays behind its own beginning
        indent = f"padding:1px 6px 1px calc({len(text) - len(words)}ch + 36px)"
        rows.append(f'<li{mark} style="{indent}">{html.escape(words)}</li>')
    return (
        f'<section class="walk-code"><h3>{html.escape(title)} <small>lit: ran in this step</small></h3>'
        f'<ol aria-label="pseudo-code">{"".join(rows)}</ol></section>'
    )
