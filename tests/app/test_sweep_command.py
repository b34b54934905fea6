"""`pagecost sweep`: what a script gets of it."""

import csv
import io

import duckdb
import pytest


@pytest.mark.long
def test_a_sweep_prints_and_exports_its_results_and_goes_on_where_it_was(run, tmp_path):
    out, exported = str(tmp_path / "s.duckdb"), str(tmp_path / "s.parquet")
    asked = (
        "sweep",
        "total_cost",
        "--over",
        "iops=100, 4e3",
        "--over",
        "devices=wd800aajs;intel-x25-m-g2-80gb,wd800aajs",
    )
    code, text, said = run(*asked, "--out", out, "--export", exported, "--workers", "1", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert (code, len(rows)) == (0, 6)
    assert [(row["over_iops"], row["device"]) for row in rows[:3]] == [
        *(("100.0", "wd800aajs"), ("100.0", "intel-x25-m-g2-80gb"), ("100.0", "wd800aajs")),
    ]
    assert "4 points of total_cost, 4 computed" in said
    assert duckdb.sql(f"SELECT count(*) FROM '{exported}'").fetchall() == [(6,)]
    assert "0 computed" in run(*asked, "--out", out, "--workers", "1")[2]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["--over", "iops"], "--over needs NAME=VALUE,VALUE"),
        (["--over", "iops=1", "--over", "iops=2"], "--over iops stands twice"),
        (["--over", "iops=1", "--export", "x.txt"], "results are written as .parquet or .csv"),
        (["--over", "iops=1", "--workers", "0"], "at least one worker; got 0"),
        (["--over", "iops=1", "--workers", "1", "--scheduler", "tcp://127.0.0.1:1"], "a cluster has its own"),
        (["--over", "iops=1", "--scheduler", "here"], "a scheduler is like tcp://127.0.0.1:8786"),
        (["--over", "iops=1,many"], "at iops=many: total_cost: iops: 'many' is no number"),
        (["--over", "colour=red"], "unknown input of total_cost 'colour'"),
    ],
)
def test_bad_input_is_one_sentence(run, tmp_path, monkeypatch, given, sentence):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("sweep", "total_cost", *given)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.startswith("pagecost: ")
    assert err.count("\n") == 1
