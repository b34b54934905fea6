"""The command line as a script would use it: numbers on standard output, a sentence on standard error, exit codes."""

import csv
import gzip
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pagecost import studies
from pagecost.workload import traces
from pagecost_app import cli


def pagecost(capsys, monkeypatch, *arguments) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command."""
    monkeypatch.setattr(sys, "argv", ["pagecost", *arguments])
    capsys.readouterr()  # what the test itself had computed before may have announced a compile
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
        (
            ("run", "bufer_size"),
            f"unknown study 'bufer_size'; nearest of {len(studies.STUDIES)}: buffer_size, ",
        ),
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
        (("trace", "inspect", "/"), "this is a folder, not a file"),
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
def test_claims_hold_and_are_printed_with_what_was_measured(run):
    code, out, _ = run("claims", "--format", "json")
    assert code == 0
    records = json.loads(out)
    assert len(records) > 120
    checked = [record for record in records if record["kind"] != "context"]
    assert all(record["status"] == "holds" for record in checked if record["should_hold"])
    assert all(record["status"] == "unchecked" for record in records if record["kind"] == "context")
    code, out, _ = run("claims", "--paper", "rahm1992")
    assert code == 0
    assert "R31.2000.main_memory" in out
    holding, predicted = map(int, re.search(r"predicted: (\d+) of (\d+) hold", out).groups())
    assert predicted > 90
    assert predicted - holding == 2  # two ratios of §2 that its own Table 2.1 contradicts
    assert "context: 7, not checked" in run("claims", "--paper", "lee2009")[1]


@pytest.mark.long
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


def test_inspect_shows_what_was_understood_and_what_was_not(run, tmp_path):
    trace = tmp_path / "own.txt"
    trace.write_text("1 r\nbanana\n2 w\n")
    facts = json.loads(run("trace", "inspect", str(trace), "--format", "json")[1])
    assert facts["requests"] == 2
    assert facts["read_share"] == 0.5
    assert facts["rejected_lines"] == 1
    assert facts["rejected"][0]["line"] == 2
    assert "banana" in run("trace", "inspect", str(trace))[1]


def test_inspect_reports_damage_and_what_was_read_before_it(run, tmp_path):
    whole = gzip.compress("".join(f"{page} r\n" for page in np.random.default_rng(1).permutation(99_999)).encode())
    (tmp_path / "cut.txt.gz").write_bytes(whole[: len(whole) // 2])
    code, out, _ = run("trace", "inspect", str(tmp_path / "cut.txt.gz"), "--format", "json")
    assert code == 0
    facts = json.loads(out)
    assert "the gzip data are damaged or end too early" in facts["problem"]
    assert len(facts["first_requests"]) in (0, 5)
    (tmp_path / "junk.csv").write_text("page\nx\n")
    facts = json.loads(run("trace", "inspect", str(tmp_path / "junk.csv"), "--format", "json")[1])
    assert (facts["requests"], facts["rejected_lines"], facts["format"]) == (0, 1, "csv")
    assert facts["reasons"] == [{"lines": 1, "reason": "a number is expected where there is none"}]


@pytest.mark.parametrize(
    "ending", ["csv.gz", "txt", "msr.xz", "spc", "blkparse.bz2", "iolog", "oracleGeneral.zst", "parquet"]
)
def test_a_trace_is_converted_into_every_format_and_inspected_again(run, tmp_path, ending):
    source, out = tmp_path / "own.csv", tmp_path / f"a.{ending}"
    source.write_text("arrival_s,op,page\n" + "".join(f"{k},{'rw'[k % 2]},{k % 7}\n" for k in range(40)))
    code, text, _ = run("trace", "convert", str(source), str(out), "--format", "json")
    assert code == 0
    converted = json.loads(text)
    assert converted["requests"] == 40
    facts = json.loads(run("trace", "inspect", str(out), "--format", "json")[1])
    assert facts["format"] == converted["format"]
    assert (facts["page_references"], facts["distinct_pages"], facts["rejected_lines"]) == (40, 7, 0)
    lost = " ".join(item["note"] for item in converted["lost"])
    assert facts["read_share"] == (1.0 if "writes is not kept" in lost else 0.5)
    assert facts["time_span_s"] == (0.0 if "time is not kept" in lost else 39.0)


def test_a_generated_trace_is_written_and_its_settings_are_checked(run, tmp_path):
    out = str(tmp_path / "z.csv")
    assert run("trace", "generate", "hot-cold", out, "--references", "500", "--set", "pages=50")[0] == 0
    facts = json.loads(run("trace", "inspect", out, "--format", "json")[1])
    assert facts["requests"] == 500
    assert facts["distinct_pages"] <= 50
    for settings, sentence in [
        (("--set", "pages=many"), "pages must be a number; got 'many'"),
        (("--set", "colour=1"), "unknown setting of hot-cold 'colour'; known: pages"),
        (("--set", "hot_share=3"), "hot_share must be 0..1; got 3"),
        (("--references", "0"), "at least one reference; got 0"),
    ]:
        code, _, err = run("trace", "generate", "hot-cold", out, *settings)
        assert code == 2
        assert sentence in err
    assert "unknown pattern 'tpc'; known: zipf" in run("trace", "generate", "tpc", out)[2]


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


def test_curve_gives_every_size_of_lru_and_some_of_other_policies(run, tmp_path):
    trace = tmp_path / "trace.txt"
    trace.write_text("1 r\n2 w\n3\n1\n2 w\n")
    code, out, _ = run("curve", str(trace), "--device", "rahm-db-disk", "--format", "json")
    records = json.loads(out)
    assert code == 0
    assert [(r["frames"], r["misses"], r["write_backs"]) for r in records] == [(1, 5, 1), (2, 5, 1), (3, 3, 0)]
    assert records[0]["time_s"] > records[2]["time_s"] > 0
    others = json.loads(run("curve", str(trace), "--policy", "cflru:window=1", "--format", "json")[1])
    assert (others[-1]["frames"], others[-1]["misses"]) == (3, 3)
    assert run("curve", str(trace), "--policy", "guess")[0] == 2


MSR = [f"12816637200{k:07d},hm,0,{'Read' if k % 3 else 'Write'},{4096 * (k * 7 % 90)},4096,26\n" for k in range(400)]
BAD = {  # name: (content, what inspect reports, what a replay says or the rejected line)
    "empty.csv": (b"", "the file is empty", "the file is empty"),
    "cut.csv.gz": (gzip.compress("".join(MSR).encode())[:900], "damaged or end too early", "damaged or end too early"),
    "plain.csv.gz": ("".join(MSR).encode(), "the ending promises gzip", "the ending promises gzip"),
    "noise.bin": (np.random.default_rng(1).bytes(5000), "the ending promises records", "the ending promises records"),
    "mixed.csv": ("".join([*MSR[:9], "0,20941264,8192,W,0.5\n", *MSR]).encode(), "", "the first is line 10"),
    "negative.csv": ("".join(["128166372003061629,hm,0,Write,-1,4096,26\n", *MSR]).encode(), "", "line 1"),
    "large.csv": ("".join([*MSR, "128166372003061629,hm,0,Write,99999999999999999999,1,2\n"]).encode(), "", "line 401"),
    "only-large.txt": (b"99999999999999999999 r\n", "", "line 1, '99999999999999999999 r': a number is too large"),
    "unsorted.csv": ("".join(reversed(MSR)).encode(), "", "399 requests stood behind later ones"),
    "cut.parquet": (b"PAR1rubbish", "not a readable parquet file", "not a readable parquet file"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_trace_is_reported_by_inspect_and_said_in_a_sentence_by_all_others(run, tmp_path, name):
    content, problem, sentence = BAD[name]
    path = tmp_path / name
    path.write_bytes(content)
    code, out, error = run("trace", "inspect", str(path), "--format", "json")
    assert (code, error) == (0, "")
    facts = json.loads(out)
    assert problem in facts["problem"]
    assert bool(problem) == bool(facts["problem"])
    whole = "rejected_lines" in facts and not facts["rejected_lines"] and not problem
    assert whole == (name == "unsorted.csv")
    for command in (("buffer",), ("curve",), ("curve", "--sample", "1")):
        code, out, error = run(*command, str(path), "--format", "json")
        assert "Traceback" not in error
        if problem or name == "only-large.txt":
            assert (code, out) == (2, "")
            assert error.startswith(f"pagecost: trace {path}: ")
        else:
            assert (code, bool(json.loads(out))) == (0, True)
        if not (name == "unsorted.csv" and "--sample" in command):  # a stream is not sorted
            assert sentence in error
    code, _, error = run("trace", "convert", str(path), str(tmp_path / "out.txt"))
    assert code == (2 if problem or name == "only-large.txt" else 0)
    assert "Traceback" not in error


def test_inspect_says_how_many_requests_are_out_of_order(run, tmp_path):
    (tmp_path / "a.csv").write_text("".join(reversed(MSR)))
    facts = json.loads(run("trace", "inspect", str(tmp_path / "a.csv"), "--format", "json")[1])
    assert facts["unsorted"] == 399
    assert "399 requests have an earlier time" in facts["notes"][-1]["note"]
    assert run("trace", "inspect", str(tmp_path / "none.csv"))[0] == 2


@pytest.mark.parametrize(
    ("frames", "sentence"), [("0", "at least one frame; got 0"), ("x", "whole numbers separated by commas; got 'x'")]
)
def test_a_buffer_without_frames_is_refused(run, frames, sentence):
    code, _, error = run("buffer", "sqlite-order-entry", "--frames", frames)
    assert code == 2
    assert sentence in error


def test_a_buffer_larger_than_the_database_misses_each_page_once(run):
    row = json.loads(run("buffer", "sqlite-order-entry", "--frames", "9" * 30, "--format", "json")[1])[0]
    pages = traces.recordings()["sqlite-order-entry"].distinct_pages
    assert (row["misses"], row["write_backs"]) == (pages, 0)


def test_a_curve_from_a_sample_has_error_bars_and_is_of_lru_only(run):
    rows = json.loads(
        run("curve", "sqlite-order-entry", "--sample", "0.2", "--device", "intel-x25-e", "--format", "json")[1]
    )
    exact = {row["frames"]: row for row in json.loads(run("curve", "sqlite-order-entry", "--format", "json")[1])}
    last = rows[-2]
    near = exact[min(exact, key=lambda frames: abs(frames - last["frames"]))]
    assert abs(last["misses"] - near["misses"]) <= last["misses_half_width"] + 0.1 * near["misses"]
    assert last["time_s"] > 0
    for arguments, sentence in (
        (("--sample", "0"), "above 0 and at most 1; got 0.0"),
        (("--sample", "1e-9"), "is empty; a larger share"),
        (("--sample", "0.1", "--policy", "arc"), "lru only; got --policy arc"),
    ):
        code, _, error = run("curve", "sqlite-order-entry", *arguments)
        assert code == 2
        assert sentence in error


def test_the_version_is_that_of_the_project(run):
    stated = re.search(r'^version = "(.+)"$', (Path(__file__).parents[2] / "pyproject.toml").read_text("utf8"), re.M)[1]
    assert run("--version") == (0, f"pagecost {stated}\n", "")
