"""One of a thing is said in the singular, wherever an input can be one."""

import re

import pytest

from pagecost.studies import STUDIES
from pagecost.studies.fields import Steps, kind_of
from pagecost_app.workspace import settings

PLURAL = re.compile(r"(?<![\d.,\u202f])1 [a-z]{2,}(?<!s)s\b")


@pytest.mark.parametrize("name", sorted(STUDIES))
def test_an_input_that_is_one_is_shown_in_the_singular(name):
    study = STUDIES[name]
    for input_name, field in study.Inputs.model_fields.items():
        kind = kind_of(field)
        if isinstance(kind, Steps):
            at_least = max((each.ge for each in field.metadata if hasattr(each, "ge")), default=0)
            stops = (*kind.stops, 1) if at_least <= 1 else kind.stops
            shown = [settings.shown(study, input_name, stop) for stop in stops]
            assert [each for each in shown if PLURAL.search(each)] == [], input_name
