"""The questions that pagecost answers, one file each in the room of its topic. Faces show whatever is in `STUDIES`."""

import importlib
from collections.abc import Sequence

from pagecost import registry, walk
from pagecost.errors import known
from pagecost.studies.study import PLACES, Column, Growing, Result, Study, StudyInputs, no_progress
from pagecost.workload import traces

STUDIES: dict[str, Study] = registry.find(__name__, "STUDY")
"""Every study by its name."""


def _topics() -> dict[str, tuple[str, ...]]:
    """A study belongs to the topic in whose folder it stands."""
    rooms = {name: importlib.import_module(f"{__name__}.{name}") for name in {s.topic for s in STUDIES.values()}}
    of_topic = {name: [study.name for study in STUDIES.values() if study.topic == name] for name in rooms}
    ranked = sorted(rooms, key=lambda name: rooms[name].RANK)
    return {rooms[name].TITLE: _in_order(of_topic[name], rooms[name].ORDER) for name in ranked}


def _in_order(names: Sequence[str], order: Sequence[str]) -> tuple[str, ...]:
    """The names by their place in `order`; behind them, as they were, those that it leaves out."""
    place = {name: number for number, name in enumerate(order)}
    return tuple(sorted(names, key=lambda name: place.get(name, len(place))))


TOPICS: dict[str, tuple[str, ...]] = _topics()
"""The names of the studies of each topic by its title, along the I/O path."""

__all__ = [
    "PLACES",
    "STUDIES",
    "TOPICS",
    "Column",
    "Growing",
    "Result",
    "Study",
    "StudyInputs",
    "find",
    "no_progress",
    "warm",
]


def find(name: str) -> Study:
    """The study of that name. Raises ModelError that lists the known ones."""
    return STUDIES[known("study", name, STUDIES)]


def warm(*, thoroughly: bool = False) -> None:
    """Answer every study once with its defaults, and walk the path, so that their kernels are compiled or loaded.

    thoroughly: with its presets too, which between them use every kernel; this takes some seconds.
    """
    for study in STUDIES.values():
        for preset in (None, *(study.presets if thoroughly else ())):
            study.compute(study.inputs(preset=preset))
    traces.warm()
    walk.warm()
