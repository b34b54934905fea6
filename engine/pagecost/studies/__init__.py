"""The questions that pagecost answers, one file each. A face shows whatever stands in `STUDIES`."""

from pagecost.errors import known
from pagecost.studies import block_size, buffer_size, disk_scheduling, translation_layers, write_amplification
from pagecost.studies.study import Column, Result, Study, StudyInputs, no_progress

STUDIES: dict[str, Study] = {
    study.STUDY.name: study.STUDY
    for study in (block_size, buffer_size, disk_scheduling, write_amplification, translation_layers)
}
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
