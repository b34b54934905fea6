"""A number of the engine with another value, everywhere it was imported to, and nothing remembered of the old one."""

import contextlib
import functools
import importlib
import inspect
import sys
from collections.abc import Callable, Iterator
from types import ModuleType

from pydantic import BaseModel

from pagecost import catalogue, remembering


@contextlib.contextmanager
def corrupted(constant: str, value) -> Iterator[None]:
    """Within the block a constant has this value.

    constant: `module:NAME`; `module:Class.field` for the default of a field, also of a study's inputs; or
    `device:ID.parameter` for a number of the catalogue.
    """
    if constant.startswith("device:"):
        device, _, parameter = constant.removeprefix("device:").rpartition(".")
        with catalogue.using(catalogue.device(device).replaced(parameter, value)):
            yield
        return
    module = importlib.import_module(f"pagecost.{constant.partition(':')[0]}")
    name, _, field = constant.partition(":")[2].partition(".")
    put, old = _default_of(getattr(module, name), field) if field else _constant_of(module, name)
    try:
        put(value)
        remembering.forget()
        yield
    finally:
        put(old)
        remembering.forget()


def value_of(constant: str):
    """What the constant is."""
    if constant.startswith("device:"):
        device, _, parameter = constant.removeprefix("device:").rpartition(".")
        return catalogue.device(device).value(parameter)
    module = importlib.import_module(f"pagecost.{constant.partition(':')[0]}")
    name, _, field = constant.partition(":")[2].partition(".")
    return _default_of(getattr(module, name), field)[1] if field else getattr(module, name)


def _constant_of(module: ModuleType, name: str) -> tuple[Callable, object]:
    old = getattr(module, name)
    homes = [each for each in _modules() if vars(each).get(name) is old]

    def put(value) -> None:
        for home in homes:
            setattr(home, name, value)

    return put, old


def _default_of(made: type, field: str) -> tuple[Callable, object]:
    if issubclass(made, BaseModel):
        return functools.partial(_put_default, made, field), made.model_fields[field].default
    make = made.__init__
    parameters = inspect.signature(make).parameters
    if parameters[field].kind is inspect.Parameter.KEYWORD_ONLY:
        return lambda value: make.__kwdefaults__.update({field: value}), make.__kwdefaults__[field]
    with_default = [name for name, each in parameters.items() if each.default is not each.empty and name != "self"]
    place = with_default.index(field)

    def put(value) -> None:
        defaults = list(make.__defaults__)
        defaults[place] = value
        make.__defaults__ = tuple(defaults)

    return put, make.__defaults__[place]


def _put_default(made: type[BaseModel], field: str, value) -> None:
    made.model_fields[field].default = value
    made.model_rebuild(force=True)


def _modules() -> list[ModuleType]:
    return [module for name, module in sorted(sys.modules.items()) if name.startswith("pagecost.")]
