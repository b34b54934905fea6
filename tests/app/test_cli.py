"""The command line as a script would use it: numbers on standard output, a sentence on standard error, exit codes."""

import csv
import io
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from pagecost import studies
from pagecost_app import plain_json
from pagecost_app.charts import saving


@pytest.mark.long
@pytest.mark.usefixtures("remembered_answers")
@pytest.mark.parametrize("study", studies.STUDIES)
def test_run_prints_the_same_numbers_as_the_study_to_the_last_digit(run, study):
    asked = studies.find(study)
    answer = asked.compute(asked.inputs())
    code, out, err = run("run", study, "--format", "json")
    assert (code, err) == (0, "")
    printed = json.loads(out)
    assert printed["columns"] == plain_json.plain(
        answer.plain()
    )  # what has no end is "inf", which JSON has no number for
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
    asked = studies.find("buffer_size")
    inputs = asked.inputs()
    said = asked.describe(inputs, asked.compute(inputs))
    assert " ".join(out.partition("\n\n")[0].split()) == " ".join(said.split())
    assert "replacement" in out.splitlines()[out.splitlines().index("") + 1]
    assert "references to" in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("run", "bufer_size"),
            f"unknown study 'bufer_size'; nearest of {len(studies.STUDIES)}: buffer_size, ",
        ),
        (("run", "buffer_size", "--set", "frames"), "--set needs NAME=VALUE; got 'frames'"),
        (("run", "buffer_size", "--set", "frames=0"), "frames should be greater than or equal to 1; got 0"),
        (("run", "block_size", "--set", "detail_block_bytes=0"), "must be 512..67108864 bytes; got 0"),
        (("run", "block_size", "--set", "devices=floppy"), "unknown device 'floppy'"),
        (("run", "block_size", "--set", "fio_file=/nowhere.json"), "fio result /nowhere.json: there is no such file"),
        (("run", "buffer_size", "--set", "trace=/nowhere.parquet"), "there is no such file"),
        (
            ("run", "buffer_size", "--chart", "/nowhere/a.html"),
            "cannot write /nowhere/a.html: there is no folder /nowhere",
        ),
        (("run", "buffer_size", "--chart", "a.gif"), "saved as .html, .svg or .png; got 'a.gif'"),
        (("run", "storage_plan", "--set", "currency=zzz"), "unknown currency 'zzz'"),
        (("run", "plan_terms", "--set", "usd_per_unit=1.1"), "a dollar is one dollar; got 1.1, so name the currency"),
        (("devices", "floppy"), "unknown device 'floppy'"),
        (("claims", "--paper", "knuth"), "unknown paper 'knuth'"),
        (("buffer", "/nowhere.txt"), "there is no such file"),
        (("buffer", "sqlite-order-entry", "--frames", "many"), "--frames: 'many' is no number"),
        (("buffer", "sqlite-order-entry", "--frames", "0"), "at least one frame; got 0"),
        (("buffer", "sqlite-order-entry", "--policy", "guess"), "unknown replacement policy 'guess'"),
        (("trace", "inspect", "/nowhere.txt"), "there is no such file"),
        (("trace", "inspect", "/"), "this is a folder, not a file"),
        (("buffer", ""), 'an argument is empty ("")'),
        (("run", "buffer_size", "--set", "trace="), "no trace is named; known: "),
        (("devices", "check", "/"), "own device /: this is a folder; name the file of a device in it"),
        (("devices", "check", "."), "own device .: this is a folder"),
        (("devices", "new", "/"), "device /: this is a folder; name the file to write in it"),
        (("trace", "inspect", "sqlite-order-entry", "--trace-format", "dvd"), "unknown trace format 'dvd'"),
        (("trace", "convert", "/nowhere.txt", "b.csv"), "there is no such file"),
        (("trace", "convert", "sqlite-order-entry", "b.xyz"), "the ending does not tell the format; known: .parquet"),
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


@pytest.mark.long
@pytest.mark.usefixtures("remembered_answers")
def test_claims_hold_and_are_printed_with_what_was_measured(run):
    code, out, _ = run("claims", "--format", "json")
    assert code == 0
    records = json.loads(out)
    assert len(records) > 900
    for record in records:
        expected = "undecided" if record["undecided"] else "holds" if record["should_hold"] else "fails"
        assert record["status"] == ("unchecked" if record["kind"] == "context" else expected), record["id"]
    code, out, _ = run("claims", "--paper", "rahm1992")
    assert code == 0
    assert "R31.2000.main_memory" in out
    predicted = [record for record in records if record["paper"] == "rahm1992" and record["kind"] == "predicted"]
    counted = [record["status"] for record in predicted if not record["repeats"]]
    assert f"predicted: {counted.count('holds')} of {len(counted)} hold" in out
    assert "context: 7, not checked" in run("claims", "--paper", "lee2009")[1]


def test_what_moved_is_told_of_the_lines_that_are_meant_with_what_it_is_now_and_why(run):
    code, out, _ = run("claims", "F07.[te]*", "--changed", "--format", "json")
    rows = json.loads(out)
    assert code == 0
    assert {row["id"] for row in rows} == {"F07.time_ratio", "F07.energy_ratio"}
    assert {(row["now"], row["before"]) for row in rows if row["field"] == "used"} == {(6.4, 6.45), (6.3, 6.34)}
    told = run("claims", "F07.[te]*", "--changed")[1]
    assert told.splitlines()[2].split()[:3] == ["id", "now", "reason"]
    assert "quotient" in told


@pytest.mark.long
def test_a_claim_that_stops_holding_is_exit_code_1(run):
    from pagecost import catalogue

    with catalogue.using(catalogue.device("cheetah-15k5").replaced("active_w", 1.0)):
        code, out, _ = run("claims", "--paper", "lee2009")
    assert code == 1
    assert "FAILS" in out


def test_studies_and_devices_are_listed(run):
    assert "How large a buffer does this workload need" in run("studies")[1]
    assert "Default 1024 frames" in " ".join(run("studies", "buffer_size")[1].split())  # wherever its lines end
    listed = json.loads(run("studies", "--format", "json")[1])
    assert sorted(study["name"] for study in listed) == sorted(studies.STUDIES)
    assert "intel-x25-e" in run("devices")[1]
    one = json.loads(run("devices", "intel-x25-e", "--format", "json")[1])
    assert {"parameter", "stated", "value", "status", "source", "place"} <= set(one["parameters"][0])
    assert "3300" in run("devices", "intel-x25-e")[1]


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


def test_ssd_says_how_long_requests_take(run):
    """In a device of one die, one write at a time, the mean follows from the amplification and the chip's times."""
    settings = ("blocks=256", "spare=0.15", "writes=100000", "channels=1", "requests=20000")
    code, out, _ = run("ssd", *(word for text in settings for word in ("--set", text)), "--format", "json")
    assert code == 0
    found = json.loads(out)
    latency, timed = found["latency_us"], found["timed"]
    assert latency["p50"] <= latency["p99"] <= latency["p999"]
    assert sum(found["latency_terms_us"].values()) == pytest.approx(latency["mean"])
    assert found["throughput"]["iops"] == pytest.approx(1e6 / latency["mean"], rel=0.001)
    transfer = 4096 / 40
    amplification = timed["write_amplification"]
    expected = transfer + 200 + (amplification - 1) * (25 + 2 * transfer + 200) + amplification * 1500 / 64
    assert latency["mean"] == pytest.approx(expected, rel=0.01)
    assert all(joules > 0 for name, joules in found["energy_j"].items() if name != "read")


def test_ssd_knows_the_drives_of_the_catalogue(run):
    code, out, _ = run("ssd", "--device", "intel-x25-e", *("--set", "writes=10000", "--set", "read_share=1"))
    assert code == 0
    assert "latency_us" in out
    code, _, error = run("ssd", "--device", "hgst-7k1000-750gb")
    assert code == 2
    assert "unknown SSD with chips 'hgst-7k1000-750gb'; known: indilinx" in error
    for text, sentence in (
        ("read_share=2", "read_share must be"),
        ("channels=7", "for each of 7 dies"),
        ("depth=0", "1..65536"),
    ):
        code, _, error = run("ssd", "--set", "writes=1000", "--set", text)
        assert code == 2
        assert sentence in error
    assert json.loads(run("ssd", "--set", "layer=dftl", "--set", "writes=1000", "--format", "json")[1])["timed"] is None


def test_a_chart_is_saved_as_a_page_that_works_offline(run, tmp_path):
    path = tmp_path / "chart.html"
    assert run("run", "buffer_size", "--chart", str(path))[0] == 0
    page = path.read_text("utf8")
    assert "How large a buffer does this workload need" in page
    assert re.findall(r"<(?:script|link)[^>]+(?:src|href)=[^>]+>", page) == []


@pytest.mark.long
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


def _ended(process_id: int) -> bool:
    try:
        return psutil.Process(process_id).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.mark.skipif(sys.platform == "win32", reason="the browser is a script of a POSIX shell")
@pytest.mark.parametrize("kind", ["svg", "png"])
def test_a_browser_that_hangs_is_ended_with_all_its_processes_and_said(run, tmp_path, monkeypatch, kind):
    programs = tmp_path / "programs"
    programs.mkdir()
    browser = programs / "chromium"
    browser.write_text(f"#!/bin/sh\n/bin/sleep 600 &\necho $! > {tmp_path}/child\nwait\n")
    browser.chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setattr(saving, "TIMEOUT_S", 2.0)
    chart = tmp_path / f"a.{kind}"
    chart.write_text("what was there")
    code, _, err = run("run", "five_minute_rule", "--chart", str(chart))
    assert code == 2
    assert err.strip().splitlines()[-1] == f"pagecost: {browser} did not answer within 2 s and was ended"
    assert chart.read_text() == "what was there"
    deadline = time.monotonic() + 30
    while not _ended(int((tmp_path / "child").read_text())):
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.skipif(sys.platform == "win32", reason="the browser is a script of a POSIX shell")
def test_a_packaged_program_starts_a_browser_with_the_libraries_of_the_system(run, tmp_path, monkeypatch):
    programs = tmp_path / "programs"
    programs.mkdir()
    browser = programs / "chromium"
    browser.write_text(f'#!/bin/sh\necho "libraries: $LD_LIBRARY_PATH" > {tmp_path}/seen\n')
    browser.chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/bundle")
    monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", "/usr/local/lib")
    code, _, err = run("run", "five_minute_rule", "--chart", str(tmp_path / "a.svg"))
    assert (code, err.strip().splitlines()[-1]) == (
        2,
        "pagecost: the browser gave no SVG; save .html or .png instead",
    )
    assert (tmp_path / "seen").read_text() == "libraries: /usr/local/lib\n"
    assert os.environ["LD_LIBRARY_PATH"] == "/bundle"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a disk that is always full is Linux's /dev/full")
def test_a_full_disk_behind_standard_output_is_said_in_a_sentence():
    start = "from pagecost_app.cli import main; main()"
    command = [sys.executable, "-c", f"import sys; sys.argv = ['pagecost', 'glossary']; {start}"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    said = "not all could be written, for there is no room where it goes: No space left on device"
    assert done.stderr == f"pagecost: {said}\n"


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a POSIX system")
@pytest.mark.parametrize("option", [("--export", "a.csv"), ("--chart", "a.html"), ("--report", "a.html")])
def test_an_old_file_survives_an_answer_for_which_there_is_no_room(run, tmp_path, option):
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    old = tmp_path / option[1]
    old.write_text("what was there")
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        code, _, err = run("run", "five_minute_rule", option[0], str(old))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert code == 2
    assert "File too large" in err
    assert err.count("\n") == 1
    assert os.listdir(tmp_path) == [option[1]]
    assert old.read_text() == "what was there"


@pytest.mark.long
def test_the_installed_command_is_the_same_program():
    command = Path(sys.executable).parent / "pagecost"
    done = subprocess.run([command, "run", "taste"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("pagecost: unknown study 'taste'")


@pytest.mark.parametrize(
    "command",
    [
        ("studies",),
        ("devices",),
        ("devices", "intel-x25-e"),
        ("claims", "--paper", "lee2009"),
        ("trace", "inspect", "sqlite-order-entry"),
        ("ssd", "--set", "writes=1000"),
        ("buffer", "sqlite-order-entry"),
    ],
)
def test_every_table_is_also_printed_as_csv(run, command):
    code, out, _ = run(*command, "--format", "csv")
    rows = list(csv.reader(io.StringIO(out)))
    assert code == 0
    assert len(rows) > 1
    assert {len(row) for row in rows} == {len(rows[0])}


def test_the_tables_for_people_have_units(run):
    out = run("buffer", "sqlite-order-entry", "--device", "hgst-7k1000-750gb", "--frames", "1024")[1]
    assert "4 MiB" in out
    assert re.search(r"\d\.?\d* min|\d+ s", out)
    facts = run("trace", "inspect", "postgresql-order-entry")[1]
    assert re.search(r"^page_bytes +8 KiB$", facts, re.M)
    assert re.search(r"^time_span_s +[\d.]+ (s|min|h)$", facts, re.M)


def test_the_version_is_that_of_the_project(run):
    stated = re.search(r'^version = "(.+)"$', (Path(__file__).parents[2] / "pyproject.toml").read_text("utf8"), re.M)[1]
    assert run("--version") == (0, f"pagecost {stated}\n", "")
