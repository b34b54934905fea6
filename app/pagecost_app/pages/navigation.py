"""Links to the pages, and the address of the page that is open: what stands behind the # of the URL.

A link is a plain one, `#buffer/miss_curve`, so that reload, back and forward work. The browser writes what is asked for
into `address`, Python opens it and writes there what it has opened. What says more than an address, a preset or a line
of the ledger, is an element with `data-go`, which holds what `Frame.go` takes as JSON.
"""

import html
import json
from collections.abc import Iterable, Mapping

from bokeh.layouts import column
from bokeh.models import CustomJS, LayoutDOM
from bokeh.models.widgets import Div, TextInput

from pagecost_app.pages.contents import address_of
from pagecost_app.pages.look import OPENED, sheet

LINKS = """
.bk-clearfix { display: block !important; width: 100%; }
nav { display: flex; flex-wrap: wrap; border-bottom: 1px solid var(--faint); }
@media (max-width: 600px) { nav { flex-wrap: nowrap; overflow-x: auto; scrollbar-width: thin; } }
a { color: var(--ink); text-decoration: none; padding: 7px; border: 1px solid transparent; border-bottom: 0;
  border-radius: 6px 6px 0 0; font-family: var(--font); font-size: 14px; white-space: nowrap; }
a:hover { background: var(--panel); }
a:focus-visible { outline: 3px solid #0072B2; outline-offset: -3px; }
a[aria-current] { background: var(--ground); border-color: var(--faint); font-weight: 600;
  box-shadow: inset 0 3px 0 #0072B2, 0 1px 0 var(--ground); }
"""

MARK = """
const unquoted = (text) => { try { return decodeURIComponent(text) } catch { return text } }
const mark = (value) => {
  const page = value.split("/")[0]
  for (const link of Bokeh.index.find_one(nav)?.el.shadowRoot.querySelectorAll("a") ?? [])
    if (link.hash === "#" + page) {
      link.setAttribute("aria-current", "page")
      const line = link.parentElement, left = (node) => node.getBoundingClientRect().left
      line.scrollLeft += left(link) - left(line) - 24  // on a phone links are one line that is pushed aside
    } else link.removeAttribute("aria-current")
}
"""
ASKED = (
    MARK
    + """
const asked = () => {
  const [page, ...setting] = location.hash.slice(1).split("?")  // a setting is read by Python, as it is
  return [unquoted(page), ...setting].join("?")
}
const follow = () => {
  const wanted = asked() || start
  if (wanted === address.value) { document.documentElement.dataset.opening = ""; return }
  document.documentElement.dataset.opening = "next"
  address.value = wanted
}
window.pagecost_go = (target) => {
  if (target.address) location.hash = target.address
  else wish.value = JSON.stringify({...target, at: Date.now()})
}
document.addEventListener("click", (event) => {
  const pressed = event.composedPath().find((node) => node.dataset?.go)
  if (!pressed || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  window.pagecost_go(JSON.parse(pressed.dataset.go))
})
addEventListener("hashchange", follow)
follow()
mark(address.value)
"""
)
# An address that only says more than what was asked for must not be a step of its own: back would lead here again
SAID = (
    MARK
    + """
mark(address.value)
const now = unquoted(location.hash.slice(1).split("?")[0]), value = address.value
if (now === value) {
  if (!location.hash.includes("?")) return
  history.replaceState(history.state, "", "#" + value)  // the setting was taken: a reload must not take it again
  document.documentElement.dataset.opening = ""
  return
}
document.documentElement.dataset.opening = ""
const says_more = now === "" || value.startsWith(now + "/") || value.endsWith("/" + now)
if (says_more) history.replaceState(history.state, "", "#" + value)
else location.hash = value
"""
)


class Navigation:
    """`root` is the layout. Two lines that nobody sees: `address`, of what is open, and `wish`, what was pressed."""

    def __init__(self, titles: Iterable[str]):
        titles = tuple(titles)
        self.start = address_of(titles[0])
        self.address = TextInput(name="address", value="", visible=False)
        self.wish = TextInput(name="wish", value="", visible=False)
        links = "".join(f'<a href="#{address_of(title)}">{html.escape(title)}</a>' for title in titles)
        self.links = Div(
            name="pages",
            text=f'<nav aria-label="Pages">{links}</nav>',
            sizing_mode="stretch_width",
            stylesheets=[sheet(LINKS)],
        )
        self._args = {"address": self.address, "nav": self.links}
        self.address.js_on_change("value", CustomJS(args=self._args, code=SAID))
        self.root = column(self.links, self.address, self.wish, sizing_mode="stretch_width")

    def begin(self) -> CustomJS:
        """What a document runs once, when it is ready, so that the URL opens what it names."""
        return CustomJS(args={**self._args, "start": self.start, "wish": self.wish}, code=ASKED)

    def shows(self, place: LayoutDOM) -> None:
        """Let this layout be faint from the moment that a page is asked for until it is there."""
        place.js_on_change("children", CustomJS(code=OPENED))


def link(target: Mapping, inside: str, classes: str = "") -> str:
    """A link to what `Frame.go` takes, as HTML around what stands in it."""
    mark = f' class="{html.escape(classes)}"' if classes else ""
    if "address" in target:
        return f'<a{mark} href="#{html.escape(target["address"])}">{inside}</a>'
    return f'<a{mark} href="#" data-go="{html.escape(json.dumps(target))}">{inside}</a>'
