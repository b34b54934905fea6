"""`pagecost plan` as it is typed, and the lines that it prints: each gives its number again."""

import csv
import io
import json
import math
import shlex

import pytest
from typer.testing import CliRunner

from pagecost import system
from pagecost.errors import ModelError
from pagecost.planner import run_lines
from pagecost.studies import find
from pagecost_app.cli import app

ASKED = """schema = 2
[load]
source = "sqlite-order-entry"
rate_hz = 4000.0
transaction_rate_hz = 150.0
volume_bytes = 6e10
[log]
group_size = 4
[economics]
price_usd_per_kwh = 0.3
currency = "EUR"
usd_per_unit = 1.1
[economics.price_usd_per_device]
wd800aajs = 35.5
[targets]
response_s = 0.1
percentile = 90
years = 4.0
growth_per_year = 0.1
[candidates]
devices = ["intel-x25-m-g2-80gb", "wd800aajs"]
counts = [1, 4]
buffers = [1024, 4096]
uncertainty = 0.1
"""


def typed(*words) -> str:
    done = CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(ASKED, "utf8")
    return path


def test_the_defaults_of_the_study_are_those_of_a_system():
    usual = run_lines.values_of(system.System())
    fields = find("plan_terms").Inputs.model_fields
    assert {name: fields[name].get_default() for name in usual} == usual


def test_the_answer_comes_first_and_each_number_is_computed_again_by_its_line(file):
    made = json.loads(typed("plan", file, "--runs", "2", "--seed", "3", "--format", "json"))
    assert made["answer"].startswith("Take ")
    best = made["finalists"][made["chosen"]]
    assert best["figures"]["cost"]["unit"] == "EUR"
    lines = {figure["run_line"] for figure in best["figures"].values()}
    assert len(lines) == 2, "one by formula, one with runs"
    again = {}
    for line in lines:
        words = shlex.split(line)
        assert words[0] == "pagecost"
        rows = csv.DictReader(io.StringIO(typed(*words[1:], "--format", "csv")))
        again[line] = {row["figure"]: [row[f"{of} [1]"] for of in ("value", "low", "high")] for row in rows}
    for name, figure in best["figures"].items():
        value, *ends = again[figure["run_line"]][name]
        if figure["value"] in (None, "inf"):
            assert value in ("", "inf")
        else:
            assert float(value) == pytest.approx(figure["value"], rel=1e-12), name
            exact = figure["low"] is None
            for end, given in zip(ends, ("low", "high"), strict=True):
                assert float(end) == pytest.approx(figure["value" if exact else given], rel=1e-12), (name, given)
    assert any(name.startswith("simulated_") for name in best["figures"])


def test_a_table_and_a_csv_say_the_same(file):
    table = typed("plan", file, "--runs", "0")
    first = table.splitlines()[0]
    assert first.startswith("Take ")
    assert "computed again by:" in table
    assert "plans by formula in" in table
    rows = list(csv.DictReader(io.StringIO(typed("plan", file, "--runs", "0", "--format", "csv"))))
    assert {"cost", "percentile_s", "mean_w"} <= {row["name"] for row in rows}
    assert all(math.isfinite(float(row["value"])) for row in rows if row["name"] == "cost")


def test_impossible_targets_are_answered_with_the_nearest(file):
    file.write_text(ASKED.replace("response_s = 0.1", "response_s = 1e-5"), "utf8")
    said = typed("plan", file, "--runs", "0")
    assert said.startswith("No plan of the candidates meets the targets. The nearest is ")


@pytest.mark.parametrize(
    ("was", "becomes", "sentence"),
    [
        ("schema = 2", "schema = 3", "is of schema 3; this pagecost reads up to 2: update pagecost"),
        ("schema = 2", "schema = 1", "targets and candidates came with schema 2"),
        ("wd800aajs = 35.5", "wd800aajs = -1", "should be greater than or equal to 0; got -1"),
        ("wd800aajs = 35.5", "floppy = 1", "unknown device 'floppy'"),
        ('currency = "EUR"', 'currency = "XYZQ"', "unknown currency 'XYZQ': write its three capital letters"),
        ("usd_per_unit = 1.1", "", r"currency EUR: say how many dollars one .* usd_per_unit, such as 1\.0411 on 2025-"),
        ('"wd800aajs"]', '"floppy"]', "unknown device 'floppy'"),
        ('devices = ["intel-x25-m-g2-80gb", "wd800aajs"]', "", "no devices to choose from; name some"),
        ("counts = [1, 4]", "counts = [1, 1]", "counts: 1 is named twice"),
        ("percentile = 90", "percentile = 91", "percentile"),
        ("response_s = 0.1", "response_s = 0", "should be greater than 0; got 0"),
        ("group_size = 4", 'group_size = 4\nupdate_strategy = "SOME"', "update strategy"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(file, was, becomes, sentence):
    assert was in ASKED
    file.write_text(ASKED.replace(was, becomes, 1), "utf8")
    with pytest.raises(ModelError, match=sentence):
        typed("plan", file)


def test_a_system_comes_through_a_pipe_and_what_is_no_file_is_refused(file):
    done = CliRunner().invoke(app, ["plan", "-", "--runs", "0", "--format", "csv"], input=file.read_bytes())
    assert done.exit_code == 0, done.output
    figures = list(csv.DictReader(io.StringIO(done.stdout)))
    again = list(csv.DictReader(io.StringIO(typed("plan", file, "--runs", "0", "--format", "csv"))))
    assert figures == again
    with pytest.raises(ModelError, match="this is a folder, not a file"):
        typed("plan", file.parent)
