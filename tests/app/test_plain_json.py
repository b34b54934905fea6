"""JSON of every command: what JSON does not have is None or a text, so that strict readers take it."""

import json
import math

import numpy as np
import pytest

from pagecost.studies.study import Column, Result
from pagecost_app import plain_json


def refused(name):
    raise AssertionError(f"{name} is no JSON")


@pytest.mark.parametrize("indent", [1, None])
def test_what_json_does_not_have_is_none_or_a_text(indent):
    value = {"a": (1, math.inf, -math.inf, math.nan), 2: {"b": np.float64("inf"), "c": "inf", "d": True, "e": None}}
    read = json.loads(plain_json.text(value, indent), parse_constant=refused)
    assert read == {"a": [1, "inf", "-inf", None], "2": {"b": "inf", "c": "inf", "d": True, "e": None}}


def test_an_answer_in_which_something_has_no_end_is_json():
    columns = {"life_years": Column(np.array([1.5, math.inf, math.nan]), "year", "life")}
    read = json.loads(plain_json.text(Result.of(columns).record()), parse_constant=refused)
    assert read["columns"]["life_years"] == [1.5, "inf", None]
