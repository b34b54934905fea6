"""The page is laid out once for all that has changed since it was last painted.

Bokeh lays the whole document out, and paints its figures, once for each property that is set and once for each part
whose size changes: dozens of times when a question is opened. For each text of a figure it asks how large letters are,
for which the browser works out all styles anew where something was changed in between.
"""

from bokeh.models import CustomJS

# The methods are those of Bokeh's views; if it should name them otherwise one day, the page is only slower again
ONCE = """
const root = Bokeh.index.roots[0]
const layout = {anew: root.invalidate_layout, again: root.compute_layout}
let wanted = null
const want = (kind) => {
  if (wanted === null) requestAnimationFrame(() => {
    const chosen = wanted
    wanted = null
    root.compute_layout = layout.again
    layout[chosen].call(root)
    root.compute_layout = () => want("again")
  })
  if (wanted !== "anew") wanted = kind
}
root.invalidate_layout = () => want("anew")
root.compute_layout = () => want("again")

const plot = Bokeh.Models.get("Plot").prototype.default_view.prototype
const letters = Object.getOwnPropertyDescriptor(plot, "base_font_size")?.get
const read = new Map()
const size = (view) => {
  if (read.size === 0) requestAnimationFrame(() => read.clear())
  if (!read.has(view)) read.set(view, letters.call(view))
  return read.get(view)
}
if (letters) Object.defineProperty(plot, "base_font_size", {get() { return size(this) }})
"""


def laid_out_once() -> CustomJS:
    """What to run when a document is ready."""
    return CustomJS(code=ONCE)
