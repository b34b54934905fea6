"""What a question takes from a system, and what it cannot take and why.

Which value of a system fills an input in, its field says (`OfSystem`). A value that is no valid input is left out with
the reason, and the input keeps what it had.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from pagecost.studies.fields import Choices, OfSystem, kind_of, of_system
from pagecost.system import System
from pagecost.validation import Checked, said, sentence


@dataclass(frozen=True)
class Taken:
    """values: input -> what fills it in; places: input -> the path in the system that it is from; refused: input ->
    why what the system says cannot stand there, as a sentence."""

    values: Mapping[str, Any]
    places: Mapping[str, str]
    refused: Mapping[str, str]


def takes(Inputs: type[Checked]) -> dict[str, str]:
    """The inputs that a system can fill in: name -> path in the system."""
    return {name: place.path for name, asked in Inputs.model_fields.items() if (place := of_system(asked))}


def taken(
    Inputs: type[Checked],
    system: System,
    base: Mapping[str, Any] | None = None,
    own: Mapping[str, Any] | None = None,
) -> Taken:
    """What these inputs take from a system. base: what they are without it, where that is not the default; own: values
    of inputs that take nothing.

    What the system does not say, such as where the log lies, is neither taken nor refused. Raises NotCompiled where a
    rule of the inputs looks at a load whose kernels are not compiled.
    """
    offered = _said(Inputs, system, base or {}, own or {})
    before = dict(base or {}) | dict(own or {})
    refused: dict[str, str] = {}
    while offered:
        try:
            Inputs(**before | offered)
            break
        except ValidationError as error:
            wrong = _wrong(error, offered) or _too_much(Inputs, before, offered)
            if not wrong:  # what is wrong is in the base, which is not of the system
                break
            refused |= wrong
            kept = _said(Inputs, system, base or {}, own or {}, without=refused)
        offered = {name: value for name, value in kept.items() if name in offered}
    places = takes(Inputs)
    return Taken(offered, {name: places[name] for name in offered}, refused)


def unchecked(
    Inputs: type[Checked],
    system: System,
    base: Mapping[str, Any] | None = None,
    own: Mapping[str, Any] | None = None,
) -> Taken:
    """As `taken`, but nothing is refused: all that the system says, for those who check it later."""
    places, offered = takes(Inputs), _said(Inputs, system, base or {}, own or {})
    return Taken(offered, {name: places[name] for name in offered}, {})


def money_inputs(Inputs: type[Checked]) -> dict[str, str]:
    """The amounts of money that a system can fill in, in a currency that another input says: name -> that input."""
    places = {name: of_system(asked) for name, asked in Inputs.model_fields.items()}
    return {name: place.money_of for name, place in places.items() if place and place.money_of}


def given_inputs(Inputs: type[Checked]) -> frozenset[str]:
    """The inputs on which it depends whether others take something."""
    places = map(of_system, Inputs.model_fields.values())
    return frozenset(place.given for place in places if place and place.given)


def _said(
    Inputs: type[Checked],
    system: System,
    base: Mapping[str, Any],
    own: Mapping[str, Any],
    without: Collection[str] = (),
) -> dict[str, Any]:
    """What the system says for inputs that are not in `own` or `without`, in the currency that the inputs then say."""
    fields, amounts = Inputs.model_fields, money_inputs(Inputs)
    found = {
        name: value
        for name, asked in fields.items()
        if name not in own
        and name not in without
        and (value := _offered(asked, base.get(name, asked.default), system)) is not None
    }
    stated = {name: asked.default for name, asked in fields.items()} | dict(base) | found | dict(own)
    for name in amounts.keys() & found.keys():
        place = of_system(fields[name])
        try:
            assert place is not None
            assert place.amount is not None
            found[name] = place.amount(system, stated[amounts[name]])
        except (ValueError, ArithmeticError):  # no currency: that is refused, and there is no amount in it
            del found[name]
    return {name: value for name, value in found.items() if _has_effect(of_system(fields[name]), stated)}


def _has_effect(place: OfSystem | None, stated: Mapping[str, Any]) -> bool:
    return place is None or place.where is None or place.where(stated[place.given])


def _offered(asked: FieldInfo, own: Any, system: System) -> Any:
    """What a system says for an input; None where it says nothing.

    Where a question sets several side by side and a system has one, that one stands first, the question's own after it.
    """
    place = of_system(asked)
    stated = system.value(place.path) if place else None
    if place is None or stated is None or stated == ():
        return None
    value = tuple(map(place.word, stated)) if isinstance(stated, tuple) else place.word(stated)
    if value is None:
        return None
    kind = kind_of(asked)
    if isinstance(kind, Choices) and not isinstance(value, tuple):
        return (value, *(each for each in own if each != value and not place.alone))[: kind.most]
    return value


def _wrong(error: ValidationError, offered: Mapping[str, Any]) -> dict[str, str]:
    """The offered inputs whose own rules are broken, and how."""
    found: dict[str, str] = {}
    for each in error.errors():
        name = str(each["loc"][0]) if each["loc"] else ""
        if name in offered:
            found.setdefault(name, said(each, offered))
    return found


def _too_much(Inputs: type[Checked], base: Mapping[str, Any], offered: Mapping[str, Any]) -> dict[str, str]:
    """The first offered input with which a rule over several inputs is broken, and how; none if it is without too."""
    kept = dict(base)
    if _broken(Inputs, kept) is not None:
        return {}
    for name, value in offered.items():
        kept[name] = value
        if (error := _broken(Inputs, kept)) is not None:
            return {name: sentence(error, Inputs.model_fields)}
    return {}


def _broken(Inputs: type[Checked], values: Mapping[str, Any]) -> ValidationError | None:
    try:
        Inputs(**values)
    except ValidationError as error:
        return error
    return None
