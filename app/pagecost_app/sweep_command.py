"""`pagecost sweep`: many inputs of one study, kept in a file that a later run goes on with."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from pagecost import studies, sweep
from pagecost._processors import processors
from pagecost.errors import require
from pagecost.studies import Study
from pagecost.studies.fields import Choices, kind_of
from pagecost.sweep import Point
from pagecost.system import System
from pagecost.units import format_seconds
from pagecost_app import printing

SAID_NOTES = 6


def asked(study: str, over: list[str], sets: list[str], preset: str | None, system: System | None) -> list[Point]:
    """The points of a sweep from the texts of a command line. Raises ModelError as `sweep.grid`."""
    chosen = studies.find(study)
    values = printing.split_lists(chosen, printing.assignments(sets))
    several = {}
    for text in over:
        name, equals, listed = text.partition("=")
        require(bool(equals) and bool(name), f"--over needs NAME=VALUE,VALUE,…; got {text!r}")
        require(name not in several, f"--over {name} stands twice; name all its values once")
        several[name] = _values(chosen, name, listed)
    return sweep.grid(chosen, several, values, preset, system)


def _noted(notes: Sequence[tuple[str, int]], points: int, out: Path) -> list[str]:
    """What is said beside the answers: lines that fit on a screen, with the number of points where it is not of all."""
    if not notes:
        return []
    said = [f"  {note}" + (f" ({of} of {points} points)" if of < points else "") for note, of in notes[:SAID_NOTES]]
    more = len(notes) - SAID_NOTES
    return [
        "to be known of these answers:",
        *said,
        *([f"  and {more} more in the table notes of {out}"] if more > 0 else []),
    ]


def _values(study: Study, name: str, listed: str) -> list:
    """The values of one input; where the input itself takes several, `;` parts those that are asked together."""
    field = study.Inputs.model_fields.get(name)
    takes_several = field is not None and isinstance(kind_of(field), Choices)
    parts = [part.strip() for part in listed.split(";" if ";" in listed else ",") if part.strip()]
    return [[each.strip() for each in part.split(",")] for part in parts] if takes_several else parts


def executor(scheduler: str | None, workers: int | None) -> AbstractContextManager:
    """The cluster of a scheduler, or processes here, as many as there are processors where no number is given."""
    require(scheduler is None or workers is None, "--workers is of this machine; a cluster has its own")
    return sweep.cluster(scheduler) if scheduler else sweep.processes(processors() if workers is None else workers)


def answer(
    study: str,
    points: list[Point],
    out: Path,
    where: AbstractContextManager,
    export: Path | None,
    progress: Callable[[float], None],
) -> tuple[list[dict], str]:
    """Answer the points, write the export: (the results, what was done in sentences)."""
    chosen = studies.find(study)
    if export is not None:
        sweep.ending_of(export)  # before hours of work
    with sweep.Store(out, chosen) as store, where as workers:
        done = sweep.run(chosen, points, store, workers, progress)
        keys = [point.key for point in points]
        found, notes = store.records(keys), store.notes(keys)
        if export is not None:
            store.export(export, keys)
    there = done.points - done.computed
    count = f"{done.points} point{'s' * (done.points != 1)}"
    before = f", {there} {'was' if there == 1 else 'were'} there" if there else ""
    files = f"{out} and {export}" if export else f"{out}"
    said = [
        f"{count} of {study}, {done.computed} computed in {format_seconds(done.seconds)}{before}; all are in {files}"
    ]
    if done.refused:
        said += ["without an answer:", *(f"  {sentence}" for sentence in done.refused)]
    said += _noted(notes, done.points, out)
    return found, "\n".join(said)
