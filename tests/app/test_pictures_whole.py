"""Marks and words of charts are whole: nothing goes through a number, no ring is cut, and plans have names."""

from pagecost import studies
from pagecost_app.charts import CHARTS, style
from pagecost_app.charts.plan import storage_plan

TELEPHONE = 280  # pixels of a figure beside its axis on a telephone of 390


def test_no_line_goes_through_the_number_of_a_bar():
    chart = CHARTS["xml_footprint"]()
    for bars in (chart.bars, chart.kinds):
        spans = [each for each in bars.figure.center if type(each).__name__ == "Span"]
        assert [each.location for each in spans] == [1]
        assert (spans[0].level, bars.labels.level) == ("annotation", "overlay")
        for dark in (True, False):
            chart.recolour(dark)
            assert bars.labels.background_fill_color == style.shades(dark)["ground"]


def test_the_ring_of_a_chosen_plan_is_whole_on_a_telephone():
    """A mark at an end of what is drawn has half the padding beside it, and the ring's radius must fit there."""
    figure = storage_plan.Chart().figure
    radius = (storage_plan.MOST_SIZE + storage_plan.RING + 3) / 2
    for axis in (figure.x_range, figure.y_range):
        assert axis.range_padding_units == "percent"
        assert TELEPHONE * axis.range_padding / 2 / (1 + axis.range_padding) > radius


def test_plans_have_names_where_people_read_and_codes_where_commands_do():
    study = studies.find("storage_plan")
    result = study.compute(study.inputs({"runs": 1}))
    assert next(iter(result.columns)) == "title"
    assert result.columns["title"].label == "plan"
    assert all("=" in code for code in result["plan"])
    for name, columns in {"figures": ["plan"], "simulated": ["plan"], "tornado": ["chosen_low", "chosen_high"]}.items():
        for column in columns:
            cells = set(result.tables[name].columns[column].cells())
            assert cells <= {*result["title"].tolist(), "none"}, (name, column)
            assert set(result.tables[name][column]) <= {*result["plan"].tolist(), "none"}


def test_the_first_chart_of_ssd_or_disks_asks_what_its_axis_answers():
    lead = CHARTS["ssd_or_disks"]().lead.figure
    assert lead.title.text.startswith("How many times the transactions")
    assert "transactions" in lead.yaxis[0].axis_label
