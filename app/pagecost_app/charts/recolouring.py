"""Charts in a page without a server follow light and dark: what differs between the two is computed here, once."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from bokeh.core.property.vectorization import Value
from bokeh.models import ColumnDataSource, Model

from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart

COLUMN = "data."  # begins the name of a column of a data source that holds colours
# The page says how it looks by `data-theme` of its root, else the reader's system does; paper is always light
FOLLOW = """
(() => {
  const colours = COLOURS, ids = Object.keys(colours)
  const darkness = matchMedia("(prefers-color-scheme: dark)"), paper = matchMedia("print")
  const root = document.documentElement
  const isDark = () => !paper.matches && (root.dataset.theme ?? (darkness.matches ? "dark" : "light")) === "dark"
  const model_of = (id) => Bokeh.documents.map((each) => each.get_model_by_id(id)).find(Boolean)
  let shown = false  // charts come light
  const follow = () => {
    if (isDark() === shown) return
    shown = !shown
    for (const [id, set] of Object.entries(colours)) {
      const model = model_of(id), values = {}, columns = {}
      for (const [name, pair] of Object.entries(set))
        (name.startsWith("data.") ? columns : values)[name.replace("data.", "")] = pair[Number(shown)]
      if (Object.keys(columns).length) values.data = {...model.data, ...columns}
      model.setv(values)
    }
  }
  const begin = () => {
    if (!window.Bokeh?.documents || !ids.every(model_of)) return setTimeout(begin, 50)
    follow()
    new MutationObserver(follow).observe(root, {attributeFilter: ["data-theme"]})
    darkness.addEventListener("change", follow)
    paper.addEventListener("change", follow)
  }
  begin()
})()
"""


def script(charts: Sequence[StudyChart]) -> str:
    """What the page that has the charts runs once, so that they follow it; "" for none.

    They stand in no document with a theme yet, and are light afterwards.
    """
    if not charts:
        return ""
    light, dark = ({place: value for chart in charts for place, value in _look(chart, how)} for how in (False, True))
    for chart in charts:
        chart.recolour(False)
    colours: dict[str, dict[str, tuple[Any, Any]]] = {}
    for (id, name), value in dark.items():
        if light.get((id, name)) != value:
            colours.setdefault(id, {})[name] = (light.get((id, name)), value)
    return FOLLOW.replace("COLOURS", json.dumps(colours).replace("</", r"<\/"), 1)


def _look(chart: StudyChart, dark: bool) -> Iterable[tuple[tuple[str, str], Any]]:
    """((id of a model, name of a property), its value) of a chart on a light or a dark ground."""
    chart.recolour(dark)
    theme = style.theme(dark)
    for model in chart.root.references():
        if isinstance(model, Model):
            own = model.properties_with_values(include_defaults=False)
            for name, value in {**(theme._for_class(type(model)) or {}), **own}.items():
                value = value.value if isinstance(value, Value) else value
                if isinstance(value, str) or (name == "palette" and all(isinstance(each, str) for each in value)):
                    yield (model.id, name), value
        if isinstance(model, ColumnDataSource):
            for name, column in model.data.items():
                if len(column) and isinstance(column[0], str):
                    yield (model.id, f"{COLUMN}{name}"), list(column)
