"""A claim drawn in a lesson: where the marks stand is what the ledger says."""

import re

import pytest

from pagecost.claims import check_these
from pagecost.errors import ModelError
from pagecost_app import claims_told
from pagecost_app.notebook import claim_picture


def test_marks_stand_where_the_ledger_says():
    drawn = claim_picture("R31.500.main_memory")
    (verdict,) = check_these(claims_told.of_patterns(["R31.500.main_memory"]))
    picture = drawn.picture()
    band = re.search(r'class="band" x="([\d.]+)" y="31" width="([\d.]+)"', picture)
    measured = re.search(r'class="measured" cx="([\d.]+)"', picture)
    inside = float(band[1]) <= float(measured[1]) <= float(band[1]) + float(band[2])
    assert inside == (verdict.status == "holds")
    numbers = [rival for rival in verdict.rivals if isinstance(rival.measured, int | float)]
    assert picture.count('class="rival"') == len(numbers) > 0
    assert claims_told.measured(verdict) in repr(drawn)


def test_a_claim_about_words_is_not_drawn():
    with pytest.raises(ModelError, match="about words"):
        claim_picture("X22")
