"""Bokeh's defaults, looked up once for each class of models: a chart is made in half the time.

Bokeh asks every property of every new model whether its default must be made anew, and when a document is written it
looks up and validates the default of each property that nobody has set: ten thousands of times for one chart, with the
same answer for all models of a class. Of these answers those are kept that cannot change: plain values, and whether a
default is made anew. What the names below are is not promised by Bokeh: `tests/app/test_bokeh_defaults.py` compares
each answer with Bokeh's own, and `pyproject.toml` admits the versions that passed.
"""

import functools
from collections.abc import Callable
from typing import Any

from bokeh.core.has_props import HasProps
from bokeh.core.property.descriptors import PropertyDescriptor

_PLAIN = (bool, int, float, str, type(None))  # whoever gets one of these cannot change what the next one gets
_overridden: Callable[[type], dict[str, Any]] = HasProps.__dict__["_overridden_defaults"].__func__
_is_made_anew = PropertyDescriptor.has_unstable_default
_default_of = PropertyDescriptor.instance_default
_overridden_known: dict[type, dict[str, Any]] = {}
_made_anew_known: dict[tuple[PropertyDescriptor, type], bool] = {}
_plain_known: dict[tuple[PropertyDescriptor, type], Any] = {}


@functools.wraps(_overridden)
def _overridden_once(cls: type) -> dict[str, Any]:
    if cls not in _overridden_known:
        _overridden_known[cls] = _overridden(cls)
    return _overridden_known[cls]


@functools.wraps(_is_made_anew)
def _is_made_anew_once(self: PropertyDescriptor, obj: HasProps) -> bool:
    key = self, obj.__class__
    if key not in _made_anew_known:
        _made_anew_known[key] = _is_made_anew(self, obj)
    return _made_anew_known[key]


@functools.wraps(_default_of)
def _plain_once(self: PropertyDescriptor, obj: HasProps) -> Any:
    themed = obj.themed_values()
    if themed and self.name in themed:
        return _default_of(self, obj)
    key = self, obj.__class__
    if key in _plain_known:
        return _plain_known[key]
    default = _default_of(self, obj)
    if type(default) in _PLAIN and not self.has_unstable_default(obj):
        _plain_known[key] = default
    return default


def _themed(self: HasProps) -> dict[str, Any] | None:
    return self.__dict__.get("__themed_values__")  # Bokeh's getattr goes through a __getattr__ of its own


def look_up_once() -> None:
    """Have Bokeh do so from now on, in this process."""
    for owner, name, kept in (
        (HasProps, "_overridden_defaults", classmethod(_overridden_once)),
        (HasProps, "themed_values", _themed),
        (PropertyDescriptor, "has_unstable_default", _is_made_anew_once),
        (PropertyDescriptor, "instance_default", _plain_once),
    ):
        setattr(owner, name, kept)
