"""What is found by its file: a new file in the right folder is a new policy, study or measure everywhere.

One mechanism for all of them, and one spelling for those that have parameters: NAME:PARAMETER=VALUE, as in
`cflru:window=0.25`, `d-choices:choices=10` or `2q:kin=0.25:kout=0.5`.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from pagecost.errors import ModelError, known, require


class Parameter(NamedTuple):
    """A number that something may be asked for by name, `least` <= value <= `most`."""

    name: str
    default: float
    least: float
    most: float
    meaning: str
    whole: bool = False  # whether it counts something


def find(package: str, attribute: str, order: Callable[[Any], Any] | None = None) -> dict[str, Any]:
    """What the files of a package offer as `attribute`, by name, in the order of `order` and of their names.

    A file offers a thing with a `name`, or nothing. Kernel files are not looked at. Raises ModelError where two have
    the same name.
    """
    found: dict[str, Any] = {}
    for module in modules(package):
        thing = getattr(importlib.import_module(module), attribute, None)
        if thing is not None:
            require(thing.name not in found, f"{package}: two files offer {attribute} {thing.name!r}, one is {module}")
            found[thing.name] = thing
    return dict(sorted(found.items(), key=lambda item: (order(item[1]) if order else (), item[0])))


def functions(package: str, among: str | tuple[str, ...] = "") -> dict[str, Callable]:
    """The public functions that are written in the files of a package, by name. Raises ModelError as `find`.

    among: how the names of the files end that are meant.
    """
    found: dict[str, Callable] = {}
    for module in modules(package):
        if module.endswith(among):
            for name, value in vars(importlib.import_module(module)).items():
                if callable(value) and getattr(value, "__module__", None) == module and not name.startswith("_"):
                    require(name not in found, f"{package}: two files have a function {name}, one is {module}")
                    found[name] = value
    return dict(sorted(found.items()))


def modules(package: str) -> Iterator[str]:
    """Full names of the plain modules in a package and in the packages inside it; only packages are imported."""
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        if not module.ispkg and not module.name.endswith("_kernels"):
            yield module.name


def choose(kind: str, text: str, things: Mapping[str, Any]) -> tuple[Any, dict[str, float]]:
    """The thing and its parameters, defaults filled in, from NAME or NAME:PARAMETER=VALUE[:PARAMETER=VALUE …].

    Raises ModelError for an unknown name or parameter, for a value that is no number, and for one out of its range.
    """
    name, *settings = text.strip().split(":") if isinstance(text, str) else [text]
    thing = things[known(kind, name, things)]
    parameters = {parameter.name: parameter for parameter in thing.parameters}
    values = {parameter.name: parameter.default for parameter in thing.parameters}
    for setting in settings:
        key, equals, number = setting.partition("=")
        require(bool(parameters), f"{kind} {name} has no parameters; got {setting!r}")
        listed = ", ".join(f"{parameter.name}={_range(parameter)}" for parameter in thing.parameters)
        require(bool(equals), f"{kind} {text!r}: a parameter is written NAME=VALUE, of {listed}; got {setting!r}")
        parameter = parameters[known(f"parameter of {kind} {name}", key, parameters)]
        try:
            value = float(number)
        except ValueError:
            raise ModelError(f"{kind} {name}: {key} must be a number; got {number!r}") from None
        require(
            parameter.least <= value <= parameter.most,
            f"{kind} {name}: {key} must be {_range(parameter)}; got {number}",
        )
        require(not parameter.whole or value == int(value), f"{kind} {name}: {key} must be whole; got {number}")
        values[key] = int(value) if parameter.whole else value
    return thing, values


def _range(parameter: Parameter) -> str:
    shown = "d" if parameter.whole else "g"
    return f"{parameter.least:{shown}}..{parameter.most:{shown}}"


def title_of(kind: str, text: str, things: Mapping[str, Any]) -> str:
    """The title of what `choose` gives, with the parameters that are given."""
    thing, _ = choose(kind, text, things)
    settings = ", ".join(text.strip().split(":")[1:]).replace("=", " ")
    return f"{thing.title} ({settings})" if settings else thing.title
