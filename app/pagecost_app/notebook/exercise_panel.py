"""An exercise in a lesson: `exercise("random-read")` shows its question, a field, and what is said to an answer.

What is answered stands on the learner's sheet, so a panel goes on where it was: after a restart, and beside another
panel of the same exercise.
"""

import html
import os
from pathlib import Path
from weakref import WeakSet

import ipywidgets as widgets
from IPython.display import display

from pagecost.errors import known
from pagecost_app import exercises
from pagecost_app.exercises import COMPARE, MARKS, MIME, Exercise, Said, kept
from pagecost_app.notebook.exercise_fields import CurveField, Form
from pagecost_app.notebook.explorer import EXPORT, STYLE
from pagecost_app.notebook.waiting import moving

KEYS = Path(__file__).with_suffix(".js").read_text("utf8")
OWN_STYLE = Path(__file__).with_suffix(".css").read_text("utf8")
_shown: WeakSet["ExercisePanel"] = WeakSet()


def exercise(id: str, seed: int | None = None) -> "ExercisePanel":
    """The panel of an exercise. seed: chooses its numbers; without one the learner's own sheet says it.

    Raises ModelError for an unknown exercise, and where a class's own file of exercises is damaged.
    """
    every = exercises.every()
    return ExercisePanel(every[known("exercise", id, every)], exercises.own_seed(seed))


class ExercisePanel(widgets.VBox):
    """A question, its field and its buttons. `answer("12 ms")` answers it from a cell, `said` is what was said last."""

    def __init__(self, asked: Exercise, seed: int):
        self.exercise, self.seed = asked, seed
        self.said: Said | None = None
        self._hints = 0
        self._question, self._feedback, self._solution = widgets.HTML(), widgets.HTML(), widgets.HTML()
        self._left = widgets.HTML()
        self._place = widgets.Box(layout={"width": "100%"})
        self._answer = self._button("Predict" if self.exercise.prediction else "Answer", self._answered)
        self._answer.add_class("pagecost-answer-button")
        self._compare = self._button(COMPARE, self._compared)
        self._hint = self._button("Hint", self._hinted)
        self._solve = self._button("Worked solution", self._solved)
        self._renew = self._button("New numbers", self._renewed)
        self._buttons = [self._answer, self._compare, self._hint, self._solve, self._renew]
        row = widgets.HBox([*self._buttons, self._left], layout={"flex_flow": "row wrap", "align_items": "center"})
        head = widgets.HTML(f"<style>{STYLE}{OWN_STYLE}</style>")
        super().__init__([head, self._question, self._place, row, self._feedback, self._solution])
        self.add_class("pagecost-explorer")
        self.add_class("pagecost-exercise")
        self._begin()
        _shown.add(self)

    def answer(self, answer) -> Said:
        """Answer as if it were filled in and *Answer* were pressed."""
        self._form.answer = answer
        self._answered()
        assert self.said is not None
        return self.said

    def _begin(self) -> None:
        """Show the question of this seed, and what was answered before."""
        self._form = Form(self.exercise.form(self.seed))
        self._place.children = (self._form.root,)
        self._question.value = self._question_html()
        self._feedback.value = self._solution.value = ""
        self.said, self._hints = None, 0
        before = self._answers() or self._predicted()
        if before:
            self._form.answer = before[-1]
            again = exercises.check if self._answers() else exercises.predict
            self._say(again(self.exercise.id, before[-1], self.seed))
        self._show()

    def _answers(self) -> list:
        return kept.sheet().answers(self.exercise.id, self.seed)

    def _predicted(self) -> list:
        return kept.sheet().predicted(self.exercise.id, self.seed) if self.exercise.prediction else []

    def _answered(self) -> None:
        self._commit(exercises.predict if self.exercise.prediction else exercises.check, self._form.answer)

    def _compared(self) -> None:
        self._commit(exercises.check, None)

    def _commit(self, commit, answer) -> None:
        with moving(lambda line: setattr(self._feedback, "value", line)):
            said = commit(self.exercise.id, answer, self.seed)
        self._say(said)
        self._show()
        if said.status != "todo":
            for other in list(_shown):
                if other is not self and (other.exercise.id, other.seed) == (self.exercise.id, self.seed):
                    other._begin()

    def _hinted(self) -> None:
        self._hints = min(self._hints + 1, len(self.exercise.hints))
        self._feedback.value = _said_html("hint", self.exercise.hinted(self.seed)[self._hints - 1])
        self._show()

    def _solved(self) -> None:
        shown = "" if self._solution.value else "\n".join(self.exercise.worked(self.seed))
        self._solution.value = _said_html("worked", shown) if shown else ""
        if shown:
            for field in self._form.fields.values():
                if isinstance(field, CurveField):
                    field.show_key(self.exercise.key(self.seed))

    def _renewed(self) -> None:
        self.seed += 1
        self._begin()

    def _show(self) -> None:
        """Offer what there is to do now."""
        now = exercises.stands(self.exercise, self.seed)
        predicted = bool(self._predicted())
        hints = len(self.exercise.hints)
        _offer(self._answer, not now.closed and not predicted)
        _offer(self._compare, predicted and not now.closed)
        _offer(self._hint, bool(hints) and not now.closed and not predicted)
        _offer(self._solve, now.closed)
        _offer(self._renew, now.closed and self._varies())
        self._hint.description = f"Hint {min(self._hints + 1, hints)} of {hints}"
        if now.closed or predicted:
            self._form.close()
        left = f"{now.left} attempt{'s' * (now.left != 1)} left"
        told = "" if now.closed or self.exercise.prediction else left
        self._left.value = f'<span class="pagecost-left">{told}</span>'

    def _varies(self) -> bool:
        """Whether another seed asks something else."""
        return self.exercise.asked(self.seed) != self.exercise.asked(self.seed + 1)

    def _say(self, said: Said) -> None:
        self.said = said
        self._feedback.value = _said_html(said.status, said.message)

    def _question_html(self) -> str:
        kind = "Predict" if self.exercise.prediction else "Exercise"
        return f'<div class="pagecost-question"><b>{kind}</b> {_lines(self.exercise.asked(self.seed))}</div>'

    def _button(self, label: str, action) -> widgets.Button:
        button = widgets.Button(description=label, layout={"width": "auto"})
        button.on_click(lambda _: action())
        return button

    def __repr__(self):
        return repr(exercises.ask(self.exercise.id, self.seed))

    def _ipython_display_(self) -> None:
        plain = {"text/plain": repr(self)}
        if os.environ.get(EXPORT):
            display({"text/html": f"<style>{OWN_STYLE}</style>{self._question_html()}", **plain}, raw=True)
            return
        display({"application/javascript": KEYS, "text/plain": ""}, raw=True)
        asked = {MIME: {"id": self.exercise.id, "seed": self.seed, "status": "asked"}}
        display({**self._repr_mimebundle_(), **plain, **asked}, raw=True)


def _said_html(status: str, message: str) -> str:
    words = f"<b>{MARKS[status][0]}</b>: {_lines(message)}"
    return f'<div class="pagecost-feedback {status}" role="status">{words}</div>'


def _lines(text: str) -> str:
    return html.escape(text).replace("\n", "<br>")


def _offer(button: widgets.Button, offered: bool) -> None:
    button.layout.display = None if offered else "none"
