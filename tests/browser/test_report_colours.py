"""Charts of reports and of saved pages follow light and dark, by the reader's system and by the report's button."""

import pytest

from pagecost import studies
from pagecost_app import answer_report
from pagecost_app.charts import saving, style
from pagecost_app.workspace.answers import Answer

STUDIES = ("five_minute_rule", "block_size", "total_cost")
# (the grounds of all figures and the letters of their axes, the colours of what is drawn in them)
LOOK = """() => {
  const all = Bokeh.documents.flatMap((each) => [...each._all_models.values()])
  const of = (models, names) => models.flatMap((each) => names.map((name) => each[name]?.value ?? each[name]))
  const texts = (found) => found.filter((each) => typeof each === "string").map((each) => each.toLowerCase())
  const glyphs = all.map((each) => each.glyph).filter(Boolean)
  const frames = of(all, ["border_fill_color", "axis_label_text_color"])
  return [texts(frames), texts(of(glyphs, ["line_color", "fill_color"]))]
}"""
DRAWN = "window.Bokeh?.documents?.length >= 1 && document.querySelector('.drawn, .bk-Column')"


def answer_of(name):
    study = studies.find(name)
    inputs = study.inputs()
    result = study.compute(inputs)
    return Answer.of(study, None, inputs, result, study.describe(inputs, result))


def is_dark(page, expected: bool) -> bool:
    """Whether all charts are, when the first is as expected; they are never mixed."""
    ground = style.shades(expected)["ground"].lower()
    page.wait_for_function(f"ground => ({LOOK})()[0][0] === ground", arg=ground)
    frames, series = map(set, page.evaluate(LOOK))
    light, dark = ({shade["ground"].lower(), shade["ink"].lower()} for shade in (style.LIGHT, style.DARK))
    assert frames in (light, dark)
    for turned, colours in ((False, style.LIGHT_COLOURS), (True, style.DARK_COLOURS)):
        of_that = {each.lower() for each in colours} - {"#000000", "#ffffff"}
        assert bool(series & of_that) == (turned == (frames == dark)), series
    return frames == dark


@pytest.fixture(scope="module")
def report(tmp_path_factory, remembered_answers):
    path = tmp_path_factory.mktemp("report") / "report.html"
    answer_report.write(answer_report._page("three answers", "", [answer_of(name) for name in STUDIES]), path)
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_reports_charts_follow_the_readers_system_its_button_and_paper(report, open_page, picture, scheme):
    page = open_page(color_scheme=scheme, offline=True)
    page.goto(report.as_uri())
    page.wait_for_function(DRAWN)
    page.locator("canvas:visible").nth(2).wait_for()
    page.wait_for_timeout(500)
    began = scheme == "dark"
    assert is_dark(page, began) == began
    picture(page, f"report-{scheme}")
    page.get_by_role("button", name="Light or dark").click()
    assert is_dark(page, not began) != began
    picture(page, f"report-{scheme}-turned")
    page.emulate_media(media="print", color_scheme=scheme)
    assert not is_dark(page, False)
    page.emulate_media(media="screen", color_scheme=scheme)
    assert is_dark(page, not began) != began
    assert page.problems == []
    page.context.close()


def test_a_saved_page_follows_the_readers_system(open_page, picture, tmp_path):
    study = studies.find("block_size")
    inputs = study.inputs()
    path = tmp_path / "chart.html"
    saving.save(study, inputs, study.compute(inputs), path)
    page = open_page(color_scheme="dark")
    page.goto(path.as_uri())
    page.locator("canvas:visible").first.wait_for()
    assert is_dark(page, True)
    picture(page, "saved-chart-dark")
    page.emulate_media(color_scheme="light")
    assert not is_dark(page, False)
    picture(page, "saved-chart-light")
    assert page.problems == []
    page.context.close()
