"""Words beside marks: a number at the end of a bar, a name beside a dot."""

from bokeh.core.properties import value
from bokeh.models import ColumnDataSource
from bokeh.models.annotations import LabelSet
from bokeh.plotting import figure

from pagecost_app.charts import style


def beside(drawn: figure, source: ColumnDataSource, x: str, *, y="name", text="text", **look) -> LabelSet:
    """Write `source`'s column `text` to the right of (x, y) in the figure; `look` changes how."""
    written = LabelSet(
        **{"x": x, "y": y, "text": text, "x_offset": 6, "text_baseline": "middle"} | look,
        text_font=value(style.FONT),
        source=source,
    )
    drawn.add_layout(written)
    return written
