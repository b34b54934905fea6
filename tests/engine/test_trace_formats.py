"""Every trace format is read: samples by their specifications, damage, pieces, memory."""

import bz2
import gzip
import lzma
import re
import struct
import tracemalloc

import libcachesim
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.trace_files import rows_of, saved
from pagecost.errors import ModelError
from pagecost.requests import READ, TRIM, WRITE
from pagecost.workload import traces, zipf_pages
from pagecost.workload.traces import fields_kernels, packed
from pagecost.workload.traces.rows import REGION_PAGES

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

ORACLE_OPS = b"".join(
    struct.pack("<IQIBHq", *record) for record in [(5, 77, 100, 1, 0, 2), (6, 78, 50, 3, 9, -1), (6, 77, 1, 9, 0, -1)]
)
OPS_ROWS = [(5.0, READ, 77, 1, 0), (6.0, WRITE, 78, 1, 0), (6.0, TRIM, 77, 1, 0)]


def lcs(version: int, records, said: int | None = None) -> bytes:
    """libCacheSim, lcs.h: a header of 8192 bytes, of which magic, version and the number of requests are read.

    Records are time, object, size, operation, next reference.
    """
    magic, features = 0x123456789ABCDEF0, (0, 0, 0, 0, 1, 2, 4, 8, 16)[version]
    head = struct.pack("<QQqq", magic, version, 1, len(records) if said is None else said)
    content = head.ljust(8184, b"\0") + struct.pack("<Q", magic)
    for time, page, size, op, following in records:
        if version == 1:
            content += struct.pack("<IQIq", time, page, size, following)
        elif version == 2:
            content += struct.pack("<IQIIq", time, page, size, op | 7 << 8, following)
        else:
            content += struct.pack("<IQqIIq", time, page, size, op | 7 << 8, 60, following) + b"\5\0\0\0" * features
    return content


LCS = [(5, 77, 100, 1, 2), (6, 78, 50, 3, -1), (6, 77, 1, 9, -1)]

CSV = """stream,op,page,"pages",arrival_s,colour
3,w,9223372036854775806,1,1e-3,red
,"read",7,,2.25,
4,trim,8,5,0
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
    "oracleGeneralOpNS": ("a.oracleGeneralOpNS", ORACLE_OPS, OPS_ROWS),
    "lcs 1": ("a", lcs(1, LCS), [(arrival_s, READ, *rest) for arrival_s, _, *rest in OPS_ROWS]),
    **{f"lcs {version}": ("a.lcs", lcs(version, LCS), OPS_ROWS) for version in range(2, 9)},
    "csv": ("a.csv", CSV, CSV_ROWS),
    "text": ("a.txt", TEXT, TEXT_ROWS),
}


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


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_pieces_side_by_side_are_as_one_piece(tmp_path_factory, data):
    """Also where hosts appear late, lines are broken, and a summary ends what counts."""
    number = st.integers(0, 10**18)
    lines = st.lists(
        st.builds(
            "{},{},{},{},{},{},{}".format,
            number,
            st.sampled_from(["hm", "web", "x", "y", "7"]),
            st.integers(0, 3),
            st.sampled_from(["Read", "Write", "Trim"]),
            number | st.integers(0, 10**5),
            st.integers(0, 10**5),
            number,
        )
        | st.sampled_from(["", "# a remark", "1,2", "x" * 70]),
        min_size=1,
        max_size=120,
    )
    content = "\n".join(data.draw(lines)) + data.draw(st.sampled_from(["", "\n"]))
    path = saved(tmp_path_factory.mktemp("pieces"), "a.csv", content + " ")
    whole, parted = (
        traces.Reading(path, "msr", piece_bytes=size) for size in (1 << 20, data.draw(st.integers(50, 900)))
    )
    assert rows_of(parted) == rows_of(whole)
    assert parted.tally == whole.tally


def test_what_follows_blkparse_s_summary_is_no_request_in_pieces_either(tmp_path):
    line = "  8,0    1  {0}  {0}.000000000  4162  Q  WS {0} + 8 [kjournald]\n"
    many = "".join(line.format(number) for number in range(1, 200))
    path = saved(tmp_path, "a.blkparse", f"{many}CPU0 (sda):\n{many}")
    whole, parted = (traces.Reading(path, "blkparse", piece_bytes=size) for size in (1 << 20, 300))
    assert len(rows_of(whole)) == len(rows_of(parted)) == 199
    assert parted.tally == whole.tally


@given(st.lists(st.sampled_from(b"0123456789,-\n x"), max_size=60), st.integers(0, 60))
@settings(max_examples=300, deadline=None)
def test_numbers_and_line_ends_found_eight_bytes_at_a_time_are_those_found_one_by_one(content, at):
    data = np.array([*content, 10], np.uint8)
    at = min(at, data.size)
    stop = int(fields_kernels.line_end(data, at))
    value, place, fault = fields_kernels.whole(data, at, stop)
    digits = re.match(rb"[0-9]*", data[at:].tobytes().split(b"\n")[0]).group()
    end = data[at:].tobytes().find(b"\n")
    assert stop == (data.size if end < 0 else at + end)
    if fault == fields_kernels.TAKEN:
        assert (value, place) == (int(digits), at + len(digits))
    else:
        assert not digits or int(digits) >= 2**63


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
        ("spc", "0,3.7,512,r,0.1", "number is expected"),
        ("spc", "0,0x1F,512,r,0.1", "number is expected"),
        ("spc", "0,3,512x,r,0.1", "number is expected"),
        ("spc", "0a,3,512,r,0.1", "number is expected"),
        ("spc", "0,3,512,road,0.1", "operation"),
        ("spc", "0,70368744177663,1024,r,0.1", "too large"),
        ("msr", "1,hm,0,Read,0,4096KB,1", "number is expected"),
        ("msr", "1,hm,0,Read,0.5,4096,1", "number is expected"),
        ("msr", "1x,hm,0,Read,0,4096,1", "number is expected"),
        ("msr", "1,hm,0,Waste,0,4096,1", "operation"),
        ("blkparse", "8,0 1 7 0.1 4162 Q R 8 + 8x [x]", "number is expected"),
        ("fio", "0x /dev/sda read 0 4096", "number is expected"),
        ("fio", "0 /dev/sda read 0 4096KB", "number is expected"),
        ("fio", "0 /dev/sda aid", "operation"),
        ("text", "7 rxxd", "operation"),
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


WORDS = {"r": READ, "read": READ, "w": WRITE, "write": WRITE, "t": TRIM, "trim": TRIM}
near_words = st.sampled_from([*WORDS, "road", "rand", "rxxd", "waste", "team", "reading"]).flatmap(
    lambda word: st.tuples(*(st.sampled_from([letter, letter.upper(), letter, "x"]) for letter in word)).map("".join)
)


@settings(max_examples=60, deadline=None)
@given(st.lists(near_words, min_size=1, max_size=20))
def test_an_operation_is_a_whole_word_in_any_case(tmp_path_factory, words):
    path = saved(tmp_path_factory.mktemp("words"), "a.txt", "".join(f"7 {word}\n" for word in words))
    reading = traces.Reading(path, "text")
    known = [WORDS[word.lower()] for word in words if word.lower() in WORDS]
    assert [row[1] for row in rows_of(reading)] == known
    assert reading.tally.rejected_lines == len(words) - len(known)


@pytest.mark.parametrize(("flag", "understood"), [("false", 1), ("TRUE", 1), ("yes", 1), ("fence", 0), ("tame", 0)])
def test_a_flag_is_a_whole_word(tmp_path, flag, understood):
    reading = traces.Reading(saved(tmp_path, "a.csv", f"page,write\n7,{flag}\n"), "csv")
    assert len(rows_of(reading)) == understood


def test_blanks_around_numbers_are_no_letters(tmp_path):
    assert len(rows_of(traces.Reading(saved(tmp_path, "a.spc", "0 , 8 , 4096 , r , 0.5\n"), "spc"))) == 1
    assert len(rows_of(traces.Reading(saved(tmp_path, "a.msr", "1,hm,0,Read,0,4096 \n"), "msr"))) == 1


def test_the_last_page_of_a_region_is_that_of_its_own_device(tmp_path):
    path = saved(tmp_path, "a.spc", "0,70368744177663,512,r,0.1\n1,0,512,w,0.2\n")
    pages = traces.read(path, "spc", page_bytes=512).requests.page
    assert pages.tolist() == [REGION_PAGES - 1, REGION_PAGES]


def test_waits_of_an_iolog_are_said_to_be_left_out(tmp_path):
    trace = traces.read(saved(tmp_path, "a.iolog", FIO_2))
    assert any("where it says to wait, that is left out" in note for note in trace.notes)


def test_a_cut_record_and_64_bit_objects_are_said(tmp_path):
    reading = traces.Reading(saved(tmp_path, "a.bin", ORACLE[:-5]), "oracleGeneral")
    assert len(rows_of(reading)) == 2
    assert reading.tally.rejected[0].reason == "the last record ends after 19 of 24 bytes"
    reading = traces.Reading(saved(tmp_path, "b.bin", struct.pack("<IQIq", 1, (1 << 63) + 5, 1, -1)), "oracleGeneral")
    assert rows_of(reading)[0][2] == 5
    assert any("1 request has object ids of 64 bits" in note for note in reading.tally.notes)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"hello, no trace".ljust(9000), "an lcs file begins with 0x123456789abcdef0"),
        (lcs(2, LCS)[:5000], "the file ends after 5000"),
        (
            lcs(2, LCS)[:1016] + lcs(2, LCS)[:8] + lcs(2, LCS)[1024:8184] + bytes(80),
            "must end with its mark at byte 8184",
        ),
        (lcs(1, LCS).replace(b"\1", b"\x0c", 1), "lcs has versions 1 to 8; this file says 12"),
        (lcs(3, []), "no request in it"),
    ],
)
def test_an_lcs_file_that_is_none_is_refused_in_a_sentence(tmp_path, content, sentence):
    with pytest.raises(ModelError, match=sentence):
        traces.read(saved(tmp_path, "a.lcs", content), "lcs")


def test_what_an_lcs_file_says_wrongly_is_said(tmp_path):
    reading = traces.Reading(saved(tmp_path, "a.lcs", lcs(2, [*LCS, (7, 1, 1, 99, -1)], said=70)[:-3]))
    assert rows_of(reading) == OPS_ROWS
    assert reading.tally.rejected[0].reason == "the last record ends after 25 of 28 bytes"
    assert "The header says that there are 70 requests; the file holds 3." in reading.tally.notes
    reading = traces.Reading(saved(tmp_path, "b.lcs", lcs(5, [(7, 1, 1, 99, -1), *LCS])), piece_bytes=100)
    assert rows_of(reading) == OPS_ROWS
    assert reading.tally.rejected[0][::2] == (1, "the operation must be r or w")


@pytest.mark.parametrize("version", range(1, 9))
def test_libcachesim_reads_the_same_lcs(tmp_path, version):
    """The peer's own reader as the oracle of the layout."""
    page = zipf_pages(500, 100, seed=version)
    path = saved(tmp_path, "a.lcs", lcs(version, [(k, int(one), 4096, 3, -1) for k, one in enumerate(page)]))
    reader = libcachesim.TraceReader(str(path), trace_type=libcachesim.TraceType.LCS_TRACE)
    assert [request.obj_id for request in reader] == page.tolist()
    assert traces.read(path).requests.page.tolist() == page.tolist()


def test_requests_out_of_order_are_sorted_by_time_and_that_is_said(tmp_path):
    path = saved(tmp_path, "a.spc", "0,16,4096,r,2.0\n0,8,4096,r,1.0\n0,24,4096,w,3.0\n")
    trace = traces.read(path)
    assert trace.requests.page.tolist() == [1, 2, 3]
    assert any("1 request stood behind later ones" in note for note in trace.notes)


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
