"""The charts of the questions on devices: every mark is a number of the study, and what is not known is written out."""

import numpy as np
import pytest

from pagecost import catalogue, studies
from pagecost.devices.best_block import CRITERIA
from pagecost.studies.devices.file_and_block_size import PATTERNS, best_blocks
from pagecost_app.charts import CHARTS, style
from pagecost_app.charts.devices.best_block_size import THESIS


def drawn(name, **values):
    study = studies.find(name)
    inputs = study.inputs(values)
    result, chart = study.compute(inputs), CHARTS[name]()
    chart.update(inputs, result)
    return inputs, result, chart


def test_each_rule_has_its_ring_at_the_size_that_it_chooses():
    inputs, result, chart = drawn("best_block_size", detail="whole table")
    rows = result.rows(pattern="sequential read")
    for name in CRITERIA:
        assert chart.rings[name].data_source.data["x"] == result[f"{name}_bytes"][rows].tolist()
    thesis = result["algorithm_1_bytes"][rows]
    assert chart.rings[THESIS].data_source.data["x"] == thesis[np.isfinite(thesis)].tolist()
    assert all(np.isfinite(chart.rings[THESIS].data_source.data["y"]))
    assert "whole table" in studies.find("best_block_size").describe(inputs, result)


def test_every_cell_of_the_map_says_its_size_and_whether_algorithm_1_agrees():
    _, result, chart = drawn("best_block_size")
    cells = chart.cells.data
    assert len(cells["size"]) == len(result)
    for i, below in enumerate(cells["below"]):
        assert {"agrees": "✓", "differs": "≠", "no baseline": "no"}[result["verdict"][i]] in below


def test_a_best_block_chart_without_an_answer_is_empty_and_says_so():
    inputs, result, chart = drawn("best_block_size", devices=("fio-virtual-disk",), block_sizes_bytes=(512,))
    assert "not measured" in studies.find("best_block_size").describe(inputs, result)
    assert chart.cells.data["size"] == []


def test_unknown_energies_are_written_out_and_the_others_are_dots():
    chips = ("nand-lee-chang-2005", "fernando-slc-nand", "nand-mlc")
    assert catalogue.device(chips[1]).get("page_read_j") is None
    _, result, chart = drawn("energy_per_operation", chips=chips)
    assert chart.chip.missing.data["name"] == [catalogue.device("fernando-slc-nand").name]
    assert chart.device.missing.data["name"] == [catalogue.device("indilinx-barefoot-ssd").name]
    dots = chart.device.dots[1].data_source.data
    energy = result.tables["energy"]
    ids = {title: name for name, title in energy.columns["name"].names.items()}
    for title, joule in zip(dots["name"], dots["x"], strict=True):
        (row,) = energy.rows(name=ids[title], operation="random read")
        assert joule == energy["energy_j"][row]


def test_nothing_known_leaves_a_chart_that_says_so():
    inputs, result, chart = drawn(
        "energy_per_operation", chips=("fernando-slc-nand",), devices=("indilinx-barefoot-ssd",)
    )
    assert "Nothing is known of the energy of a random read" in studies.find("energy_per_operation").describe(
        inputs, result
    )
    assert chart.judged.missing.data["text"] == ["not known"]


def test_bars_of_the_file_chart_are_the_bands_of_the_study():
    inputs, result, chart = drawn("file_and_block_size")
    for number, pattern in enumerate(PATTERNS):
        found, bars = best_blocks(result, pattern), chart.bars[number].data_source.data
        assert np.array_equal(bars["low"], found["low"])
        assert np.array_equal(bars["high"], found["high"])
    assert "8 of 10 runs say" in studies.find("file_and_block_size").describe(inputs, result)


def test_a_file_that_does_not_fit_is_said_in_title_and_words():
    inputs, result, chart = drawn("file_and_block_size", partition_bytes=41e6)
    assert "does not fit" in chart.rate.figure.title.text
    assert "does not fit" in studies.find("file_and_block_size").describe(inputs, result)


@pytest.mark.parametrize("name", ["best_block_size", "energy_per_operation", "file_and_block_size"])
def test_a_chart_takes_the_colours_of_a_dark_page(name):
    _, _, chart = drawn(name)
    chart.recolour(True)
    used = {glyph.line_color for glyph in _glyphs(chart)}
    assert used & {*style.DARK_COLOURS, style.DARK["ink"]}
    assert not used & {*style.LIGHT_COLOURS[:2], style.LIGHT["ink"]}


def _glyphs(chart):
    from bokeh.models import GlyphRenderer

    return [
        renderer.glyph
        for renderer in chart.root.select({"type": GlyphRenderer})
        if getattr(renderer.glyph, "line_color", None)
    ]


def test_a_fit_is_drawn_beside_every_point_and_held_out_points_are_open():
    inputs, result, chart = drawn("device_fit")
    held = result.tables["held_out"]
    sources = [source.data for part in (chart.left, chart.right) for source, _ in part.slots]
    shown = sorted(y for data in sources for y in data["y"])
    assert shown == sorted([*result["measured_iops"], *held["measured_iops"]]), (
        "SSDs are fitted to random requests only"
    )
    assert sum(fill == 0 for data in sources for fill in data["fill"]) == len(held)
    ratios = [source.data for source, _ in chart.ratios.slots]
    assert sum(len(data["y"]) for data in ratios) == len(shown)
    noise = result.facts["noise"].number
    assert [line.location for line in chart.band] == pytest.approx([np.exp(-noise), np.exp(noise)])
    assert "2 of 8 parameters are determined" in studies.find("device_fit").describe(inputs, result)
