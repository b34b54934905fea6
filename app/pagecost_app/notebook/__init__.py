"""What a lesson calls: `explore("buffer_size")` shows a study's inputs as widgets above its live chart, `step("lru")`
a replacement policy one reference at a time, `step_ftl("fast")` a translation layer, `step_disk("sstf")` a disk arm,
`step_join("sort-merge join")` a join, `walk_path()` one access through all layers. `power_over_time()` draws the power
of devices, `where_a_dollar_goes(costs)` what they are paid for, `label_tree(3, inserts=(0,))` labels and an insert,
`claim_picture("S24.fs")` a claim, `kept_or_read("2018 flash")` what a page costs in memory and on a drive,
`dies_in_time("intel-x25-e")` what the parts of an SSD do at once, `array_places(4)` which disks of an array a request
asks, `whose_cache()` which pages are kept twice. `exercise("lost-turn")` asks;
`reasons("buffer_size")` prints how an answer is computed, `claimed("R35*")` what the ledger has on it."""

from pagecost_app import heap

with heap.importing(for_good=True):
    from pagecost_app.notebook import ahead
    from pagecost_app.notebook.energy_panels import power_over_time, where_a_dollar_goes
    from pagecost_app.notebook.exercise_panel import ExercisePanel, exercise
    from pagecost_app.notebook.explorer import Explorer, answer, explore
    from pagecost_app.notebook.field_stepper import FieldStepper, step_disk, step_ftl, step_join
    from pagecost_app.notebook.path_stepper import PathWidget, walk_path
    from pagecost_app.notebook.stepper import StepperWidget, step
    from pagecost_app.notebook.table import Table
    from pagecost_app.notebook.told import claimed, reasons
    from pagecost_app.notebook.waiting import follow_cells
    from pagecost_app.pictures.array_places import array_places
    from pagecost_app.pictures.claim_picture import ClaimPicture, claim_picture
    from pagecost_app.pictures.dies_in_time import dies_in_time
    from pagecost_app.pictures.kept_or_read import kept_or_read
    from pagecost_app.pictures.label_tree import LabelTree, label_tree
    from pagecost_app.pictures.whose_cache import whose_cache

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
    "array_places",
    "claim_picture",
    "claimed",
    "dies_in_time",
    "exercise",
    "explore",
    "kept_or_read",
    "label_tree",
    "power_over_time",
    "reasons",
    "step",
    "step_disk",
    "step_ftl",
    "step_join",
    "walk_path",
    "where_a_dollar_goes",
    "whose_cache",
]

follow_cells()


def load_ipython_extension(shell) -> None:
    """Compile ahead for the lesson: `pagecost lab` has its kernels load this when they start, before the first cell."""
    ahead.begin()
