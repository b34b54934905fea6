"""Requests and the readers of recorded ones: what comes in, what is refused, and in which words."""

import gzip
import shutil

import numpy as np
import pytest

from pagecost.buffer import References, replay
from pagecost.errors import ModelError
from pagecost.requests import READ, TRIM, WRITE, Requests
from pagecost.workload import traces


def requests(op, page, pages):
    size = len(op)
    return Requests(
        np.zeros(size), np.array(op), np.array(page), np.array(pages, np.int32), np.zeros(size, np.int16), 4096
    )


def test_a_request_of_several_pages_becomes_one_reference_each():
    pages, writes = requests([READ, WRITE, TRIM, READ], [10, 20, 30, 40], [1, 3, 5, 2]).page_references()
    assert pages.tolist() == [10, 20, 21, 22, 40, 41]
    assert writes.tolist() == [False, True, True, True, False, False]


def test_arrays_of_different_length_are_no_requests():
    with pytest.raises(ModelError, match="must have one length"):
        Requests(np.zeros(2), np.zeros(3, np.uint8), np.zeros(3, np.int64), np.ones(3), np.zeros(3), 4096)


@pytest.mark.parametrize("name", traces.recordings())
def test_a_shipped_recording_is_what_its_index_says(name):
    recording, trace = traces.recordings()[name], traces.load(name)
    pages, writes = trace.requests.page_references()
    assert pages.size == recording.accesses > 200_000
    assert np.unique(pages).size == recording.distinct_pages
    assert trace.requests.page_bytes == recording.page_bytes
    assert 0.05 < writes.mean() < 0.6  # below a page cache, which answers reads, there are more of them
    assert (np.diff(trace.requests.arrival_s) >= 0).all()
    assert trace.rejected_lines == 0


# LRU hit ratios that the recording script printed, from a plain-Python replay (datasets/traces/README.md)
@pytest.mark.parametrize(
    ("name", "frames", "hit_ratio"),
    [
        ("sqlite-order-entry", 76, 0.6336),
        ("sqlite-order-entry", 1523, 0.9085),
        ("postgresql-order-entry", 58, 0.3863),
        ("postgresql-order-entry", 1155, 0.8437),
    ],
)
def test_a_shipped_recording_has_its_fingerprint(name, frames, hit_ratio):
    references = References.of(*traces.load(name).requests.page_references())
    assert replay(references, frames, "lru").hit_ratio == pytest.approx(hit_ratio, abs=5e-5)


def test_plain_text_has_a_page_and_an_operation_per_line(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text("7\n8 r\n9 w\n8 W\n")
    trace = traces.read(path)
    pages, writes = trace.requests.page_references()
    assert pages.tolist() == [7, 8, 9, 8]
    assert writes.tolist() == [False, False, True, True]
    with gzip.open(tmp_path / "own.txt.gz", "wt") as packed:
        packed.write(path.read_text())
    assert traces.read(tmp_path / "own.txt.gz").requests.page.tolist() == [7, 8, 9, 8]


def test_csv_and_parquet_hold_the_same_requests(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("arrival_s,op,page,pages,stream\n0.0,r,5,1,0\n0.5,w,6,2,1\n")
    import duckdb

    with duckdb.connect() as connection:
        connection.sql(f"COPY (FROM read_csv('{path}')) TO '{tmp_path / 'own.parquet'}' (FORMAT parquet)")
    for file in (path, tmp_path / "own.parquet"):
        read = traces.read(file).requests
        assert read.arrival_s.tolist() == [0.0, 0.5]
        assert read.op.tolist() == [READ, WRITE]
        assert read.page.tolist() == [5, 6]
        assert read.pages.tolist() == [1, 2]
        assert read.stream.tolist() == [0, 1]


def test_lines_that_make_no_sense_are_counted_with_their_reason(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text("1 r\nbanana\n2 w\n")
    trace = traces.read(path)
    assert trace.requests.page.tolist() == [1, 2]
    assert trace.rejected_lines == 1
    assert trace.rejected[0].line == 2
    assert "banana" in trace.rejected[0].text


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.txt", b"", "the file is empty"),
        ("a.txt", b"banana\napple\n", "no request in it"),
        ("a.txt", b"1 x\n", "line 1, '1 x': the operation must be r or w"),
        ("a.txt", b"-1 r\n", "line 1, '-1 r': a number must not be negative"),
        ("a.parquet", b"PAR1 not really", "not a readable parquet file"),
        ("a.csv", b"time,block\n1,2\n", "no column 'page'"),
        ("a.csv", b"page,pages\n1,0\n", "line 2, '1,0': a request covers at least one page"),
        ("a.csv", b"block;op\n1;r\n", "no column 'page'; it has 'block', 'op'"),
        ("a.csv", b"page,op,write\n1,r,0\n", "two columns say what is written: op, write"),
        ("a.csv", b"page,op,rw\n1,r,r\n", "more than one column says the op: op, rw"),
        ("a.csv", b"page,page\n1,2\n", "the column 'page' is there twice"),
        ("a.dat", b"banana\n", "the ending does not tell the format and neither do the first lines"),
        ("a.txt", b"\x00\x01\x02" * 5, "there are NUL bytes in it; this is not a text file"),
        ("a.txt", b"9" * 3_000_000, "no line ends within 1 MiB"),
        ("a.txt", b"99999999999999999999 r\n", "a number is too large"),
        ("a.txt.gz", b"1 r\n", "the ending promises gzip, but the file is not compressed so"),
        (
            "a.iolog",
            b"fio version 1 iolog\n",
            "must be `fio version 3 iolog`; got 'fio version 1 iolog'",
        ),
    ],
)
def test_a_broken_trace_is_refused_in_a_sentence(tmp_path, name, content, sentence):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ModelError, match=sentence):
        traces.read(path)


def test_a_truncated_recording_is_refused_in_a_sentence(tmp_path):
    whole = traces.recordings()["sqlite-order-entry"].path
    cut = tmp_path / "cut.parquet"
    shutil.copy(whole, cut)
    with cut.open("r+b") as file:
        file.truncate(100_000)
    with pytest.raises(ModelError, match="may be truncated"):
        traces.read(cut)


def test_missing_and_unknown_traces_are_refused_in_a_sentence(tmp_path):
    with pytest.raises(ModelError, match="there is no such file"):
        traces.load(str(tmp_path / "missing.parquet"))
    with pytest.raises(ModelError, match="unknown trace 'nonsense'; known: "):
        traces.load("nonsense")
    with pytest.raises(ModelError, match="unknown trace format 'dvd'; known: "):
        traces.read(traces.recordings()["sqlite-order-entry"].path, "dvd")


def test_a_path_may_stand_as_file_managers_copy_it(tmp_path):
    path = tmp_path / "with a space.txt"
    path.write_text("7 r\n")
    for text in (str(path), f'"{path}"', f" {path}\n", path.as_uri()):
        assert traces.load(text).requests.page.tolist() == [7]


def test_rows_of_parquet_that_make_no_sense_are_counted_with_their_reason(tmp_path):
    import duckdb

    path = tmp_path / "own.parquet"
    rows = "(1, 'r', 1), (NULL, 'r', 1), (-5, 'w', 1), (6, 'x', 1), (7, 'w', 0), (8, 'Write', 2)"
    with duckdb.connect() as connection:
        connection.sql(f"COPY (SELECT * FROM (VALUES {rows}) AS t(page, op, pages)) TO '{path}' (FORMAT parquet)")
    trace = traces.read(path)
    assert trace.requests.page.tolist() == [1, 8]
    assert trace.requests.op.tolist() == [READ, WRITE]
    assert trace.rejected_lines == 4
    assert sorted(bad.line for bad in trace.rejected) == [2, 3, 4, 5]


NUMBER, BELOW_0, LARGE = "a number is expected", "must not be negative", "too large"
CELLS = [
    ("stream", "-5", BELOW_0),
    ("stream", "40000", "too many files"),
    ("stream", "'abc'", NUMBER),
    ("arrival_s", "'abc'", NUMBER),
    ("arrival_s", "'nan'::DOUBLE", NUMBER),
    ("arrival_s", "'inf'::DOUBLE", NUMBER),
    ("arrival_s", "-0.5", BELOW_0),
    ("arrival_s", "1e10", LARGE),
    ("arrival_s", "true", NUMBER),
    ("page", "7.5", NUMBER),
    ("page", "7.5::DOUBLE", NUMBER),
    ("page", "'7.5'", NUMBER),
    ("page", "'eight'", NUMBER),
    ("page", "9223372036854775808::UBIGINT", LARGE),
    ("page", "'9223372036854775808'", LARGE),
    ("page", "1e30::DOUBLE", LARGE),
    ("page", "9223372036854775807", LARGE),
    ("page", "NULL::BIGINT", "missing"),
    ("pages", "'abc'", NUMBER),
    ("pages", "0", "at least one page"),
    ("pages", "-1", BELOW_0),
    ("pages", "300000", "not believable"),
    ("op", "'road'", "operation"),
]


def parquet_and_csv(folder, column: str, cell: str) -> tuple:
    """One request with a cell (in SQL) in a column, as Parquet and as CSV."""
    import duckdb

    row = {"arrival_s": "0", "op": "'r'", "page": "3", "pages": "4", "stream": "0"} | {column: cell}
    with duckdb.connect() as connection:
        selected = ", ".join(f"{value} AS {name}" for name, value in row.items())
        connection.sql(f"COPY (SELECT {selected}) TO '{folder / 'own.parquet'}' (FORMAT parquet)")
        as_text = ", ".join(f"CAST({value} AS VARCHAR)" for value in row.values())
        texts = connection.execute(f"SELECT {as_text}").fetchone()
    line = ",".join(text or "" for text in texts).replace("1e+30", "1" + "0" * 30)
    (folder / "own.csv").write_text(f"{','.join(row)}\n{line}\n")
    return folder / "own.parquet", folder / "own.csv"


@pytest.mark.parametrize(("column", "cell", "reason"), CELLS)
def test_a_cell_that_makes_no_sense_is_rejected_in_parquet_for_the_reason_it_is_in_csv(tmp_path, column, cell, reason):
    for path in parquet_and_csv(tmp_path, column, cell):
        reading = traces.Reading(path)
        assert sum(piece.size for piece in reading) == 0
        assert reading.tally.rejected_lines == 1
        assert reason in reading.tally.rejected[0].reason, path.name


@pytest.mark.parametrize(
    ("column", "cell", "value"),
    [
        ("page", "7.0::DOUBLE", 7),
        ("page", "' 7 '", 7),
        ("page", "9223372036854775803", 2**63 - 5),
        ("pages", "NULL::INTEGER", 1),
        ("pages", "262144::UBIGINT", 262144),
        ("stream", "32767::DECIMAL(9, 2)", 32767),
        ("arrival_s", "'2.5e-3'", 2.5e-3),
        ("arrival_s", "NULL::DOUBLE", 0),
        ("arrival_s", "0.25::DECIMAL(38, 35)", 0.25),
    ],
)
def test_a_cell_of_parquet_that_says_a_number_in_another_type_is_that_number(tmp_path, column, cell, value):
    path, _ = parquet_and_csv(tmp_path, column, cell)
    assert getattr(traces.read(path).requests, column).tolist() == [value]


def in_parquet(path, selected: str):
    import duckdb

    with duckdb.connect() as connection:
        connection.sql(f"COPY ({selected}) TO '{path}' (FORMAT parquet)")
    return path


TIMED = "SELECT * FROM (VALUES (1, 10), ({missing}, 20), (3, 30), (4, 40)) AS t(second, page)"
TIMES = [
    "second::DOUBLE",
    "COALESCE(second::VARCHAR, ' ')",
    "second::BIGINT",
    "'2024-01-01'::TIMESTAMP + to_seconds(second)",
]


@pytest.mark.parametrize("time", TIMES)
def test_a_row_without_a_time_among_rows_that_have_one_is_rejected_not_moved_to_the_front(tmp_path, time):
    selected = f"SELECT {time} AS arrival_s, page FROM ({TIMED.format(missing='NULL::INTEGER')}) ORDER BY page"
    parquet, csv = in_parquet(tmp_path / "own.parquet", selected), tmp_path / "own.csv"
    csv.write_text("page,arrival_s\n10,1\n20,\n30,3\n40,4\n50\n")
    for path, lines in ((parquet, [2]), (csv, [3, 6])):
        trace = traces.read(path)
        assert trace.requests.page.tolist() == [10, 30, 40]
        assert [(bad.line, bad.reason) for bad in trace.rejected] == [(line, "fields are missing") for line in lines]


def test_a_table_whose_times_are_all_blank_has_no_times(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text('arrival_s,page\n,10\n"",20\n')
    trace = traces.read(path)
    assert (trace.requests.page.tolist(), trace.requests.arrival_s.tolist()) == ([10, 20], [0, 0])
    assert any("no times" in note for note in trace.notes)
    path = in_parquet(tmp_path / "own.parquet", "SELECT NULL::DOUBLE AS arrival_s, range AS page FROM range(3)")
    assert traces.read(path).requests.arrival_s.tolist() == [0, 0, 0]


def test_a_column_that_is_named_as_the_row_numbers_of_duckdb_hides_no_request(tmp_path):
    selected = "SELECT i::DOUBLE AS arrival_s, 7 - i AS page, 7 AS File_Row_Number FROM range(9) t(i)"
    path = in_parquet(tmp_path / "own.parquet", selected)
    reading = traces.Reading(path)
    assert [page for piece in reading for page in piece.page.tolist()] == [7, 6, 5, 4, 3, 2, 1, 0]
    assert [bad.line for bad in reading.tally.rejected] == [9]


@pytest.mark.parametrize("cell", ["(i % 2)::DOUBLE", "i % 2", "(i % 2)::DECIMAL(4, 2)", "i % 2 = 1"])
@pytest.mark.parametrize("name", ["op", "write"])
def test_numbers_and_truth_values_of_parquet_say_what_is_written(tmp_path, name, cell):
    trace = traces.read(in_parquet(tmp_path / "own.parquet", f"SELECT {cell} AS {name}, i AS page FROM range(4) t(i)"))
    assert trace.requests.op.tolist() == [READ, WRITE, READ, WRITE]
    path = in_parquet(tmp_path / "bad.parquet", f"SELECT (2 + i) * 0.3 AS {name}, i AS page FROM range(4) t(i)")
    reading = traces.Reading(path)
    assert sum(piece.size for piece in reading) == 0
    assert reading.tally.rejected_lines == 4


def test_how_a_parquet_file_of_addresses_is_read_is_said(tmp_path):
    path = in_parquet(tmp_path / "own.parquet", 'SELECT 1 AS time, 0 AS op, 4096 AS "offset", 512 AS size')
    with pytest.raises(ModelError, match=r"no column 'page'.*write a table of addresses to CSV.*--columns time=0"):
        traces.read(path)


@pytest.mark.parametrize("type", ["TIMESTAMP", "TIMESTAMP_NS", "TIMESTAMP_MS", "TIMESTAMPTZ"])
def test_a_column_of_dates_is_one_of_times_from_the_earliest_on(tmp_path, type):
    import duckdb

    path = tmp_path / "own.parquet"
    rows = f"(5, '2024-02-29 23:59:59.5'::{type}), (6, '2024-03-01 00:00:01.25'::{type}), (7, '2024-02-29'::{type})"
    with duckdb.connect() as connection:
        connection.sql(f"COPY (SELECT * FROM (VALUES {rows}) AS t(page, arrival_s)) TO '{path}' (FORMAT parquet)")
    trace = traces.read(path)
    assert trace.requests.arrival_s.tolist() == [0.0, 86399.5, 86401.25]
    assert trace.requests.page.tolist() == [7, 5, 6]
    assert any("Times are dates" in note for note in trace.notes)
