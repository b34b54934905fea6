"""The book's explorations: which inputs move, what is recorded of a chart, and how far off it is between two stops."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagecost import studies
from pagecost_app.book import axes, between, explorations, recording
from pagecost_app.book.axes import Axis, Budget
from pagecost_app.book.recording import Place
from pagecost_app.charts import CHARTS

QUICK = studies.find("energy_per_operation")


def smooth_axis(values):
    return Axis("rate", "Rate", "", tuple(values), tuple(map(str, values)), 0, True, True)


def chosen(moved, budget):
    return axes.chosen(QUICK, QUICK.inputs(), moved, budget)


@pytest.mark.parametrize("answers", [10, 40, 200])
def test_every_combination_fits_into_the_budget_and_what_the_lesson_moves_comes_first(answers):
    found = chosen(["pattern", "busy"], Budget(answers, 60.0))
    assert [axis.name for axis in found][:1] == ["pattern"]
    assert np.prod([len(axis.values) for axis in found]) <= answers
    start = QUICK.inputs()
    assert all(axis.values[axis.at] == getattr(start, axis.name) for axis in found)


def test_what_the_lesson_moves_is_offered_even_where_no_time_is_left():
    found = chosen(["busy"], Budget(100, 0.0))
    assert [(axis.name, len(axis.values)) for axis in found] == [("busy", axes.LEAST_FIRST)]
    assert chosen([], Budget(100, 0.0)) == []


def test_an_axis_along_which_nothing_changes_is_idle_and_one_that_changes_one_answer_is_not():
    found = [smooth_axis(range(2))._replace(name="own"), smooth_axis(range(3))._replace(name="other")]
    assert axes.idle(found, list("aaabbb")) == {"other"}
    assert axes.idle(found, list("abcabc")) == {"own"}
    assert axes.idle(found, list("aaaaaa")) == {"own", "other"}
    assert axes.idle(found, list("aaaaab")) == set()
    assert axes.idle([], ["a"]) == set()


def test_an_input_without_effect_beside_what_the_lesson_holds_is_not_offered_and_another_one_is():
    study = studies.find("five_minute_rule")
    for device, offered in (("none", False), ("samsung-990-pro-2tb", True)):
        start = study.inputs({"device": device, "pairs": ("2018 disk", "2018 flash")})
        grid = explorations._grid(study, start, ["page_bytes"], Budget(40, 60.0))
        held = explorations._held(study, grid.found, grid.idle)
        assert ("memory_price" in [axis.name for axis in grid.found]) == offered
        assert ("memory_price" in grid.idle) == (not offered)
        assert "Price of memory" not in held
        assert len(grid.answers) == np.prod([len(axis.values) for axis in grid.found])


@given(st.integers(2, 40), st.integers(3, 40), st.data())
def test_thinned_stops_keep_both_ends_and_the_lessons_own(size, most, data):
    at = data.draw(st.integers(0, size - 1))
    whole = smooth_axis(range(size))._replace(at=at)
    few = axes.thinned(whole, most)
    assert len(few.values) <= max(most, 3)
    assert few.values[few.at] == at
    assert {0, size - 1} <= set(few.values) <= set(whole.values)
    assert list(few.values) == sorted(few.values)


def test_an_answer_that_the_study_refuses_says_why():
    refused = axes.computed(QUICK, {"busy": 7.0})
    assert refused.result is None
    assert refused.refused.startswith("energy_per_operation: ")


def missed(values, drawn):
    """What is measured where one column has `drawn` of each value."""
    place = Place("source", "data", "y")
    states = [{place: number} for number in range(len(values))]
    columns = {number: np.asarray(drawn(value), float) for number, value in enumerate(values)}
    return between.missed(smooth_axis(values), 0, [len(values)], states, columns)


def test_a_power_of_the_input_is_hit_between_stops_and_a_jump_is_not():
    values = [1.0, 2.0, 5.0, 10.0, 30.0]
    power = missed(values, lambda value: [value**-1.5, 7 * value**2])
    assert power.way == between.LOG
    assert power.worst == pytest.approx(0, abs=1e-12)
    assert power.is_small
    jump = missed(values, lambda value: [1.0 if value < 4 else 100.0])
    assert jump.worst > 0.5
    assert not jump.is_small
    assert missed(values, lambda value: [1.0] * int(value)).worst == np.inf  # more points at some stops
    assert missed(values, lambda value: [np.nan if value > 4 else 1.0]).worst == np.inf


def test_the_error_is_that_of_the_worst_stop_drawn_from_its_neighbours():
    found = missed([0.0, 1.0, 2.0, 3.0], lambda value: [value**2])  # 0 has no logarithm
    assert found.worst == pytest.approx(1.0)  # at 1: 2 in place of 1
    assert found.half == pytest.approx(0.5)  # at 2 nothing: it is a power between 1 and 3


@given(st.floats(1e-6, 1e6), st.floats(1e-6, 1e6), st.sampled_from(between.WAYS))
def test_at_a_stop_what_is_drawn_is_what_was_computed(low, high, way):
    ends = np.array([low]), np.array([high])
    assert between.mixed(*ends, 0.0, way) == pytest.approx(low, rel=1e-12)
    assert between.mixed(*ends, 1.0, way) == pytest.approx(high, rel=1e-12)
    assert between.place_of(low, low, 2 * low) == 0
    assert between.place_of(2 * low, low, 2 * low) == pytest.approx(1)


def test_places_between_stops_are_named_as_their_value_is():
    found = next(axis for axis in chosen(["busy"], Budget(100, 60.0)) if axis.name == "busy")
    stops = between.stops(QUICK, found)
    own = [[stop, label] for stop, weight, label in stops if weight == 0]
    assert own == [[number, label] for number, label in enumerate(found.labels)]
    assert len(stops) > len(own)
    assert all(0 < weight < 1 for _, weight, _ in stops if weight)


def test_of_a_chart_only_what_changes_is_recorded_and_nothing_of_it_is_lost():
    answers = [axes.computed(QUICK, {"busy": busy}) for busy in (1.0, 0.1, 0.01)]
    chart = CHARTS[QUICK.name]()
    chart.update(answers[0].inputs, answers[0].result)
    recorder = recording.Recorder(chart)
    draws = [lambda each=each: chart.update(each.inputs, each.result) for each in answers]
    states = recorder.states(draws)
    packed = recording.compact(states, recorder)
    assert packed["points"]["dark"] == []  # colours are the theme's alone here
    assert any(column == "x" for _, _, column in packed["places"])
    assert len(set(map(tuple, packed["points"]["light"]))) == len(answers)
    assert 0 < len(packed["always"]["dark"]) == len(packed["always"]["light"])
    for draw, row in zip(draws, packed["points"]["light"], strict=True):
        draw()
        for (model, attribute, column), number in zip(packed["places"], row, strict=True):
            held = getattr(recorder.document.models[model], attribute)
            value = recorder._plain.encode(held[column] if column else held)
            assert json.loads(json.dumps(value, default=recording._bytes)) == packed["values"][number]
