"""Tables of requests: columns named by hand or recognised, published layouts, a slow twin, and what is refused."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import trace_files
from helpers.trace_files import rows_of
from pagecost.errors import ModelError
from pagecost.requests import READ, WRITE
from pagecost.workload import sources, traces
from pagecost.workload.traces.layouts import Layout
from pagecost.workload.traces.rows import REGION_PAGES
from twins.trace_tables import requests_of

# README of github.com/alibaba/block-traces: device_id, opcode R or W, offset and length in bytes, microseconds.
# 126703644672 / 4096 = 30933507; 6144 + 4096 bytes are pages 1 and 2.
ALIBABA = "0,R,126703644672,4096,1577808000000626\n7,W,6144,4096,1577808001500626\n"
ALIBABA_ROWS = [(0.0, READ, 30933507, 1, 0), (1.5, WRITE, 7 * REGION_PAGES + 1, 2, 7)]
# README of the traces of "OSCA" (USENIX ATC 2020), SNIA IOTTA: Timestamp,Offset,Size,IOType,VolumeID; seconds since
# 1970, sectors of 512 bytes, Read(0) and Write(1). 105352008 sectors = page 13169001; 584 sectors = 73 pages.
TENCENT = "1538323199,105352008,584,1,1576\n1538323201,8,8,0,1063\n"
TENCENT_ROWS = [(0.0, WRITE, 1576 * REGION_PAGES + 13169001, 73, 1576), (2.0, READ, 1063 * REGION_PAGES + 1, 1, 1063)]
# README of the traces of Lee et al. (SYSTOR '17), SNIA IOTTA: Timestamp,Response,IOType,LUN,Offset,Size; seconds since
# 1970 with nine digits, bytes; a blank IOType has no response and says neither read nor write.
SYSTOR = """Timestamp,Response,IOType,LUN,Offset,Size
1456135200.013118000,0.000806000,R,4,899056122368,131072
1456135200.263118000,0.001200000,W,0,4096,8192
1456135200.300000000,,,0,4096,8192
"""
SYSTOR_ROWS = [(0.0, READ, 4 * REGION_PAGES + 219496123, 33, 4), (0.25, WRITE, 1, 2, 0)]
# data/trace.csv and vscsi.h of libCacheSim: seconds, SCSI operation codes (28 READ(10), 2a WRITE(10)), bytes, blocks of
# 512 bytes. 42932745 * 512 = page 5366593 and 512 bytes.
VSCSI = "version,time,op,size,lbn\n1,33898,2a,512,42932745\n1,33899,28,4096,8\n1,33900,8A,4096,16\n"
VSCSI_ROWS = [(0.0, WRITE, 5366593, 1, 0), (1.0, READ, 1, 1, 0), (2.0, WRITE, 2, 1, 0)]
TABLE = "\ufeffTime_us;TYPE;LBA;Length;Colour\r\n1500;Read;8;4096;red\r\n2500;W;16;8192;\r\n"
TABLE_ROWS = [(0.0, READ, 1, 1, 0), (0.001, WRITE, 2, 2, 0)]

SAMPLES = {
    "alibaba": (ALIBABA, ALIBABA_ROWS, 0),
    "alibaba with a header": ("DEVICE_ID,opcode,offset,length,timestamp\n" + ALIBABA, ALIBABA_ROWS, 0),
    "tencent": (TENCENT, TENCENT_ROWS, 0),
    "systor": (SYSTOR, SYSTOR_ROWS, 1),
    "systor without a header": (SYSTOR.split("\n", 1)[1], SYSTOR_ROWS, 1),
    "vscsi": (VSCSI, VSCSI_ROWS, 0),
    "table": (TABLE, TABLE_ROWS, 0),
}


def saved(folder, content: str, name: str = "a.csv"):
    return trace_files.saved(folder, name, content)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_published_layout_is_recognised(tmp_path, name):
    content, rows, rejected = SAMPLES[name]
    for piece_bytes in (1 << 20, 7):
        reading = traces.Reading(saved(tmp_path, content), piece_bytes=piece_bytes)
        assert rows_of(reading) == rows
        assert reading.format.name == name.split()[0]
        assert reading.tally.rejected_lines == rejected


def test_what_was_taken_and_what_is_ignored_is_said(tmp_path):
    said = " ".join(traces.read(saved(tmp_path, SYSTOR)).tally.sentences())
    assert "IOType is the op" in said
    assert "Columns that are not used: Response." in said
    assert "1 line was not understood (1 × the operation must be r or w)" in said
    said = " ".join(traces.read(saved(tmp_path, TABLE)).tally.sentences())
    assert "Columns that are not used: Colour." in said
    assert "Times are taken in microseconds, as the name says" in said
    assert "Offsets are taken in sectors of 512 bytes, sizes in bytes." in said


def test_five_numbers_without_a_time_since_1970_are_no_tencent_trace(tmp_path):
    with pytest.raises(ModelError, match="no column 'page'"):
        traces.read(saved(tmp_path, "10,105352008,584,1,1576\n"))


@pytest.mark.parametrize(
    ("content", "columns", "row"),
    [
        ("0.5 x r y 8 16\n", "time=0,op=2,offset=4,size=5,unit=sector", (0.0, READ, 1, 2, 0)),
        ("w\t8192\n", "op=0,offset=1", (0.0, WRITE, 2, 1, 0)),
        ("\t8192\tW\n", "op=2,offset=1,delimiter=tab", (0.0, WRITE, 2, 1, 0)),
        ("7;3;1\n", "page=0,pages=1,write=2", (0.0, WRITE, 7, 3, 0)),
        ("OFFSET,Write\n4096,true\n", "offset=offset,write=WRITE", (0.0, WRITE, 1, 1, 0)),
        ("4096,1\n", "offset=0,op=1,writes=0,reads=1", (0.0, READ, 1, 1, 0)),
        ("4096,RS\n", "offset=0,op=1,reads=R|RS,writes=W|WS", (0.0, READ, 1, 1, 0)),
        ("4096 , 'x' , vol-a\n", "offset=0,stream=2", (0.0, READ, 1, 1, 0)),
        ("a,b\n1,2\n", "offset=1,unit=sector,size=0,size_unit=byte", (0.0, READ, 0, 1, 0)),
    ],
)
def test_columns_are_named_by_number_or_by_name(tmp_path, content, columns, row):
    path = saved(tmp_path, content)
    assert rows_of(traces.Reading(path, f"columns:{columns}")) == [row]
    named = sources.named(f"{path}#{columns}")
    assert rows_of(named.pieces()) == [row]
    assert rows_of([named.read().requests]) == [row]
    assert named.pieces().asked_format == f"columns:{columns}"


@pytest.mark.parametrize(
    ("first", "second", "unit", "step_s"),
    [
        ("128166372003061629", "128166372013061629", "filetime", 1.0),
        ("1538323199", "1538323200", "seconds", 1.0),
        ("1538323199000", "1538323199250", "milliseconds", 0.25),
        ("1538323199000000", "1538323199000250", "microseconds", 250e-6),
        ("1538323199000000000", "1538323199000000250", "nanoseconds", 250e-9),
        ("0", "2.5e-1", "seconds", 0.25),
    ],
)
def test_the_unit_of_times_is_recognised_by_their_size(tmp_path, first, second, unit, step_s):
    trace = traces.read(saved(tmp_path, f"{first},0\n{second},4096\n"), "columns:time=0,offset=1")
    assert trace.requests.arrival_s.tolist() == pytest.approx([0.0, step_s], rel=1e-12)
    assert unit in " ".join(trace.tally.sentences())


def test_a_decimal_comma_is_a_point_where_semicolons_separate(tmp_path):
    trace = traces.read(saved(tmp_path, "0,5;0\n1,75;4096\n"), "columns:time=0,offset=1")
    assert trace.requests.arrival_s.tolist() == [0.0, 1.25]


REFUSED = {
    "": "columns: no column is named; say for example time=0",
    "time": "columns: 'time' is not NAME=VALUE",
    "time=0": "columns: none is the offset (or page)",
    "offset=0,offset=1": "columns: offset is there twice",
    "offset=0,size=0": "columns: column 0 means two things",
    "offset=0,op=1,write=2": "columns: op and write both say what is written",
    "offset=0,colour=1": "unknown part of columns 'colour'; known: time",
    "offset=0,unit=furlong": "unknown unit of an offset 'furlong'; known: byte, sector, page",
    "offset=0,unit=page,size_unit=byte": "pages go with pages",
    "offset=0,time_unit=fortnight": "unknown unit of a time 'fortnight'; known: s, ms, us, ns, filetime",
    "offset=0,delimiter=|": "unknown delimiter '|'; known: comma",
    "offset=0,header=maybe": "unknown header 'maybe'; known: yes, no",
    "offset=0,reads=R,writes=R": "columns: R cannot mean both a read and a write",
    "offset=9": "columns: there is no column 9; the first line has 3, numbered 0 to 2",
    "offset=where": "columns: there is no column 'where'; the first line names 'at', 'At', 'n'",
    "offset=AT": "columns: 'AT' is there twice; say its number, from 0",
    "offset=n,size=2": "columns: n means two things",
}


@pytest.mark.parametrize("columns", REFUSED)
def test_what_makes_no_sense_is_one_sentence(tmp_path, columns):
    path = saved(tmp_path, "at,At,n\n1,2,3\n")
    with pytest.raises(ModelError) as error:
        rows_of(traces.Reading(path, f"columns:{columns}"))
    assert REFUSED[columns] in str(error.value)
    assert "\n" not in str(error.value)


def test_lines_that_say_nothing_are_counted_with_their_reasons(tmp_path):
    lines = ["1,r,0,4096", "x,r,0,4096", "1,q,0,4096", "1,r,-5,4096", "1,r,0", "1,r,0,", "1,r,99999999999999999,1"]
    trace = traces.read(saved(tmp_path, "\n".join(lines)), "columns:time=0,op=1,offset=2,size=3")
    assert trace.requests.size == 1
    assert trace.tally.rejected_lines == 6
    assert set(trace.tally.reasons) == {
        "a number is expected where there is none",
        "the operation must be r or w",
        "a number must not be negative",
        "fields are missing",
        "a number is too large",
    }


def test_columns_and_a_format_are_not_both_asked_for(tmp_path):
    path = saved(tmp_path, "1,2\n")
    with pytest.raises(ModelError, match="are both asked for; name one of them"):
        sources.named(f"{path}#offset=0", "msr")
    odd = saved(tmp_path, "7 r\n", "a#b=c.txt")
    assert sources.named(str(odd)).pieces().format == "text"


@pytest.mark.parametrize("name", [name for name, format in traces.FORMATS.items() if not format.write])
def test_a_format_that_is_only_read_says_so(tmp_path, name):
    with pytest.raises(ModelError, match=f"the format {name} is only read; these are written: .*csv"):
        traces.save([], tmp_path / "a.csv", name)


layouts = st.fixed_dictionaries(
    {
        "order": st.permutations(["time", "op", "offset", "size", "stream", ""]),
        "delimiter": st.sampled_from(["comma", "semicolon", "tab", "blank"]),
        "unit": st.sampled_from(["byte", "sector"]),
        "size_unit": st.sampled_from(["byte", "sector"]),
        "time_unit": st.sampled_from(["s", "ms", "us", "ns"]),
        "header": st.booleans(),
    }
)


@settings(max_examples=60, deadline=None)
@given(layout=layouts, seed=st.integers(0, 2**32))
def test_any_layout_is_read_as_the_slow_twin_reads_it(tmp_path_factory, layout, seed):
    draw = random.Random(seed)
    sign = {"comma": ",", "semicolon": ";", "tab": "\t", "blank": "  "}[layout["delimiter"]]
    whole = {"s": 10**4, "ms": 10**7, "us": 10**10, "ns": 10**12}[layout["time_unit"]]
    lines = []
    for _ in range(20):
        fields = {
            "time": f"{draw.randrange(whole)}" + draw.choice(["", ".5", ".123456789"]),
            "op": draw.choice(["r", "R", "w", "Write", "READ", "0", "1", "banana"]),
            "offset": draw.choice([str(draw.randrange(10**10)), "-3", "x"]),
            "size": str(draw.randrange(10**5)),
            "stream": draw.choice(["sda", "sdb", "nvme0n1"]),
            "": draw.choice(["red", "1", "'"]),
        }
        lines.append(sign.join(fields[name] for name in layout["order"]))
    text = "\n".join(([sign.join(name or "colour" for name in layout["order"])] if layout["header"] else []) + lines)
    places = {name: number for number, name in enumerate(layout["order"]) if name}
    named = [f"{name}={name if layout['header'] else number}" for name, number in places.items()]
    said = [f"{name}={layout[name]}" for name in ("unit", "size_unit", "time_unit", "delimiter")]
    header = "yes" if layout["header"] else "no"
    columns = ",".join([*named, *said, f"header={header}"])
    assert Layout.of(Layout.of(columns).text) == Layout.of(columns)
    expected = requests_of(text, places, layout, sign)
    reading = traces.Reading(saved(tmp_path_factory.mktemp("table"), text), f"columns:{columns}", piece_bytes=64)
    assert rows_of(reading) == expected
    assert reading.tally.rejected_lines == 20 - len(expected)


def test_devices_by_number_are_kept_and_by_name_are_counted(tmp_path):
    trace = traces.read(saved(tmp_path, "0,12\n0,40000\n"), "columns:offset=0,stream=1")
    assert trace.requests.stream.tolist() == [0, 1]
    assert trace.tally.streams == ("12", "40000")
    assert np.array_equal(
        traces.read(saved(tmp_path, "0,12\n0,7\n"), "columns:offset=0,stream=1").requests.stream, [12, 7]
    )
