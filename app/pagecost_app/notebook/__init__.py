"""What a lesson calls: `explore("buffer_size")` shows a study's inputs as widgets above its live chart, `step("lru")`
a replacement policy one reference at a time, `step_ftl("fast")` a translation layer, `step_disk("sstf")` a disk arm,
`walk_path()` one access through all layers, `exercise("lost-turn")` asks; `reasons("buffer_size")` prints how an answer
is computed, `claimed("R35*")` what the ledger has on it, `label_tree(3, inserts=(0,))` draws labels and an insert,
`claim_picture("S24.fs")` a claim."""

from pagecost_app.notebook.claim_picture import ClaimPicture, claim_picture
from pagecost_app.notebook.exercise_panel import ExercisePanel, exercise
from pagecost_app.notebook.explorer import Explorer, answer, explore
from pagecost_app.notebook.field_stepper import FieldStepper, step_disk, step_ftl
from pagecost_app.notebook.label_tree import LabelTree, label_tree
from pagecost_app.notebook.path_stepper import PathWidget, walk_path
from pagecost_app.notebook.stepper import StepperWidget, step
from pagecost_app.notebook.table import Table
from pagecost_app.notebook.told import claimed, reasons
from pagecost_app.notebook.waiting import follow_cells

__all__ = [
    "ClaimPicture",
    "ExercisePanel",
    "Explorer",
    "FieldStepper",
    "LabelTree",
    "PathWidget",
    "StepperWidget",
    "Table",
    "answer",
    "claim_picture",
    "claimed",
    "exercise",
    "explore",
    "label_tree",
    "reasons",
    "step",
    "step_disk",
    "step_ftl",
    "walk_path",
]

follow_cells()
