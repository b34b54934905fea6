"""The command line as a script would use it: numbers on standard output, a sentence on standard error, exit codes."""

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pagecost import studies
from pagecost_app import cli


def pagecost(capsys, monkeypatch, *arguments) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command."""
    monkeypatch.setattr(sys, "argv", ["pagecost", *arguments])
    try:
        cli.main()
        code = 0
    except SystemExit as exit:
        code = exit.code
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def run(capsys, monkeypatch):
    return lambda *arguments: pagecost(capsys, monkeypatch, *arguments)


@pytest.mark.parametrize("study", studies.STUDIES)
def test_run_prints_the_same_numbers_as_the_study_to_the_last_digit(run, study):
    asked = studies.find(study)
    answer = asked.compute(asked.inputs())
    code, out, err = run("run", study, "--format", "json")
    assert (code, err) == (0, "")
    printed = json.loads(out)
    assert printed["columns"] == answer.plain()
    assert printed["units"] == {name: column.unit for name, column in answer.columns.items()}
    assert run("run", study, "--format", "csv")[1] == answer.csv()


def test_inputs_are_set_by_name_and_lists_are_split_at_commas(run):
    code, out, _ = run(
        *("run", "buffer_size", "--set", "frames=500", "--set", "policies=lru,min", "--format", "csv"),
    )
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert {row["policy"] for row in rows} == {"lru", "min"}
    assert [row["frames [1]"] for row in rows if row["chosen [1]"] == "True"] == ["500", "500"]


def test_a_preset_is_a_start_that_set_changes(run):
    _, out, _ = run(
        *("run", "block_size", "--preset", "classes of 2009", "--set", "block_sizes_bytes=8192", "--format", "json"),
        *("--set", "detail_block_bytes=8192"),
    )
    columns = json.loads(out)["columns"]
    assert set(columns["block_bytes"]) == {8192}
    assert "consumer-ssd-2009" in columns["device"]


def test_the_table_for_people_has_a_header_and_notes(run):
    code, out, _ = run("run", "buffer_size")
    assert code == 0
    assert out.startswith("replacement policy")
    assert "references to" in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("run", "taste"), "unknown study 'taste'; known: block_size, buffer_size"),
        (("run", "buffer_size", "--set", "frames"), "--set needs NAME=VALUE; got 'frames'"),
        (("run", "buffer_size", "--set", "frames=0"), "frames should be greater than or equal to 1; got '0'"),
        (("run", "block_size", "--set", "detail_block_bytes=0"), "must be 512..67108864 bytes; got 0"),
        (("run", "block_size", "--set", "devices=floppy"), "unknown device 'floppy'"),
        (("run", "block_size", "--set", "fio_file=/nowhere.json"), "fio result /nowhere.json: there is no such file"),
        (("run", "buffer_size", "--set", "trace=/nowhere.parquet"), "there is no such file"),
        (("run", "buffer_size", "--chart", "/nowhere/a.html"), "cannot write /nowhere/a.html"),
        (("run", "buffer_size", "--chart", "a.gif"), "saved as .html, .svg or .png; got 'a.gif'"),
        (("devices", "floppy"), "unknown device 'floppy'"),
        (("claims", "--paper", "knuth"), "unknown paper 'knuth'"),
        (("buffer", "/nowhere.txt"), "there is no such file"),
        (("buffer", "sqlite-order-entry", "--frames", "many"), "whole numbers separated by commas; got 'many'"),
        (("buffer", "sqlite-order-entry", "--frames", "0"), "at least one frame; got 0"),
        (("buffer", "sqlite-order-entry", "--policy", "guess"), "unknown replacement policy 'guess'"),
        (("trace", "inspect", "/nowhere.txt"), "there is no such file"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(run, arguments, sentence):
    code, out, err = run(*arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("pagecost: ")
    assert sentence in err
    assert err.count("\n") == 1


def test_bad_usage_is_exit_code_2(run):
    assert run("run", "buffer_size", "--format", "yaml")[0] == 2
    assert run("bogus")[0] == 2


def test_a_port_in_use_is_one_sentence_and_exit_code_2(run):
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, _, err = run("app", "--browser", "--port", str(port))
        assert code == 2
        assert f"port {port}" in err
        assert run("lab", "--port", str(port))[0] == 2


def test_claims_hold_and_are_printed_with_what_was_measured(run):
    code, out, _ = run("claims", "--format", "json")
    assert code == 0
    records = json.loads(out)
    assert len(records) > 120
    assert all(record["status"] == "holds" for record in records if record["should_hold"])
    code, out, _ = run("claims", "--paper", "rahm1992")
    assert code == 0
    assert "R31.2000.main_memory" in out
    assert "predicted: 4 of 4 hold" in out


def test_a_claim_that_stops_holding_is_exit_code_1(run):
    from pagecost import catalogue

    with catalogue.using(catalogue.device("rahm-nvem").replaced("access_s", 1.0)):
        code, out, _ = run("claims", "--paper", "rahm1992")
    assert code == 1
    assert "FAILS" in out


def test_studies_and_devices_are_listed(run):
    assert "--set frames=1024" in run("studies")[1]
    listed = json.loads(run("studies", "--format", "json")[1])
    assert [study["name"] for study in listed] == list(studies.STUDIES)
    assert "intel-x25-e" in run("devices")[1]
    one = json.loads(run("devices", "intel-x25-e", "--format", "json")[1])
    assert {"parameter", "stated", "value", "status", "source", "place"} <= set(one["parameters"][0])
    assert "3300" in run("devices", "intel-x25-e")[1]


def test_buffer_gives_the_stable_fields_and_costs_on_a_device(run, tmp_path):
    trace = tmp_path / "own.txt"
    trace.write_text("1 r\n2 w\n1 r\n3 r\n2 r\n")
    _, out, _ = run("buffer", str(trace), "--policy", "lru,fifo", "--frames", "2,3", "--format", "json")
    records = json.loads(out)
    fields = "policy frames references hits misses read_hits write_hits write_backs dirty_left"
    assert [list(record) for record in records] == [fields.split()] * 4
    assert records[0] == dict(zip(fields.split(), ["lru", 2, 5, 1, 4, 1, 0, 1, 0], strict=True))
    _, out, _ = run("buffer", str(trace), "--frames", "2", "--device", "rahm-db-disk", "--format", "json")
    assert json.loads(out)[0]["time_s"] == pytest.approx(5 * 16.4e-3)
    assert run("buffer", str(trace), "--trace-format", "text", "--format", "csv")[0] == 0


def test_ssd_gives_the_stable_fields_and_the_amplification_of_theory(run):
    """The finite formula with 2.5 blocks in reserve agrees with simulation within 0.5 %; 1 % leaves room for noise."""
    settings = [("--set", text) for text in ("spare=0.07", "policy=greedy", "writes=2000000", "seed=42")]
    code, out, _ = run("ssd", *(word for pair in settings for word in pair), "--format", "json")
    assert code == 0
    found = json.loads(out)
    assert found["host_pages"] == 2_000_000
    assert found["programmed_pages"] == found["host_pages"] + found["copied_pages"]
    assert found["write_amplification"] == found["programmed_pages"] / found["host_pages"]
    from pagecost.devices.ftl import Geometry, theory

    assert found["write_amplification"] == pytest.approx(theory.greedy_finite(Geometry(spare=0.07)), rel=0.01)
    assert found["steady"] is True
    assert run("ssd", "--set", "spare=0")[0] == 2
    assert run("ssd", "--set", "colour=red")[0] == 2


def test_inspect_shows_what_was_understood_and_what_was_not(run, tmp_path):
    trace = tmp_path / "own.txt"
    trace.write_text("1 r\nbanana\n2 w\n")
    facts = json.loads(run("trace", "inspect", str(trace), "--format", "json")[1])
    assert facts["requests"] == 2
    assert facts["read_share"] == 0.5
    assert facts["rejected_lines"] == 1
    assert facts["rejected"][0]["line"] == 2
    assert "banana" in run("trace", "inspect", str(trace))[1]


def test_a_chart_is_saved_as_a_page_that_works_offline(run, tmp_path):
    path = tmp_path / "chart.html"
    assert run("run", "buffer_size", "--chart", str(path))[0] == 0
    page = path.read_text("utf8")
    assert "How large a buffer does this workload need" in page
    assert re.findall(r"<(?:script|link)[^>]+(?:src|href)=[^>]+>", page) == []


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_a_chart_is_saved_as_a_picture(run, tmp_path, kind):
    path = tmp_path / f"chart.{kind}"
    assert run("run", "block_size", "--chart", str(path))[:1] == (0,)
    start = path.read_bytes()[:4]
    assert start == {"svg": b"<svg", "png": b"\x89PNG"}[kind]
    if kind == "svg":
        assert "rotational latency" in path.read_text("utf8")


def test_without_a_browser_a_picture_is_refused_in_a_sentence(run, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    code, _, err = run("run", "block_size", "--chart", str(tmp_path / "a.png"))
    assert code == 2
    assert "needs Chromium, Chrome or Edge" in err


def test_the_installed_command_is_the_same_program():
    command = Path(sys.executable).parent / "pagecost"
    done = subprocess.run([command, "run", "taste"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("pagecost: unknown study 'taste'")
