"""Bokeh charts of the studies, shared by the app, the notebooks and the command line."""

import importlib

from pagecost.studies import STUDIES, Study
from pagecost_app.charts.saving import save


def _chart(study: Study) -> type:
    """A study's chart stands in the same room under the same name."""
    return importlib.import_module(study.module.replace("pagecost.studies", __name__)).Chart


CHARTS = {name: _chart(study) for name, study in STUDIES.items()}
"""The chart class of every study."""

__all__ = ["CHARTS", "save"]
