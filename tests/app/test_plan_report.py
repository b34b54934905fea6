"""The report of a plan: whole, offline, and every number with what defends it."""

import csv
import html
import io
import json
import math
import re

import pytest

from pagecost import devices, planner, system
from pagecost_app import plan_report

ASKED = system.System(
    name="<b>orders</b> & more",
    load=system.Load(source="sqlite-order-entry", rate_hz=4000, transaction_rate_hz=150, volume_bytes=6e10),
    targets=system.Targets(response_s=0.1, budget=3000.0),
    candidates=system.Candidates(devices=("intel-x25-m-g2-80gb", "wd800aajs"), counts=(1, 4), buffers=(1024, 4096)),
)


@pytest.fixture(scope="module")
def planned():
    return planner.plan(ASKED, runs=0)


@pytest.fixture(scope="module")
def written(planned, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "plan.html"
    plan_report.write(planned, path)
    return path


def words_of(page: str) -> str:
    """What a reader sees, without the scripts."""
    return html.unescape(re.sub(r"<(script|style).*?</\1>|<[^>]*>", " ", page, flags=re.DOTALL))


def test_every_number_of_the_plan_stands_with_formula_sources_and_the_line_that_gives_it_again(planned, written):
    page = written.read_text("utf8")
    seen = words_of(page)
    assert planned.sentence in seen
    for figure in planned.best.figures.values():
        for told in (figure.title, figure.formula, figure.run_line, *figure.sources):
            assert told in seen, told
        for source in figure.sources:
            assert f'id="source-{source}"' in page


def test_it_says_why_others_lost_and_what_would_change_the_choice(planned, written):
    seen = words_of(written.read_text("utf8"))
    runner_up = planned.finalists[planned.runner_up]
    about = words_of(written.read_text("utf8").split("The runner-up, and why it lost")[1].split("</section>")[0])
    assert runner_up.title in about
    assert runner_up.binding in about
    assert runner_up.binding
    for loser in (*planned.finalists, *planned.losers[: plan_report.SHOWN_LOSERS]):
        assert loser.title in seen
        assert loser.binding in seen
    for swing in planned.tornado:
        assert swing.title in seen
    for even in planned.break_evens:
        assert even.sentence in seen
    codes = {plan.code for plan in (*planned.finalists, *planned.losers)}
    shown = seen.replace("plan=", "")
    lines = {figure.run_line.replace("plan=", "") for plan in planned.finalists for figure in plan.figures.values()}
    for line in lines:
        shown = shown.replace(line, "")
    assert not [code for code in codes if code in shown], "people read titles; codes are for the lines"


def test_it_loads_nothing_and_a_name_with_markup_is_shown_as_it_is(written):
    page = written.read_text("utf8")
    assert "<b>orders</b>" not in page
    assert "&lt;b&gt;orders&lt;/b&gt; &amp; more" in page
    tags = re.sub(r"(<script[^>]*>).*?</script>", r"\1", page, flags=re.DOTALL)
    assert not re.search(r"<(script|link|img|iframe)[^>]*\s(src|href)=", tags)


def test_csv_and_json_beside_it_have_every_digit(planned, written):
    rows = list(csv.DictReader(io.StringIO(written.with_suffix(".csv").read_text("utf8"))))
    of_best = {row["name"]: float(row["value"]) for row in rows if row["plan"] == planned.best.code}
    assert of_best == {name: figure.value for name, figure in planned.best.figures.items()}
    record = json.loads(written.with_suffix(".json").read_text("utf8"))
    assert record["answer"] == planned.sentence
    assert record["finalists"][record["chosen"]]["code"] == planned.best.code
    assert record["system"]["name"] == ASKED.name


def test_impossible_targets_are_reported_with_the_nearest_plan():
    asked = ASKED.model_copy(update={"targets": system.Targets(response_s=1e-6)})
    made = planner.plan(asked, runs=0)
    seen = words_of(plan_report.page(made))
    assert "No plan meets the targets" in seen
    assert made.impossible in seen
    assert "What to buy" not in seen


def test_where_it_cannot_be_written_is_said_before_the_work(run, tmp_path):
    asked = tmp_path / "mine.toml"
    system.write(ASKED, asked)
    for report, sentence in (("plan.pdf", "it is written as .html"), ("none/plan.html", "there is no folder")):
        code, out, err = run("plan", str(asked), "--report", str(tmp_path / report))
        assert (code, out) == (2, "")
        assert sentence in err
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("candidates", "unknown"),
    [
        ({"devices": ("intel-x25-m-g1",), "placements": ("together",)}, {"mean_w", "life_years"}),
        (
            {"devices": ("samsung-970-pro-1tb",), "placements": ("together",), "write_buffers": ("rahm-ssd",)},
            {"mean_w"},
        ),
    ],
    ids=["drive", "write buffer"],
)
def test_what_is_not_known_is_not_called_exact_endless_or_nan(candidates, unknown, tmp_path):
    asked = ASKED.model_copy(update={"candidates": system.Candidates(**candidates, buffers=(4096,))})
    made = planner.plan(asked, runs=0)
    plan_report.write(made, tmp_path / "plan.html")
    seen = words_of((tmp_path / "plan.html").read_text("utf8"))
    assert not re.search(r"\bnan\b", seen)
    figures = made.best.figures
    for name in unknown:
        assert math.isnan(figures[name].value)
        assert "not known" in figures[name].formula
        numbers = seen.split("Every number of the plan")[1].split(figures[name].title)[1]
        assert "not known" in numbers.split(figures[name].formula)[0]
    assert devices.title_of(candidates.get("write_buffers", candidates["devices"])[0]) in figures["mean_w"].formula
    assert "nothing of it is worn out" not in seen
