"""What several tests look at, computed once for all processes of a test run: answers to the studies' defaults and
presets.

Each is computed and looked at by tests of its own; whoever draws or prints it need not compute it again. What it read
is kept beside it: a verdict that rests on a kept answer rests on the same.
"""

import contextlib
import functools
import hashlib
import os
import pickle
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from pagecost import catalogue, reads, studies
from pagecost.studies import Study, StudyInputs, no_progress


@contextlib.contextmanager
def remembering(folder: Path, *, reuse: bool) -> Iterator[None]:
    """Answers are kept in `folder`, and with `reuse` taken from there. Other inputs are computed."""
    folder.mkdir(exist_ok=True)
    computes = [(study, study.compute) for study in studies.STUDIES.values()]
    usual = catalogue.current()  # under a corrupted catalogue nothing is kept

    def keep(place: Path | None, make: Callable[[], object]):
        return make() if place is None or catalogue.current() is not usual else _kept(place, reuse, make)

    for study, compute in computes:
        object.__setattr__(study, "compute", functools.partial(_answer, keep, compute, [*_places(study, folder)]))
    try:
        yield
    finally:
        for study, compute in computes:
            object.__setattr__(study, "compute", compute)


def _places(study: Study, folder: Path) -> Iterator[tuple[StudyInputs, Path]]:
    for preset in (None, *study.presets):
        inputs = study.inputs(preset=preset)
        yield inputs, _place(folder, f"{study.name} {inputs.model_dump_json()}")


def _place(folder: Path, asked: str) -> Path:
    return folder / hashlib.sha256(asked.encode()).hexdigest()


def _answer(keep, compute, places: list[tuple[StudyInputs, Path]], inputs: StudyInputs, progress=no_progress):
    place = next((place for known, place in places if known == inputs), None)
    return keep(place, lambda: compute(inputs, progress))


def _kept(place: Path, reuse: bool, make: Callable[[], object]):
    if reuse and place.exists():
        made, names = pickle.loads(place.read_bytes())
        reads.note(names)
        return made
    with reads.recorded() as names:
        made = make()
    with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as file:
        pickle.dump((made, frozenset(names)), file)
    os.replace(file.name, place)  # whole or not at all: another process may read
    return made
