"""Answers of studies, kept for the next claim that asks the same."""

import json
from collections.abc import Mapping

from pagecost import catalogue, studies
from pagecost.remembering import remembered
from pagecost.studies import Result
from pagecost.workload.shuffled import is_wanted


def answer(study: str, preset: str | None = None, values: Mapping | None = None) -> Result:
    """A study's result. Raises ModelError for an unknown study, preset or value."""
    return _answered(catalogue.current(), is_wanted(), study, preset, json.dumps(dict(values or {}), sort_keys=True))


@remembered
def _answered(_catalogue: catalogue.Catalogue, _shuffled: bool, study: str, preset: str | None, values: str) -> Result:
    """A corrupted catalogue and a shuffled load are other keys."""
    chosen = studies.find(study)
    return chosen.compute(chosen.inputs(json.loads(values), preset))
