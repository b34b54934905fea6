"""Reports from the command line, and lines that the app copies: they give the answer that was shown."""

import shlex

import pytest

from pagecost import studies
from pagecost_app.workspace import project_file
from pagecost_app.workspace.project_file import Project
from pagecost_app.workspace.settings import Setting

LINES = [
    Setting("five_minute_rule", "1987, records of 1 KB", {"page_bytes": 8192}),
    Setting("block_size", None, {"span_bytes": 41e6, "devices": ["intel-x25-e"]}),
    Setting("second_level_buffer", None, {"levels": ["NVEM, half size"]}),
    Setting("disk_sharing", None, {"load": "sequential reader, random writer"}),
]


def alone(csv: str) -> str:
    """The table, without the lines that say what it was made with."""
    return "".join(line for line in csv.splitlines(keepends=True) if not line.startswith("#"))


@pytest.mark.parametrize("setting", LINES, ids=lambda setting: setting.study)
def test_a_copied_command_gives_the_same_table(run, setting):
    program, *words = shlex.split(setting.command("--format", "csv"))
    assert program == "pagecost"
    code, out, err = run(*words)
    assert code == 0, err
    study = studies.find(setting.study)
    assert alone(out) == study.compute(setting.inputs()).csv()


def test_run_writes_a_report(run, tmp_path):
    path = tmp_path / "r.html"
    code, _, err = run("run", "five_minute_rule", "--set", "page_bytes=8k", "--report", str(path))
    assert code == 0, err
    assert "pagecost run five_minute_rule --set page_bytes=8192" in path.read_text("utf8")


def test_report_writes_a_project(run, tmp_path):
    project, path = tmp_path / "p.pagecost", tmp_path / "r.html"
    project_file.write(
        Project({"questions": {"five_minute_rule": {"preset": None, "values": {"page_bytes": 8192}}}}), project
    )
    code, out, err = run("report", str(project), str(path))
    assert (code, out) == (0, f"wrote {path}\n"), err
    assert studies.find("five_minute_rule").title in path.read_text("utf8")


def test_report_says_at_once_what_it_could_not_answer(run, tmp_path):
    project, path = tmp_path / "p.pagecost", tmp_path / "r.html"
    values = {"buffer_size": {"trace": "/nowhere/a.parquet"}, "five_minute_rule": {"page_bytes": 8192}}
    state = {name: {"preset": None, "values": each} for name, each in values.items()}
    project_file.write(Project({"questions": state}), project)
    code, out, err = run("report", str(project), str(path))
    assert (code, out) == (0, f"wrote {path}\n"), err
    assert f"not in it: {studies.find('buffer_size').title}: " in err
    assert "/nowhere/a.parquet" in err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("report", "none.pagecost", "r.html"), "there is no such file"),
        (("report", "none.pagecost", "r.pdf"), "it is written as .html; got 'r.pdf'"),
        (("report", "none.pagecost", "no/where/r.html"), "there is no folder no/where"),
        (("run", "five_minute_rule", "--report", "r.pdf"), "it is written as .html; got 'r.pdf'"),
    ],
)
def test_what_cannot_be_reported_is_one_sentence(run, tmp_path, monkeypatch, words, sentence):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
