"""Answers of studies, kept for the next claim that asks the same."""

import json
from collections.abc import Mapping

from pagecost import catalogue, reads, studies
from pagecost.studies import Result


def answer(study: str, preset: str | None = None, values: Mapping | None = None) -> Result:
    """A study's result. Raises ModelError for an unknown study, preset or value."""
    return _answered(catalogue.current(), study, preset, json.dumps(dict(values or {}), sort_keys=True))


@reads.cached(maxsize=32)
def _answered(_catalogue, study: str, preset: str | None, values: str) -> Result:
    """A corrupted catalogue is another key."""
    chosen = studies.find(study)
    return chosen.compute(chosen.inputs(json.loads(values), preset))
