"""Two translation layers beside each other, request by request: the same string, on the same flash."""

from collections.abc import Mapping
from typing import Any

from pagecost.devices.ftl import LAYERS, told
from pagecost_app.walks.asking import Question
from pagecost_app.walks.field_walk import FieldWalk
from pagecost_app.walks.fields import CHOICE, Field
from pagecost_app.walks.ftl_walk import ERASES, FIELDS, PROGRAMMED, FtlWalk

_NAMES = {name: layer.title for name, layer in LAYERS.items()}
LAYERS_FIELDS = (
    FIELDS[0]._replace(value="fast"),
    Field("beside", "Beside it", CHOICE, "page", _NAMES),
    # what counts for one of the two may not for the other: all of them are offered
    *(field._replace(only=None) for field in FIELDS[1:]),
)


class LayersWalk(FieldWalk):
    """Where one stands in the requests. `walks` are those of the two layers, each after as many requests.

    values: what `LAYERS_FIELDS` names; Raises ModelError for what is not possible.
    """

    declared = LAYERS_FIELDS

    def _place(self, asked: Mapping[str, Any]) -> int:
        return 0

    def _walk(self, asked: dict[str, Any]) -> None:
        one = {name: value for name, value in asked.items() if name != "beside"}
        self.walks = (FtlWalk(**one), FtlWalk(**one | {"layer": asked["beside"]}))

    @property
    def requests(self) -> list[tuple[str, int]]:
        """(verb, page) of each."""
        return self.walks[0].requests

    @property
    def size(self) -> int:  # type: ignore[override]
        """Requests of the whole walk."""
        return len(self.requests)

    def after(self, walk: FtlWalk, position: int) -> int:
        """Operations of one of the two walks that are done after so many requests."""
        return sum(one.request < position for one in walk.happenings)

    def caused(self, walk: FtlWalk, position: int) -> list[told.Happening]:
        """What the request of that number (from 1) made a layer do."""
        return walk.happenings[self.after(walk, position - 1) : self.after(walk, position)]

    def place_of(self, wish: str) -> int:
        """Where a wish leads: behind the next request because of which a block is erased; where there is none, here."""
        for position in range(self.position + 1, self.size + 1):
            if any(one.kind == told.ERASE for walk in self.walks for one in self.caused(walk, position)):
                return position
        return self.position

    def random_text(self, seed: int) -> str:
        """Requests drawn with a seed, mostly writes, most of them to a few pages."""
        return self.walks[0].random_text(seed)

    def spent(self, walk: FtlWalk, position: int) -> tuple[int, int]:
        """(pages programmed, blocks erased) by one of the two for the request of that number (from 1)."""
        rows = walk.spent
        whole = rows[self.after(walk, position)] - rows[self.after(walk, position - 1)]
        return int(whole[PROGRAMMED]), int(whole[ERASES])

    def _move(self, position: int) -> None:
        self.position = position
        for walk in self.walks:
            walk.go(self.after(walk, position))

    def _questions(self) -> list[Question]:
        """A write: which of the two programs more pages because of it?"""
        verb, page = self.requests[self.position]
        if verb != "w":
            return []
        one, other = (self.spent(walk, self.position + 1)[0] for walk in self.walks)
        names = tuple(LAYERS[walk.values["layer"]].title for walk in self.walks)
        if names[0] == names[1]:
            return []
        right = 0 if one > other else 1 if other > one else 2
        text = f"The host writes page {page}. Which of the two programs more pages because of it?"
        return [Question(text, (*names, "both as many"), frozenset({right}))]
