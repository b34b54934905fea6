"""What the columns of a table of requests mean, as text: `time=0,op=1,offset=4,size=5,unit=sector`.

A column is named by its number from 0 or by its name in the first line. What is not said is recognised from the first
lines: what separates the columns, whether the first line names them, the unit of the times, the words of the operation.
"""

import re
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from pagecost.errors import known, require
from pagecost.workload.traces import table_kernels
from pagecost.workload.traces.columns import EXAMPLE, NAMES
from pagecost.workload.traces.lines_kernels import SECTOR_BYTES
from pagecost.workload.traces.writing import FILETIME_1970

COLUMNS = {
    "time": (table_kernels.TIME, "when it arrives"),
    "op": (table_kernels.OP, "read or write"),
    "write": (table_kernels.WRITES, "1 if it writes"),
    "offset": (table_kernels.AT, "where it starts"),
    "size": (table_kernels.SIZE, "how much it moves"),
    "stream": (table_kernels.STREAM, "which device or file"),
}
"""What a column can mean: (as the kernel knows it, in words)."""
UNITS = {"byte": 1, "sector": SECTOR_BYTES, "page": 0}
TIME_UNITS_NS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1, "filetime": 100}
DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "blank": " "}
HEADERS = ("yes", "no")
MOST_COLUMNS = 200

_NAMES = {
    "time": ("time", "timestamp", "ts", "arrival", "arrival_time", "arrivaltime", "issue_time", "date_time", "clock"),
    "op": (*NAMES["op"], "cmd", "rwbs", "ioop", "direction"),
    "write": NAMES["write"],
    "offset": ("offset", "byte_offset", "address", "addr", "start", "lba", "lbn", "sector", "start_sector", "blkno"),
    "size": ("size", "length", "len", "bytes", "request_size", "io_size", "iosize", "sectors", "nsectors", "blocks"),
    "stream": (
        *(*NAMES["stream"], "device", "device_id", "dev", "disk", "disknumber", "disk_number"),
        *("volume", "volume_id", "volumeid", "lun", "asu", "file", "filename"),
    ),
}
_MEANING = {name: meaning for meaning, names in _NAMES.items() for name in names}
_IN_SECTORS = {"lba", "lbn", "sector", "start_sector", "blkno", "sectors", "nsectors", "blocks"}
_UNIT_ENDS = {"bytes": "byte", "byte": "byte", "b": "byte", "sectors": "sector", "sector": "sector"}
# Times of these years are told by their size: from 2001 to 2060, in the unit, since 1970 or (filetime) since 1601
_SINCE_1970 = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_NUMBER = r"\d{1,30}([.,]\d{1,30})?([eE][+-]?\d{1,2}(?!\d))?"
_FIRST_S, _LAST_S = 978_307_200, 2_840_140_800


class Head(NamedTuple):
    """The first lines of a table, split: names of the columns (empty without a header), and rows of texts."""

    delimiter: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.names) or max(map(len, self.rows), default=0)

    def title(self, column: int) -> str:
        """What a column is called."""
        return self.names[column] if column < len(self.names) and self.names[column] else f"column {column}"


@dataclass(frozen=True)
class Layout:
    """What the columns of a table mean. columns: (meaning, number from 0 or name) in any order.

    unit, size_unit: of `UNITS`; size_unit is that of the offset where it is not said. time_unit, delimiter and header
    are recognised where they are not said. reads, writes: words of the operation, recognised where none are given.
    width: the exact number of columns, None for any. names: of the columns, where a format without a header has them.
    """

    columns: tuple[tuple[str, int | str], ...]
    unit: str = "byte"
    size_unit: str = ""
    time_unit: str = ""
    delimiter: str = ""
    header: str = ""
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    width: int | None = None
    names: tuple[str, ...] = ()

    def __post_init__(self):
        meanings = [meaning for meaning, _ in self.columns]
        for meaning in meanings:
            known("meaning of a column", meaning, COLUMNS)
            require(meanings.count(meaning) == 1, f"columns: {meaning} is there twice")
        places = [place for _, place in self.columns]
        twice = next((place for place in places if places.count(place) > 1), None)
        require(twice is None, f"columns: column {twice} means two things; each means one")
        require("offset" in meanings, "columns: none is the offset (or page), which says where a request starts")
        require(not {"op", "write"} <= set(meanings), "columns: op and write both say what is written; name one")
        known("unit of an offset", self.unit, UNITS)
        known("unit of a size", self.size_unit or self.unit, UNITS)
        require(
            (self.unit == "page") == ((self.size_unit or self.unit) == "page"),
            f"columns: offsets in {self.unit}s do not go with sizes in {self.size_unit}s; pages go with pages",
        )
        known("unit of a time", self.time_unit or "s", TIME_UNITS_NS)
        known("delimiter", self.delimiter or "comma", DELIMITERS)
        known("header", self.header or "yes", HEADERS)
        both = sorted({*self.reads} & {*self.writes})
        require(not both, f"columns: {', '.join(both)} cannot mean both a read and a write")

    @classmethod
    def of(cls, text: str) -> "Layout":
        """The layout that a text says. Raises ModelError, one sentence, for what it does not understand."""
        columns: list[tuple[str, int | str]] = []
        said: dict = {}
        for part in filter(None, (each.strip() for each in text.split(","))):
            name, equals, value = (each.strip() for each in part.partition("="))
            require(bool(equals and name and value), f"columns: {part!r} is not NAME=VALUE, as in {EXAMPLE}")
            if name in ("page", "pages"):
                said["unit" if name == "page" else "size_unit"] = "page"
                name = {"page": "offset", "pages": "size"}[name]
            if name in COLUMNS:
                columns.append((name, int(value) if value.isascii() and value.isdigit() else value))
            elif name in ("reads", "writes"):
                said[name] = tuple(filter(None, (word.strip() for word in value.split("|"))))
            else:
                known("part of columns", name, (*COLUMNS, "page", "pages", *_SETTINGS, "reads", "writes"))
                said[name] = value
        require(bool(columns), f"columns: no column is named; say for example {EXAMPLE}")
        return cls(tuple(columns), **said)

    @property
    def text(self) -> str:
        """The text that `of` reads back."""
        parts = [f"{meaning}={place}" for meaning, place in self.columns]
        defaults = {field.name: field.default for field in fields(self)}
        parts += [f"{name}={value}" for name in _SETTINGS if (value := getattr(self, name)) != defaults[name]]
        parts += [f"{name}={'|'.join(words)}" for name in ("reads", "writes") if (words := getattr(self, name))]
        return ",".join(parts)

    @property
    def size_bytes(self) -> int:
        """Bytes in a unit of size, 0 for pages."""
        return UNITS[self.size_unit or self.unit]

    def place(self, meaning: str) -> int | str | None:
        """The column that means it, None where there is none."""
        return dict(self.columns).get(meaning)


_SETTINGS = ("unit", "size_unit", "time_unit", "delimiter", "header")


def head_of(text: str, delimiter: str = "", header: str = "", lines: int = 40) -> Head:
    """The first lines of a table, split at what separates the columns, which is recognised where it is not said.

    The first line is a header where nothing in it begins with a digit. Raises ModelError for a text without lines.
    """
    found = [line for line in text.lstrip("\ufeff").splitlines() if line.strip() and not line.lstrip().startswith("#")]
    require(bool(found), "it has no line")
    sign = DELIMITERS[delimiter] if delimiter else _delimiter(found[0])
    rows = [_split(line, sign) for line in found[:lines]]
    require(len(rows[0]) <= MOST_COLUMNS, f"its first line has {len(rows[0])} columns; {MOST_COLUMNS} are read at most")
    named = header == "yes" or (header == "" and not any(re.match(r"[+-]?[.,]?\d", field) for field in rows[0]))
    return Head(sign, tuple(rows[0]) if named else (), tuple(map(tuple, rows[1:] if named else rows)))


def recognised(head: Head) -> Layout:
    """What the columns mean by their names in the header. Raises ModelError where none says where a request starts."""
    columns: list[tuple[str, int | str]] = []
    units: dict[str, str] = {}  # of a time it is found out when the layout is fitted to the file
    for number, name in enumerate(head.names):
        meaning, unit = _named(name)
        if meaning and meaning not in units and not (meaning in ("op", "write") and {"op", "write"} & {*units}):
            columns.append((meaning, number))
            units[meaning] = unit
    listed = ", ".join(map(repr, head.names[:20]))
    require("offset" in units, f"no column that says where a request starts, as offset or lba; it has {listed}")
    unit, size_unit = units["offset"] or "byte", units.get("size", "") or "byte"
    return Layout(tuple(columns), unit, "" if size_unit == unit else size_unit, header="yes")


class Begun(NamedTuple):
    """A layout fitted to a file: the kernel's options, lines before the first request, what a reader must know."""

    options: np.ndarray
    skipped: int
    notes: tuple[str, ...]


def begun(layout: Layout, text: str) -> Begun:
    """Fit a layout to the first lines of a file. Raises ModelError where it does not fit."""
    head = head_of(text, layout.delimiter, layout.header)
    require(bool(head.names) or layout.header != "yes", "its first line names no columns")
    if layout.width is not None:
        require(head.width == layout.width, f"it has {head.width} columns; the format has {layout.width}")
        named = tuple(name.lower() for name in head.names)
        expected = ",".join(layout.names)
        require(named in ((), tuple(name.lower() for name in layout.names)), f"its first line is not {expected}")
        head = head._replace(names=layout.names) if not head.names else head
    meanings = np.zeros(max(head.width, 1), np.int64)
    numbers = {meaning: number_of(head, place) for meaning, place in layout.columns}
    for meaning, number in numbers.items():
        require(meanings[number] == 0, f"columns: {head.title(number)} means two things; each means one")
        meanings[number] = COLUMNS[meaning][0]
    used = head.width if layout.width else int(np.flatnonzero(meanings).max()) + 1
    time_unit, why = _time_unit(layout, head, numbers.get("time"))
    start = FILETIME_1970 if time_unit == "filetime" and _first_number(head, numbers["time"]) >= FILETIME_1970 else 0
    numbered = _small_numbers(head, numbers["stream"]) if "stream" in numbers else False
    words = [(word, op) for op, given in enumerate((layout.reads, layout.writes)) for word in given]
    words = sorted({(case, op) for word, op in words for case in (word, word.lower(), word.upper())})
    options = [used, int(layout.width is not None), ord(head.delimiter), TIME_UNITS_NS[time_unit], start]
    options += [UNITS[layout.unit], layout.size_bytes, int(numbered), len(words), *meanings[:used].tolist()]
    for word, op in words:
        options += [_key(word), op]
    has_header = bool(head.names) and not (layout.names and head.names is layout.names)
    notes = tuple(_sentences(layout, head, numbers, time_unit, why))
    return Begun(np.array(options, np.int64), int(has_header), notes)


def _sentences(layout: Layout, head: Head, numbers: dict[str, int], time_unit: str, why: str):
    said = [f"{head.title(number)} is the {meaning}" for meaning, number in numbers.items()]
    yield f"Columns: {'; '.join(said)}."
    unused = [head.title(number) for number in range(head.width) if number not in numbers.values()]
    if unused:
        yield f"Columns that are not used: {', '.join(unused)}."
    if "time" in numbers:
        yield f"Times are taken in {_TIME_WORDS[time_unit]}{why}, and count from the earliest request."
    yield f"Offsets are taken in {_unit_words(layout.unit)}, sizes in {_unit_words(layout.size_unit or layout.unit)}."
    given = ["no times"] if "time" not in numbers else []
    given += ["every request reads"] if not {"op", "write"} & {*numbers} else []
    given += [f"1 {layout.size_unit or layout.unit} each"] if "size" not in numbers else []
    if given:
        yield f"The file has no columns for it, so it is taken for granted: {', '.join(given)}."
    place = numbers.get("op")
    if place is not None and not layout.writes and any(_field(row, place) in ("0", "1") for row in head.rows):
        yield f"In {head.title(place)}, 0 is taken as a read and 1 as a write; writes=0,reads=1 says the other."


_TIME_WORDS = {
    "s": "seconds",
    "ms": "milliseconds",
    "us": "microseconds",
    "ns": "nanoseconds",
    "filetime": "100 nanoseconds (filetime)",
}


def _unit_words(unit: str) -> str:
    return f"sectors of {SECTOR_BYTES} bytes" if unit == "sector" else f"{unit}s"


def _delimiter(line: str) -> str:
    signs = (("\t", line.count("\t")), (";", line.count(";")), (",", line.count(",")))
    return next((sign for sign, count in signs if count), " ")


def _split(line: str, sign: str) -> list[str]:
    fields = line.split() if sign == " " else line.split(sign)
    return [field.strip().strip('"').strip() for field in fields]


def _named(name: str) -> tuple[str | None, str]:
    """(meaning, unit or "") of a column's name: `Time_us`, `offset [bytes]`, `LBA`."""
    bare = re.sub(r"[\s\[\]()./-]+", "_", name.strip().lower()).strip("_").replace("µ", "u")
    if bare in _MEANING:
        return _MEANING[bare], "sector" if bare in _IN_SECTORS else ""
    stem, _, end = bare.rpartition("_")
    meaning = _MEANING.get(stem)
    if meaning == "time" and end in TIME_UNITS_NS:
        return meaning, end
    if meaning in ("offset", "size") and end in _UNIT_ENDS:
        return meaning, _UNIT_ENDS[end]
    return None, ""


def number_of(head: Head, place: int | str) -> int:
    """The number of a column that is named by its number or its name. Raises ModelError where there is none."""
    if isinstance(place, int):
        require(
            place < head.width,
            f"columns: there is no column {place}; the first line has {head.width}, numbered 0 to {head.width - 1}",
        )
        return place
    lower = [name.lower() for name in head.names]
    listed = f"the first line names {', '.join(map(repr, head.names[:20]))}" if lower else "the first line names none"
    require(place.lower() in lower, f"columns: there is no column {place!r}; {listed}")
    require(lower.count(place.lower()) == 1, f"columns: {place!r} is there twice; say its number, from 0")
    return lower.index(place.lower())


def _field(row: tuple[str, ...], column: int) -> str:
    return row[column] if column < len(row) else ""


def _first_number(head: Head, column: int) -> int:
    found = (re.match(_NUMBER, _field(row, column)) for row in head.rows)
    return next((int(Decimal(match[0].replace(",", "."))) for match in found if match), 0)


def _time_unit(layout: Layout, head: Head, column: int | None) -> tuple[str, str]:
    """The unit of the times, and how it is known."""
    if layout.time_unit or column is None:
        return layout.time_unit or "s", ""
    by_name = _named(head.title(column))[1]
    if by_name in TIME_UNITS_NS:
        return by_name, ", as the name says"
    first = _first_number(head, column)
    if FILETIME_1970 + _FIRST_S * 10**7 <= first < FILETIME_1970 + _LAST_S * 10**7:
        return "filetime", ", as their size tells"
    for unit, per_s in _SINCE_1970.items():
        if _FIRST_S * per_s <= first < _LAST_S * per_s:
            return unit, ", as their size tells"
    return "s", ", as nothing says another unit (time_unit=ms says one)"


def _small_numbers(head: Head, column: int) -> bool:
    """Whether the devices are numbers that can be used as they are."""
    texts = [_field(row, column) for row in head.rows]
    return bool(texts) and all(text.isascii() and text.isdigit() and int(text) <= 32767 for text in texts)


def _key(word: str) -> int:
    """The key of a word, as the kernel computes it (FNV-1a, 63 bits)."""
    value = 0xCBF29CE484222325
    for byte in word.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value >> 1
