"""Where the answers of a sweep lie: a DuckDB file, into which each point goes whole or not at all.

about      what was swept: name, value
points     key, over_NAME of each input that was swept over, seconds, error (a sentence; else blank), notes (numbers)
notes      number, note: a sentence that is said beside the answers of many points
answers    key, row, and the columns of the study's main table
results    both joined, without the points that have no answer: what DuckDB and pandas read
"""

import contextlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from pagecost.errors import ModelError, require, there_is
from pagecost.studies import Study
from pagecost.units import TEXT

LAYOUT = 1
EXPORTS = (".parquet", ".csv")
NOTES = "CREATE TABLE notes (number INTEGER PRIMARY KEY, note VARCHAR)"
RESULTS_ASKED = "SELECT results.* EXCLUDE (key, row) FROM results JOIN asked USING (key) ORDER BY place, row"


class Store:
    """The file of one sweep, open for this process alone. Use it as a context manager.

    Raises ModelError for a file that is no sweep, is one of another study, of a newer layout, or in use elsewhere.
    """

    def __init__(self, path, study: Study):
        self.path = Path(path)
        self._notes: dict[str, int] | None = None  # those of the file, as long as it is known what these are
        require(self.path.parent.is_dir(), f"sweep {path}: there is no folder {self.path.parent}")
        require(self.path.suffix.lower() not in EXPORTS, f"sweep {path}: it is kept as DuckDB; --export writes {path}")
        a_file = not there_is(self.path) or self.path.is_file()
        require(a_file, f"sweep {path}: this is a folder or a device, and no file; name another one")
        try:
            self._file = duckdb.connect(str(self.path))
        except duckdb.Error as error:
            raise ModelError(f"sweep {path}: {_why_not_opened(error)}") from None
        try:
            self._open(study)
        except ModelError:
            self._file.close()
            raise

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_) -> None:
        with contextlib.suppress(duckdb.Error):  # a full disk: what was committed is in the file or in its log
            self._file.close()

    def _open(self, study: Study) -> None:
        tables = {name for (name,) in self._file.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
        if not tables:
            self._write(self._create, study)
            return
        require({"about", "points"} <= tables, f"sweep {self.path}: this DuckDB file holds no sweep; name another one")
        about = dict(self._file.execute("SELECT name, value FROM about").fetchall())
        layout = int(about["layout"])
        require(layout <= LAYOUT, f"sweep {self.path}: it is of layout {layout}, of a newer pagecost: update pagecost")
        require(
            about["study"] == study.name,
            f"sweep {self.path}: it holds answers of {about['study']}, not of {study.name}; name another file",
        )
        if "notes" not in tables:  # of a pagecost that kept none
            self._write(self._file.execute, NOTES)

    def _create(self, study: Study) -> None:
        self._file.execute("CREATE TABLE about (name VARCHAR PRIMARY KEY, value VARCHAR)")
        self._file.execute("CREATE TABLE points (key VARCHAR PRIMARY KEY, seconds DOUBLE, error VARCHAR)")
        self._file.execute("CREATE TABLE answers (key VARCHAR, row INTEGER)")
        self._file.execute(NOTES)
        about = {"layout": str(LAYOUT), "study": study.name, "title": study.title}
        self._file.executemany("INSERT INTO about VALUES (?, ?)", list(about.items()))

    def finished(self) -> set[str]:
        """The keys of the points that have an answer; one that was refused is asked again."""
        return {key for (key,) in self._file.execute("SELECT key FROM points WHERE error IS NULL").fetchall()}

    def require_same(self, same: Mapping[str, Any], over: Iterable[str]) -> None:
        """Raise ModelError unless the answers that are here have the same inputs, and are swept over the same ones.

        same: name -> plain value of each input that is not swept over. Answers that differ in an input of which no
        column tells could not be told apart. An input that the file does not know is one of a later pagecost, and may
        have any value.
        """
        if not self._has_answers():
            return
        about = dict(self._file.execute("SELECT name, value FROM about WHERE name = 'inputs'").fetchall())
        columns = [name for name, *_ in self._file.execute("DESCRIBE points").fetchall()]
        swept = [name.removeprefix("over_") for name in columns if name.startswith("over_")]
        there = _said_of(json.loads(about.get("inputs", "{}")), swept)
        differ = [
            f"{name} {there[name]} there and {said} here"
            for name, said in _said_of(same, over).items()
            if there.get(name, said) != said
        ]
        require(not differ, f"sweep {self.path}: its answers have other inputs: {', '.join(differ)}; name another file")

    def describe(self, about: Mapping[str, str]) -> None:
        """Write down what the sweep was made with, by name. Raises ModelError where that cannot be written."""
        rows = list(about.items())
        self._write(self._file.executemany, "INSERT OR REPLACE INTO about VALUES (?, ?)", rows)

    def keep(self, point, seconds: float, table: Mapping[str, Any] | None, error: str | None) -> None:
        """Write one finished point: its answer, or why there is none. A point that is there already stays as it is.

        table: `columns` (name -> plain values), `units` and `notes`. Raises ModelError where it cannot be written; the
        points before it stay.
        """
        self._write(self._insert, point, seconds, table, error)

    def _insert(self, point, seconds: float, table: Mapping[str, Any] | None, error: str | None) -> None:
        if self._file.execute("SELECT 1 FROM points WHERE key = ? AND error IS NULL", [point.key]).fetchone():
            return
        self._file.execute("DELETE FROM points WHERE key = ?", [point.key])
        over = {f"over_{name}": _plain(value) for name, value in point.over.items()}
        self._grow("points", {"notes": "INTEGER[]"} | {name: _type(value) for name, value in over.items()})
        notes = [] if table is None else self._numbered(table["notes"])
        one = {"key": point.key, "seconds": seconds, "error": error, "notes": notes, **over}
        self._add("points", {name: [value] for name, value in one.items()})
        if table is None:
            return
        columns, units = table["columns"], table["units"]
        self._grow("answers", {name: "VARCHAR" if units[name] == TEXT else _numeric(columns[name]) for name in columns})
        self._file.execute("INSERT OR REPLACE INTO about VALUES ('units', ?)", [json.dumps(units)])
        size = len(next(iter(columns.values())))
        self._add("answers", {"key": [point.key] * size, "row": list(range(size)), **columns})

    def _numbered(self, notes: Sequence[str]) -> list[int]:
        """The numbers of these notes; one that the file does not hold yet is added."""
        if self._notes is None:
            self._notes = dict(self._file.execute("SELECT note, number FROM notes").fetchall())
        new = [note for note in dict.fromkeys(notes) if note not in self._notes]
        if new:
            numbers = range(len(self._notes), len(self._notes) + len(new))
            self._add("notes", {"number": numbers, "note": new})
            self._notes |= dict(zip(new, numbers, strict=True))
        return [self._notes[note] for note in notes]

    def _grow(self, table: str, wanted: Mapping[str, str]) -> None:
        """Add the columns that the table lacks; the view follows."""
        there = {name: kind for name, kind, *_ in self._file.execute(f"DESCRIBE {table}").fetchall()}
        missing = {name: kind for name, kind in wanted.items() if name not in there}
        wider = [name for name, kind in wanted.items() if there.get(name) == "BIGINT" and kind == "DOUBLE"]
        for name, kind in missing.items():
            self._file.execute(f"ALTER TABLE {table} ADD COLUMN {_quoted(name)} {kind}")
        for name in wider:
            self._file.execute(f"ALTER TABLE {table} ALTER {_quoted(name)} TYPE DOUBLE")
        if missing or wider:
            self._file.execute(
                "CREATE OR REPLACE VIEW results AS SELECT points.* EXCLUDE (error, seconds, notes), "
                "answers.* EXCLUDE (key) FROM answers JOIN points USING (key)"
            )

    def _add(self, table: str, columns: Mapping[str, Sequence]) -> None:
        """Append rows, given as columns of one length, by one statement: one for each row takes six times as long."""
        names, lists = ", ".join(map(_quoted, columns)), ", ".join(["unnest(?)"] * len(columns))
        self._file.execute(f"INSERT INTO {table} ({names}) SELECT {lists}", [list(each) for each in columns.values()])

    def _write(self, work, *given) -> None:
        """Do it whole or not at all."""
        try:
            self._file.execute("BEGIN")
            work(*given)
            self._file.execute("COMMIT")
        except duckdb.Error as error:
            self._notes = None
            with contextlib.suppress(duckdb.Error):  # a commit that failed has rolled back already
                self._file.execute("ROLLBACK")
            first = str(error).splitlines()[0]
            raise ModelError(
                f"sweep {self.path}: it cannot be written ({first}); the points before are in it: make room, then ask "
                "the same again"
            ) from None

    def records(self, keys: Sequence[str]) -> list[dict]:
        """The results of these points, a dictionary per row, in the order of the keys."""
        if not self._has_answers():
            return []
        self._ask_for(keys)
        found = self._file.execute(RESULTS_ASKED)
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def refused(self, keys: Sequence[str]) -> list[str]:
        """The sentences of those points that have no answer, each once."""
        found = self._file.execute(
            "SELECT DISTINCT error FROM points WHERE error IS NOT NULL AND key IN (SELECT unnest(?)) ORDER BY 1",
            [list(keys)],
        )
        return [error for (error,) in found.fetchall()]

    def notes(self, keys: Sequence[str]) -> list[tuple[str, int]]:
        """What is said beside the answers of these points, and of how many of them, of most first.

        Points that a pagecost without notes has answered say nothing.
        """
        if "notes" not in {name for name, *_ in self._file.execute("DESCRIBE points").fetchall()}:
            return []
        return self._file.execute(
            "SELECT note, count(DISTINCT key) FROM (SELECT key, unnest(points.notes) AS number FROM points WHERE error "
            "IS NULL AND key IN (SELECT unnest(?))) JOIN notes USING (number) GROUP BY note ORDER BY 2 DESC, 1",
            [list(keys)],
        ).fetchall()

    def export(self, path, keys: Sequence[str]) -> None:
        """Write the results of these points as a Parquet or CSV file, told by its ending, whole or not at all.

        Raises ModelError for another ending, and where it cannot be written.
        """
        target, ending = Path(path), ending_of(path)
        require(self._has_answers(), f"{path}: no point has an answer, so there is nothing to write")
        temporary = target.with_name(f".{target.name}.unfinished")
        about = self._file.execute("SELECT name, value FROM about").fetchall()
        known_by = ", ".join(f"{_text(name)}: {_text(value)}" for name, value in about)
        options = f"FORMAT parquet, KV_METADATA {{{known_by}}}" if ending == ".parquet" else "FORMAT csv, HEADER"
        self._ask_for(keys)
        try:
            self._file.execute(f"COPY ({RESULTS_ASKED}) TO {_text(str(temporary))} ({options})")
            temporary.replace(target)
        except (duckdb.Error, OSError) as error:
            temporary.unlink(missing_ok=True)
            raise ModelError(f"{path}: it cannot be written: {str(error).splitlines()[0]}") from None

    def _ask_for(self, keys: Sequence[str]) -> None:
        """Put the keys with their places into the table that `RESULTS_ASKED` joins."""
        self._file.execute(
            "CREATE OR REPLACE TEMP TABLE asked AS SELECT unnest(?) AS key, generate_subscripts(?, 1) AS place",
            [list(keys), list(keys)],
        )

    def _has_answers(self) -> bool:
        return self._file.execute("SELECT 1 FROM answers LIMIT 1").fetchone() is not None


def _said_of(same: Mapping[str, Any], over: Iterable[str]) -> dict[str, str]:
    """Of each input, that it is swept over, or its value."""
    return dict.fromkeys(over, "is swept over") | {name: f"is {value}" for name, value in same.items()}


def _why_not_opened(error: duckdb.Error) -> str:
    said = str(error).splitlines()[0].removeprefix("IO Error: ")
    if said.startswith("Could not set lock") or "used by another process" in said:
        return "another process has it open"
    if "not a valid DuckDB database file" in said:
        return "it is no file of a sweep; name another one"
    return f"it cannot be opened or made there ({said}); name another one"


def ending_of(path) -> str:
    """The ending of an exported file. Raises ModelError for one that is not written."""
    ending = Path(path).suffix.lower()
    require(ending in EXPORTS, f"{path}: results are written as {' or '.join(EXPORTS)}")
    return ending


def _plain(value):
    if isinstance(value, list) and all(isinstance(each, int | float | str) for each in value):
        return ",".join(map(str, value))
    return value if isinstance(value, int | float | str | bool) else json.dumps(value)


def _type(value) -> str:
    kinds = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE"}
    return kinds.get(type(value), "VARCHAR")


def _numeric(values: Sequence) -> str:
    whole = all(isinstance(value, int) for value in values if value is not None) and any(v is not None for v in values)
    return "BIGINT" if whole else "DOUBLE"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
