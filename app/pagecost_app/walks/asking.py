"""Question mode: before a step it is asked what will happen, and nothing is shown until all of it was answered."""

import html
from typing import Any, NamedTuple

from pagecost.errors import ModelError


class Question(NamedTuple):
    """A question on the next step. right: the places in `options` of the answers that are right, one or more."""

    text: str
    options: tuple[str, ...]
    right: frozenset[int]


class Asks:
    """What a walk with `size` and `position` needs to ask. A subclass says `_questions()` and `_move(position)`.

    asking: whether it asks. `answered` and `right` count the answers since it was switched on; `feedback` is on the
    last one. Steps that were shown already are not asked for again.
    """

    size: int
    position: int
    asking = False
    answered = right = 0
    feedback = ""
    moved_from = 0  # where the walk stood before it came here

    def __init__(self) -> None:
        self._given: list[int] = []  # answers to the questions on the next step
        self._shown = 0  # the farthest place that was seen

    def _questions(self) -> list[Question]:
        """On the step after this one."""
        raise NotImplementedError

    def _move(self, position: int) -> None:
        """To a place of the walk."""
        raise NotImplementedError

    @property
    def stepped(self) -> bool:
        """Whether the last thing done was one step forward: then a picture may move."""
        return self.moved_from == self.position - 1

    def _step_to(self, position: int) -> None:
        self.moved_from = self.position
        self._move(position)

    def ask_first(self, asking: bool) -> None:
        """Switch question mode on or off; it begins at this place, with no answers."""
        self.asking, self.answered, self.right, self.feedback = asking, 0, 0, ""
        self._given, self._shown = [], self.position

    def asked_anew(self) -> None:
        """Something else is walked through: what was seen of the last one does not count."""
        self._given, self._shown, self.feedback = [], self.position, ""
        self.moved_from = self.position

    def go(self, position: int) -> None:
        """To the place after `position` steps; beyond an end it stops there, and in question mode before a question."""
        goal = min(max(int(position), 0), self.size)
        if goal != self.position:
            self._given = [] if goal < self.position else self._given
        if not self.asking or goal <= max(self._shown, self.position):
            self._step_to(goal)
        else:
            if self.position < self._shown:
                self._step_to(self._shown)
            while self.position < goal and not self._questions():
                self._step_to(self.position + 1)
        self._shown = max(self._shown, self.position)

    @property
    def question(self) -> Question | None:
        """What is asked now; None where nothing is."""
        if not self.asking or self.position < self._shown or self.position == self.size:
            return None
        asked = self._questions()
        return asked[len(self._given)] if len(self._given) < len(asked) else None

    def answer(self, number: int) -> None:
        """Take the answer to the question that is asked; after the last one the step is made."""
        asked = self.question
        if asked is None or not 0 <= number < len(asked.options):
            return
        is_right = number in asked.right
        told = " or ".join(asked.options[at] for at in sorted(asked.right))
        self.answered, self.right = self.answered + 1, self.right + is_right
        said = f"Right: {told}." if is_right else f"You said {asked.options[number]}; it is {told}."
        self.feedback = f"{asked.text} {said}"
        self._given.append(number)
        if len(self._given) == len(self._questions()):
            self._given = []
            self._step_to(self.position + 1)
            self._shown = self.position

    def wish(self, text: str) -> None:
        """What was pressed in the picture: "go 7" or "answer 1". Anything else changes nothing."""
        verb, _, number = text.partition(" ")
        if number.isascii() and number.isdigit() and len(number) < 10:
            if verb == "go":
                self.go(int(number))
            elif verb == "answer":
                self.answer(int(number))


def question_picture(walk: Any) -> str:
    """The question that is asked and how many answers were right, as HTML; empty outside question mode."""
    if not walk.asking:
        return ""
    asked, inside = walk.question, ""
    if asked:
        buttons = "".join(
            f'<button type="button" data-wish="answer {number}">{html.escape(option)}</button>'
            for number, option in enumerate(asked.options)
        )
        inside = f"<p><b>{html.escape(asked.text)}</b></p><p>{buttons}</p>"
    elif walk.position == walk.size:
        inside = "<p>That was the last one.</p>"
    elif walk.position < walk._shown:
        inside = "<p>This was answered already; step on to the next question.</p>"
    feedback = f'<p role="status">{html.escape(walk.feedback)}</p>' if walk.feedback else ""
    score = f"{walk.right} of {walk.answered} right" if walk.answered else "your answers are counted"
    return f'<section class="walk-ask"><h3>Say it first <small>{score}</small></h3>{feedback}{inside}</section>'


def kept_within(number: Any, least: int, most: int, what: str) -> int:
    """A whole number of a face's input. Raises ModelError unless it is one, least .. most."""
    if isinstance(number, bool) or not isinstance(number, int | float) or number != number or number != int(number):
        raise ModelError(f"{what} must be a whole number {least}..{most}; got {number!r}")
    if not least <= number <= most:
        raise ModelError(f"{what} must be {least}..{most}; got {number}")
    return int(number)
