"""Bokeh charts of the studies, shared by the app, the notebooks and the command line."""

import importlib
import importlib.util
from collections.abc import Iterator, Mapping

from pagecost.errors import ModelError, known
from pagecost.studies import STUDIES
from pagecost_app.charts import bokeh_defaults
from pagecost_app.charts.saving import save

bokeh_defaults.look_up_once()


class _Charts(Mapping):
    """A study's chart stands in the same room under the same name; it is imported when it is first asked for."""

    def __getitem__(self, name: str) -> type:
        study = STUDIES[known("study", name, STUDIES)]
        module = study.module.replace("pagecost.studies", __name__)
        room = module.rpartition(".")[0]
        if importlib.util.find_spec(room) is None or importlib.util.find_spec(module) is None:
            raise ModelError(f"{name} has no chart yet: it would stand in {module.replace('.', '/')}.py")
        chart = getattr(importlib.import_module(module), "Chart", None)
        if chart is None:
            raise ModelError(f"{name} has no chart yet: {module.replace('.', '/')}.py has no class Chart")
        return chart

    def __iter__(self) -> Iterator[str]:
        return iter(STUDIES)

    def __len__(self) -> int:
        return len(STUDIES)


CHARTS: Mapping[str, type] = _Charts()
"""The chart class of every study. Raises ModelError for a study that has none."""

__all__ = ["CHARTS", "save"]
