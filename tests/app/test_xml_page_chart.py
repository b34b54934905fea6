"""The map of a page shows each of its bytes once."""

import numpy as np
import pytest

from pagecost.studies import find
from pagecost.xmlstore import MAPPINGS
from pagecost_app.charts.xml.xml_page import Chart


@pytest.mark.parametrize("mapping", MAPPINGS)
@pytest.mark.parametrize("page_bytes", [1024, 4096])
def test_the_map_of_a_page_covers_it_without_gaps(mapping, page_bytes):
    study = find("xml_page")
    inputs = study.inputs({"mapping": mapping, "page": 2, "page_bytes": page_bytes})
    chart = Chart()
    chart.update(inputs, study.compute(inputs))
    width = page_bytes // 64
    covered = np.zeros((64, width), int)
    for quad in chart.quads.values():
        data = quad.data_source.data
        for left, right, top in zip(data["left"], data["right"], data["top"], strict=True):
            covered[top, left:right] += 1
    assert (covered == 1).all()
    assert chart.figure.x_range.end == width
