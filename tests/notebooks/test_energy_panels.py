"""Power over time and the dollar in a lesson: pictures of the model's own numbers, that follow what is moved."""

import xml.etree.ElementTree as ET

import pytest

from pagecost.devices import energy
from pagecost.errors import ModelError
from pagecost_app.notebook import explore, power_over_time, where_a_dollar_goes


def svg(html):
    """The picture in a piece of HTML, as XML: it must be well formed."""
    return ET.fromstring(html[html.index("<svg") : html.index("</svg>") + len("</svg>")])


def test_a_picture_is_a_figure_with_words():
    costs = explore("total_cost")
    for panel in (power_over_time().drawn, where_a_dollar_goes(costs)):
        found = ET.fromstring(panel.value)
        assert found.get("role") == "figure"
        assert len(found.get("aria-label")) > 100


def of_class(picture, name):
    return [each for each in picture.iter() if name in each.get("class", "").split()]


def test_areas_of_the_picture_are_the_energy_of_its_window():
    panel = power_over_time("consumer-disk-2009", rate_hz=20.0)
    course, picture = panel.devices[0].course, svg(panel.drawn.value)
    (idle,) = of_class(picture, "idle")[1:]  # the first is the legend's
    loads = of_class(picture, "load")[1:]
    window_s = 24 / 20.0
    scale = float(idle.get("width")) / window_s
    worked_s = sum(
        max(0.0, min(end, window_s) - start) for start, end in zip(course.starts_s, course.ends_s, strict=True)
    )
    assert sum(float(each.get("width")) for each in loads) == pytest.approx(scale * worked_s, rel=0.01)
    assert float(loads[0].get("height")) / float(idle.get("height")) == pytest.approx(12.5 / 6.0, rel=0.01)


def test_its_numbers_agree_with_the_formula():
    for rate_hz in (1.0, 20.0, 100.0):
        (found,) = power_over_time("consumer-disk-2009", rate_hz=rate_hz).devices
        expected = float(energy.request_j(6.0, 12.5, 0.008, rate_hz * 0.008))
        course = found.course
        each = (course.active_j + course.idle_j) / course.starts_s.size
        assert each == pytest.approx(expected, rel=0.05)  # 4000 random arrivals: some 1.6 % of the time that they take


def test_the_rate_moves_the_picture_and_a_rate_beyond_the_device_is_said():
    panel = power_over_time("wd800aajs", rate_hz=20.0)
    before = panel.drawn.value
    panel.set(60.0)
    assert panel.drawn.value != before
    before = panel.drawn.value
    panel.rate.value = 120.0
    assert "does 76 random reads a second" in panel.message.value
    assert panel.drawn.value == before
    with pytest.raises(ModelError, match="the rates are"):
        panel.set(7.0)
    with pytest.raises(ModelError, match="bound"):
        power_over_time("samsung-970-pro-1tb")


def test_a_dollar_has_a_hundred_cents_and_follows_the_exploration():
    costs = explore("total_cost")
    panel = where_a_dollar_goes(costs)
    for each in panel.dollars:
        assert sum(each.cents.values()) == pytest.approx(100.0)
    made = costs.result.tables["parts"]
    assert panel.dollars[0].cents["energy"] == pytest.approx(100 * made["energy"][0] / made["total"][0])
    widths = [float(part.get("width")) for part in of_class(svg(panel.value), "part")]
    assert sum(widths) == pytest.approx(2 * 718, abs=0.5)
    costs.set(wear="left out")
    assert "worn devices bought anew" not in panel.dollars[1].cents
    assert "worn" not in panel.value
    costs.set(devices=("samsung-970-pro-1tb",))
    assert "not known" in panel.value
    with pytest.raises(ModelError, match="total_cost"):
        where_a_dollar_goes(explore("energy_per_operation"))
