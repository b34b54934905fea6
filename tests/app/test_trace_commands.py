"""`pagecost trace`, `buffer` and `curve` as a script would use them: what is read, what is said, what it costs."""

import csv
import gzip
import io
import json
import re
import sys

import numpy as np
import pytest

from pagecost.workload import traces
from pagecost_app.buffer_command import said


def test_buffer_gives_the_stable_fields_and_costs_on_a_device(run, tmp_path):
    trace = tmp_path / "own.txt"
    trace.write_text("1 r\n2 w\n1 r\n3 r\n2 r\n")
    _, out, _ = run("buffer", str(trace), "--policy", "lru,fifo", "--frames", "2,3", "--format", "json")
    records = json.loads(out)
    fields = "policy frames references hits misses read_hits write_hits write_backs dirty_left buffer_bytes"
    assert [list(record) for record in records] == [fields.split()] * 4
    assert records[0] == dict(zip(fields.split(), ["lru", 2, 5, 1, 4, 1, 0, 1, 0, 8192], strict=True))
    _, out, _ = run("buffer", str(trace), "--frames", "2", "--device", "rahm-db-disk", "--format", "json")
    assert json.loads(out)[0]["time_s"] == json.loads(out)[0]["wait_s"] == pytest.approx(5 * 16.4e-3)
    assert run("buffer", str(trace), "--trace-format", "text", "--format", "csv")[0] == 0


@pytest.mark.parametrize(
    "words", [["buffer", "--frames", "2"], ["curve"], ["curve", "--all"], ["curve", "--sample", "1"]]
)
def test_every_command_that_replays_says_which_trims_it_left_out(run, tmp_path, words):
    trace = tmp_path / "own.txt"
    trace.write_text("1 w\n2 w\n1 t\n2 t\n3 r\n4 r\n5 r\n")
    status, _, said = run(words[0], str(trace), *words[1:])
    assert status == 0
    assert "2 trims are left out" in said
    assert "counts as written back when it leaves" in said


def test_one_request_is_not_told_in_the_plural(run, tmp_path):
    trace = tmp_path / "own.txt"
    trace.write_text("1 w\nx\n")
    _, out, _ = run("trace", "inspect", str(trace))
    assert " ".join(out.split()).startswith(
        "1 request (0 % of references read) to 1 page of 4 KiB in 0 s; 1 line was rejected."
    )
    assert "1 line was" in " ".join(traces.read(trace).tally.sentences())
    _, out, _ = run("trace", "convert", str(trace), str(tmp_path / "out.csv"))
    assert out.startswith("Wrote 1 request as csv")
    _, out, _ = run("buffer", str(trace), "--frames", "1")
    assert out.startswith("With 1 frame lru misses 100.00% of 1 reference.")


def test_buffer_costs_pages_of_the_size_that_the_trace_has_or_that_is_named(run, tmp_path):
    trace = tmp_path / "own.txt"
    trace.write_text("1 r\n2 w\n1 r\n3 r\n2 r\n")
    asked = ("--frames", "2", "--device", "hgst-7k1000-750gb", "--format", "json")
    rows = {}
    for page_bytes in ("4096", "8192", "65536"):
        code, out, said = run("buffer", str(trace), *asked, "--page-bytes", page_bytes)
        assert code == 0
        assert "bytes are taken" not in said  # who says it need not be told
        rows[page_bytes] = json.loads(out)[0]
    assert rows["65536"]["time_s"] > rows["8192"]["time_s"] > rows["4096"]["time_s"]
    assert rows["65536"]["buffer_bytes"] == 2 * 65536
    out = tmp_path / "own.parquet"
    assert run("trace", "convert", str(trace), str(out), "--page-bytes", "65536")[0] == 0
    kept = run("buffer", str(out), *asked)
    assert json.loads(kept[1])[0] == rows["65536"]
    curves = [json.loads(run("curve", str(file), *asked[2:])[1]) for file in (trace, out)]
    assert curves[1][0]["time_s"] > curves[0][0]["time_s"]
    assert "must be a multiple of 512 bytes" in run("buffer", str(trace), "--page-bytes", "1000")[2]


def test_a_device_that_serves_many_at_once_has_a_busy_time_and_a_waiting_time(run, tmp_path):
    trace = tmp_path / "own.txt"
    trace.write_text("1 r\n2 w\n1 r\n3 r\n2 r\n")
    asked = ("--frames", "2", "--format", "json")
    _, out, said = run("buffer", str(trace), "--device", "intel-x25-m-g2-80gb", *asked)
    row = json.loads(out)[0]
    assert row["wait_s"] == pytest.approx(4 * 65e-6 + 85e-6)
    assert row["time_s"] != row["wait_s"]
    assert "alone a random read 65 µs" in said


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
    assert code == 2
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
        (("--set", "pages=many"), "pages: 'many' is no number"),
        (("--set", "colour=1"), "unknown setting of hot-cold 'colour'; known: pages"),
        (("--set", "hot_share=3"), "hot_share must be 0..1; got 3"),
        (("--references", "0"), "at least one reference; got 0"),
    ]:
        code, _, err = run("trace", "generate", "hot-cold", out, *settings)
        assert code == 2
        assert sentence in err
    assert "unknown pattern 'tpc'; known: zipf" in run("trace", "generate", "tpc", out)[2]


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
    "cut.csv.gz": (
        gzip.compress("".join(MSR).encode(), mtime=0)[:900],
        "damaged or end too early",
        "damaged or end too early",
    ),
    "plain.csv.gz": ("".join(MSR).encode(), "the ending promises gzip", "the ending promises gzip"),
    "noise.bin": (np.random.default_rng(1).bytes(5000), "the ending promises records", "the ending promises records"),
    "mixed.csv": ("".join([*MSR[:9], "0,20941264,8192,W,0.5\n", *MSR]).encode(), "", "the first is line 10"),
    "negative.csv": ("".join(["128166372003061629,hm,0,Write,-1,4096,26\n", *MSR]).encode(), "", "line 1"),
    "large.csv": ("".join([*MSR, "128166372003061629,hm,0,Write,99999999999999999999,1,2\n"]).encode(), "", "line 401"),
    "only-large.txt": (
        b"99999999999999999999 r\n",
        "no request in it",
        "line 1, '99999999999999999999 r': a number is",
    ),
    "unsorted.csv": ("".join(reversed(MSR)).encode(), "", "399 requests stood behind later ones"),
    "cut.parquet": (b"PAR1rubbish", "not a readable parquet file", "not a readable parquet file"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_trace_is_reported_by_inspect_and_said_in_a_sentence_by_all_others(run, tmp_path, name):
    content, problem, sentence = BAD[name]
    path = tmp_path / name
    path.write_bytes(content)
    code, out, error = run("trace", "inspect", str(path), "--format", "json")
    facts = json.loads(out)
    assert problem in facts["problem"]
    assert bool(problem) == bool(facts["problem"])
    assert (code, error) == ((2, f"pagecost: {facts['problem']}\n") if problem else (0, ""))
    whole = "rejected_lines" in facts and not facts["rejected_lines"] and not problem
    assert whole == (name == "unsorted.csv")
    for command in (("buffer",), ("curve",), ("curve", "--sample", "1")):
        code, out, error = run(*command, str(path), "--format", "json")
        assert "Traceback" not in error
        if problem:
            assert (code, out) == (2, "")
            assert error.startswith(f"pagecost: trace {path}: ")
        else:
            assert (code, bool(json.loads(out))) == (0, True)
        if not (name == "unsorted.csv" and "--sample" in command):  # a stream is not sorted
            assert sentence in error
    code, _, error = run("trace", "convert", str(path), str(tmp_path / "out.txt"))
    assert code == (2 if problem else 0)
    assert "Traceback" not in error


def test_inspect_says_how_many_requests_are_out_of_order(run, tmp_path):
    (tmp_path / "a.csv").write_text("".join(reversed(MSR)))
    facts = json.loads(run("trace", "inspect", str(tmp_path / "a.csv"), "--format", "json")[1])
    assert facts["unsorted"] == 399
    assert "399 requests have an earlier time" in facts["notes"][-1]["note"]
    assert run("trace", "inspect", str(tmp_path / "none.csv"))[0] == 2


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("empty.csv", b"", "the file is empty"),
        ("unknown.dat", b"what is this?\n", "the ending does not tell the format and neither do the first lines"),
        ("strace.txt", b'open("/etc/passwd") = 3\n' * 5000, "no request in it"),
        ("trims.txt", b"1 t\n", ""),
    ],
)
def test_inspect_reports_what_cannot_be_used_and_fails(run, tmp_path, name, content, sentence):
    (tmp_path / name).write_bytes(content)
    code, out, error = run("trace", "inspect", str(tmp_path / name))
    assert code == (2 if sentence else 0)
    assert sentence in error
    assert "holds no " in out.partition("\n\n")[0]
    assert len(out.splitlines()) < 80
    assert error.count("\n") == bool(sentence)


def test_what_was_ignored_or_taken_for_granted_is_said_by_every_command(run, tmp_path):
    trace = tmp_path / "own.csv"
    trace.write_text("page,colour\n1,red\n2,blue\n1,red\n")
    facts = json.loads(run("trace", "inspect", str(trace), "--format", "json")[1])
    said = " ".join(item["note"] for item in facts["notes"])
    for text in (said, run("buffer", str(trace), "--frames", "1")[2], run("curve", str(trace))[2]):
        assert "Columns that are not used: colour." in text
        assert "every request reads" in text
        assert "4096 bytes are taken" in text


def test_a_trace_can_come_from_standard_input(run, tmp_path, monkeypatch):
    content = b"page;write\n1;0\n2;1\n1;0\n"
    (tmp_path / "own.csv").write_bytes(content)
    for command in (("trace", "inspect"), ("buffer",), ("curve",)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        code, out, _ = run(*command, "-", "--format", "json")
        assert code == 0
        expected = json.loads(run(*command, str(tmp_path / "own.csv"), "--format", "json")[1])
        found = json.loads(out)
        if command == ("trace", "inspect"):
            assert found.pop("provenance")["command"].startswith("pagecost trace inspect -")
            expected.pop("provenance")
            assert (found["requests"], found["format"]) == (3, "csv")
            assert found["file"] == "standard input"
            found["file"] = expected["file"]
        assert found == expected


def test_the_provenance_of_standard_input_names_it_as_it_was_typed(run, monkeypatch):
    for printed in ("json", "csv"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1\n2\n1\n3\n")))
        line = ("run", "trace_insight", "--set", "trace=-", "--format", printed, "--provenance")
        text = run(*line)[1]
        assert "pagecost run trace_insight --set trace=-" in text
        assert "standard-input" not in text
        if printed == "json":
            assert json.loads(text)["provenance"]["inputs"]["trace"] == "-"


def test_what_is_said_of_standard_input_names_no_copy_of_it(run, monkeypatch):
    pages = b"1 r\n2 w\n1 r\n"
    for content, command, sentence in (
        (pages, ("curve", "-"), "pagecost: standard input: The file does not say how large its pages are: 4096"),
        (pages, ("buffer", "-"), "pagecost: standard input: The file does not say"),
        (pages, ("run", "buffer_size", "--set", "trace=-"), "- standard input: 3 references"),
        (pages, ("curve", "-", "--page-bytes", "8192"), "lru misses"),
        (b"", ("buffer", "-"), "pagecost: trace standard input: the file is empty"),
        (b"a =", ("system", "check", "-"), "pagecost: system standard input: this is not TOML"),
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        _, out, err = run(*command)
        assert sentence in out + err
        assert "standard-input" not in out + err
        assert "bytes are taken" not in err or "--page-bytes" not in command


def test_the_curve_prints_two_hundred_sizes_unless_all_are_asked_for(run, tmp_path):
    trace = tmp_path / "own.txt"
    trace.write_text("".join(f"{page} r\n" for page in range(3000)))
    few = list(csv.DictReader(io.StringIO(run("curve", str(trace), "--format", "csv")[1])))
    every = list(csv.DictReader(io.StringIO(run("curve", str(trace), "--all", "--format", "csv")[1])))
    assert 100 < len(few) <= 200
    assert few[-1] == every[-1]
    assert len(every) == 3000
    assert "--all is for lru" in run("curve", str(trace), "--policy", "arc", "--all")[2]


@pytest.mark.parametrize(("frames", "sentence"), [("0", "at least one frame; got 0"), ("x", "'x' is no number")])
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
    said = " ".join(run("curve", "sqlite-order-entry", "--sample", "0.01")[1].split())
    assert re.match(r"lru misses \S+% ± \S+% of 527 100 references with 4\d\d frames, where the curve of this", said)
    every = json.loads(run("curve", "sqlite-order-entry", "--all", "--format", "json")[1])
    exact = {row["frames"]: row for row in every}
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


def test_any_table_is_read_by_naming_its_columns(run, tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("0.0 r x y 8 8\n0.5 w x y 16 8\n1.0 r x y 8 8\n")
    columns = ("--columns", "time=0, op=1, offset=4, size=5, unit=sector")
    facts = json.loads(run("trace", "inspect", str(path), *columns, "--format", "json")[1])
    assert (facts["requests"], facts["distinct_pages"], facts["time_span_s"]) == (3, 2, 1.0)
    assert any("Columns that are not used: column 2, column 3." in each["note"] for each in facts["notes"])
    _, out, _ = run("buffer", str(path), *columns, "--frames", "1, 2", "--format", "json")
    assert [record["misses"] for record in json.loads(out)] == [3, 2]
    assert json.loads(run("curve", str(path), *columns, "--format", "json")[1])[-1]["misses"] == 2
    made = tmp_path / "mine.csv"
    assert run("trace", "convert", str(path), str(made), *columns)[0] == 0
    assert made.read_text().splitlines()[1:] == ["0.0,r,1,1,0", "0.5,w,2,1,0", "1.0,r,1,1,0"]
    code, _, err = run("trace", "inspect", str(path), *columns, "--trace-format", "msr")
    assert code == 2
    assert "name one" in err
    assert "is only read" in run("trace", "convert", str(path), str(made), *columns, "--out-format", "alibaba")[2]


def test_a_table_and_numbers_with_units_come_from_standard_input(run, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"4096;1\n8192;0\n")))
    asked = ("--columns", "offset=0,write=1,size=0", "--page-bytes", "4k")
    assert "means two things" in run("trace", "inspect", "-", *asked)[2]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"4096;1\n8192;0\n")))
    facts = json.loads(
        run("trace", "inspect", "-", "--columns", "offset=0,write=1", "--page-bytes", "4KiB", "--format", "json")[1]
    )
    assert (facts["requests"], facts["page_bytes"], facts["read_share"]) == (2, 4096, 0.5)


def test_numbers_are_typed_as_people_write_them(run, tmp_path):
    trace = tmp_path / "own.txt"
    trace.write_text("1 r\n2 w\n")
    _, out, _ = run("buffer", str(trace), "--frames", "1k, 1_000, 1e3", "--format", "json")
    assert [record["frames"] for record in json.loads(out)] == [1000, 1000, 1000]
    for asked, sentence in [
        (("--frames", "4q"), "--frames: '4q' is no number; write it like 1000, 1k, 1e3 or 1_000"),
        (("--frames", "1.5"), "--frames takes whole numbers"),
        (("--page-bytes", "-1k"), "--page-bytes: '-1k' is negative; bytes are counted from 0"),
        (("--page-bytes", "1e400"), "--page-bytes: '1e400' is too large"),
        (("--page-bytes", "0.5"), "--page-bytes must be a whole number; got '0.5'"),
    ]:
        code, _, err = run("buffer", str(trace), *asked)
        assert (code, err.count("\n")) == (2, 1)
        assert sentence in err


def test_policies_that_miss_alike_are_told_as_that():
    row = {"frames": 10, "misses": 5, "references": 10}
    named = [row | {"policy": name} for name in ("lru", "fifo", "mru")]
    assert said(named[:1]) == "With 10 frames lru misses 50.00% of 10 references."
    assert said(named[:2]) == "With 10 frames lru misses 50.00% of 10 references, as does fifo."
    assert said(named) == "With 10 frames lru misses 50.00% of 10 references, as do fifo, mru."
    worse = [*named[:2], named[2] | {"misses": 6}]
    assert said(worse) == (
        "With 10 frames lru misses 50.00% of 10 references, as does fifo, the fewest of 3 policies; mru misses 60.00% "
        "of 10 references, the most."
    )
    timed = [each | {"time_s": 1.0, "device": "disk"} for each in named[:2]]
    assert said(timed).endswith("as does fifo; lru takes 1 s of disk.")
