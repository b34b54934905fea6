"""`pagecost run` as a file in several forms at once, and with what made it."""

import csv
import io
import json

import pytest

from pagecost import studies

RUN = ("run", "five_minute_rule")


@pytest.fixture
def answer():
    study = studies.find("five_minute_rule")
    return study.compute(study.inputs())


def test_several_forms_are_written_in_one_run(run, tmp_path, answer):
    names = {"csv": tmp_path / "a.csv", "json": tmp_path / "a.json", "html": tmp_path / "a.html"}
    options = ("--export", names["csv"], "--export", names["json"], "--chart", names["html"])
    code, out, _ = run(*RUN, *map(str, options), "--date", "23 November")
    assert code == 0
    written = json.loads(names["json"].read_text("utf8"))
    assert " ".join(out.partition("\n\n")[0].split()) == written["answer"]
    assert written["provenance"]["date"] == "23 November"
    lines = names["csv"].read_text("utf8").splitlines(keepends=True)
    assert "".join(line for line in lines if line[0] != "#") == answer.csv()
    assert "# command: pagecost run five_minute_rule\n" in lines
    assert "pagecost run five_minute_rule" in names["html"].read_text("utf8")


def test_provenance_is_asked_for_in_csv_and_always_there_in_json(run, answer):
    assert run(*RUN, "--format", "csv")[1] == answer.csv()
    lines = run(*RUN, "--format", "csv", "--provenance")[1].splitlines(keepends=True)
    assert "".join(line for line in lines if line[0] != "#") == answer.csv()
    assert any(line.startswith("# versions: pagecost ") for line in lines)
    once, again = (run(*RUN, "--format", "json")[1] for _ in range(2))
    assert once == again
    assert json.loads(once)["provenance"]["study"] == "five_minute_rule"


def test_a_list_stays_a_list_unless_provenance_is_asked_for(run):
    words = ("buffer", "sqlite-order-entry", "--device", "intel-x25-e", "--format", "json")
    rows = json.loads(run(*words)[1])
    assert isinstance(rows, list)
    found = json.loads(run(*words, "--provenance")[1])
    assert found["rows"] == rows
    assert found["answer"].startswith("With 1\N{NARROW NO-BREAK SPACE}000 frames lru misses")
    assert found["provenance"]["devices"] == {"intel-x25-e": "Intel X25-E 64 GB"}
    text = run(*words[:-1], "csv", "--provenance")[1]
    data = [line for line in text.splitlines() if not line.startswith("#")]
    assert next(csv.DictReader(io.StringIO("\n".join(data))))["frames"] == "1000"


@pytest.mark.parametrize("study", ["block_size", "whole_path", "total_cost", "device_fit", "storage_plan"])
@pytest.mark.usefixtures("remembered_answers")
def test_an_answer_fits_a_narrow_terminal(run, monkeypatch, study):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = run("run", study)
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out
    assert len(out.splitlines()) < 200  # forty rows of at most a few lines, and what is said of them


def test_a_file_that_cannot_be_written_is_said_before_the_work(run, tmp_path):
    for option, name, sentence in (
        ("--export", "a.xlsx", "written as .csv or .json; got 'a.xlsx'"),
        ("--export", "nowhere/a.csv", "there is no folder"),
        ("--chart", "a.gif", "saved as .html, .svg or .png"),
    ):
        code, out, error = run(*RUN, option, str(tmp_path / name))
        assert (code, out) == (2, "")
        assert sentence in error
