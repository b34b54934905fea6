"""What the browser held of a page that was left is let go.

A page that is left is in the document no more, but Bokeh's views of it stay in the browser's memory: listeners of what
lives as long as the window hold them, with a picture in memory for each figure. After all pages that was over a
gigabyte.
"""

from bokeh.models import CustomJS

AFTER_MS = 500  # without a change: opening a page comes first

# The names are those of Bokeh 3.9's views, which keep them to themselves.
# https://github.com/bokeh/bokeh/issues/15290 (the listener), 15289 (models stay until nothing changes for 30 s)
LET_GO = """
const view_of = (type) => Bokeh.Models.get(type).prototype.default_view.prototype

// a figure listens to the size of the window, and never stops
const figure = view_of("Plot"), {connect_signals, remove} = figure
let figures_went = false
figure.connect_signals = function () {
  visualViewport.addEventListener = (kind, listener) => {
    this.at_resize = listener
    EventTarget.prototype.addEventListener.call(visualViewport, kind, listener)
  }
  try {
    connect_signals.call(this)
  } finally {
    delete visualViewport.addEventListener
  }
}
figure.remove = function () {
  const {primary, overlays} = this.canvas_view
  visualViewport.removeEventListener("resize", this.at_resize)
  remove.call(this)
  for (const {canvas} of [primary, overlays]) canvas.width = canvas.height = 0  // no need to wait for a collection
  figures_went = true
}

// a list of chips listens to what is pressed anywhere; it makes a new list each time that it is drawn
const chips = view_of("MultiChoice")
for (const method of ["render", "remove"]) {
  const own = chips[method]
  chips[method] = function () {
    this.choice_el?._removeEventListeners()  // not `destroy`: it empties the list, and others watch its chips
    own.call(this)
  }
}

// models that are out of the document; the window lets us collect what is left of them, a browser does when it likes
const shown = Bokeh.documents[0], {_recompute_all_models} = shown
shown._recompute_timeout = after_ms
shown._recompute_all_models = () => {
  _recompute_all_models.call(shown)
  // an ordinary collection keeps the memory that it frees: 150 to 210 MB
  if (figures_went && globalThis.gc) requestIdleCallback(() => gc({type: "major", flavor: "last-resort"}))
  figures_went = false
}
"""


def let_go() -> CustomJS:
    """What to run when a document is ready."""
    return CustomJS(args={"after_ms": AFTER_MS}, code=LET_GO)
