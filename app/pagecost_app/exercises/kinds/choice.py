"""A choice with a reason: what holds, and why. Which of the options is right is computed, variant by variant."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

from pagecost_app.exercises.exercise import Exercise, Field, Judged, Option, by_name, chosen


class Claim(NamedTuple):
    """An option or a reason. text: with names of numbers in braces; holds(**numbers): whether it is the right one;
    say: what is said to somebody who chooses it when it is not."""

    text: str
    holds: Callable[..., bool]
    say: str


@dataclass(frozen=True, eq=False, repr=False)
class Choice(Exercise):
    """Of the options exactly one holds, and of the reasons; variants where more or fewer do are never asked."""

    _: KW_ONLY
    options: Sequence[Claim]
    reasons: Sequence[Claim]
    attempts: int = 2

    kind = "choice"
    full = 1  # there are so few answers that a guess may hit

    def form(self, seed) -> tuple[Field, ...]:
        return (
            Field("choice", "choice", "Which holds?", options=self._shuffled(seed, self.options, "options")),
            Field("reason", "choice", "Because …", options=self._shuffled(seed, self.reasons, "reasons")),
        )

    def key(self, seed) -> dict[str, str]:
        numbers = self.numbers(seed)
        right = (next(claim for claim in claims if claim.holds(**numbers)) for claims in (self.options, self.reasons))
        return {
            field.name: next(option.value for option in field.options if option.text == self.text(claim.text, seed))
            for field, claim in zip(self.form(seed), right, strict=True)
        }

    def fits(self, numbers: Mapping) -> bool:
        return all(
            sum(bool(claim.holds(**numbers)) for claim in claims) == 1 for claims in (self.options, self.reasons)
        )

    def _shuffled(self, seed, claims: Sequence[Claim], what: str) -> tuple[Option, ...]:
        """The options in the order of this seed, named by their letter: a letter says nothing of what is right."""
        texts = [self.text(claim.text, seed) for claim in claims]
        random.Random(f"{self.id} {what} {seed}").shuffle(texts)
        return tuple(Option("abcdefgh"[at], text) for at, text in enumerate(texts))

    def _read(self, seed, answer) -> dict[str, str]:
        fields = self.form(seed)
        parts = by_name(answer, fields)
        return {field.name: chosen(parts[field.name], field.options, field.name) for field in fields}

    def _judge(self, seed, answer: dict[str, str]) -> Judged:
        if answer == self.key(seed):
            return Judged("passed", "right, and for the right reason.")
        numbers = self.numbers(seed)
        for field, claims in zip(self.form(seed), (self.options, self.reasons), strict=True):
            taken = next(option.text for option in field.options if option.value == answer[field.name])
            claim = next(each for each in claims if self.text(each.text, seed) == taken)
            if not claim.holds(**numbers):
                before = "" if field.name == "choice" else "the choice is right, the reason is not: "
                return Judged("failed", before + self.text(claim.say, seed), claim.say)
        return Judged("failed", "that is not it.")

    def _closing(self, seed) -> str:
        key = self.key(seed)
        choice, reason = (
            next(option.text for option in field.options if option.value == key[field.name])
            for field in self.form(seed)
        )
        return f"So: {choice} – because {reason}"
