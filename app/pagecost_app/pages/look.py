"""The look of the app: one set of colours as CSS variables, which reach into Bokeh's shadow roots."""

import functools
import html

from bokeh.core.templates import get_env
from bokeh.layouts import row
from bokeh.models import LayoutDOM
from bokeh.models.widgets import Div

from pagecost_app.charts.style import CONTRAST, DARK, FONT, LIGHT, stack_colours

PANEL_WIDTH = 300  # pixels
LARGE = 1.35  # times the usual size of words, on the page and in charts

WIDGETS = """
:host { color: var(--ink); font-family: var(--font); }
.bk-input, .choices__inner, .choices__list--dropdown, .choices__input, .bk-menu {
  background-color: var(--ground) !important; color: var(--ink) !important; border-color: var(--faint) !important;
}
.bk-input:focus { border-color: var(--focus) !important; }
.choices.is-focused > .choices__inner { outline: 3px solid var(--focus); outline-offset: 2px; }
select.bk-input { background-image: none !important; appearance: auto !important; }
.bk-description .bk-icon { background-color: var(--muted) !important; }
select.bk-input option { background: var(--ground); color: var(--ink); }
.choices__list--multiple .choices__item {
  background: var(--accent) !important; border-color: var(--accent) !important; color: var(--on-accent) !important;
  border-radius: 4px;
  display: inline-flex !important; align-items: center; max-width: 100%; word-break: normal !important;
  overflow-wrap: anywhere;
}
.choices__item > .choices__button { flex: none; filter: var(--sign, none); }
select.bk-input { text-overflow: ellipsis; }
.choices__item--selectable.is-highlighted { background: var(--faint) !important; }
.bk-input-group > label, .bk-slider-title { color: var(--ink); font-size: 12.5px; }
.noUi-target { background: var(--faint); border: 0; box-shadow: none; }
/* as large as a finger needs; what is painted of it is smaller */
.noUi-horizontal .noUi-handle { width: 24px; height: 24px; right: -12px; top: -9px; padding: 3px 5px; border: 0;
  background: var(--accent) content-box !important; box-shadow: none; border-radius: 8px; }
.noUi-handle::before, .noUi-handle::after { display: none; }
.bk-spin-wrapper > input { padding-right: 56px; }
/* side by side, as wide as a finger needs; as particular as Bokeh's own rules, which lay one over the other */
.bk-input-group > .bk-spin-wrapper > .bk-spin-btn {
  height: 100%; width: 27px; top: 0; bottom: auto; --color: var(--ink); --disabled-color: var(--muted);
}
.bk-input-group > .bk-spin-wrapper > .bk-spin-btn.bk-spin-btn-up { right: 27px; }
.bk-input-group > .bk-spin-wrapper > .bk-spin-btn.bk-spin-btn-down { right: 0; top: 0; bottom: auto; }
.bk-btn { font-family: var(--font); }
/* a system in forced colours takes away every ground, and with it what is only a ground */
@media (forced-colors: active) {
  .noUi-target, .noUi-handle, .bk-btn.bk-active, .choices__item { forced-color-adjust: none; }
  .bk-description .bk-icon { forced-color-adjust: none; background-color: CanvasText !important; }
}
.bk-btn-default {
  background: var(--panel) !important; color: var(--ink) !important; border-color: var(--faint) !important;
}
.bk-btn-primary { background: var(--accent) !important; color: var(--on-accent) !important; }
.bk-btn-default.bk-active { background: var(--accent) !important; color: var(--on-accent) !important; }
"""

# While a page is being opened, what is shown is faint, and at a reload not yet the start page: see `PAGE`
OPENING = {"opacity": "var(--opening, 1)"}
OPENED = "document.documentElement.dataset.opening = ''\n"

# Panel and answer side by side; where there is no room for both, the panel lies above
BESIDE = """
:host { flex-wrap: wrap; }
div:first-of-type { flex: 1 1 calc(__PANEL__px * var(--size, 1)); width: auto; }
div:last-of-type { flex: 999 1 calc(__ANSWER__px * var(--size, 1));
  min-width: min(100%, calc(__ANSWER__px * var(--size, 1))); }
""".replace("__PANEL__", str(PANEL_WIDTH)).replace("__ANSWER__", "480")

# On a phone a bar is one line that is pushed aside, or bars would take half of the screen; `fit` of accessible.py asks
# every row to go on in a further line
STRIP = """
@media (max-width: 600px) {
  :host { flex-wrap: nowrap !important; overflow-x: auto; scrollbar-width: thin; padding: 4px 0; }
  div { flex: none !important; width: max-content; }
}
"""

WITH_SIDE = """
:host { flex-wrap: wrap; }
div:first-of-type { flex: 999 1 calc(__ANSWER__px * var(--size, 1));
  min-width: min(100%, calc(__ANSWER__px * var(--size, 1))); }
""".replace("__ANSWER__", "480")

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
.bar > div { height: 100%; border-radius: 2px; background: var(--accent); transition: width 0.4s; }
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
{# none: or the browser asks for one at each change of the address #}
<link rel="icon" href="data:,">
<style>
  :root { __LIGHT__ --font: __FONT__; color-scheme: light; }
  :root[data-theme=dark] { __DARK__ color-scheme: dark; }
  :root[data-theme=contrast] { __CONTRAST__ --sign: invert(1); --stale: 0.75; color-scheme: dark; }
  :root[data-size=large] { --size: __LARGE__; }
  :root[data-opening=first] { --opening: 0; }
  :root[data-opening=next] { --opening: 0.4; }
  html, body { margin: 0; background: var(--ground); color: var(--ink); font: 14px/1.45 var(--font); }
  body { padding: 10px 18px 24px !important; }
</style>
<script>
  const asks = (wish) => matchMedia(`(${wish})`).matches
  const wished = asks("prefers-contrast: more") || asks("forced-colors: active") ? "contrast"
    : asks("prefers-color-scheme: dark") ? "dark" : "light"
  document.documentElement.dataset.theme = sessionStorage.getItem("pagecost.theme") ?? wished
  document.documentElement.dataset.size = sessionStorage.getItem("pagecost.size") ?? ""
  document.documentElement.dataset.opening = location.hash.length > 1 ? "first" : ""
</script>
{% endblock %}
"""


@functools.cache
def template():
    """The page around the document. Made once: Bokeh keeps it per document."""
    page = PAGE.replace("__FONT__", FONT).replace("__LARGE__", str(LARGE))
    for name, shade in {"__LIGHT__": LIGHT, "__DARK__": DARK, "__CONTRAST__": CONTRAST}.items():
        page = page.replace(name, _variables(shade) + " " + _series(shade is not LIGHT))
    return get_env().from_string("{% extends base %}" + page)


def sheet(css: str = WIDGETS) -> str:
    """A style sheet for one widget. Bare text: a model for each widget would be held and searched as one."""
    return css


def beside(panel: LayoutDOM, main: LayoutDOM, attributes: dict[str, str] | None = None) -> LayoutDOM:
    """A panel at the left of what it is about, or above it in a narrow window. attributes: of HTML."""
    attributes = attributes or {}
    return row(
        panel, main, sizing_mode="stretch_width", spacing=18, html_attributes=attributes, stylesheets=[sheet(BESIDE)]
    )


def with_side(main: LayoutDOM, *side: LayoutDOM) -> LayoutDOM:
    """A page with something at its right, or below it in a narrow window."""
    return row(main, *side, sizing_mode="stretch_width", spacing=18, stylesheets=[sheet(WITH_SIDE)])


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


def _series(dark: bool) -> str:
    """The colours of charts, for pictures that are no charts."""
    return " ".join(f"--series-{slot}: {colour};" for slot, colour in enumerate(stack_colours(dark)))
