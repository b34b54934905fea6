"""The records of `datasets/claims`: a statement of a paper, and how it is checked."""

import functools
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pagecost import catalogue
from pagecost.claims.papers import PAPERS
from pagecost.errors import ModelError, known, require

KINDS = {
    "input": "a number that we put in; the check says that it arrived",
    "arithmetic": "it follows from the paper's own numbers by a formula; no model is asked",
    "mechanism": "the model does what its definition says; no load and no device could refute it",
    "fitted": "a parameter, a threshold or a switch was set with the answer in sight; no evidence for the model",
    "conditional": "it came out, but of a run that reads something fitted or assumed",
    "predicted": "it came out, nothing fitted or assumed decided it, and another outcome was possible",
    "context": "taught and cited, not checked",
}


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One statement. stated: as the paper prints it; used: the value compared with, in `unit`.

    anchor: three to eight words, quoted, that stand in the paper at `place`. repeats: the id of the line that says the
    same already, which alone is counted. rivals: simpler explanations, in the form of a control, under each of which a
    prediction that says something must fail too; numbers have a rival besides, no_effect: what the number is where
    there is nothing to explain, 0 or, of an amplification or a ratio, 1.
    tolerance: largest difference from `used` that still holds, in `unit`; None for text, which must be equal.
    measure: name and arguments of a function of `measures`; study: the study it asks, if any. control: a change of
    the engine or of the inputs under which the claim must fail (a claim that cannot fail says nothing).
    should_hold: False where it is known, and explained in the note, that it does not; undecided: that chance does not
    let it be said. where: the file and the line that it stands in.
    """

    id: str
    paper: str
    place: str
    statement: str
    stated: str | float
    used: str | float
    unit: str
    tolerance: float | None
    tolerance_reason: str
    kind: str
    measure: Mapping = field(default_factory=dict)
    control: Mapping = field(default_factory=dict)
    should_hold: bool = True
    note: str = ""
    anchor: str = ""
    repeats: str = ""
    rivals: tuple[Mapping, ...] = ()
    no_effect: float = 0.0
    undecided: bool = False
    where: str = ""

    def __post_init__(self):
        known(f"kind of claim {self.id}", self.kind, KINDS)
        known(f"paper of claim {self.id}", self.paper, PAPERS)
        number = not isinstance(self.used, str)
        require(number == (self.tolerance is not None), f"claim {self.id}: a number needs a tolerance, a text has none")
        require(not number or bool(self.tolerance_reason), f"claim {self.id}: its tolerance has no reason")
        checked = self.kind != "context"
        require(
            checked == bool(self.measure),
            f"claim {self.id}: {self.kind} claims {'need a' if checked else 'have no'} measure",
        )
        require(not checked or bool(self.control), f"claim {self.id}: no control says when it must fail")

    @property
    def item(self) -> str:
        """The item of the paper that it belongs to."""
        return self.id.split(".")[0]

    @property
    def expected(self) -> str:
        """What its check is expected to say."""
        return "undecided" if self.undecided else "holds" if self.should_hold else "fails"

    @property
    def study(self) -> str:
        """The study that reproduces it, or empty."""
        return self.measure.get("study", "")


def claims(paper: str | None = None) -> list[Claim]:
    """All claims, or those of one paper, in the order of the files. Raises ModelError for an unknown paper."""
    if paper is not None:
        known("paper", paper, PAPERS)
    return [claim for claim in _all() if paper in (None, claim.paper)]


@functools.cache
def _all() -> tuple[Claim, ...]:
    found = tuple(load(catalogue.root() / "claims"))
    names = [claim.id for claim in found]
    twice = {name for name in names if names.count(name) > 1}
    require(not twice, f"claims with the same id: {', '.join(sorted(twice))}")
    return found


def load(folder: Path) -> Iterator[Claim]:
    """Read every claim of `folder/*.toml`. Raises ModelError that names the file, its line and the claim."""
    for path in sorted(folder.glob("*.toml"), key=lambda path: list(PAPERS).index(known("paper", path.stem, PAPERS))):
        text = path.read_text("utf8")
        records, lines = read_toml(path.name, text), _lines(text)
        for record in records.get("claim", []):
            yield _claim(path, lines.get(record.get("id"), 0), record)
        for record in records.get("table", []):
            where = f"{path.name}, line {lines.get(record.get('id'), 0)}"
            for cell in _cells(where, record):
                yield _claim(path, lines.get(record["id"], 0), cell)


def read_toml(name: str, text: str) -> dict:
    """The records of a file. Raises ModelError that names the file and the line of a slip of the pen."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"(.*) \(at line (\d+), column \d+\)$", str(error))
        place, said = (f", line {found[2]}", found[1]) if found else ("", str(error))
        raise ModelError(f"{name}{place}: this is no TOML: {said[0].lower()}{said[1:]}") from None


def _lines(text: str) -> dict[str, int]:
    """The line, counted from 1, in which the record of an id says it."""
    found = ((re.match(r'id\s*=\s*"([^"]*)"', line), number) for number, line in enumerate(text.splitlines(), 1))
    return {match[1]: number for match, number in found if match}


def _claim(path: Path, line: int, record: Mapping) -> Claim:
    where = f"{path.name}, line {line}"
    values = {"tolerance": None, "tolerance_reason": "", "unit": "text", **record, "where": where}
    values.setdefault("used", values.get("stated"))
    rival = values.pop("rival", ())  # one, or several in a list
    values["rivals"] = (rival,) if isinstance(rival, Mapping) else tuple(rival)
    try:
        return Claim(paper=path.stem, **values)
    except (TypeError, ModelError) as error:
        said = str(error).replace("Claim.__init__()", f"claim {record.get('id')}")
        raise ModelError(f"{where}: {said}") from None


def _cells(where: str, table: Mapping) -> Iterator[dict]:
    """A table of the paper as one claim per cell; {row} and {column} in its texts become the cell's keys.

    rows and columns map the key in the id to the value that the measure takes. `translate` maps printed text to the
    name used here, `controls` to the control of such a cell. `fails` lists the cells known not to hold, `undecided`
    those of which chance does not let one say. `repeats` is one line for all cells, or the line of each that has one.
    tolerance_share: a cell's tolerance is this share of its printed value where that is more than `tolerance`.
    Raises ModelError for a table without one of these, or whose cells are not as many as its rows and columns.
    """
    for name in ("id", "rows", "columns", "cells"):
        require(name in table, f"{where}: a table has no {name}")
    shape, wanted = [len(row) for row in table["cells"]], [len(table["columns"])] * len(table["rows"])
    require(shape == wanted, f"{where}: table {table['id']} has rows of {shape} cells; its keys want {wanted}")
    repeated = table["repeats"] if isinstance(table.get("repeats"), Mapping) else {}
    of_table = {"rows", "columns", "cells", "fails", "undecided", "translate", "controls", "tolerance_share"}
    of_table |= {"repeats"} if repeated else set()
    shared = {key: value for key, value in table.items() if key not in of_table}
    known_not_to_hold = table.get("fails", ())
    for (row, row_value), printed in zip(table["rows"].items(), table["cells"], strict=True):
        for (column, column_value), stated in zip(table["columns"].items(), printed, strict=True):
            cell = _fill(shared, {"{row}": row_value, "{column}": column_value})
            cell["id"] = f"{table['id']}.{column}.{row}"
            cell["stated"] = stated
            cell["used"] = table.get("translate", {}).get(stated, stated) if isinstance(stated, str) else stated
            if "tolerance_share" in table:
                cell["tolerance"] = max(table["tolerance"], table["tolerance_share"] * stated)
            if "controls" in table:
                cell["control"] = table["controls"][stated]
            cell["should_hold"] = f"{column}.{row}" not in known_not_to_hold
            cell["undecided"] = f"{column}.{row}" in table.get("undecided", ())
            if f"{column}.{row}" in repeated:
                cell["repeats"] = repeated[f"{column}.{row}"]
            yield cell


def _fill(value, names: Mapping):
    """Replace {row} and {column}, alone or inside text, everywhere in a nested record."""
    if isinstance(value, dict):
        return {key: _fill(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [_fill(item, names) for item in value]
    if isinstance(value, str):
        if value in names:
            return names[value]
        for mark, replacement in names.items():
            value = value.replace(mark, str(replacement))
    return value
