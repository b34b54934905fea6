"""The charts of the study `program_wear`: asked, to the device, to flash by cause; by file; the years that leaves."""

import numpy as np

from pagecost.studies.flash.program_wear import TERMS, Inputs
from pagecost.units import format_seconds, format_si
from pagecost_app.charts import lives, style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.stacked import StackedBars

ROW_HEIGHT, AROUND = 34, 130  # pixels of a bar, and of what stands around all
LIVES = {"rated": "until the endurance is written", "cells": "until the cells are worn out"}


class Chart(StudyChart[Inputs]):
    """A bar for each stage of each run, by cause; a bar for each kind of file; years and dollars."""

    def __init__(self):
        super().__init__()
        self.stages = StackedBars(
            "program_wear.stages", "What becomes of the bytes that a program asks for?", "of one run", "B", TERMS, 420
        )
        self.files = StackedBars(
            "program_wear.files", "Which files make the device write?", "to the device, of one run", "B", TERMS, 420
        )
        self.years = StackedBars(
            "program_wear.years", "How long does the drive last?", "years", "", LIVES, 420, nothing="not known"
        )
        self.years.figure.xaxis.formatter = style.written_out()
        self.place((self.stages,), (self.files, self.years))

    def update(self, inputs: Inputs, result) -> None:
        stages, files = result.tables["stages"], result.tables["files"]
        several = len(result) > 1
        names = [_name(stages, row, "stage", several) for row in range(len(stages))]
        self.stages.show(names, {term: stages[term] for term in TERMS}, _bytes)
        to_device = {term: np.where(term == "kept", 0, files[term]) for term in TERMS}
        shown = np.flatnonzero(sum(to_device.values()) > 0)
        self.files.show(
            [_name(files, int(row), "file", several) for row in shown],
            {term: values[shown] for term, values in to_device.items()},
            _bytes,
        )
        for panel, bars in ((self.stages, len(names)), (self.files, shown.size), (self.years, shown.size)):
            style.change(panel.figure, height=AROUND + ROW_HEIGHT * max(bars, 4))
        rated, cells = result["rated_life_s"], result["cell_life_s"]
        stated = np.isfinite(rated)
        drawn = {"rated": np.where(stated, rated, 0), "cells": np.where(stated | ~np.isfinite(cells), 0, cells)}
        unit = lives.unit_of(np.concatenate([*drawn.values()]))
        style.change(self.years.figure.xaxis[0], axis_label=unit.name)
        titles = [f"{result.cell('recording', row)}\n{_money(result, row)}" for row in range(len(result))]
        of_unit = {end: lives_s / unit.seconds for end, lives_s in drawn.items()}
        self.years.show(titles, of_unit, lambda life: format_seconds(life * unit.seconds))


def _name(table, row: int, column: str, several: bool) -> str:
    """A bar's name: what it shows, and of which run where there are several."""
    shown = table.columns[column].cell(row)
    return f"{table.columns['recording'].cell(row)}\n{shown}" if several else shown


def _bytes(size: float) -> str:
    return format_si(float(size), "B")


def _money(result, row: int) -> str:
    return (
        f"{result.cell('usd_per_year', row)} a year" if np.isfinite(result["usd_per_year"][row]) else "price not known"
    )
