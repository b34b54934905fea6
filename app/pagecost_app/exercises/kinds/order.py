"""Things to be put in order. The order is computed from what each of them comes to."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import pairwise

from pagecost_app.exercises.exercise import Exercise, Field, Judged, Option, Unreadable, alone


@dataclass(frozen=True, eq=False, repr=False)
class Order(Exercise):
    """items(**numbers): id -> text of what is to be put in order; sizes(**numbers): id -> the number that orders them,
    smallest first. mistakes: (what a wrong idea takes for the sizes, what to say to it). apart: variants in which two
    sizes differ by less (relative to the larger) are never asked. unit: of the sizes, for the worked solution.
    """

    _: KW_ONLY
    items: Callable[..., Mapping[str, str]]
    sizes: Callable[..., Mapping[str, float]]
    first: str = "the smallest first"
    unit: str = ""
    mistakes: tuple[tuple[Callable[..., Mapping[str, float]], str], ...] = ()
    apart: float = 0.05
    attempts: int = 3

    kind = "order"
    full = 1  # there are so few answers that a guess may hit

    def form(self, seed) -> tuple[Field, ...]:
        return (Field("order", "order", f"Put them in order, {self.first}", options=self._shuffled(seed)),)

    def key(self, seed) -> list[str]:
        return _in_order(self.sizes(**self.numbers(seed)))

    def fits(self, numbers: Mapping) -> bool:
        sizes = sorted(self.sizes(**numbers).values())
        if any(larger - smaller <= self.apart * abs(larger) for smaller, larger in pairwise(sizes)):
            return False
        orders = [_in_order(each(**numbers)) for each in (self.sizes, *(wrong for wrong, _ in self.mistakes))]
        return len({tuple(order) for order in orders}) == len(orders)

    def _shuffled(self, seed) -> tuple[Option, ...]:
        options = [Option(*item) for item in self.items(**self.numbers(seed)).items()]
        random.Random(f"{self.id} order {seed}").shuffle(options)
        return tuple(options)

    def _read(self, seed, answer) -> list[str]:
        answer = alone(answer, "order")
        known = {option.value for option in self._shuffled(seed)}
        if isinstance(answer, str):
            answer = answer.replace(",", " ").split()
        listed = isinstance(answer, list) and all(isinstance(each, str) for each in answer)
        if not listed or len(answer) != len(known) or set(answer) != known:
            raise Unreadable(
                f"the answer is a list of all of {', '.join(sorted(known))}, each once; got {str(answer)[:60]!r}."
            )
        return answer

    def _judge(self, seed, answer: Sequence[str]) -> Judged:
        numbers = self.numbers(seed)
        right = self.key(seed)
        if answer == right:
            return Judged("passed", "right.")
        for wrong, say in self.mistakes:
            if answer == _in_order(wrong(**numbers)):
                return Judged("failed", self.text(say, seed), say)
        if answer == right[::-1]:
            say = "that is the order from the other end"
            return Judged("failed", f"{say}: it is wanted with {self.first}.", say)
        items = self.items(**numbers)
        one, other = next(pair for pair in pairwise(answer) if right.index(pair[0]) > right.index(pair[1]))
        return Judged("failed", f"not yet: {items[one]} does not come before {items[other]}.")

    def _closing(self, seed) -> str:
        numbers = self.numbers(seed)
        sizes, items = self.sizes(**numbers), self.items(**numbers)
        unit = f" {self.unit}" if self.unit else ""
        return "So: " + ", ".join(f"{items[id]} ({sizes[id]:.4g}{unit})" for id in _in_order(sizes)) + "."


def _in_order(sizes: Mapping[str, float]) -> list[str]:
    return sorted(sizes, key=lambda id: (sizes[id], id))
