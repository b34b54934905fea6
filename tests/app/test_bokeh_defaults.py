"""What is kept of Bokeh's defaults is what Bokeh says each time.

If a test fails here after an update of Bokeh, leave out `look_up_once` (charts take twice as long to make, and are the
same) until the module is mended.
"""

import contextlib

import pytest
from bokeh.core.has_props import HasProps
from bokeh.core.property.descriptors import AliasPropertyDescriptor, PropertyDescriptor, UnsetValueError
from bokeh.document import Document
from bokeh.model import Model
from bokeh.models import Label, PanTool
from bokeh.themes import Theme
from bokeh.util.warnings import BokehDeprecationWarning

from pagecost import studies
from pagecost_app.charts import CHARTS, bokeh_defaults, style


@pytest.fixture
def bokehs_own(monkeypatch):
    """Bokeh as it comes, while a test asks for it."""
    monkeypatch.setattr(HasProps, "_overridden_defaults", classmethod(bokeh_defaults._overridden))
    monkeypatch.setattr(HasProps, "themed_values", lambda self: getattr(self, "__themed_values__", None))
    monkeypatch.setattr(PropertyDescriptor, "has_unstable_default", bokeh_defaults._is_made_anew)
    monkeypatch.setattr(PropertyDescriptor, "instance_default", bokeh_defaults._default_of)


def _made():
    """A model of every class that is made without a word."""
    for kind in list(Model.model_class_reverse_map.values()):
        with contextlib.suppress(ValueError, TypeError, RuntimeError, NotImplementedError, BokehDeprecationWarning):
            yield kind()


def test_it_is_in_force_wherever_charts_are_made():
    assert PropertyDescriptor.has_unstable_default is bokeh_defaults._is_made_anew_once
    assert PropertyDescriptor.instance_default is bokeh_defaults._plain_once


def test_every_default_of_every_model_is_bokehs_own():
    plain = 0
    for model in _made():
        assert type(model)._overridden_defaults() == bokeh_defaults._overridden(type(model))
        for name in model.properties():
            descriptor = model.lookup(name)
            if isinstance(descriptor, AliasPropertyDescriptor):
                continue  # another property's
            anew = bokeh_defaults._is_made_anew(descriptor, model)
            assert descriptor.has_unstable_default(model) == anew, f"{model}.{name}"
            if anew:
                continue
            expected = bokeh_defaults._default_of(descriptor, model)
            for _ in range(2):  # looked up, then kept
                kept = descriptor.instance_default(model)
                assert (type(kept), repr(kept)) == (type(expected), repr(expected)), f"{model}.{name}"
            plain += isinstance(expected, bokeh_defaults._PLAIN)
    assert plain > 5000


def test_two_models_share_no_default_that_can_change():
    one, other = PanTool(), PanTool()
    one.tags.append("mine")
    one.js_property_callbacks["change"] = []
    assert (other.tags, other.js_property_callbacks, PanTool().tags) == ([], {}, [])


def test_a_theme_comes_before_what_is_kept_and_goes():
    def coloured() -> str:
        return label.text_color

    label = Label(x=1, y=1, text="words")
    usual = coloured()
    document = Document()
    document.add_root(label)
    document.theme = Theme(json={"attrs": {"Label": {"text_color": "#123456"}}})
    assert coloured() == "#123456"
    assert Label(x=1, y=1, text="words").text_color == usual
    document.theme = Theme(json={})
    assert coloured() == usual


def test_what_nobody_has_set_and_has_no_default_is_still_refused():
    for _ in range(2):
        with pytest.raises(UnsetValueError, match="x doesn't have a value set"):
            Label(text="words").x  # noqa: B018


@pytest.mark.parametrize("name", ["block_size", "buffer_size"])
def test_a_charts_document_is_the_same_to_the_letter(name, bokehs_own):
    def written() -> list:
        study = studies.find(name)
        inputs = study.inputs()
        chart = CHARTS[name]()
        chart.update(inputs, study.compute(inputs))
        chart.recolour(True)
        document = Document()
        document.theme = style.theme(True)
        document.add_root(chart.root)
        return _without_ids(document.to_json(deferred=False)["roots"])

    own = written()
    bokeh_defaults.look_up_once()  # the fixture takes it back to what it was
    assert written() == own


def _without_ids(part):
    if isinstance(part, dict):
        return {key: _without_ids(value) for key, value in part.items() if key != "id"}
    return [_without_ids(value) for value in part] if isinstance(part, list | tuple) else part
