"""How long it takes from a key on a slider to a changed chart, by the page's own clock."""

import numpy as np
from playwright.sync_api import TimeoutError

from helpers.packaged_program import handle

MOVES, SETTLED_MS, GIVEN_UP_MS = 12, 60, 10_000
# of the sliders on show: name, stops, where it stands
SLIDERS = """study => [...Bokeh.documents[0]._all_models.values()]
  .filter((model) => model.type === "CategoricalSlider" && model.name?.startsWith(study + ".")
    && model.categories.length > 1 && Bokeh.index.find_one(model)?.el.checkVisibility({visibilityProperty: true}))
  .map((model) => [model.name, model.categories.length, model.categories.indexOf(model.value)])"""
# from the key that moves a slider to the moment the chart's data change, in `window.moves`; the table comes later
WATCH = """study => {
  if (!("pressed" in window)) addEventListener("keydown", () => { window.pressed = performance.now() }, true)
  window.moves = []
  window.pressed = null
  const note = () => {
    if (window.pressed !== null) window.moves.push(performance.now() - window.pressed)
    window.pressed = null
  }
  for (const model of Bokeh.documents[0]._all_models.values())
    if (model.type == "ColumnDataSource" && model.name?.startsWith(study + ".") && !/\\.(result|csv)$/.test(model.name))
      model.properties.data.change.connect(note)
}"""


def moves_ms(page, study: str) -> np.ndarray | None:
    """Milliseconds of each of `MOVES` moves to and fro, of the first slider of a question that changes a chart.

    After a move that changes nothing for `GIVEN_UP_MS`, which counts as so long, no more are made. None where no slider
    changes a chart.
    """
    page.evaluate(WATCH, study)
    for name, stops, at in page.evaluate(SLIDERS, study):
        knob = handle(page, name)
        knob.scroll_into_view_if_needed()
        knob.focus()
        keys = ["ArrowRight", "ArrowLeft"] if at < stops - 1 else ["ArrowLeft", "ArrowRight"]
        times = []
        try:
            for number in range(MOVES):
                page.evaluate("window.moves = []")
                page.keyboard.press(keys[number % 2])
                page.wait_for_function("window.moves.length > 0", timeout=GIVEN_UP_MS)
                times.append(page.evaluate("window.moves[0]"))
                page.wait_for_timeout(SETTLED_MS)
        except TimeoutError:
            if not times:
                continue
            times.append(GIVEN_UP_MS)
        return np.array(times)
    return None
