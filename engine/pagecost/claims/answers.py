"""Answers of studies, kept for the next claim that asks the same."""

import inspect
import itertools
import json
from collections.abc import Callable, Mapping
from typing import TypeVar

from pagecost import catalogue, studies
from pagecost.remembering import remembered
from pagecost.studies import Result
from pagecost.studies.transactions import tpcc_throughput
from pagecost.workload.shuffled import is_wanted


def answer(study: str, preset: str | None = None, values: Mapping | None = None) -> Result:
    """A study's result. Raises ModelError for an unknown study, preset or value."""
    return _answered(catalogue.current(), is_wanted(), study, preset, json.dumps(dict(values or {}), sort_keys=True))


def tpcc_at_chosen_buffer(study: str, preset: str | None = None, values: Mapping | None = None) -> Result:
    """Of the TPC-C study's result the rows of the chosen buffer, without the time that the other sizes take."""
    return tpcc_throughput.at_chosen(studies.find(study).inputs(values, preset))


def ranked(values: Mapping[str, float]) -> str:
    """Names by rising value: "a < b = c". What is equal stays in its order and says so."""
    names = sorted(values, key=values.__getitem__)
    signs = [" = " if values[one] == values[other] else " < " for one, other in itertools.pairwise(names)]
    return "".join(itertools.chain(*zip(names, [*signs, ""], strict=True)))


Measure = TypeVar("Measure", bound=Callable)


def compared(number: float, than: float) -> str:
    """For a statement of an order only: "greater", "equal" or "less". What is said to be fewer is not as many."""
    return "greater" if number > than else "equal" if number == than else "less"


def asks_as(asked: Callable) -> Callable[[Measure], Measure]:
    """For a measure that puts another's number into words: what it takes by name is said to be its own and the other's,
    so that a wrong argument of a record is found before it runs."""

    def around(measure: Measure) -> Measure:
        own = [each for each in inspect.signature(measure).parameters.values() if each.kind is not each.VAR_KEYWORD]
        names = {each.name for each in own}
        others = [each for each in inspect.signature(asked).parameters.values() if each.name not in names]
        by_name = [each.replace(kind=each.KEYWORD_ONLY) for each in (*own, *others)]
        measure.__signature__ = inspect.Signature(by_name)  # type: ignore[attr-defined]  # what inspect looks for
        return measure

    return around


@remembered
def _answered(_catalogue: catalogue.Catalogue, _shuffled: bool, study: str, preset: str | None, values: str) -> Result:
    """A corrupted catalogue and a shuffled load are other keys."""
    chosen = studies.find(study)
    return chosen.compute(chosen.inputs(json.loads(values), preset))
