"""Answers to the defaults and presets of the studies, computed once for all processes of a test run.

Each is computed and looked at by tests of its own; whoever draws or prints it need not compute it again.
"""

import contextlib
import functools
import hashlib
import os
import pickle
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pagecost import studies
from pagecost.studies import Study, no_progress


@contextlib.contextmanager
def remembering(folder: Path, *, reuse: bool) -> Iterator[None]:
    """Studies keep their answers in `folder`, and with `reuse` take them from there. Other inputs are computed."""
    folder.mkdir(exist_ok=True)
    computes = [(study, study.compute) for study in studies.STUDIES.values()]
    for study, compute in computes:
        object.__setattr__(study, "compute", functools.partial(_answer, study, compute, folder, reuse))
    try:
        yield
    finally:
        for study, compute in computes:
            object.__setattr__(study, "compute", compute)


def _answer(study: Study, compute, folder: Path, reuse: bool, inputs, progress=no_progress):
    asked = [study.inputs(), *(study.inputs(preset=preset) for preset in study.presets)]
    if inputs not in asked:
        return compute(inputs, progress)
    place = folder / hashlib.sha256(f"{study.name} {inputs.model_dump_json()}".encode()).hexdigest()
    if reuse and place.exists():
        return pickle.loads(place.read_bytes())
    answer = compute(inputs, progress)
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        pickle.dump(answer, file)
    os.replace(file.name, place)  # whole or not at all: another process may read
    return answer
