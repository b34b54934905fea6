"""Tables as trace formats: those of published traces, those whose header can be recognised, and named columns."""

from collections.abc import Callable

import numpy as np

from pagecost import texts
from pagecost.errors import require
from pagecost.workload.traces import layouts, table_kernels
from pagecost.workload.traces.columns import NAMES
from pagecost.workload.traces.layouts import Layout
from pagecost.workload.traces.line_formats import Lines, first_times, fits, read
from pagecost.workload.traces.rows import Format

PREFIX = "columns:"
"""How the name of a format begins that says itself what the columns mean."""
SINCE_1970_NS = 978_307_200 * 10**9  # published traces have times since 1970, of 2001 and later
SCSI_READS, SCSI_WRITES = ("08", "28", "a8", "88"), ("0a", "2a", "aa", "8a")  # of 6, 10, 12, 16 bytes (SBC-4, table 10)


def of_columns(text: str) -> Format:
    """The format of a table whose columns a text names (`Layout.of`). Raises ModelError for a text it cannot read."""
    layout = Layout.of(text)
    return _format(f"{PREFIX}{text}", "a table, its columns named", f"a table with {text}", "", layout)


def _lines(layout: Layout) -> Lines:
    def begin(head: bytes) -> tuple[np.ndarray, int, tuple[str, ...]]:
        return layouts.begun(layout, head.decode("utf8", "replace"))

    return Lines(table_kernels.parse_table, begin, 10**9, since_first=True, in_pages=layout.unit == "page")


def _format(name: str, title: str, describes: str, example: str, layout: Layout, fit=None) -> Format:
    lines = _lines(layout)
    fit = fit or fits(lines)
    return Format(name, title, (), describes, example.encode(), fit, read(lines), None, in_pages=lines.in_pages)


PUBLISHED_LAYOUTS: dict[str, tuple[Callable[[bytes], int], Layout]] = {}
"""Of every published format: whether first bytes fit it, and what its columns mean as one would say it by hand."""


def _published(name: str, title: str, columns: str, names: str, example: str, since_1970: bool = True) -> Format:
    """A format with a fixed number of columns. since_1970: a file whose times are none since 1970 is not of it."""
    said = Layout.of(columns)
    titles = tuple(names.split(","))
    layout = Layout(**{**vars(said), "width": len(titles), "names": titles, "delimiter": "comma"})
    lines = _lines(layout)

    def fitting(head: bytes) -> int:
        taken = fits(lines)(head)
        if not taken:
            return 0
        if not since_1970:
            return taken if texts.of_bytes(head, "replace").lower().startswith(names.lower()) else 0
        return taken if bool((first_times(lines, head) >= SINCE_1970_NS).all()) else 0

    PUBLISHED_LAYOUTS[name] = fitting, said
    return _format(name, title, f"{names}, with or without a header line", example, layout, fitting)


PUBLISHED = (
    # README of github.com/alibaba/block-traces: io_traces.csv, offset and length in bytes, microseconds
    _published(
        "alibaba",
        "Alibaba block traces",
        "stream=0,op=1,offset=2,size=3,time=4,unit=byte,time_unit=us",
        "device_id,opcode,offset,length,timestamp",
        "0,R,126703644672,4096,1577808000000626\n",
    ),
    # README of SNIA IOTTA's "Tencent block storage traces" (OSCA, ATC '20): seconds, sectors of 512 bytes, 0 reads
    _published(
        "tencent",
        "Tencent cloud block storage (CBS)",
        "time=0,offset=1,size=2,op=3,stream=4,unit=sector,time_unit=s,reads=0,writes=1",
        "Timestamp,Offset,Size,IOType,VolumeID",
        "1538323199,105352008,584,1,1576\n",
    ),
    # README of SNIA IOTTA's SYSTOR '17 traces: seconds with nine digits, offset and size in bytes, IOType may be blank
    _published(
        "systor",
        "SYSTOR '17 (enterprise VDI)",
        "time=0,op=2,stream=3,offset=4,size=5,unit=byte,time_unit=s",
        "Timestamp,Response,IOType,LUN,Offset,Size",
        "1456135200.013118000,0.000806000,R,0,899056122368,131072\n",
    ),
    # data/trace.csv of libCacheSim, made from CloudPhysics' vscsi records (vscsi.h): seconds, a SCSI operation code in
    # hexadecimal, bytes, and a logical block of 512 bytes
    _published(
        "vscsi",
        "vscsi as CSV (CloudPhysics)",
        "time=1,op=2,size=3,offset=4,unit=sector,size_unit=byte,time_unit=s,"
        f"reads={'|'.join(SCSI_READS)},writes={'|'.join(SCSI_WRITES)}",
        "version,time,op,size,lbn",
        "version,time,op,size,lbn\n1,33898,2a,512,42932745\n",
        since_1970=False,
    ),
)


def _recognised(head: bytes):
    """The options for a table whose header says what its columns mean, unless a format of its own has it."""
    text = head.decode("utf8", "replace")
    found = layouts.head_of(text)
    require(bool(found.names), "its first line names no columns")
    lower = [name.lower() for name in found.names]
    require(not {*NAMES["page"]} & {*lower}, "it numbers pages: this is pagecost's own CSV")
    for published in PUBLISHED:
        require(not published.fits(head), f"it is a file of the format {published.name}")
    return layouts.begun(layouts.recognised(found), text)


_RECOGNISED = Lines(table_kernels.parse_table, _recognised, 10**9, since_first=True)

FORMATS = (
    *PUBLISHED,
    Format(
        "table",
        "a table with a header",
        (),
        "a first line that names the columns, among them one like offset or lba; --columns names them otherwise",
        b"Time_us;Type;LBA;Length\n1500;Read;8;4096\n",
        fits(_RECOGNISED),
        read(_RECOGNISED),
        None,
        in_pages=False,
    ),
)


def said_to_be(name: str) -> Format | None:
    """The format that a name like `columns:time=0,offset=1` says itself, None for any other name."""
    return of_columns(name.removeprefix(PREFIX)) if name.startswith(PREFIX) else None
