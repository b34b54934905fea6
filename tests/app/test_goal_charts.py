"""The charts of goals: a ring at every knee and its interval, and no word of what is still looked for."""

import numpy as np

from pagecost.studies.plan import path_goal, plan_terms
from pagecost.units import grouped
from pagecost_app.charts.plan import plan_terms as terms_chart
from pagecost_app.charts.plan.path_goal import Chart

SMALL = {"fill": 5000, "pages": 20_000, "frames": 1024, "seeds": 2, "measured": 1000}
BOTH = ("seagate-exos-x18-18tb", "intel-x25-m-g2-160gb")


def drawn():
    """(inputs, the answer, the chart of it, and of each part of the answer what the chart drew)"""
    inputs = path_goal.STUDY.inputs(SMALL | {"devices": BOTH})
    chart, seen = Chart(), []

    def draw(share, growing):
        if growing is not None:
            partial = growing()
            chart.update(inputs, partial)
            seen.append((partial, dict(chart.buffers.source.data), dict(chart.costs.source.data)))

    result = path_goal.compute(inputs, draw)
    chart.update(inputs, result)
    return inputs, result, chart, seen


def test_knees_are_ringed_on_their_curves_with_their_intervals():
    inputs, result, chart, _ = drawn()
    (row,) = result.rows(device=BOTH[1])
    assert list(chart.rings.data["x"]) == [result["knee_hz"][row]]
    curve = result.tables["curve"]
    assert chart.rings.data["y"][0] in curve["response_s"][curve.rows(device=BOTH[1], seed=inputs.seed)]
    assert chart.bars.data["low"][0] <= chart.rings.data["x"][0] <= chart.bars.data["high"][0]
    assert chart.asked.location == inputs.rate_hz
    assert chart.goal.line.location == inputs.within_s
    for slot, device in zip(chart.curve.slots, BOTH, strict=False):
        rows = curve.rows(device=device, seed=inputs.seed)
        assert np.array_equal(slot.source.data["x"], curve["path_hz"][rows])
    assert path_goal.STUDY.describe(inputs, result).startswith(
        f"p99 within 2 ms at {grouped(20_000)} transactions a second (requests for single pages, 70% reads)"
    )


def test_a_buffer_that_is_still_looked_for_is_not_called_impossible():
    _, result, chart, seen = drawn()
    for partial, buffers, _ in seen:
        there = len(partial.tables["buffers"]) if "buffers" in partial.tables else 0
        assert len(buffers["name"]) == there
    assert len(chart.buffers.source.data["name"]) == len(result) == 2
    assert chart.buffers.source.data["sum"][0] == "none that was tried"


def test_a_drive_without_costs_is_told_why():
    _, result, chart, seen = drawn()
    waiting = 0
    for answer, costs in [*((partial, costs) for partial, _, costs in seen), (result, chart.costs.source.data)]:
        paid = set(answer.tables["costs"]["device"]) if "costs" in answer.tables else set()
        for row, (device, said) in enumerate(zip(answer["device"], costs["sum"], strict=True)):
            assert (said == answer["verdict"][row]) == (device not in paid)
            waiting += said == "still counting"
    assert waiting
    assert "still counting" not in chart.costs.source.data["sum"]


def test_the_parts_of_a_plans_response_are_drawn_with_the_intervals_of_the_table():
    inputs = plan_terms.STUDY.inputs()
    result, chart = plan_terms.compute(inputs), terms_chart.Chart()
    chart.update(inputs, result)
    dots, _ = (dot.data_source.data for dot in chart.sure.dots)
    for row in range(len(result)):
        at = dots["name"].index(result.cell("term", row))
        drawn = [dots[name][at] for name in ("low", "x", "high")]
        assert drawn == [result[name][row] for name in ("low_s", "time_s", "high_s")]
        assert drawn[0] < drawn[1] < drawn[2]
    figures = result.tables["figures"]
    (mean,) = figures.rows(figure="response_s")
    assert dots["low"][dots["name"].index("mean response time")] == figures["low"][mean] < figures["value"][mean]


def test_of_a_plan_that_cannot_keep_up_no_part_is_drawn():
    inputs = plan_terms.STUDY.inputs({"transactions_per_s": 1e5})
    chart = terms_chart.Chart()
    chart.update(inputs, plan_terms.compute(inputs))
    assert chart.parts.source.data["sum"] == ["no end"]
    assert "response time of 95 %" in chart.sure.missing.data["name"]


def test_where_no_cost_is_known_the_axis_has_the_budget():
    """The log's own devices have no price: nothing can be drawn, and an axis from 0 to 1 dollars would say 0 and 1."""
    inputs = path_goal.STUDY.inputs(SMALL | {"devices": BOTH, "log_device": "consumer-disk-2009", "budget_usd": 5000.0})
    chart = Chart()
    chart.update(inputs, path_goal.compute(inputs))
    assert not any(chart.costs.source.data["total"])
    assert chart.costs.figure.x_range.end == 1.35 * 5000
    assert chart.costs.budget.location == 5000


def test_where_no_buffer_is_enough_the_axis_has_bytes_of_the_size_that_is_asked_about():
    given = SMALL | {"devices": ("cheetah-15k5",), "volume_bytes": 7e10, "within_s": 0.03, "rate_hz": 1000.0}
    inputs = path_goal.STUDY.inputs(given)
    result = path_goal.compute(inputs)
    chart = Chart()
    chart.update(inputs, result)
    assert chart.buffers.source.data["sum"] == ["none that was tried"]
    assert chart.buffers.figure.x_range.end == inputs.frames * inputs.page_bytes
