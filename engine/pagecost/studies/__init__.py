"""The questions that pagecost answers, one file each in the room of its topic. Faces show whatever is in `STUDIES`."""

import importlib
import pkgutil

from pagecost.errors import known
from pagecost.studies.study import Column, Result, Study, StudyInputs, no_progress
from pagecost.workload import traces


def _find() -> dict[str, Study]:
    names = (found.name for found in pkgutil.walk_packages(__path__, f"{__name__}."))
    found = (getattr(importlib.import_module(name), "STUDY", None) for name in names)
    return {study.name: study for study in sorted(filter(None, found), key=lambda study: study.name)}


STUDIES: dict[str, Study] = _find()
"""Every study by its name."""

__all__ = ["STUDIES", "Column", "Result", "Study", "StudyInputs", "find", "no_progress", "warm"]


def find(name: str) -> Study:
    """The study of that name. Raises ModelError that lists the known ones."""
    return STUDIES[known("study", name, STUDIES)]


def warm(*, thoroughly: bool = False) -> None:
    """Answer every study once with its defaults, so that its kernels are compiled or loaded.

    thoroughly: with its presets too, which between them use every kernel; this takes some seconds.
    """
    for study in STUDIES.values():
        for preset in (None, *(study.presets if thoroughly else ())):
            study.compute(study.inputs(preset=preset))
    traces.warm()
