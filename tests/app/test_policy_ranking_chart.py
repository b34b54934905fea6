"""The chart of the ranking: the least possible cost as a range, or as the one number that was found."""

from pagecost import studies
from pagecost.units import format_cell
from pagecost_app.charts import CHARTS


def drawn(**values):
    study = studies.find("policy_ranking")
    inputs = study.inputs(values)
    result, chart = study.compute(inputs), CHARTS["policy_ranking"]()
    chart.update(inputs, result)
    return result, chart.least.data, study.describe(inputs, result)


def test_the_least_possible_cost_is_a_range():
    result, least, words = drawn()
    low, high = result.facts["least"].value, result.facts["reached"].value
    assert (least["low"][0], least["high"][0]) == (low, high)
    assert f"is between {low:.4g} and {high:.4g}." in words


def test_where_it_was_found_it_is_one_number(tmp_path):
    (tmp_path / "short.txt").write_text("1 w\n2 r\n3 w\n1 r\n2 w\n3 r\n")
    result, least, words = drawn(trace=str(tmp_path / "short.txt"), frames=2)
    exact = result.facts["exact"].value
    assert least["low"] == least["high"] == [exact]
    assert f"possible cost is {format_cell(exact, '1')}." in words
