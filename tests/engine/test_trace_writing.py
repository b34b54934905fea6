"""Every trace format is written: what it can hold survives, what it cannot is said; conversions."""

import struct

import libcachesim
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.trace_files import rows_of, saved
from pagecost.errors import ModelError
from pagecost.requests import READ, TRIM, WRITE, Requests
from pagecost.workload import traces, zipf_pages
from pagecost.workload.traces.rows import REGION_PAGES


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


WRITTEN = [name for name, format in traces.FORMATS.items() if format.write]


@pytest.mark.parametrize("name", WRITTEN)
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
    lost = {name: traces.save([requests], tmp_path / f"a.{name}", name).lost for name in WRITTEN}
    assert lost["csv"] == ("The page size, 8192 bytes, is not kept: name it when the file is read.",)
    assert lost["parquet"] == ()
    assert "2 requests: the time is not kept." in lost["text"]
    assert "2 requests: it became one line per page." in lost["text"]
    assert "2 requests: the stream is not kept." in lost["blkparse"]
    assert "1 request: a trim cannot be expressed and was left out." in lost["msr"]
    assert "1 request: a trim cannot be expressed and was left out." in lost["spc"]
    assert "1 request: the time is kept to the microsecond." in lost["fio"]
    assert "1 request: that it writes is not kept." in lost["oracleGeneral"]
    assert "1 request: the time is kept to the second." in lost["oracleGeneral"]


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


@pytest.mark.parametrize("name", [name for name in WRITTEN if name not in ("text", "oracleGeneral")])
def test_a_trace_whose_first_line_is_not_the_earliest_keeps_its_times_in_every_format(tmp_path, name):
    """Of MSR, whose times count from an epoch: 2.9 us between the first line and the one before it in time."""
    lines = ((629, "Write", 8192), (600, "Read", 0), (700, "Read", 4096))
    content = "".join(f"128166372003061{tick},hm,0,{op},{at},4096,26\n" for tick, op, at in lines)
    source = saved(tmp_path, "b.msr", content)
    ending = traces.FORMATS[name].endings[0]
    traces.convert(traces.Reading(source), tmp_path / f"c{ending}", name)
    reading = traces.Reading(tmp_path / f"c{ending}", name)
    found = rows_of(reading)
    assert reading.tally.rejected_lines == 0
    expected = [2.9e-6, 0.0, 10e-6]
    step_s = 1e-6 if name == "fio" else 1e-9
    assert [row[0] for row in found] == pytest.approx(expected, abs=step_s / 2 * 1.001)
    assert [row[2] for row in found] == [2, 0, 1]


def test_a_request_that_is_earlier_than_all_of_the_head_counts_as_lost_and_is_read_again(tmp_path):
    """Sorted where the whole is read; written piece by piece, a time before the start is kept as 0 with a word."""
    late = "".join(f"{10**17 + 50 * line},hm,0,Read,{4096 * line},4096,1\n" for line in range(4000))
    source = saved(tmp_path, "b.msr", f"{late}{10**17 - 30},hm,0,Write,0,4096,1\n")
    trace = traces.read(source)
    assert trace.requests.arrival_s[:3].tolist() == [0.0, 30 / 1e7, 80 / 1e7]
    assert trace.requests.op[0] == WRITE
    for ending in (".csv", ".spc", ".blkparse", ".iolog", ".parquet", ".oracleGeneral"):
        written = traces.convert(traces.Reading(source), tmp_path / f"c{ending}")
        early = "1 request: the time is before the start of the trace and is kept as 0."
        assert early in written.lost, ending
        again = traces.Reading(tmp_path / f"c{ending}")
        assert len(rows_of(again)) == 4001
        assert again.tally.rejected_lines == 0
    traces.convert(traces.Reading(source), tmp_path / "c.msr")
    assert rows_of(traces.Reading(tmp_path / "c.msr")) == rows_of(traces.Reading(source))


def test_arrivals_of_tables_of_absolute_times_count_from_the_earliest_too(tmp_path):
    path = saved(tmp_path, "a.csv", "time,op,offset,size\n1577808000000629,r,8192,4096\n1577808000000600,r,0,4096\n")
    assert traces.read(path).requests.arrival_s.tolist() == [0.0, 29e-6]
