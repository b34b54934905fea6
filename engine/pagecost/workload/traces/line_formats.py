"""The formats of one request per line: a kernel understands the lines, whole pieces of the file at a time."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from pagecost import texts
from pagecost.characters_kernels import LINE_FEED
from pagecost.errors import ModelError, require
from pagecost.requests import Requests
from pagecost.workload.traces import columns, fields_kernels, lines_kernels, packed, writing
from pagecost.workload.traces.fields_kernels import MOST_STREAMS, NAME_BYTES, REASONS, Rejects, Rows, Streams
from pagecost.workload.traces.rows import FileToRead, Format, Tally, of_bytes
from pagecost.workload.traces.side_by_side import in_order

LONGEST_LINE = 1 << 20
HEAD_BYTES = 1 << 16
COLUMNS = {
    "arrival_s": lines_kernels.ARRIVAL,
    "op": lines_kernels.OP,
    "page": lines_kernels.PAGE,
    "pages": lines_kernels.PAGES,
    "stream": lines_kernels.STREAM,
    "write": lines_kernels.WRITES,
}  # as the kernel of tables knows what they mean
EVENTS = {b"Q": "queued (Q)", b"D": "issued (D)", b"C": "completed (C)"}
FIO_HEADERS = (b"fio version 2 iolog", b"fio version 3 iolog")


class Lines(NamedTuple):
    """How the lines of a format are read.

    begin(head) returns the kernel's options, how many lines stand before the first request, and what a reader must know
    of how the lines are taken; ModelError says why the head is not of this format. ticks_per_s: unit of the times;
    since_first: times count from the earliest request of the head on, so that they are not negative unless one that is
    earlier still follows. in_pages: rows count in pages, not in bytes.
    """

    parse: Callable
    begin: Callable[[bytes], tuple[np.ndarray, int, tuple[str, ...]]]
    ticks_per_s: int
    since_first: bool = False
    in_pages: bool = False


def fits(lines: Lines) -> Callable[[bytes], int]:
    """How many of the first lines are understood, if more are than are not."""

    def fitting(head: bytes) -> int:
        taken, _, rejected = _understood(lines, head)
        return taken if taken > rejected else 0

    return fitting


def first_times(lines: Lines, head: bytes) -> np.ndarray:
    """Times of the first lines that are understood, in ticks, int64, shape (n,)."""
    taken, rows, _ = _understood(lines, head)
    return rows.ticks[:taken] if rows else np.empty(0, np.int64)


def _understood(lines: Lines, head: bytes) -> tuple[int, Rows | None, int]:
    """Of the first bytes of a file: (lines understood, their rows, lines that are not)."""
    head = texts.without_mark(head)
    whole = head[: head.rfind(b"\n") + 1] or head
    if b"\0" in head:
        return 0, None, 0
    try:
        options, skipped, _ = lines.begin(whole)
    except ModelError:
        return 0, None, 0
    state = _State(lines, options)
    taken, _, rows = state.parse(whole[_begin(whole, skipped) :])
    return taken, rows, int(state.rejects.counts[1:].sum())


def read(lines: Lines) -> Callable[[FileToRead, Tally], Iterator[Requests]]:
    """The reader of a format."""

    def requests(file: FileToRead, tally: Tally) -> Iterator[Requests]:
        head = packed.head_of(file.path, HEAD_BYTES)
        require(not texts.is_utf16(head), f"trace {file.path}: {texts.UTF16}")
        require(b"\0" not in head, f"trace {file.path}: there are NUL bytes in it; this is not a text file")
        head, whole = texts.without_mark(head), len(head) == HEAD_BYTES
        try:
            options, line, notes = lines.begin(head)
        except ModelError as error:
            raise ModelError(f"trace {file.path}: {error}") from None
        tally.say(*notes)
        state = _State(lines, options)
        ended = head if whole else head + b"\n"  # the last line of a short file may have no end
        known = first_times(lines, ended) if lines.since_first else np.zeros(1, np.int64)
        first_tick = known.min() if known.size else None
        to_skip, line = line, line + 1

        def parse(piece: memoryview) -> tuple[_State, _Parsed]:
            """Begin with what is known by now, which seldom is not all that is known when its turn comes."""
            begun = state
            return begun, begun.parsed(piece, file.page_bytes)

        for piece, (begun, parsed) in in_order(_whole_lines(file, to_skip), parse):
            if not begun.is_as(state):
                parsed = state.parsed(piece, file.page_bytes)
            state = parsed.state
            state.count(tally, piece, line)
            line += parsed.lines
            if parsed.ticks.size == 0:
                continue
            first_tick = parsed.ticks.min() if first_tick is None else first_tick
            arrival_s = (parsed.ticks - first_tick) / lines.ticks_per_s
            yield Requests(arrival_s, parsed.op, parsed.page, parsed.pages, parsed.stream, file.page_bytes)

    return requests


class _Parsed(NamedTuple):
    """Of a piece: its lines, the columns of its requests, and what is known after it."""

    lines: int
    ticks: np.ndarray
    op: np.ndarray
    page: np.ndarray
    pages: np.ndarray
    stream: np.ndarray
    state: "_State"


class _State:
    """What the kernel keeps between two pieces. A piece that is parsed leaves a new one, and this one as it is."""

    def __init__(self, lines: Lines, options: np.ndarray, streams: Streams | None = None):
        self.lines, self.options = lines, options
        self.streams = streams or Streams(
            np.zeros(MOST_STREAMS, np.int64), np.zeros((MOST_STREAMS, NAME_BYTES), np.uint8), np.zeros(2, np.int64)
        )
        self.rejects = Rejects(
            np.zeros(len(REASONS) + 1, np.int64), np.zeros((fields_kernels.SHOWN, 4), np.int64), np.zeros(1, np.int64)
        )

    def is_as(self, other: "_State") -> bool:
        """Whether a piece is understood in the same way after this one; streams are only ever added."""
        return self is other or (
            self.streams.used[0] == other.streams.used[0] and bool((self.options == other.options).all())
        )

    def parsed(self, piece: memoryview, page_bytes: int) -> _Parsed:
        """What whole lines hold."""
        state = _State(self.lines, self.options.copy(), Streams(*(column.copy() for column in self.streams)))
        n, room, rows = state.parse(piece)
        ticks, op, at, size, stream = (column[:n].copy() for column in rows)
        if self.lines.in_pages:
            page, pages = at, size.astype(np.int32)
        else:
            page, pages = of_bytes(at, size, stream, page_bytes)
        return _Parsed(room - 1, ticks, op, page, pages, stream, state)

    def parse(self, piece: bytes | memoryview) -> tuple[int, int, Rows]:
        """(number of requests, lines begun, room for the requests) of whole lines; this state goes on."""
        data = np.frombuffer(piece, np.uint8)
        room = int(np.count_nonzero(data == LINE_FEED)) + 1
        types = (np.int64, np.uint8, np.int64, np.int64, np.int16)
        rows = Rows(*(np.empty(room, type) for type in types))
        return self.lines.parse(data, 0, rows, self.streams, self.rejects, self.options), room, rows

    def count(self, tally: Tally, piece: memoryview, line: int) -> None:
        """Count in the tally what was found in a piece whose first line has the number `line`."""
        counts, shown = self.rejects.counts, self.rejects.shown
        tally.other_lines += int(counts[fields_kernels.NO_REQUEST])
        for reason, sentence in REASONS.items():
            tally.reject(int(counts[reason]), sentence)
        for behind, begin, end, reason in shown[: self.rejects.used[0]].tolist():
            tally.show(line + behind, bytes(piece[begin:end]).decode("utf8", "replace"), REASONS[reason])
        names = self.streams.names[: self.streams.used[0]]
        if len(names) != len(tally.streams):
            tally.streams = tuple(name.tobytes().rstrip(b"\0").decode("utf8", "replace") for name in names)


def _whole_lines(file: FileToRead, to_skip: int) -> Iterator[memoryview]:
    """The content behind a byte order mark and the first `to_skip` (0 or 1) lines, in pieces that end where a line
    ends.
    """
    rest, first = b"", True
    for piece in packed.pieces(file.path, file.piece_bytes, file.progress):
        piece = rest + piece if rest else piece
        cut = piece.rfind(b"\n") + 1
        rest = piece[cut:]
        require(len(rest) <= LONGEST_LINE, f"trace {file.path}: no line ends within 1 MiB; this is not a text file")
        if cut:
            yield memoryview(piece)[_begin(piece, to_skip, first) : cut]
            to_skip, first = 0, False
    if rest:
        yield memoryview(rest)[_begin(rest, to_skip, first) :]


def _begin(piece: bytes, count: int, first: bool = False) -> int:
    """Where a piece begins without its first `count` (0 or 1) lines, the first of a file without its mark."""
    if count:
        return piece.find(b"\n") + 1 or len(piece)
    return len(texts.UTF8_MARK) if first and piece.startswith(texts.UTF8_MARK) else 0


def _plain(head: bytes):
    return np.zeros(1, np.int64), 0, ()


def _fio(head: bytes):
    first = head.split(b"\n", 1)[0].strip()
    require(first in FIO_HEADERS, f"the first line must be `{FIO_HEADERS[1].decode()}`; got {_shown(first)}")
    version = 2 + FIO_HEADERS.index(first)
    notes = ("Version 2 of the iolog has no times of requests; where it says to wait, that is left out.",)
    return np.array([version]), 1, notes if version == 2 else ()


def _blkparse(head: bytes):
    """Queued requests (Q) are what the program asked for; where none were recorded, those issued (D) or done (C)."""
    actions = {words[5] for line in head.split(b"\n") if len(words := line.split()) > 7 and len(words[5]) == 1}
    chosen = next((action for action in EVENTS if action in actions), b"Q")
    return np.array([chosen[0], 0], np.int64), 0, (f"Of blkparse's events those that are {EVENTS[chosen]} are taken.",)


def _csv(head: bytes):
    """The first line names the columns; they are separated by commas, or by semicolons where it has no comma."""
    first = head.split(b"\n", 1)[0].decode("utf8", "replace").strip()
    separator = ";" if ";" in first and "," not in first else ","
    names = [name.strip().strip('"').strip() for name in first.split(separator)]
    try:
        meant = columns.meanings(names)
    except ModelError as error:
        raise ModelError(f"{error}; columns that mean something else are named: {columns.EXAMPLE}") from None
    meant = _without_blank_times(head, separator, meant)
    options = [len(names), ord(separator), *(COLUMNS[meaning] if meaning else 0 for meaning in meant)]
    return np.array(options), 1, tuple(columns.sentences(names, meant))


def _without_blank_times(head: bytes, separator: str, meant: list[str | None]) -> list[str | None]:
    """The columns without that of the times where no request of the head has one: then there are no times."""
    if "arrival_s" not in meant:
        return meant
    place = meant.index("arrival_s")
    lines = [line for line in head.decode("utf8", "replace").split("\n")[1:] if line.strip() and line[0] != "#"]
    fields = ["".join(line.split(separator)[place : place + 1]).strip().strip('"') for line in lines]
    return meant if any(fields) or not lines else [*meant[:place], None, *meant[place + 1 :]]


def _shown(line: bytes) -> str:
    return repr(line[:80].decode("utf8", "replace"))


def _format(name: str, title: str, endings: tuple[str, ...], describes: str, example: str, lines: Lines, write):
    reader = fits(lines), read(lines)
    return Format(name, title, endings, describes, example.encode(), *reader, write, in_pages=lines.in_pages)


FORMATS = (
    _format(
        "csv",
        "pagecost's own CSV",
        (".csv",),
        "a first line with the columns arrival_s, op (or write, 0 or 1), page, pages, stream",
        "arrival_s,op,page,pages,stream\n0.25,w,7,1,0\n",
        Lines(lines_kernels.parse_csv, _csv, 10**9, in_pages=True),
        writing.csv,
    ),
    _format(
        "text",
        "page numbers",
        (".txt", ".trace"),
        "one `page` or `page r|w` per line",
        "7 r\n8 w\n",
        Lines(lines_kernels.parse_text, _plain, 1, in_pages=True),
        writing.text,
    ),
    _format(
        "msr",
        "MSR Cambridge CSV",
        (".msr",),
        "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime without a header line",
        "128166372003061629,hm,0,Write,7014912,4096,26\n",
        Lines(lines_kernels.parse_msr, _plain, 10**7, since_first=True),
        writing.msr,
    ),
    _format(
        "spc",
        "SPC (UMass) text",
        (".spc",),
        "ASU,LBA,Size,Opcode,Timestamp without a header line",
        "0,20941264,8192,W,0.551706\n",
        Lines(lines_kernels.parse_spc, _plain, 10**9),
        writing.spc,
    ),
    _format(
        "blkparse",
        "text of blkparse",
        (".blkparse",),
        "the default output of blkparse: `8,0 1 7 0.000102456 4162 Q WS 223490 + 8 [process]`",
        "  8,0    1        7     0.000102456  4162  Q  WS 223490 + 8 [kjournald]\n",
        Lines(lines_kernels.parse_blkparse, _blkparse, 10**9),
        writing.blkparse,
    ),
    _format(
        "fio",
        "fio iolog, version 2 or 3",
        (".iolog", ".fio"),
        "`fio version 3 iolog`, then `time file action offset length` per line",
        "fio version 3 iolog\n0 /dev/sdb add\n0 /dev/sdb open\n12 /dev/sdb read 4096 8192\n",
        Lines(lines_kernels.parse_fio, _fio, 10**6),
        writing.fio,
    ),
)
