"""What a chart of a study is: the one contract between an answer and the faces that show it."""

from abc import ABC, abstractmethod
from typing import Generic

from bokeh.layouts import column, row
from bokeh.models import LayoutDOM

from pagecost.studies import Result
from pagecost.studies.study import Asked
from pagecost_app.charts import style

LEAST_WIDTH, LEAST_OF_THREE = 420, 320  # pixels of a figure that has others beside it


class StudyChart(ABC, Generic[Asked]):
    """The chart of one study, whose inputs are `Asked`: built once, it draws one answer after the other in place.

    A study's chart is the class `Chart` of a file that has the study's name. It builds its figures in `__init__`, hands
    them to `place`, and says how to `update` them to an answer; the answer in words is the study's `describe`.

    name: of the study. root: the layout that a face shows. coloured: the parts that have colours of their own. muted,
    inked: models (a line, a mark, a word) that are grey or of the colour of text.
    """

    root: LayoutDOM

    def __init__(self):
        self.name = type(self).__module__.rpartition(".")[2]
        self.coloured: list = []
        self.muted: list = []
        self.inked: list = []

    def place(self, *rows) -> None:
        """Lay out parts under each other, those of a tuple side by side; all of them follow light and dark.

        A part has a `root` or a `figure`, and `recolour`; or it is a bare figure, whose colours are the chart's own.
        """
        made = []
        for each in rows:
            beside = each if isinstance(each, tuple) else (each,)
            self.coloured += [part for part in beside if not isinstance(part, LayoutDOM)]
            models = [_model(part) for part in beside]
            made.append(_side_by_side(models) if isinstance(each, tuple) else models[0])
        self.root = column(*made, sizing_mode="stretch_width")

    @abstractmethod
    def update(self, inputs: Asked, result: Result) -> None:
        """Draw the answer to `inputs`, which may still be growing."""

    def recolour(self, dark: bool) -> None:
        """Follow a light or a dark ground."""
        for models, shade in ((self.muted, "muted"), (self.inked, "ink")):
            for model in models:
                painted = {"line_color", "text_color"} & model.properties()
                style.change(model, **dict.fromkeys(painted, style.shades(dark)[shade]))
        for part in self.coloured:
            part.recolour(dark)


def _side_by_side(models: list[LayoutDOM]) -> LayoutDOM:
    """Models in a row, or under each other where the window is too small for that."""
    for model in models:
        model.styles = {"min-width": f"min({LEAST_WIDTH if len(models) < 3 else LEAST_OF_THREE}px, 100%)"}
    return row(*models, sizing_mode="stretch_width", styles={"flex-wrap": "wrap"})


def _model(part) -> LayoutDOM:
    return part if isinstance(part, LayoutDOM) else getattr(part, "root", None) or part.figure
