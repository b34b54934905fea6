"""What cannot be drawn is refused in a sentence, never a traceback."""

import math

import pytest

from pagecost.errors import ModelError
from pagecost_app.notebook import claim_picture, explore, label_tree, power_over_time, where_a_dollar_goes


@pytest.mark.parametrize(
    ("draw", "sentence"),
    [
        (lambda: label_tree("a"), "children must be a whole number; got 'a'"),
        (lambda: label_tree(3, 5), "there are 3 children; got place 5"),
        (lambda: label_tree(3, ("x",)), "a place of inserts must be a whole number; got 'x'"),
        (lambda: label_tree(3, (0,), gap="a"), "gap must be a whole number; got 'a'"),
        (lambda: label_tree(8, (0, 0, 0)), r"1\.\.10 children in all"),
        (lambda: claim_picture("nope"), "the ledger has no claim that is called 'nope'"),
        (lambda: claim_picture(3), "the ledger has no claim that is called 3"),
        (lambda: claim_picture("R31*"), "one claim can be drawn, 'R31\\*' means"),
        (lambda: claim_picture("R36.slower"), "is about words"),
        (lambda: power_over_time("nope"), "unknown device 'nope'"),
        (lambda: power_over_time(rate_hz=1e9), "are asked for"),
        *(
            (lambda rate=rate: power_over_time(rate_hz=rate), "requests a second must be a number above 0; got")
            for rate in (0, -1, math.nan, math.inf, "fast", None, True)
        ),
        (lambda: where_a_dollar_goes(3), "exploration of total_cost; got 3"),
        (lambda: where_a_dollar_goes(explore("five_minute_rule")), "exploration of total_cost; got five_minute_rule"),
    ],
)
def test_a_picture_of_nonsense_is_refused_in_a_sentence(draw, sentence):
    with pytest.raises(ModelError, match=sentence) as error:
        draw()
    assert "\n" not in str(error.value)
