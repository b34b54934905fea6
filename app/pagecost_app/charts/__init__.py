"""Bokeh charts of the studies, shared by the app, the notebooks and the command line."""

from pagecost_app.charts import block_size, buffer_size, disk_scheduling, translation_layers, write_amplification
from pagecost_app.charts.saving import save

CHARTS = {
    "block_size": block_size.Chart,
    "buffer_size": buffer_size.Chart,
    "disk_scheduling": disk_scheduling.Chart,
    "write_amplification": write_amplification.Chart,
    "translation_layers": translation_layers.Chart,
}
"""The chart class of every study, by the study's name."""

__all__ = ["CHARTS", "save"]
