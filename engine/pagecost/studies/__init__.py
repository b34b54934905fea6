"""The questions that pagecost answers, one file each, found by name. A face shows whatever stands in `STUDIES`."""

import importlib
import pkgutil

from pagecost.errors import known
from pagecost.studies.study import Column, Result, Study, StudyInputs, no_progress
from pagecost.workload import traces


def _find() -> dict[str, Study]:
    modules = (importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__))
    return {module.STUDY.name: module.STUDY for module in modules if hasattr(module, "STUDY")}


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
