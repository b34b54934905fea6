"""What a chart changes from answer to answer, as BokehJS takes it: the chart once, then only what differs.

A property of a model, or a column of a data source, is a place; what stands there in an answer is a value, which is
kept once however many answers have it. Every value is the one that a notebook would be sent: to the last digit.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from bokeh.core.serialization import Serializer
from bokeh.document import Document
from bokeh.document.events import ColumnDataChangedEvent, ModelChangedEvent
from bokeh.model import Model
from bokeh.models import ColumnDataSource

from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart

THEMES = ("light", "dark")
DATA = "data"  # the property of a data source that has its columns


class Place(NamedTuple):
    """Where something changes: the id of a model, its property, and of a data source's data the column."""

    model: str
    attribute: str
    column: str = ""


class Recorder:
    """A chart in a document of its own, and what its changes touch.

    first: the document as it was given, light, for BokehJS. columns: the numbers of those of `values` that have some.
    """

    def __init__(self, chart: StudyChart):
        self.chart = chart
        self.document = Document()
        self.document.theme = style.theme(False)
        chart.recolour(False)
        self.document.add_root(chart.root)
        self.first = self.document.to_json(deferred=False)
        self._known = set(self.document.models.synced_references)
        self._models: dict[str, Model] = {}
        self._touched: set[tuple[str, str]] = set()
        self._anew: set[tuple[str, str]] = set()  # what must be written with every answer
        self._defining: set[int] = set()  # values that bring models along
        self._plain = Serializer(references=self._known, deferred=False)  # for what has no models
        self._texts: dict[str, int] = {}
        self.columns: dict[int, np.ndarray] = {}
        self.document.on_change(self._changed)
        models: Any = self.document.models
        models.invalidate = lambda: None  # looking for new models takes long; `_number` finds them

    def states(self, draws: Sequence[Callable[[], None]]) -> dict[str, list[dict[Place, int]]]:
        """By theme: after each of `draws`, what stands at every place that any of them or the theme touches, as places
        of `values`.

        The first of them must draw the answer that the chart was recorded with. Draws are not repeated for the dark
        theme where they touch nothing that the theme does.
        """
        by_theme = self._touches(lambda: self._theme(True))
        dark_first = self._standing(by_theme)
        self._theme(False)
        light = self._drawn(draws, by_theme)
        if by_theme & {
            (place.model, place.attribute) for state in light for place in state if self._moves(light, place)
        }:
            self._theme(True)
            dark = self._drawn(draws, by_theme | {(place.model, place.attribute) for place in light[0]})
            self._theme(False)
            return dict(zip(THEMES, (light, dark), strict=True))
        return dict(zip(THEMES, (light, [state | dark_first for state in light]), strict=True))

    def _drawn(self, draws: Sequence[Callable[[], None]], wanted: set[tuple[str, str]]) -> list[dict[Place, int]]:
        """The states after each draw at the places that are wanted, and those that the draws touch."""
        stand: dict[Place, int] = {}
        changes = []
        for draw in draws:
            touched = self._touches(draw)
            wanted = wanted | touched
            changes.append(self._standing(touched | self._anew))
        self._touches(draws[0])
        stand = self._standing(wanted)  # as it is where nothing was touched yet
        states = []
        for change in changes:
            sources = {(place.model, place.attribute) for place in change if place.column}
            stand = {place: value for place, value in stand.items() if place[:2] not in sources} | change
            states.append(stand)
        return states

    @staticmethod
    def _moves(states: Sequence[Mapping[Place, int]], place: Place) -> bool:
        return len({state.get(place, -1) for state in states}) > 1

    @property
    def values(self) -> list[str]:
        """Every value that occurs, as JSON."""
        return list(self._texts)

    def _theme(self, dark: bool) -> None:
        self.document.theme = style.theme(dark)
        self.chart.recolour(dark)

    def _changed(self, event) -> None:
        if isinstance(event, ModelChangedEvent | ColumnDataChangedEvent) and event.model in self._known:
            self._models[event.model.id] = event.model
            self._touched.add((event.model.id, event.attr))

    def _touches(self, action: Callable[[], None]) -> set[tuple[str, str]]:
        """The properties that an action sets."""
        self._touched = set()
        action()
        return self._touched

    def _standing(self, properties: Iterable[tuple[str, str]]) -> dict[Place, int]:
        """What stands at these properties now."""
        state = {}
        for model, attribute in properties:
            owner = self._models[model]
            held = getattr(owner, attribute)
            if attribute == DATA and isinstance(owner, ColumnDataSource):
                for column, values in held.items():
                    state[Place(model, attribute, column)] = self._number(values, self._plain)
                continue
            fresh = Serializer(references=self._known, deferred=False) if _may_have_models(held) else self._plain
            number = state[Place(model, attribute)] = self._number(held, fresh)
            if number in self._defining:  # a model of its own, which may be changed in place
                self._anew.add((model, attribute))
        return state

    def _number(self, value, serializer: Serializer) -> int:
        """The place of a value among all. What it says of a new model goes along: the page has it not yet."""
        text = json.dumps(serializer.encode(value), separators=(",", ":"), default=_bytes)
        number = self._texts.setdefault(text, len(self._texts))
        if '"type":"object"' in text:
            self._defining.add(number)
        if number not in self.columns and (numbers := _numbers(value)) is not None:
            self.columns[number] = numbers
        return number


def _may_have_models(value) -> bool:
    return not (value is None or isinstance(value, str | int | float))


def _numbers(value) -> np.ndarray | None:
    """A number or a column of them that is drawn between two others; None for what has no order, or is counted."""
    if isinstance(value, float):
        return np.array([value])
    if isinstance(value, np.ndarray | list) and len(value):
        column = np.asarray(value)
        return column if column.dtype.kind == "f" and column.ndim == 1 else None
    return None


def _bytes(value):
    """What Bokeh leaves to its own encoder of JSON: bytes."""
    return value.to_base64()


def compact(states: dict[str, list[dict[Place, int]]], recorder: Recorder) -> dict[str, Any]:
    """The states for JSON: what only the theme changes apart from what changes from answer to answer.

    values: as Bokeh decodes them; numbers: those that can be drawn between. places: of what changes. always[theme]:
    (place, value) that all answers have. points[theme]: of each answer the values at the places in their order, -1
    where a column is not there; none where the dark ones are the light ones.
    """
    everything = list(dict.fromkeys(place for theme in THEMES for state in states[theme] for place in state))
    changing = [place for place in everything if _changes(states, place)]
    sources = {place.model for place in changing if place.column}  # whose columns change together
    moving = [place for place in everything if place in set(changing) or (place.column and place.model in sources)]
    still = [place for place in everything if place not in set(moving)]
    always = {theme: {place: states[theme][0][place] for place in still} for theme in THEMES}
    differing = [place for place in still if len({always[theme][place] for theme in THEMES}) > 1]
    points = {theme: [[state.get(place, -1) for place in moving] for state in states[theme]] for theme in THEMES}
    if points["light"] == points["dark"]:
        points["dark"] = []
    used = {value for theme in THEMES for row in points[theme] for value in row if value >= 0}
    used |= {always[theme][place] for theme in THEMES for place in differing}
    number_of = {value: number for number, value in enumerate(sorted(used))} | {-1: -1}
    return {
        "values": [json.loads(recorder.values[value]) for value in sorted(used)],
        "numbers": [number_of[value] for value in sorted(used) if value in recorder.columns],
        "places": [list(place) for place in moving],
        "always": {theme: [[list(place), number_of[always[theme][place]]] for place in differing] for theme in THEMES},
        "points": {theme: [[number_of[value] for value in row] for row in points[theme]] for theme in THEMES},
    }


def _changes(states: dict[str, list[dict[Place, int]]], place: Place) -> bool:
    """Whether a place changes from answer to answer, or is a column that changes with the theme."""
    seen = [{state.get(place, -1) for state in states[theme]} for theme in THEMES]
    return any(len(each) > 1 for each in seen) or bool(place.column and seen[0] != seen[1])
