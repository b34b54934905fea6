"""Charts are painted without asking the browser's style sheets about each of their lines and words.

Bokeh lets a style sheet set what a chart sets (`--bk-axis-line-color`). It asks for each property at each painting,
and each time the browser works out the styles of all that has changed: a third of the time in which a page opens.
No style sheet of ours sets one.
"""

from bokeh.models import CustomJS

# The names are those of Bokeh 3.9's visuals; if it should name them otherwise one day, the page is only slower again
OWN = """
const figure = Bokeh.Models.get("Plot").prototype.default_view.prototype, {initialize} = figure
figure.initialize = function () {
  initialize.call(this)
  let kind = this.visuals.outline_line
  while (kind && !Object.hasOwn(kind, "_get_css_value")) kind = Object.getPrototypeOf(kind)
  if (kind) kind._get_css_value = () => ""
  figure.initialize = initialize
}
"""


def their_own_only() -> CustomJS:
    """What to run when a document is ready."""
    return CustomJS(code=OWN)
