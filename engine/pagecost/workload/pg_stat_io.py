"""What PostgreSQL counts of its own input and output: the view `pg_stat_io` of PostgreSQL 16 and later, as CSV or JSON.

    psql --csv -c "select * from pg_stat_io" > io.csv
    psql -Atc "select json_agg(i) from pg_stat_io i" > io.json

Counts are since `stats_reset`; two files, an earlier and a later one, tell of the time between.
"""

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path

from pagecost import texts
from pagecost.errors import ModelError, require, require_file

MOST_BYTES = 16 << 20
NEEDED = ("object", "reads", "hits")
PAGE_BYTES = 8192  # of PostgreSQL, unless it was built otherwise


@dataclass(frozen=True)
class PgStatIo:
    """Of relations, all kinds of backends and contexts together. hits: pages found in shared buffers. pages_read: those
    that were not, which took so many `reads` of the operating system. read_s [s]: all of these together; 0 where
    track_io_timing is off."""

    source: str
    hits: float
    pages_read: float
    reads: float
    read_s: float

    @property
    def hit_ratio(self) -> float | None:
        """Pages found over pages asked for, 0..1; None where none was."""
        asked = self.pages_read + self.hits
        return self.hits / asked if asked else None

    @property
    def mean_read_s(self) -> float | None:
        """Of a read [s]; None where it was not timed."""
        return self.read_s / self.reads if self.reads and self.read_s else None

    def since(self, earlier: "PgStatIo") -> "PgStatIo":
        """What was counted between the two. Raises ModelError where something counts less than before."""
        names = ("hits", "pages_read", "reads", "read_s")
        found = {name: getattr(self, name) - getattr(earlier, name) for name in names}
        less = [name for name, value in found.items() if value < 0]
        require(
            not less,
            f"pg_stat_io {self.source}: {', '.join(less)} is less than in {earlier.source}; name the earlier file "
            "first, and reset the statistics before both or not at all",
        )
        return PgStatIo(f"{earlier.source} to {self.source}", **found)


def read(path) -> PgStatIo:
    """The counts in a file. Raises ModelError for a file that is missing or none of pg_stat_io."""
    path = Path(path)
    require_file(path, f"pg_stat_io {path}")
    require(path.stat().st_size <= MOST_BYTES, f"pg_stat_io {path}: more than 16 MiB are no such view")
    text = texts.of_bytes(path.read_bytes(), "replace")
    try:
        rows = _of_json(text) if text.lstrip()[:1] in ("[", "{") else _of_csv(text)
        require(bool(rows), "it has no row; write it by select * from pg_stat_io")
        hits = pages = reads = read_ms = 0.0
        for row in rows:
            missing = [name for name in NEEDED if name not in row]
            require(not missing, f"it has no column {', '.join(missing)}; write it by select * from pg_stat_io")
            if row["object"] == "relation":
                hits += _number(row, "hits")
                reads += _number(row, "reads")
                read_ms += _number(row, "read_time")
                # from PostgreSQL 18 on a read may be of several pages, and its bytes are counted
                pages += _number(row, "read_bytes") / PAGE_BYTES if "read_bytes" in row else _number(row, "reads")
    except ModelError as error:
        raise ModelError(f"pg_stat_io {path}: {error}") from None
    return PgStatIo(str(path), hits, pages, reads, read_ms / 1e3)


def _of_csv(text: str) -> list[dict]:
    try:
        return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise ModelError(f"this is no CSV: {error}") from None


def _of_json(text: str) -> list[dict]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise ModelError("its JSON is damaged or cut") from None
    rows = found if isinstance(found, list) else [found]
    require(all(isinstance(row, dict) for row in rows), "its JSON is no list of rows; write it by json_agg")
    return rows


def _number(row: dict, name: str) -> float:
    """A count or a time; nothing where the view has none, as for what cannot happen."""
    value = row.get(name)
    if value is None or value == "":
        return 0.0
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ModelError(f"{name} must be a number; got {value!r}") from None
    require(0 <= number < 1e300 and not isinstance(value, bool), f"{name} must be a number from 0; got {value!r}")
    return number
