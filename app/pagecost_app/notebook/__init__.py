"""What a lesson calls: `explore("buffer_size")` shows a study's inputs as widgets above its live chart, `step("lru")`
a replacement policy, one reference at a time."""

from pagecost_app.notebook.explorer import Explorer, answer, explore
from pagecost_app.notebook.stepper import StepperWidget, step
from pagecost_app.notebook.table import Table
from pagecost_app.notebook.waiting import follow_cells

__all__ = ["Explorer", "StepperWidget", "Table", "answer", "explore", "step"]

follow_cells()
