"""What else might have been chosen where a number was fitted or assumed, as changes under which a line is asked again.

A line that holds with each of them does not rest on the choice, and one that fails with each does not fail by it. They
are written down in `datasets/fitted.toml` before a line is asked, one to three beside each choice; one choice after the
other takes them, never two at once. A number of a device that was fitted might be half or twice as much, unless an
entry says what else.
"""

import fnmatch
import inspect
from collections.abc import Iterator, Mapping

from pagecost.claims.fitted import Choice, choices
from pagecost.claims.ledger import Claim
from pagecost.claims.measures import MEASURES
from pagecost.studies import STUDIES

YES_OR_NO = {True: "yes", False: "no"}
FACTORS = (0.5, 2.0)  # of a number of a device that was fitted


def of(claim: Claim, name: str) -> tuple[Mapping, ...]:
    """The changes (`changed`) that put each alternative in the place of what a run of the claim reads by that name.

    None where no alternative is known, where the claim's measure cannot be asked with one, and where the choice was
    made on this very line.
    """
    made = [choice for choice in choices() if choice.taints(name)]
    if any(fnmatch.fnmatchcase(claim.id, line) for choice in made for line in choice.set_on):
        return ()
    kind, _, rest = name.partition(":")
    own = next((choice for choice in made if choice.alternatives), None)
    if kind == "device":
        return tuple(_of_device(rest, own))
    return tuple(_of_claim(claim, kind, rest.partition("=")[0], own)) if own else ()


def _of_device(rest: str, choice: Choice | None) -> Iterator[Mapping]:
    device, _, parameter = rest.rpartition(".")
    if choice is None:
        yield from ({"device": device, "parameter": parameter, "factor": factor} for factor in FACTORS)
    else:
        yield from ({"device": device, "parameter": parameter, "to": value} for value in choice.alternatives)


def _of_claim(claim: Claim, kind: str, name: str, choice: Choice) -> Iterator[Mapping]:
    asks = "set" in inspect.signature(MEASURES[claim.measure["measure"]]).parameters
    study, _, field = name.partition(".")
    if kind == "input":
        if asks and study == claim.study:
            yield from ({"set": {field: value}} for value in choice.alternatives)
        return
    asked = STUDIES.get(claim.study)
    asks = asks and bool(choice.input) and (asked is None or choice.input in asked.Inputs.model_fields)
    for value in choice.alternatives:
        yield {"constants": {name: value}, **({"set": {choice.input: as_input(value)}} if asks else {})}


def as_input(value):
    """An alternative as an input of a study has it, where what is or is not so is "yes" or "no"."""
    return YES_OR_NO[value] if isinstance(value, bool) else value
