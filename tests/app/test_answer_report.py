"""Reports of an answer, a comparison and a project: whole, offline, and of hostile names only text."""

import html
import re

import pytest

from pagecost import studies
from pagecost.errors import ModelError
from pagecost_app import answer_report
from pagecost_app.workspace import answers
from pagecost_app.workspace.answers import Answer
from pagecost_app.workspace.project_file import Project

HOSTILE = "<img src=x onerror=hit()>"


def answer_of(name, preset=None, **values):
    study = studies.find(name)
    inputs = study.inputs(values, preset)
    result = study.compute(inputs)
    return Answer.of(study, preset, inputs, result, study.describe(inputs, result))


@pytest.fixture(scope="module")
def two():
    return answer_of("five_minute_rule"), answer_of("five_minute_rule", "1987, records of 1 KB")


def words_of(page: str) -> str:
    """What a reader sees, without the scripts."""
    return html.unescape(re.sub(r"<(script|style).*?</\1>|<[^>]*>", " ", page, flags=re.DOTALL))


def check_offline(page):
    """Nothing is loaded from elsewhere; a browser without a network opens a report in another test."""
    shown = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert not re.findall(r"""(?:src|href)=["']?(?!#|data:)[^"'> ]*//""", shown)
    assert "<link" not in shown
    assert not re.findall(r"<script[^>]*src", page)


def test_an_answer_stands_with_question_inputs_numbers_reasons_the_line_and_the_versions(two):
    answer = two[1]
    page = answer_report.of_answer(answer)
    words = words_of(page)
    study = studies.find("five_minute_rule")
    assert study.title in words
    assert answer.headline in words
    for name, field in study.Inputs.model_fields.items():
        assert field.title in words, name
    assert "Preset: 1987, records of 1 KB." in words
    assert "of the preset" in words
    for table in answer.result.tables.values():
        for column in table.columns.values():
            assert column.label in words
            assert column.cell(0) in words
    for line in study.explain(answer.inputs, answer.result):
        assert line in words
    for note in answer.result.notes:
        assert note in words
    assert "pagecost run five_minute_rule --preset '1987, records of 1 KB'" in words
    assert f"numpy {answer.versions['numpy']}" in words
    assert "docs_json" in page  # the chart is alive
    check_offline(page)


def test_a_comparison_marks_what_differs(two):
    page = answer_report.of_comparison(two)
    assert '<tr class=differs><th scope="row">Page size</th>' in page
    assert "<td class=other>" in page
    assert page.count('class="drawn"') == 2
    check_offline(page)
    with pytest.raises(ModelError, match="answers to one question"):
        answer_report.of_comparison([two[0], answer_of("disk_access_time")])


def test_a_project_reports_kept_answers_and_answers_what_is_set(two):
    setting = {"preset": None, "values": {"page_bytes": 8192}}
    state = {"answers": [each.record() for each in two], "questions": {"five_minute_rule": setting}}
    page = answer_report.of_project(Project(state, HOSTILE))
    words = words_of(page)
    assert HOSTILE not in page
    assert "side by side" in words
    assert "--set page_bytes=8192" in words
    assert page.count('class="drawn"') == 3
    set_so = Project({"questions": {"five_minute_rule": two[1].setting.record()}})
    again = answer_report.answers_of(set_so, print, refused=pytest.fail)
    assert again[0].result.csv() == two[1].result.csv()
    with pytest.raises(ModelError, match="there is nothing to report"):
        answer_report.of_project(Project({}))


REFUSED = {"preset": None, "values": {"trace": "/nowhere/a.parquet"}}  # a file that was moved away


def test_a_project_reports_what_can_be_answered_and_says_by_its_name_what_refused_the_rest(two):
    five_minutes = {"preset": None, "values": {"page_bytes": 8192, "gone": 3}}
    questions = {"buffer_size": REFUSED, "five_minute_rule": five_minutes, "no_such_study": five_minutes}
    state = {"answers": [two[0].record(), {"study": "five_minute_rule", "name": "broken"}], "questions": questions}
    refused = []
    page = answer_report.of_project(Project(state, HOSTILE), refused=refused.append)
    words = words_of(page)
    assert page.count('class="drawn"') == 2
    assert "--set page_bytes=8192" in words
    assert "Not answered, or not as it was set" in words
    title = studies.find("buffer_size").title
    assert any(each.startswith(f"{title}: ") and "/nowhere/a.parquet" in each for each in refused)
    assert any("gone" in each for each in refused)
    assert any(each.startswith("no_such_study: ") for each in refused)
    assert any(each.startswith("the kept answer broken: ") for each in refused)
    assert len(refused) == 4
    for sentence in refused:
        assert " ".join(sentence.split()) in " ".join(words.split())


def test_a_project_of_which_nothing_can_be_answered_says_what_refused_it():
    with pytest.raises(ModelError, match=r"nothing of it can be answered: .*/nowhere/a\.parquet"):
        answer_report.of_project(Project({"questions": {"buffer_size": REFUSED}}, "mine"))


def test_names_that_carry_markup_are_text(two):
    record = two[0].record() | {"name": HOSTILE, "headline": HOSTILE, "notes": [HOSTILE]}
    record["tables"]["main"]["pair"] = {
        "values": [HOSTILE] * len(two[0].result),
        "type": "<U40",
        "unit": "text",
        "label": HOSTILE,
        "names": {},
    }
    strange = answers.of_record(record)
    for page in (answer_report.of_answer(strange), answer_report.of_comparison([two[0], strange])):
        assert "<img" not in re.sub(r"<script.*?</script>", "", page, flags=re.S)


def test_an_answer_of_another_version_that_cannot_be_drawn_is_shown_without_its_chart(two):
    record = two[0].record() | {"versions": {"pagecost": "0.1"}}
    record["tables"]["main"] = {"other": {"values": [1.0], "type": "<f8", "unit": "s", "label": "other", "names": {}}}
    words = words_of(answer_report.of_answer(answers.of_record(record)))
    assert "It was computed by pagecost 0.1, and this version cannot draw it." in words
    assert "this version cannot explain it" in words
