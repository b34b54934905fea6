"""The look of the app: one set of colours as CSS variables, which reach into Bokeh's shadow roots."""

import functools
import html

from bokeh.core.templates import get_env
from bokeh.models import InlineStyleSheet
from bokeh.models.widgets import Div

from pagecost_app.charts.style import DARK, FONT, LIGHT

WIDGETS = """
:host { color: var(--ink); font-family: var(--font); }
.bk-input, .choices__inner, .choices__list--dropdown, .choices__input, .bk-menu {
  background-color: var(--ground) !important; color: var(--ink) !important; border-color: var(--faint) !important;
}
.bk-input:focus { border-color: #0072B2 !important; }
select.bk-input { background-image: none !important; appearance: auto !important; }
.bk-description .bk-icon { background-color: var(--muted) !important; }
select.bk-input option { background: var(--ground); color: var(--ink); }
.choices__list--multiple .choices__item {
  background: #0072B2 !important; border-color: #0072B2 !important; color: #fff !important; border-radius: 4px;
  display: inline-flex !important; align-items: center; max-width: 100%; word-break: normal !important;
  overflow-wrap: anywhere;
}
.choices__item > .choices__button { flex: none; }
select.bk-input { text-overflow: ellipsis; }
.choices__item--selectable.is-highlighted { background: var(--faint) !important; }
.bk-input-group > label, .bk-slider-title { color: var(--ink); font-size: 12.5px; }
.noUi-target { background: var(--faint); border: 0; box-shadow: none; }
.noUi-handle { background: #0072B2 !important; border-color: var(--ground) !important; }
.bk-btn { font-family: var(--font); }
.bk-btn-default {
  background: var(--panel) !important; color: var(--ink) !important; border-color: var(--faint) !important;
}
.bk-btn-default.bk-active { background: #0072B2 !important; color: #fff !important; }
.bk-tab { color: var(--ink); padding: 8px 16px !important; }
.bk-tab.bk-active { background: var(--ground) !important; color: var(--ink) !important;
  border-color: var(--faint) !important; font-weight: 600; }
.bk-header { border-color: var(--faint) !important; }
"""

TABS = (
    WIDGETS
    + """
/* the pages lie in one cell: one that is not shown must not keep its height, or what is shown ends in a void */
[style*="visibility: hidden"] { max-height: 0; overflow: hidden; }
"""
)

TABLE = """
:host { font-family: var(--font); border: 1px solid var(--faint); border-radius: 6px; }
.slick-header, .slick-header-columns, .slick-header-column {
  background: var(--panel) !important; color: var(--ink) !important; border-color: var(--faint) !important;
}
.slick-header-column { height: 24px !important; }
.slick-row, .slick-viewport, .slick-cell, .grid-canvas {
  background: var(--ground) !important; color: var(--ink) !important; border-color: var(--faint) !important;
}
"""

WAITING = """
:host { color: var(--muted); font-family: var(--font); min-height: 26px; }
.bk-clearfix { display: block !important; width: 100%; }
.words { font-size: 13px; line-height: 20px; min-height: 20px; }
.bar { height: 4px; border-radius: 2px; background: var(--faint); overflow: hidden; }
.bar > div { height: 100%; border-radius: 2px; background: #0072B2; transition: width 0.4s; }
.bar > .unknown { width: 22%; animation: to-and-fro 2s ease-in-out infinite alternate; }
.line { max-width: 44em; }
.alone { width: 34em; max-width: 70vw; margin: 24px 0; padding: 22px 26px; border-radius: 8px;
  background: var(--panel); }
.alone .words { color: var(--ink); font-size: 15px; line-height: 22px; margin-bottom: 12px; }
@keyframes to-and-fro { to { transform: translateX(354%); } }
@media (prefers-reduced-motion: reduce) { .bar > .unknown { width: 100%; opacity: 0.4; animation: none; } }
"""

PAGE = """
{% block preamble %}
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
  :root { __LIGHT__ --font: __FONT__; color-scheme: light; }
  :root[data-theme=dark] { __DARK__ color-scheme: dark; }
  html, body { margin: 0; background: var(--ground); color: var(--ink); font: 14px/1.45 var(--font); }
  body { padding: 10px 18px 24px !important; }
</style>
<script>
  const wished = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"
  document.documentElement.dataset.theme = sessionStorage.getItem("pagecost.theme") ?? wished
</script>
{% endblock %}
"""


@functools.cache
def template():
    """The page around the document. Made once: Bokeh keeps it per document."""
    page = PAGE.replace("__LIGHT__", _variables(LIGHT)).replace("__DARK__", _variables(DARK)).replace("__FONT__", FONT)
    return get_env().from_string("{% extends base %}" + page)


def sheet(css: str = WIDGETS) -> InlineStyleSheet:
    """A style sheet for one widget."""
    return InlineStyleSheet(css=css)


def complaint(message: str) -> str:
    """What is wrong, as HTML that is read out at once."""
    return (
        '<div role="alert" style="border-left:4px solid #D55E00;padding:6px 12px;background:var(--panel)">'
        f"{html.escape(message)}</div>"
    )


def waiting_line(name: str) -> Div:
    """Where what is being waited for stands. Its height is kept free, so that nothing jumps when it appears."""
    return Div(name=name, margin=(0, 5), sizing_mode="stretch_width", stylesheets=[sheet(WAITING)])


def waiting(words: str, share: float | None, *, alone: bool = False) -> str:
    """What is being waited for, as HTML: words above a bar. share: of the work that is done, 0 .. 1, None: not known.

    alone: nothing else is shown, so that it takes the place of the answer.
    """
    words = html.escape(words)
    bar = '<div class="unknown"></div>' if share is None else f'<div style="width:{share:.0%}"></div>'
    value = "" if share is None else f' aria-valuenow="{100 * share:.0f}"'
    return (
        f'<div class="{"alone" if alone else "line"}"><div class="words" role="status">{words}</div>'
        f'<div class="bar" role="progressbar" aria-label="{words}" aria-valuemin="0" aria-valuemax="100"{value}>'
        f"{bar}</div></div>"
    )


def _variables(shade: dict[str, str]) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in shade.items())
