"""What a walk may be asked with, declared once: from it the app makes its controls and a lesson its widgets."""

from typing import Any, NamedTuple

CHOICE, NUMBER, TEXT = "choice", "number", "text"


class Field(NamedTuple):
    """An input by the name that the walk's `ask` knows it by. options: of a choice, value -> what people read.

    least, most: of a number. about: a sentence on it. only: (another field, its values with which this one counts).
    """

    name: str
    label: str
    kind: str
    value: Any
    options: dict[str, str] | None = None
    least: int = 0
    most: int = 0
    about: str = ""
    only: tuple[str, tuple[str, ...]] | None = None

    def counts(self, values: dict) -> bool:
        """Whether it changes anything beside these values of the other fields."""
        return self.only is None or values[self.only[0]] in self.only[1]


def of(fields: tuple[Field, ...]) -> dict[str, Any]:
    """The value of every field at the start, by name."""
    return {field.name: field.value for field in fields}
