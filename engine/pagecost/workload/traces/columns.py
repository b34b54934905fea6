"""Columns of tables of requests by the names that people give them: which is the page, which says what is written."""

from collections.abc import Iterable, Iterator, Sequence

from pagecost.errors import require

NAMES = {
    "arrival_s": ("arrival_s", "time_s", "arrival_time_s", "timestamp_s", "seconds"),
    "op": ("op", "rw", "type", "operation", "opcode", "optype", "io_type", "iotype", "request_type"),
    "write": ("write", "is_write", "iswrite", "writes", "written", "dirty"),
    "page": ("page", "page_id", "pageid", "page_no", "pageno", "page_number"),
    "pages": ("pages", "page_count", "npages", "number_of_pages"),
    "stream": ("stream", "stream_id", "file_id", "relation_id"),
}
"""What a column means -> the names that it goes by, in lower case. op: r or w; write: 1, true or yes if it writes."""
GIVEN = {"arrival_s": "no times", "op": "every request reads", "pages": "1 page each", "stream": "one stream"}
"""What is taken for a column that is not there."""

EXAMPLE = "time=0,op=1,offset=4,size=5,unit=sector"
"""How columns are named that mean an address in bytes or sectors."""

_MEANING = {name: meaning for meaning, names in NAMES.items() for name in names}


def meanings(columns: Sequence[str]) -> list[str | None]:
    """What each column means, None where that is not known.

    Raises ModelError unless one column, and only one, is the page, and none of the others is there twice.
    """
    found = [_MEANING.get(column.lower()) for column in columns]
    for meaning in NAMES:
        named = [column for column, each in zip(columns, found, strict=True) if each == meaning]
        require(
            len(named) < 2,
            f"the column {named[0]!r} is there twice"
            if len(set(named)) == 1
            else f"more than one column says the {meaning}: {', '.join(named)}",
        )
    require(
        not {"op", "write"} <= set(found),
        f"two columns say what is written: {', '.join(c for c, m in zip(columns, found, strict=True) if m in _OPS)}",
    )
    require("page" in found, f"no column 'page'; it has {', '.join(map(repr, columns[:20]))}")
    return found


_OPS = ("op", "write")


def sentences(columns: Sequence[str], meant: Iterable[str | None]) -> Iterator[str]:
    """What a reader must know: the columns that are not used, and what is taken for those that are not there."""
    meant = list(meant)
    unused = [column for column, meaning in zip(columns, meant, strict=True) if meaning is None and column]
    if unused:
        yield f"Columns that are not used: {', '.join(unused)}."
    given = [taken for meaning, taken in GIVEN.items() if meaning not in meant and not _is_said(meaning, meant)]
    if given:
        yield f"The file has no columns for it, so it is taken for granted: {', '.join(given)}."


def _is_said(meaning: str, meant: list) -> bool:
    return meaning == "op" and "write" in meant
