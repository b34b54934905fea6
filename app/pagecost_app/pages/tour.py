"""A short tour: a card that points at one thing after the other, and can be left at any time; remembered as seen."""

import contextlib
import json
from typing import NamedTuple

from bokeh.models import CustomJS
from bokeh.models.widgets import TextInput

from pagecost_app.workspace import folders

SEEN = "tour-seen"  # a file of the user's own
QUESTION = "buffer_size"  # that is opened on the way


class Stop(NamedTuple):
    """address: of the page to go to, "" to stay; model: name of what is pointed at."""

    address: str
    model: str
    title: str
    words: str


STOPS = (
    Stop(
        "start",
        "start.story",
        "One page access",
        "Every layer that a page goes through is a model. Here is one "
        "access, as the models play it: what each layer does, and what the device asks for it.",
    ),
    Stop(
        "start",
        "start.map",
        "All questions",
        "They stand along the way of the access. Each picture is the first "
        "chart of an answer; press one to open its question.",
    ),
    Stop(
        f"buffer/{QUESTION}",
        f"{QUESTION}.preset",
        "A question",
        "A preset sets every input at once. Below it are "
        "the inputs: move one, and the answer at the right follows. Reset leads back.",
    ),
    Stop(
        f"buffer/{QUESTION}",
        f"{QUESTION}.answer",
        "Its answer",
        "A sentence, charts, all numbers as a table, and "
        "how they were computed, with the formula filled in. All of it can be saved.",
    ),
    Stop(
        "import",
        "import.file",
        "Your own files",
        "A trace, a result of fio, an XML file or a system: drop it "
        "anywhere, on any page. It is told what it is, and which questions it can answer.",
    ),
    Stop(
        "",
        "search",
        "Find anything",
        "Ctrl-K searches questions, presets, experiments of the papers and devices, from every page.",
    ),
)

CSS = """
.tour { position: fixed; z-index: 1000; width: min(330px, calc(100vw - 32px)); box-sizing: border-box;
  padding: 14px 18px; border-radius: 10px; border: 2px solid #0072B2; background: var(--ground); color: var(--ink);
  font: 14px/1.45 var(--font); box-shadow: 0 6px 28px rgba(0, 0, 0, 0.35); }
.tour h2 { margin: 0 0 4px; font-size: 16px; }
.tour p { margin: 0 0 12px; }
.tour div { display: flex; gap: 8px; align-items: center; }
.tour small { margin-right: auto; color: var(--muted); }
.tour button { font: inherit; padding: 4px 12px; border-radius: 5px; border: 1px solid var(--muted); cursor: pointer;
  background: var(--panel); color: var(--ink); }
.tour button:last-child { background: #0072B2; border-color: #0072B2; color: #fff; }
.tour button:focus-visible { outline: 3px solid #0072B2; outline-offset: 2px; }
.tour-ring { position: fixed; z-index: 999; pointer-events: none; border: 3px solid #D55E00; border-radius: 8px; }
"""
SCRIPT = """
const style = document.createElement("style")
style.textContent = css
document.head.append(style)
const made = (kind, words, parent) => {
  const node = document.createElement(kind)
  node.textContent = words
  parent?.append(node)
  return node
}
const EDGE = 12  // pixels that stay free around the card
let card = null, ring = null, at = 0, before = null, following = 0
const target = () => {
  const model = Bokeh.documents[0].get_model_by_name(stops[at].model)
  return model ? Bokeh.index.find_one(model)?.el : null
}
const leave = () => {
  cancelAnimationFrame(following)
  card.remove()
  ring.remove()
  card = ring = null
  seen.value = "yes " + Date.now()
  before?.isConnected && before.focus()
}
const follow = () => {  // the page moves below the card: it is laid out, scrolled, answered
  following = requestAnimationFrame(follow)
  const box = target()?.getBoundingClientRect()
  const there = box && box.width > 0 && box.height > 0
  ring.hidden = !there
  const own = card.getBoundingClientRect()
  let left = (innerWidth - own.width) / 2, top = innerHeight - own.height - EDGE
  if (there) {
    const bottom = Math.min(box.bottom, innerHeight)
    Object.assign(ring.style, {left: box.left - 5 + "px", top: box.top - 5 + "px",
      width: box.width + 4 + "px", height: box.height + 4 + "px"})
    left = Math.min(Math.max(box.left, EDGE), innerWidth - own.width - EDGE)
    if (bottom + own.height + 2 * EDGE < innerHeight) top = bottom + EDGE
    else if (box.top - own.height - 2 * EDGE > 0) top = box.top - own.height - EDGE
    else left = innerWidth - own.width - EDGE
  }
  Object.assign(card.style, {left: left + "px", top: top + "px"})
}
const show = async (number) => {
  at = number
  const {address, title, words} = stops[at]
  if (address && location.hash !== "#" + address) location.hash = address
  card.replaceChildren()
  card.setAttribute("aria-label", `Tour, ${at + 1} of ${stops.length}: ${title}`)
  made("h2", title, card)
  made("p", words, card)
  const row = made("div", "", card)
  made("small", `${at + 1} of ${stops.length}`, row)
  made("button", "Leave", row).onclick = leave
  if (at) made("button", "Back", row).onclick = () => show(at - 1)
  const last = at === stops.length - 1
  const next = made("button", last ? "Done" : "Next", row)
  next.onclick = last ? leave : () => show(at + 1)
  next.focus()
  const deadline = performance.now() + 15000
  while (card && at === number && !target() && performance.now() < deadline)
    await new Promise((over) => setTimeout(over, 50))
  if (card && at === number) target()?.scrollIntoView({block: "center"})
}
window.pagecost_tour = () => {
  if (card) return
  before = document.activeElement
  card = made("section", "")
  card.className = "tour"
  card.setAttribute("role", "dialog")
  ring = made("div", "")
  ring.className = "tour-ring"
  document.body.append(ring, card)
  card.onkeydown = (event) => {
    if (event.key === "Escape") leave()
    else if (event.key === "ArrowRight" && at < stops.length - 1) show(at + 1)
    else if (event.key === "ArrowLeft" && at) show(at - 1)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  show(0)
  follow()
}
"""


class Tour:
    """`seen` is a line that nobody sees, set when the tour is over; `begin()` is run when a document is ready."""

    def __init__(self):
        self.seen = TextInput(name="tour.seen", value="", visible=False)
        self.seen.on_change("value", lambda attr, old, new: remember())

    def begin(self) -> CustomJS:
        """What draws the card when `pagecost_tour()` is called."""
        stops = json.dumps([stop._asdict() for stop in STOPS])
        return CustomJS(args={"seen": self.seen, "css": CSS}, code=f"const stops = {stops}\n{SCRIPT}")


def was_seen() -> bool:
    """Whether this user has taken or left the tour once."""
    try:
        return (folders.state_folder() / SEEN).exists()
    except OSError:
        return False


def remember() -> None:
    """Keep that it was seen; where nothing can be written, it is offered again."""
    with contextlib.suppress(OSError):
        (folders.made("") / SEEN).touch(mode=0o600)
