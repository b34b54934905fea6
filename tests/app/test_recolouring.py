"""The script that recolours charts without a server changes what light and dark differ in, and leaves charts light."""

import json
import re

import pytest

from pagecost_app.charts import CHARTS, recolouring, style

COLOUR = re.compile("#[0-9a-fA-F]{6}")


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_is_light_again_and_every_pair_is_of_two_colours(name):
    chart = CHARTS[name]()
    chart.recolour(False)
    before = dict(recolouring._look(chart, False))
    code = recolouring.script([chart])
    assert dict(recolouring._look(chart, False)) == before
    pairs = json.loads(re.search("const colours = (.*), ids = ", code)[1])
    found = [pair for set in pairs.values() for pair in set.values()]
    for pair in found:
        assert pair[0] != pair[1]
        assert all(COLOUR.search(json.dumps(side)) for side in pair), pair
    assert [style.LIGHT["ground"], style.DARK["ground"]] in found
    assert [style.LIGHT["ink"], style.DARK["ink"]] in found
