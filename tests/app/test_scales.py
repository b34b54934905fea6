"""Charts of one question beside each other: what is longer in one is more than in the other."""

import pytest
from bokeh.models import DataRange1d, Range1d

from pagecost import studies
from pagecost_app.charts import CHARTS
from pagecost_app.charts.scales import _plots, share_scales


def drawn(name, values):
    study = studies.find(name)
    inputs = study.inputs(values)
    chart = CHARTS[name]()
    chart.update(inputs, study.compute(inputs))
    return chart


def test_bars_of_two_answers_end_at_the_longest_of_both():
    one, two = drawn("disk_access_time", {}), drawn("disk_access_time", {"request_bytes": 2**20})
    own = [[plot.x_range.end for plot in _plots(chart.root)] for chart in (one, two)]
    assert own[0] != own[1]
    share_scales([one.root, two.root])
    shared = [[plot.x_range.end for plot in _plots(chart.root)] for chart in (one, two)]
    same = [_plots(chart.root) for chart in (one, two)]
    for first, second, ends, own_ends in zip(*same, zip(*shared, strict=True), zip(*own, strict=True), strict=True):
        alike = first.below[0].axis_label == second.below[0].axis_label
        assert ends == ((max(own_ends),) * 2 if alike else own_ends)
    assert any(first.below[0].axis_label == second.below[0].axis_label for first, second in zip(*same, strict=True))


@pytest.mark.parametrize("name", ["disk_arrays", "five_minute_rule", "miss_curve"])
def test_lines_of_two_answers_have_one_range_where_their_labels_are_alike(name):
    one, two = drawn(name, {}), drawn(name, {})
    share_scales([one.root, two.root])
    for first, second in zip(_plots(one.root), _plots(two.root), strict=True):
        for side in ("x_range", "y_range"):
            here, there = getattr(first, side), getattr(second, side)
            if isinstance(here, DataRange1d):
                assert here is there
            elif type(here) is Range1d:
                assert (here.start, here.end) == (there.start, there.end)


def test_one_answer_alone_keeps_its_own():
    one = drawn("disk_access_time", {})
    before = [plot.x_range.end for plot in _plots(one.root)]
    share_scales([one.root])
    assert [plot.x_range.end for plot in _plots(one.root)] == before
    share_scales([])
