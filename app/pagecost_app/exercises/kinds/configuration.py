"""Show me a configuration where …: what the learner sets is run, and what comes out is tested."""

import json
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from pagecost import studies
from pagecost.errors import ModelError
from pagecost.studies import Result, StudyInputs
from pagecost_app.exercises.exercise import Exercise, Field, Judged, Unreadable, alone, by_name, chosen
from pagecost_app.exercises.kinds.typed import number_in

LONGEST = 4000  # characters of a text


class Condition(NamedTuple):
    """What must come out. holds(known): of the variant's numbers and of what came out, by name; say: what is said where
    it does not hold, with the same names in braces; wrong(**numbers): an answer to which that is said,
    None where a variant has none."""

    holds: Callable[[Mapping[str, Any]], bool]
    say: str
    wrong: Callable[..., Any]


@dataclass(frozen=True, eq=False, repr=False)
class Configuration(Exercise):
    """fields(**numbers): what may be set; run(answer, **numbers): what comes out, by name, of an answer by the names of
    the fields. It raises ModelError, one sentence, for what cannot be run; that costs no attempt. The answer passes if
    all conditions hold. example(**numbers): an answer that passes, found by the engine.
    """

    _: KW_ONLY
    fields: Callable[..., tuple[Field, ...]]
    run: Callable[..., Mapping[str, Any]]
    conditions: tuple[Condition, ...]
    example: Callable[..., Any]

    kind = "configuration"

    def form(self, seed) -> tuple[Field, ...]:
        return self.fields(**self.numbers(seed))

    def key(self, seed):
        return self.example(**self.numbers(seed))

    def _read(self, seed, answer) -> dict[str, Any]:
        fields = self.form(seed)
        if len(fields) == 1:
            answer = {fields[0].name: alone(answer, fields[0].name)}
        return {field.name: _value(field, by_name(answer, fields)[field.name]) for field in fields}

    def _judge(self, seed, answer: dict[str, Any]) -> Judged:
        known = self.numbers(seed) | dict(_ran(self, str(seed), json.dumps(answer, sort_keys=True)))
        for condition in self.conditions:
            if not condition.holds(known):
                return Judged("failed", condition.say.format(**known), condition.say)
        return Judged("passed", "it was run, and it holds.")

    def _closing(self, seed) -> str:
        shown = "; ".join(f"{name}: {value}" for name, value in self._read(seed, self.key(seed)).items())
        return f"One that holds – {shown}"


@lru_cache(maxsize=512)
def _ran(exercise: Configuration, seed: str, answer: str) -> Mapping[str, Any]:
    try:
        return exercise.run(json.loads(answer), **exercise.numbers(seed))
    except ModelError as error:
        raise Unreadable(f"{error}.") from None


def _value(field: Field, value):
    """The value of a field as `run` wants it. Raises Unreadable."""
    if field.kind == "number":
        return number_in(value, field.unit or "1")
    if field.kind == "choice":
        return chosen(value, field.options, field.label)
    if field.kind == "text":
        if not isinstance(value, str) or len(value) > LONGEST:
            raise Unreadable(f"{field.label}: a text of at most {LONGEST} characters is wanted.")
        return value
    if not isinstance(value, dict) or not value.keys() <= set(field.inputs):
        raise Unreadable(f"{field.label}: set {', '.join(field.inputs)} and nothing else; got {str(value)[:60]!r}.")
    return value


def answered(field: Field, set_values: Mapping[str, Any], quick: bool = False) -> tuple[StudyInputs, Result]:
    """A study answered with what was set. quick: by its formulas alone. Raises ModelError as the study does."""
    study = studies.find(field.study)
    inputs = study.inputs({**field.start, **set_values})
    compute = study.estimate if quick and study.estimate else study.compute
    return inputs, compute(inputs)
