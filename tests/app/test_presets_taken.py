"""A panel of the app takes every preset of its question, and has then the inputs that the preset says."""

import pytest
from bokeh.models import MultiChoice

from pagecost import studies
from pagecost.units import grouped
from pagecost_app.pages.inputs_panel import InputsPanel

PRESETS = [(name, preset) for name, study in studies.STUDIES.items() for preset in study.presets]


def taken(name: str, preset: str | None, **values) -> InputsPanel:
    panel = InputsPanel(studies.find(name), changed=lambda: None, keep=lambda control: None)
    panel.take(preset, values)
    return panel


@pytest.mark.parametrize(("name", "preset"), PRESETS)
def test_a_preset_that_is_taken_is_what_the_panel_says(name, preset):
    study, panel = studies.find(name), taken(name, preset)
    assert study.inputs(panel.values) == study.inputs(preset=preset)


def test_a_number_that_is_no_option_is_named_as_the_options_are():
    panel = taken("storage_plan", "Lee 2009: one SSD or many disks")
    (chosen,) = (item.widget for item in panel.controls if item.name == "buffers")
    assert isinstance(chosen, MultiChoice)
    assert ("12800", f"{grouped(12800)} frames") in chosen.options
    assert chosen.value == ["12800"]
    panel = taken("index_height", None, page_sizes=(4096, 512))
    (chosen,) = (item.widget for item in panel.controls if item.name == "page_sizes")
    assert ("512", "512 B") in chosen.options
