"""`pagecost run`: an answer on the screen, and as files in several forms at once."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pagecost import whole_files
from pagecost.errors import ModelError, known, require
from pagecost.studies import Result, Study, StudyInputs
from pagecost_app import made_with, plain_json, printing
from pagecost_app.command_parts import DataFormat, Output
from pagecost_app.waiting import moving

PICTURES = (".html", ".svg", ".png")
CSV, JSON = ".csv", ".json"


@dataclass(frozen=True)
class Answered:
    """A question, its answer, and how it shall be printed."""

    study: Study
    inputs: StudyInputs
    result: Result
    out: Output

    @property
    def said(self) -> str:
        """The answer in a sentence."""
        return self.study.describe(self.inputs, self.result)

    @functools.cached_property
    def made(self) -> Mapping[str, Any]:
        """What the answer was made with."""
        return made_with.of_study(self.study, self.inputs, self.out.date)


def require_endings(charts: Sequence[Path], exports: Sequence[Path], report: Path | None = None) -> None:
    """Raise ModelError for a file that could not be written, before minutes of work."""
    for path in charts:
        require(path.suffix.lower() in PICTURES, f"a chart is saved as .html, .svg or .png; got {path.name!r}")
    for path in exports:
        require(path.suffix.lower() in (CSV, JSON), f"an answer is written as .csv or .json; got {path.name!r}")
    for path in (*charts, *exports):
        require(path.absolute().parent.is_dir(), f"cannot write {path}: there is no folder {path.parent}")
        require(not path.is_dir(), f"cannot write {path}: that is a folder")
    if report is not None:
        from pagecost_app import answer_report

        answer_report.can_be_written(report)


def write(answered: Answered, charts: Sequence[Path], exports: Sequence[Path], table: str | None) -> None:
    """Write the answer and its charts into files. Raises ModelError for a file that cannot be written."""
    if table is not None:
        known("table", table, answered.result.tables)
    writers: dict[str, Callable[[], str]] = {
        CSV: lambda: made_with.head(answered.made) + answered.result.csv(table),
        JSON: lambda: plain_json.text(record(answered)) + "\n",
    }
    for path in exports:
        try:
            whole_files.write(path, writers[path.suffix.lower()]())
        except OSError as error:
            raise ModelError(f"cannot write {path}: {error.strerror}") from None
    for path in charts:
        with moving(f"drawing {path.name}"):
            from pagecost_app import charts as drawn

            drawn.save(answered.study, answered.inputs, answered.result, path, answered.made)


def write_report(answered: Answered, preset: str | None, path: Path) -> None:
    """Write the answer as one HTML page with all that defends it. Raises ModelError for one that cannot be written."""
    with moving(f"writing {path.name}"):
        from pagecost_app import answer_report
        from pagecost_app.workspace.answers import Answer

        kept = Answer.of(answered.study, preset, answered.inputs, answered.result, answered.said)
        answer_report.write(answer_report.of_answer(kept), path)


def record(answered: Answered) -> dict[str, Any]:
    """The answer as plain values, for JSON."""
    return {"answer": answered.said} | answered.result.record() | {"provenance": answered.made}


def show(answered: Answered, table: str | None) -> None:
    """Print the answer. Raises ModelError for an unknown table."""
    said = "" if answered.out.format == DataFormat.csv else answered.said
    printing.result(answered.result, answered.out, lambda: answered.made, said, table)
