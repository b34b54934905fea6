"""What every exercise is: a question with seeded numbers, a form to fill in, a grade, and a worked solution afterwards.

The kinds are in `kinds`: number, choice, order, curve, configuration, flaw. An answer is a plain JSON value, so that a
record can carry it and a grade can be computed again from it. No answer is stored: each is computed from the engine.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from pagecost.errors import ModelError

FULL = 2  # attempts that earn full points, unless the kind says fewer; each later one earns half of the one before
DRAWS = 400  # how often numbers are drawn anew before an exercise gives up finding some that it can ask with


class Option(NamedTuple):
    """One of what can be chosen or put in order. value: what the answer carries; text: what the learner reads."""

    value: str
    text: str


@dataclass(frozen=True)
class Axis:
    """One direction of a drawing. least, most: its ends [unit]; positions: where a value is wanted, of an x axis."""

    label: str
    unit: str = ""
    least: float = 0.0
    most: float = 1.0
    logarithmic: bool = False
    positions: tuple[float, ...] = ()


@dataclass(frozen=True)
class Field:
    """One thing to be filled in, as any face can draw it.

    kind: "number" (a number in `unit`, or a text with a unit), "choice" (the value of one option), "order" (the values
    of all options in order), "curve" (y at each of x.positions), "inputs" (those inputs of `study` that may be set, by
    name; it starts from `start`), "text" (some lines, for example `example`). near: how exact a number must be, in
    a few words.
    """

    name: str
    kind: str
    label: str
    unit: str = ""
    near: str = ""
    options: tuple[Option, ...] = ()
    x: Axis | None = None
    y: Axis | None = None
    study: str = ""
    inputs: tuple[str, ...] = ()
    start: Mapping[str, Any] = field(default_factory=dict)
    lines: int = 1
    example: str = ""

    @property
    def titled(self) -> str:
        """The label, and how exact a number must be."""
        return f"{self.label} ({self.near})" if self.near else self.label


class Judged(NamedTuple):
    """What is said to an answer. status: passed, failed or todo (nothing that can be graded, which costs no attempt).

    misconception: the words for the wrong idea behind it, where it is known.
    """

    status: str
    message: str
    misconception: str = ""


class Unreadable(Exception):
    """An answer that cannot be graded, and why, in one sentence."""


@dataclass(frozen=True, eq=False, repr=False)
class Exercise(ABC):
    """A question with seeded numbers.

    draw(random) chooses the numbers; lesson_case: those of seed 1, where the lesson explores just that;
    usable(**numbers): whether they may be asked with. `question` is a text with their names in braces; show(numbers)
    adds or rewrites what the texts name. why: said after a right answer, with the same names. steps(**numbers): the
    worked solution, step by step. points: for a right answer at the first or second attempt. attempts: how many a
    variant takes before it is closed, its solution shown and another seed due. lesson: the module that it stands in
    (the registry says it).
    """

    id: str
    question: str
    _: KW_ONLY
    draw: Callable[[random.Random], Mapping] = lambda dice: {}
    lesson_case: Mapping | None = None
    usable: Callable[..., bool] = lambda **numbers: True
    show: Callable[[Mapping], Mapping] = lambda numbers: {}
    why: str = ""
    steps: Callable[..., Iterable[str]] = lambda **numbers: ()
    hints: tuple[str, ...] = ()
    points: int = 1
    attempts: int = 4
    lesson: str = ""

    kind: ClassVar[str] = ""
    full: ClassVar[int] = FULL

    def __repr__(self):
        return f"{type(self).__name__}({self.id!r})"  # fields would show how it is graded

    @property
    def prediction(self) -> bool:
        """Whether it is asked before exploring: one attempt, and afterwards the answer is compared, not corrected."""
        return self.attempts == 1

    def numbers(self, seed) -> dict:
        """The numbers of a variant: the first drawn with which it can be asked (`fits`).

        Raises ModelError if there are none.
        """
        return dict(_numbers(self, str(seed)))

    def asked(self, seed) -> str:
        """The question of a variant."""
        return self.text(self.question, seed)

    def text(self, text: str, seed) -> str:
        """A text with the numbers of a variant put in for their names."""
        numbers = self.numbers(seed)
        return text.format(**numbers | dict(self.show(numbers)))

    def hinted(self, seed) -> tuple[str, ...]:
        """The hints of a variant."""
        return tuple(self.text(hint, seed) for hint in self.hints)

    def grade(self, seed, answer) -> tuple[str, str]:
        """Status ("passed", "failed" or "todo") and message for an answer."""
        return self.judge(seed, answer)[:2]

    def misconception(self, seed, answer) -> str:
        """The words for the wrong idea behind an answer, "" where none is known."""
        return self.judge(seed, answer).misconception

    def judge(self, seed, answer) -> Judged:
        """What is said to an answer; "todo" where nothing can be graded."""
        if is_open(answer):
            return Judged("todo", "replace the ... with your answer, then run this cell again.")
        try:
            judged = self._judge(seed, self._read(seed, answer))
        except Unreadable as complaint:
            return Judged("todo", str(complaint))
        if judged.status == "passed":
            return judged._replace(message=" ".join(filter(None, (judged.message, self.text(self.why, seed)))))
        return judged

    def score(self, attempt: int) -> float:
        """Points for a right answer at the attempt of that number (from 1)."""
        if attempt > self.attempts:
            return 0.0
        return self.points * 0.5 ** max(attempt - self.full, 0)

    def worked(self, seed) -> tuple[str, ...]:
        """The solution of a variant, step by step."""
        return (*self.steps(**self.numbers(seed)), self._closing(seed))

    def fits(self, numbers: Mapping) -> bool:
        """Whether it can be asked with numbers: wrong ideas give something else than the right one and each other."""
        return True

    @abstractmethod
    def form(self, seed) -> tuple[Field, ...]:
        """What is to be filled in. An answer is a dict by the names of the fields; of one field the value will do."""

    @abstractmethod
    def key(self, seed):
        """An answer that passes: for a teacher's key, and to be drawn beside the learner's when a variant is closed."""

    @abstractmethod
    def _judge(self, seed, answer) -> Judged:
        """What is said to an answer that `_read` gave."""

    @abstractmethod
    def _read(self, seed, answer):
        """An answer as `_judge` wants it. Raises Unreadable."""

    @abstractmethod
    def _closing(self, seed) -> str:
        """The last line of the worked solution: the answer."""


@lru_cache(maxsize=4096)
def _numbers(exercise: Exercise, seed: str) -> Mapping:
    if seed == "1" and exercise.lesson_case is not None:
        return exercise.lesson_case
    dice = random.Random(f"{exercise.id} {seed}")
    for _ in range(DRAWS):
        numbers = exercise.draw(dice)
        if exercise.usable(**numbers) and exercise.fits(numbers):
            return numbers
    raise ModelError(f"exercise {exercise.id}: {DRAWS} draws gave no numbers that it can be asked with")


def is_open(answer) -> bool:
    """Whether nothing was answered yet."""
    return answer is None or answer is Ellipsis or (isinstance(answer, str) and answer.strip() in ("", "..."))


def alone(answer, name: str):
    """The value of a form's only field, given alone or by the field's name."""
    return answer[name] if isinstance(answer, dict) and answer.keys() == {name} else answer


def chosen(value, options: Sequence[Option], what: str) -> str:
    """The value of one of the options. Raises Unreadable for anything else."""
    values = [option.value for option in options]
    if not isinstance(value, str) or value not in values:
        raise Unreadable(f"{what}: choose one of {', '.join(values)}; got {str(value)[:40]!r}.")
    return value


def by_name(answer, fields: Iterable[Field]) -> dict:
    """An answer of several fields. Raises Unreadable where it is no dict, or one is missing or unknown."""
    names = [each.name for each in fields]
    if not isinstance(answer, dict) or not answer.keys() <= set(names):
        raise Unreadable(f"the answer has the parts {', '.join(names)}; got {str(answer)[:60]!r}.")
    missing = [name for name in names if is_open(answer.get(name))]
    if missing:
        raise Unreadable(f"still to be filled in: {', '.join(missing)}.")
    return answer
