"""A lesson's Markdown as HTML that needs nothing from elsewhere: formulas become MathML, which browsers draw."""

import functools
import re
from html import escape, unescape

from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from pagecost_app.exercises import COMPARE

SHEET = """
math { font-family: "Latin Modern Math", "STIX Two Math", "Cambria Math", math; }
msub > :nth-child(2), msubsup > :nth-child(2) { transform: translateY(.3em); }
munder > munder > mo { color: transparent; font-size: .3em; }
munder > munder { border-bottom: 1px solid; padding-bottom: .3em; }
"""
"""Style for formulas: most machines have no font for mathematics, and then indexes do not go down and braces stay
small; here they go down, and a line is drawn for the brace.
"""


def html(markdown: str) -> str:
    """The text as HTML. `$…$` and `$$…$$` are formulas, `\\$` is a dollar; HTML in the text stays as it is."""
    return renderer().render(markdown)


def without_buttons(markdown: str) -> str:
    """The text without the parentheses that say which button of a panel to press: pages and slides have no panels."""
    return _BUTTON.sub("", markdown)


def line(markdown: str) -> str:
    """A line of text as HTML, without a paragraph around it."""
    return renderer().renderInline(markdown)


def plain(markdown: str) -> str:
    """The words alone, as one line."""
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", html(markdown)).split()))


@functools.cache
def renderer() -> MarkdownIt:
    """What parses and renders it."""
    return (
        MarkdownIt("commonmark", {"html": True})
        .enable("table")
        .use(dollarmath_plugin, renderer=_formula, allow_space=False, allow_digits=False, double_inline=True)
    )


_BUTTON = re.compile(rf"\s*\([^()]*\*{re.escape(COMPARE)}\*[^()]*\)")


def _formula(latex: str, options: dict) -> str:
    shown = "block" if options["display_mode"] else "inline"
    try:
        return convert(latex.strip(), display=shown)
    except Exception:  # the converter raises many kinds; the formula's own words are better than no page
        return f"<code>{escape(latex)}</code>"
