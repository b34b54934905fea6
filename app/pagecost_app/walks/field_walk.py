"""A walk whose inputs are declared: asked anew with some of them changed, and an error changes nothing."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from pagecost.errors import known
from pagecost_app.walks.asking import Asks, kept_within
from pagecost_app.walks.fields import NUMBER, Field, of


class FieldWalk(Asks):
    """Where one stands in a walk that values of `declared` describe. values: those that differ from the declared ones.

    Raises ModelError for what is not possible.
    """

    declared: ClassVar[tuple[Field, ...]]
    """The inputs."""

    def __init__(self, **values: Any):
        super().__init__()
        self.values = of(self.declared)
        self.position = 0
        self.ask(**values)

    def ask(self, **values: Any) -> None:
        """Another question, on from where `_place` says, as far as there are steps. An error changes nothing."""
        for name in values:
            known("input of the stepper", name, self.values)
        asked = self.values | values
        place = self._place(asked)
        self._walk(asked)
        self.values = asked
        self.position = min(place, self.size)
        self.asked_anew()

    @abstractmethod
    def _walk(self, asked: dict[str, Any]) -> None:
        """Do the whole walk, and set what it is known by when all has gone well. Raises ModelError."""

    def _place(self, asked: Mapping[str, Any]) -> int:
        """Where one stands after another question: where one stood."""
        return self.position

    def _keep_numbers_within(self, asked: dict[str, Any]) -> None:
        """Make whole numbers of the number fields. Raises ModelError for one beyond its bounds."""
        for field in self.declared:
            if field.kind == NUMBER:
                asked[field.name] = kept_within(asked[field.name], field.least, field.most, field.label.lower())
