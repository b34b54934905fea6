"""What an exploration takes of a system: the line above its chart that says so."""

import html
from collections.abc import Mapping
from os import PathLike
from typing import Any

import ipywidgets as widgets

from pagecost import system
from pagecost.errors import require
from pagecost.studies import Study
from pagecost.studies.taking import Taken, money_inputs
from pagecost.system import System

Given = System | str | PathLike | None
"""A system, the path of its file, or none."""


def read(given: Given) -> System | None:
    """The system that is given. Raises ModelError for a file that is none."""
    return given if given is None or isinstance(given, System) else system.read(given)


class TakenLine(widgets.HTML):
    """Says which inputs are those of the system, and which cannot be and why.

    Raises ModelError where nothing can be taken.
    """

    def __init__(self, study: Study, mine: System | None, preset: str | None, values: Mapping):
        super().__init__()
        self._study, self._name = study, mine.name if mine else ""
        self._taken = study.of_system(mine, preset, values) if mine else Taken({}, {}, {})
        self._currencies: dict[str, Any] = {}  # of amounts, as they were taken: input -> what its currency's input said
        if mine is not None:
            why = "; ".join(self._taken.refused.values()) or "none of its inputs is part of one"
            require(bool(self._taken.values), f"{study.name} can take nothing from {mine.name}: {why}")

    def show(self, values: Mapping) -> None:
        """Say it for the values that the inputs have now: what was set otherwise is not of the system any more."""
        fields = self._study.Inputs.model_fields
        now = {name: values[currency] for name, currency in money_inputs(self._study.Inputs).items()}
        self._currencies = self._currencies or now
        kept = [
            fields[name].title or name
            for name, value in self._taken.values.items()
            if values[name] == value and now.get(name) == self._currencies.get(name)
        ]
        lines = [f"◆ from {self._name}: {', '.join(kept)}"] if kept else []
        lines += [f"not from {self._name}: {why}" for why in self._taken.refused.values()]
        text = "<br>".join(map(html.escape, lines))
        self.value = f'<div class="pagecost-taken" role="status">{text}</div>' if lines else ""
