"""The charts of the study `plan_terms`: what the mean response time of one plan consists of, and how sure it is."""

import numpy as np

from pagecost.planner.screening import TERMS
from pagecost.studies.plan.plan_terms import Inputs
from pagecost.units import format_seconds
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.dots import Dots
from pagecost_app.charts.stacked import StackedBars

FORMULA, SIMULATED = "formula", "simulated"
KINDS = {FORMULA: "by formula: within the lines 95 % of the draws", SIMULATED: "simulated: mean of the runs at 95 %"}
TIMES = ("response_s", "percentile_s")
"""Figures of a plan that are times of a transaction."""


class Chart(StudyChart[Inputs]):
    """One bar of the terms of the mean response time, and each term and time with its interval."""

    def __init__(self):
        super().__init__()
        self.parts = StackedBars(
            f"{self.name}.parts", "What does the response consist of?", "", "", TERMS, height=220, nothing="no end"
        )
        # no column's own label: its rows are means and a percentile
        sure, label = "How sure is each part of it?", "time of a transaction"
        self.sure = Dots(f"{self.name}.sure", sure, label, "s", KINDS, about="", spans=True)
        self.place(self.parts, self.sure)

    def update(self, inputs: Inputs, result) -> None:
        times = dict(zip(result["term"], result["time_s"], strict=True))
        ends = np.isfinite(result["time_s"]).all()  # else nothing is drawn
        terms = {term: np.array([times[term] if ends else 0.0]) for term in TERMS}
        column = result.columns["time_s"]
        self.parts.show(["this plan"], terms, format_seconds, column)
        rows = np.flatnonzero(result["time_s"] > 0).tolist()
        names = [result.cell("term", row) for row in rows]
        formula = [_span(result, row, "time_s", "low_s", "high_s") for row in rows]
        simulated = [NOT_KNOWN] * len(names)
        figures = result.tables["figures"]
        for row in (row for figure in TIMES for row in result.rows_in("figures", figure=figure)):
            names.append(str(figures["title"][row]))
            formula.append(_span(figures, row))
            run = result.rows_in("figures", figure=f"simulated_{figures['figure'][row]}")
            simulated.append(_span(figures, run[0]) if run.size else NOT_KNOWN)
        values, spans = {}, {}
        for kind, found_spans in ((FORMULA, formula), (SIMULATED, simulated)):
            value, low, high = np.array(found_spans).T
            values[kind], spans[kind] = value, (low, high)
        said = [_said(by_formula, by_runs) for by_formula, by_runs in zip(formula, simulated, strict=True)]
        self.sure.show(names, values, said, format_seconds, spans)


NOT_KNOWN = (np.nan, np.nan, np.nan)


def _span(table, row: int, value="value", low="low", high="high") -> tuple[float, float, float]:
    """A number with its ends; what has no end is not known."""
    at, least, most = (float(table[name][row]) for name in (value, low, high))
    return (at, least, most) if np.isfinite((at, least, most)).all() else NOT_KNOWN


def _said(*spans: tuple[float, float, float]) -> str:
    """The intervals of a row in words."""
    known = [(low, high) for _, low, high in spans if np.isfinite(low) and np.isfinite(high) and low < high]
    return "; ".join(f"{format_seconds(low)} to {format_seconds(high)}" for low, high in known) or "no interval"
