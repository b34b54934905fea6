"""Bokeh charts of the studies, shared by the app, the notebooks and the command line."""

import importlib

from pagecost.studies import STUDIES
from pagecost_app.charts.saving import save

CHARTS = {name: importlib.import_module(f"{__name__}.{name}").Chart for name in STUDIES}
"""The chart class of every study: the `Chart` of the module that is named like the study."""

__all__ = ["CHARTS", "save"]
