"""Every trace format: samples by their specifications, damage, pieces, round trips, memory."""

import bz2
import gzip
import lzma
import struct
import tracemalloc

import libcachesim
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost.errors import ModelError
from pagecost.numbering import Numbering, dense_numbers
from pagecost.requests import READ, TRIM, WRITE, Requests
from pagecost.workload import traces, zipf_pages
from pagecost.workload.traces import packed
from pagecost.workload.traces.rows import REGION_PAGES

COLUMNS = ("arrival_s", "op", "page", "pages", "stream")

# SNIA IOTTA 387 (MSR Cambridge), readme: two lines of hm_0; times in 100 ns since 1601, offset and size in bytes.
# 7014912 = 1712.6 pages, so that request touches two; 1074696192 is exactly page 262377.
MSR = """128166372003061629,hm,0,Write,7014912,4096,26
128166372016382155,hm,0,Read,1074696192,4096,113
128166372016382155,hm,1,Read,0,512,113
"""
MSR_ROWS = [
    (0.0, WRITE, 1712, 2, 0),
    (1.3320526, READ, 262377, 1, 0),
    (1.3320526, READ, REGION_PAGES, 1, 1),
]

# SPC trace file format, revision 1.0.1: ASU, LBA in sectors within the ASU, size in bytes, opcode in any case, seconds,
# optional fields. 20941264 sectors of 512 bytes = page 2617658.
SPC = """0,20941264,8192,W,0.551706
2, 8, 4096, r, 0.554041, 7, 8
"""
SPC_ROWS = [(0.551706, WRITE, 2617658, 2, 0), (0.554041, READ, 2 * REGION_PAGES + 1, 1, 2)]

# blkparse(1), default format "%D %2c %8s %5T.%9t %5p %2a %3d ", sector + sectors [process], then the summary.
# 223490 sectors = 27936.25 pages: two pages. Only Q lines count where there are any; a flush moves no data.
BLKPARSE = """  8,0    1        7     0.000102456  4162  Q  WS 223490 + 8 [kjournald]
  8,0    1        8     0.000103000  4162  G  WS 223490 + 8 [kjournald]
  8,0    1        9     0.000104000  4162  P   N [kjournald]
  8,0    1       10     0.000105000  4162  D  WS 223490 + 8 [kjournald]
  8,0    1       11     0.000106000     0  C  WS 223490 + 8 [0]
  8,16   0        1     1.500000001  4163  Q   R 16 + 16 [cat]
  8,16   0        2     2.000000000  4163  Q FWS [cat]
  8,16   0        3     2.500000000  4163  Q   D 32 + 8 [fstrim]
CPU0 (8,0):
 Reads Queued:           1,        8KiB  Writes Queued:           1,        4KiB
Total (8,0):
Throughput (R/W): 0KiB/s / 0KiB/s
"""
BLKPARSE_ROWS = [
    (0.000102456, WRITE, 27936, 2, 0),
    (1.500000001, READ, REGION_PAGES + 2, 2, 1),
    (2.5, TRIM, REGION_PAGES + 4, 1, 1),
]

# fio HOWTO, "Trace file format v2/v3" and iolog.c: bytes; version 3 starts each line with microseconds.
FIO_2 = """fio version 2 iolog
/dev/sda add
/dev/sda open
/dev/sda read 4096 8192
/dev/sda wait 1000 0
/dev/sda write 0 4096
/dev/sda sync 0 0
/dev/sda close
"""
FIO_2_ROWS = [(0.0, READ, 1, 2, 0), (0.0, WRITE, 0, 1, 0)]
FIO_3 = """fio version 3 iolog
0 /dev/sda add
0 /dev/sdb add
10 /dev/sda open
1500 /dev/sda trim 4096 8192
2500000 /dev/sdb write 0 4096
2500001 /dev/sda datasync 0 0
"""
FIO_3_ROWS = [(0.0015, TRIM, 1, 2, 0), (2.5, WRITE, REGION_PAGES, 1, 1)]

# libCacheSim, oracleGeneralBin.h: "<IQIq" time [s], object, bytes, number of the object's next request or -1
ORACLE = b"".join(struct.pack("<IQIq", *record) for record in [(5, 77, 100, 2), (6, 1 << 62, 5000, -1), (6, 77, 1, -1)])
ORACLE_ROWS = [(5.0, READ, 77, 1, 0), (6.0, READ, 1 << 62, 1, 0), (6.0, READ, 77, 1, 0)]

CSV = """stream,op,page,"pages",arrival_s,colour
3,w,9223372036854775806,1,1e-3,red
,"read",7,,2.25,
4,trim,8,5,
"""
CSV_ROWS = [(0.001, WRITE, 2**63 - 2, 1, 3), (2.25, READ, 7, 1, 0), (0.0, TRIM, 8, 5, 4)]

TEXT = "7\r\n8 r\r\n\r\n# a remark\r\n9 w"
TEXT_ROWS = [(0.0, READ, 7, 1, 0), (0.0, READ, 8, 1, 0), (0.0, WRITE, 9, 1, 0)]

SAMPLES = {
    "msr": ("a.csv", MSR, MSR_ROWS),
    "spc": ("Financial1.spc", SPC, SPC_ROWS),
    "blkparse": ("trace.txt", BLKPARSE, BLKPARSE_ROWS),
    "fio 2": ("a.log", FIO_2, FIO_2_ROWS),
    "fio 3": ("a.log", FIO_3, FIO_3_ROWS),
    "oracleGeneral": ("a.oracleGeneral", ORACLE, ORACLE_ROWS),
    "csv": ("a.csv", CSV, CSV_ROWS),
    "text": (
        "a.txt",
        "7\r\n8 r\r\n\r\n# a remark\r\n9 w",
        [(0.0, op, page, 1, 0) for op, page in [(0, 7), (0, 8), (1, 9)]],
    ),
}


def saved(folder, name: str, content) -> object:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rows_of(pieces) -> list[tuple]:
    return [row for piece in pieces for row in zip(*(getattr(piece, name).tolist() for name in COLUMNS), strict=True)]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_by_the_specification_is_understood_without_naming_the_format(tmp_path, name):
    file, content, rows = SAMPLES[name]
    reading = traces.Reading(saved(tmp_path, file, content))
    assert rows_of(reading) == rows
    assert reading.format.name == name.split()[0]
    assert reading.tally.rejected_lines == 0
    assert reading.tally.rejected == []


@pytest.mark.parametrize("name", SAMPLES)
def test_the_smallest_pieces_give_the_same_requests(tmp_path, name):
    file, content, rows = SAMPLES[name]
    assert rows_of(traces.Reading(saved(tmp_path, file, content), piece_bytes=7)) == rows


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip), (".bz2", bz2), (".xz", lzma), (".zst", packed.zstd)])
@pytest.mark.parametrize("name", ["msr", "oracleGeneral"])
def test_a_compressed_file_is_the_same_and_a_truncated_one_is_said(tmp_path, name, ending, pack):
    file, content, rows = SAMPLES[name]
    content = content if isinstance(content, bytes) else content.encode()
    data = pack.compress(content)
    assert rows_of(traces.Reading(saved(tmp_path, file + ending, data))) == rows
    assert rows_of(traces.Reading(saved(tmp_path, "no-ending-at-all", data))) == rows
    cut = saved(
        tmp_path, "cut.csv" + ending, pack.compress(np.random.default_rng(1).bytes(200_000).hex().encode())[:99_999]
    )
    with pytest.raises(ModelError, match="data are damaged or end too early"):
        list(traces.Reading(cut, "text"))


def test_formats_do_not_take_each_other_for_their_own():
    heads = [content if isinstance(content, bytes) else content.encode() for _, content, _ in SAMPLES.values()]
    heads += [b"0,8,4096,r,5,7\n", *(format.example for format in traces.FORMATS.values())]
    for head in heads:
        assert sum(format.fits(head) > 0 for format in traces.FORMATS.values()) == 1, head


def test_names_of_streams_and_lines_without_requests_are_counted(tmp_path):
    reading = traces.Reading(saved(tmp_path, "a", BLKPARSE))
    list(reading)
    assert reading.tally.streams == ("8,0", "8,16")
    assert reading.tally.other_lines == 9
    reading = traces.Reading(saved(tmp_path, "b", MSR))
    list(reading)
    assert reading.tally.streams == ("hm,0", "hm,1")


def test_a_smaller_page_cuts_addresses_finer(tmp_path):
    path = saved(tmp_path, "a.csv", MSR)
    assert rows_of(traces.Reading(path, page_bytes=512))[0][2:4] == (13701, 8)
    assert traces.read(path, page_bytes=512).requests.page_bytes == 512
    with pytest.raises(ModelError, match="multiple of 512 bytes, up to 1 GiB; got 1000"):
        traces.Reading(path, page_bytes=1000)


def test_rejected_lines_are_counted_by_reason_and_the_first_are_shown_across_pieces(tmp_path):
    bad = ["banana", "5 r extra", "6 z", "-7 r", "99999999999999999999", "1,2", "+3", "8r"]
    lines = [f"{page} w" for page in range(50)]
    path = saved(tmp_path, "a.txt", "\n".join([*lines, *bad * 10, *lines]) + "\n")
    for piece_bytes in (1 << 20, 30):
        reading = traces.Reading(path, piece_bytes=piece_bytes)
        assert len(rows_of(reading)) == 100
        assert reading.tally.rejected_lines == 80
        assert [(r.line, r.text) for r in reading.tally.rejected] == [(51 + k, bad[k % 8]) for k in range(20)]
        assert reading.tally.reasons == {
            "a number is expected where there is none": 40,
            "there are more fields than the format has": 10,
            "the operation must be r or w": 10,
            "a number must not be negative": 10,
            "a number is too large": 10,
        }


@pytest.mark.parametrize(
    ("name", "line", "reason"),
    [
        ("msr", "1,hm,0,Erase,0,4096,1", "operation"),
        ("msr", "1,hm,0,Read,0,0,1", "at least one page"),
        ("msr", "1,hm,0,Read,-4096,4096,1", "negative"),
        ("msr", "1,hm,0,Read,0,2147483648,1", "not believable"),
        ("msr", "1,hm,0,Read,36028797018963968,4096,1", "too large"),
        ("msr", "1,hm,0,Read", "missing"),
        ("msr", "1,7,0,Read,0,4096,1", "host name"),
        ("spc", "0,8,4096,r", "missing"),
        ("spc", "0,8,4096,r,soon", "number is expected"),
        ("spc", "40000,8,4096,r,0", "too many files"),
        ("spc", "0,99999999999999999,4096,r,0", "too large"),
        ("blkparse", "8,0 1 7 0.1 4162 Q R 8 8", "missing"),
        ("blkparse", "8,0 1 7 soon 4162 Q R 8 + 8 [x]", "number is expected"),
        ("fio", "0 /dev/sda chew 0 4096", "operation"),
        ("fio", "0 /dev/sda read 0", "number is expected"),
        ("csv", "1,2,3", "more fields"),
        ("csv", "soon,7", "number is expected"),
        ("csv", "1,", "missing"),
    ],
)
def test_a_line_that_breaks_a_rule_is_rejected_with_its_reason(tmp_path, name, line, reason):
    begin = {"fio": "fio version 3 iolog\n", "csv": "arrival_s,page\n"}.get(name, "")
    reading = traces.Reading(saved(tmp_path, "a.x", f"{begin}{line}\n"), name)
    assert rows_of(reading) == []
    assert reading.tally.rejected_lines == 1
    assert reason in reading.tally.rejected[0].reason
    assert reading.tally.rejected[0].text == line


def test_a_cut_record_and_64_bit_objects_are_said(tmp_path):
    reading = traces.Reading(saved(tmp_path, "a.bin", ORACLE[:-5]), "oracleGeneral")
    assert len(rows_of(reading)) == 2
    assert reading.tally.rejected[0].reason == "the last record ends after 19 of 24 bytes"
    reading = traces.Reading(saved(tmp_path, "b.bin", struct.pack("<IQIq", 1, (1 << 63) + 5, 1, -1)), "oracleGeneral")
    assert rows_of(reading)[0][2] == 5
    assert any("1 requests have object ids of 64 bits" in note for note in reading.tally.notes)


def test_requests_out_of_order_are_sorted_by_time_and_that_is_said(tmp_path):
    path = saved(tmp_path, "a.spc", "0,16,4096,r,2.0\n0,8,4096,r,1.0\n0,24,4096,w,3.0\n")
    trace = traces.read(path)
    assert trace.requests.page.tolist() == [1, 2, 3]
    assert any("1 requests stood behind later ones" in note for note in trace.notes)


def test_a_folder_and_an_empty_compressed_file_are_refused_in_a_sentence(tmp_path):
    with pytest.raises(ModelError, match="this is a folder, not a file"):
        traces.Reading(tmp_path)
    with pytest.raises(ModelError, match="the file is empty"):
        traces.Reading(saved(tmp_path, "a.csv.gz", gzip.compress(b"")))


def test_progress_rises_to_one_and_may_cancel(tmp_path):
    path = saved(tmp_path, "a.txt", "1 r\n" * 10_000)
    shares = []
    list(traces.Reading(path, progress=shares.append, piece_bytes=4000))
    assert shares == sorted(shares)
    assert len(shares) > 5
    assert shares[-1] == 1.0

    def cancel(share):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        list(traces.Reading(path, progress=cancel))
    with pytest.raises(InterruptedError):
        traces.convert(traces.Reading(path, progress=cancel), tmp_path / "b.csv")
    assert not (tmp_path / "b.csv").exists()


def test_memory_does_not_grow_with_the_file(tmp_path):
    """24 MB of lines in pieces of 256 KiB: two pieces, their rows and the unpacker take about 2.5 MB."""
    path = tmp_path / "a.csv.gz"
    block = "".join(f"{128166372003061629 + k},hm,0,Read,{4096 * k},4096,26\n" for k in range(20_000)).encode()
    with gzip.open(path, "wb", 1) as file:
        for _ in range(27):
            file.write(block)
    traces.warm()
    tracemalloc.start()
    requests = sum(piece.size for piece in traces.Reading(path, piece_bytes=1 << 18))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert requests == 540_000
    assert peak < 6e6


class Domain:
    """What a format can hold: time step, operations, whether requests have times, many pages, streams."""

    def __init__(self, ticks_per_s, operations=(READ, WRITE), most_pages=200, streams="regions", highest=1 << 40):
        self.ticks_per_s, self.operations, self.most_pages = ticks_per_s, operations, most_pages
        self.streams, self.highest = streams, highest


ALL = (READ, WRITE, TRIM)
DOMAINS = {
    "csv": Domain(10**9, ALL, streams="free", highest=1 << 62),
    "parquet": Domain(10**9, ALL, streams="free", highest=1 << 62),
    "text": Domain(0, ALL, most_pages=1, streams="none", highest=1 << 62),
    "msr": Domain(10**7),
    "spc": Domain(10**9),
    "blkparse": Domain(10**9, ALL),
    "fio": Domain(10**6, ALL),
    "oracleGeneral": Domain(1, (READ,), most_pages=1, streams="none", highest=1 << 62),
}


@st.composite
def holdable(draw, domain: Domain):
    size = draw(st.integers(1, 40))

    def column(low, high):
        return np.array(draw(st.lists(st.integers(low, high), min_size=size, max_size=size)), np.int64)

    steps = column(0, 10**6 * max(domain.ticks_per_s, 1) // 40) * (domain.ticks_per_s > 0)
    steps[0] = 0
    stream = column(0, 0 if domain.streams == "none" else 5)
    page = column(0, draw(st.sampled_from([3, domain.highest])))
    if domain.streams == "regions":
        first = list(dict.fromkeys(stream.tolist()))
        stream = np.array([first.index(one) for one in stream.tolist()])
        page += stream * REGION_PAGES
    op = np.array(domain.operations, np.uint8)[column(0, len(domain.operations) - 1)]
    arrival_s = np.cumsum(steps) / max(domain.ticks_per_s, 1)
    pages = column(1, domain.most_pages).astype(np.int32)
    return Requests(arrival_s, op, page, pages, stream.astype(np.int16), 4096)


@pytest.mark.parametrize("name", traces.FORMATS)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_what_a_format_can_hold_survives_writing_and_reading(tmp_path_factory, name, data):
    requests = data.draw(holdable(DOMAINS[name]))
    ending = traces.FORMATS[name].endings[0]
    packing = data.draw(st.sampled_from(["", ".gz", ".bz2", ".xz", ".zst"] if name != "parquet" else [""]))
    path = tmp_path_factory.mktemp("trip") / f"a{ending}{packing}"
    cut = data.draw(st.integers(0, requests.size))
    written = traces.save([requests.chosen(slice(0, cut)), requests.chosen(slice(cut, None))], path)
    assert written.requests == requests.size
    assert written.lost == ()
    assert rows_of(traces.Reading(path, name)) == rows_of([requests])


def test_what_a_format_cannot_hold_is_said(tmp_path):
    requests = Requests(
        np.array([0.0, 1.5, 2.0000001]),
        np.array([READ, WRITE, TRIM]),
        np.array([1, 5, 9]),
        np.array([1, 3, 2], np.int32),
        np.array([0, 1, 1], np.int16),
        8192,
    )
    lost = {name: traces.save([requests], tmp_path / f"a.{name}", name).lost for name in traces.FORMATS}
    assert lost["csv"] == ("The page size, 8192 bytes, is not kept: name it when the file is read.",)
    assert lost["parquet"] == ()
    assert "2 requests: the time is not kept." in lost["text"]
    assert "2 requests: it became one line per page." in lost["text"]
    assert "2 requests: the stream is not kept." in lost["blkparse"]
    assert "1 requests: a trim cannot be expressed and was left out." in lost["msr"]
    assert "1 requests: a trim cannot be expressed and was left out." in lost["spc"]
    assert "1 requests: the time is kept to the microsecond." in lost["fio"]
    assert "1 requests: that it writes is not kept." in lost["oracleGeneral"]
    assert "1 requests: the time is kept to the second." in lost["oracleGeneral"]


def test_the_next_references_of_oracle_general_are_those_of_a_plain_search(tmp_path):
    page = zipf_pages(3000, 200, seed=4)
    requests = Requests(
        np.arange(3000.0), np.zeros(3000, np.uint8), page, np.ones(3000, np.int32), np.zeros(3000, np.int16), 4096
    )
    path = tmp_path / "a.oracleGeneral"
    traces.save([requests.chosen(slice(k, k + 700)) for k in range(0, 3000, 700)], path)
    found = [next_ for _, _, _, next_ in struct.iter_unpack("<IQIq", path.read_bytes())]
    later, expected = {}, [0] * 3000
    for k in reversed(range(3000)):
        expected[k] = later.get(int(page[k]), -1)
        later[int(page[k])] = k
    assert found == expected


def test_libcachesim_reads_what_we_write(tmp_path):
    """The peer's own reader as the oracle of the layout."""
    path = tmp_path / "a.oracleGeneral.bin"
    page = zipf_pages(2000, 100, seed=1)
    ones = np.ones(2000, np.int32)
    traces.save(
        [Requests(np.zeros(2000), np.zeros(2000, np.uint8), page, ones, ones.astype(np.int16), 4096)],
        path,
        "oracleGeneral",
    )
    reader = libcachesim.TraceReader(str(path), trace_type=libcachesim.TraceType.ORACLE_GENERAL_TRACE)
    assert [request.obj_id for request in reader] == page.tolist()


@pytest.mark.parametrize(
    ("out", "format", "sentence"),
    [
        ("b.xyz", None, "the ending does not tell the format; known: .parquet, "),
        ("b.parquet.gz", None, "a Parquet file compresses itself"),
        ("nowhere/b.csv", None, "there is no folder"),
        ("b.csv", "dvd", "unknown trace format 'dvd'"),
        ("a.csv", None, "cannot be converted onto itself"),
        ("far.msr", None, "page 4611686018427387904 lies beyond what a device address"),
    ],
)
def test_a_conversion_that_makes_no_sense_is_refused_and_leaves_no_file(tmp_path, out, format, sentence):
    source = saved(tmp_path, "a.csv", "page\n4611686018427387904\n")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(ModelError, match=sentence):
        traces.convert(traces.Reading(source), tmp_path / out, format)
    assert sorted(tmp_path.iterdir()) == before
    assert source.read_text() == "page\n4611686018427387904\n"


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 20), min_size=1, max_size=300))
@settings(deadline=None)
def test_numbers_are_dense_in_order_of_first_appearance(ids):
    known = list(dict.fromkeys(ids))
    expected = [known.index(one) for one in ids]
    array = np.array(ids, np.int64)
    dense, found = dense_numbers(array)
    assert (dense.tolist(), found.tolist()) == (expected, known)
    numbering = Numbering()
    pieces = [numbering.number(part) for part in np.array_split(array, 3)]
    assert np.concatenate(pieces).tolist() == expected
    assert numbering.ids.tolist() == known


def test_a_numbering_grows_over_its_first_table():
    ids = np.random.default_rng(1).permutation(300_000).astype(np.int64) * (1 << 40)
    numbering = Numbering()
    dense = np.concatenate([numbering.number(part) for part in np.array_split(np.concatenate([ids, ids]), 7)])
    assert (dense == np.tile(np.arange(300_000), 2)).all()
