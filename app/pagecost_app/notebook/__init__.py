"""What a lesson calls: `explore("buffer_size")` shows a study's inputs as widgets above its live chart, `step("lru")`
a replacement policy one reference at a time, `step_ftl("fast")` a translation layer, `step_disk("sstf")` a disk arm,
`walk_path()` one access through all layers, `exercise("lost-turn")` asks; `reasons("buffer_size")` prints how an answer
is computed, `claimed("R35*")` what the ledger has on it."""

from pagecost_app.notebook.exercise_panel import ExercisePanel, exercise
from pagecost_app.notebook.explorer import Explorer, answer, explore
from pagecost_app.notebook.field_stepper import FieldStepper, step_disk, step_ftl
from pagecost_app.notebook.path_stepper import PathWidget, walk_path
from pagecost_app.notebook.stepper import StepperWidget, step
from pagecost_app.notebook.table import Table
from pagecost_app.notebook.told import claimed, reasons
from pagecost_app.notebook.waiting import follow_cells

__all__ = [
    "ExercisePanel",
    "Explorer",
    "FieldStepper",
    "PathWidget",
    "StepperWidget",
    "Table",
    "answer",
    "claimed",
    "exercise",
    "explore",
    "reasons",
    "step",
    "step_disk",
    "step_ftl",
    "walk_path",
]

follow_cells()


def load_ipython_extension(shell) -> None:
    """Nothing is left to do: `pagecost lab` has its kernels load this when they start, before the first cell."""
