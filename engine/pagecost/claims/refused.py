"""Lines that ask for what there is not, or for nothing: one sentence, with file and line, before anything runs."""

import inspect
from collections.abc import Iterable, Mapping

from pagecost import catalogue
from pagecost.claims import papers
from pagecost.claims.changed import FORMS, arguments_under
from pagecost.claims.fitted import choices
from pagecost.claims.ledger import Claim
from pagecost.claims.measures import MEASURES
from pagecost.errors import ModelError, known, require
from pagecost.studies import STUDIES

SIDES = (
    *(("layout", "over"), ("scheduler", "over"), ("device", "over"), ("where", "over"), ("policy", "over")),
    *(("method", "over"), ("mapping", "over"), ("where", "than"), ("device", "than"), ("device", "disk")),
    *(("ssd", "disk"), ("one", "other"), ("more", "less"), ("least", "most"), ("first", "second")),
    *(("small", "large"), ("small_bytes", "large_bytes"), ("options", "without"), ("dear", "cheap"), ("kind", "than")),
)
"""Arguments of a measure that it holds against each other."""


def refuse_wrong(asked: Iterable[Claim]) -> None:
    """Raises ModelError for the first line with an unknown measure, study, preset, input, argument or place, with a
    control or rival of no known form or that says nothing, or with words that do not stand in its paper."""
    for claim in asked:
        for place in claim.place.split(", "):
            known(f"place of {claim.where}, claim {claim.id},", place, papers.PAPERS[claim.paper]["places"])
        if claim.anchor:
            require(
                papers.stands_in(claim.paper, claim.anchor),
                f"{claim.where}: claim {claim.id}: {claim.anchor!r} does not stand in {claim.paper}",
            )
        if claim.measure:
            require(
                bool(claim.anchor), f"{claim.where}: claim {claim.id} has no anchor: three to eight words of the paper"
            )
            _refuse_measure(claim)
        if claim.kind == "predicted":
            require(
                bool(claim.rivals) or claim.tolerance is not None,
                f"{claim.where}: claim {claim.id} is called predicted and names no rival",
            )


def _refuse_measure(claim: Claim) -> None:
    known(f"measure of {claim.where}, claim {claim.id},", claim.measure.get("measure", ""), MEASURES)
    _refuse_arguments("measure", claim, claim.measure)
    for name, change in (("control", claim.control), *(("rival", rival) for rival in claim.rivals)):
        if not change:
            continue
        require(
            any(form in change for form in FORMS),
            f"{claim.where}: claim {claim.id}: its {name} has {', '.join(change)}; a change is one of {FORMS}",
        )
        _refuse_vacuous(name, claim, change)
        said = f"{name} of {claim.where}, claim {claim.id},"
        _refuse_devices(said, change)
        for constant in change.get("constants", {}):
            known(f"constant of {said}", constant, _constants())
        if "value" not in change:
            _refuse_arguments(name, claim, arguments_under(claim, change))


def _constants() -> set[str]:
    """Those that a run reads by name: what is fitted or assumed, and nothing else of the program."""
    read = (choice.reads.partition(":") for choice in choices())
    return {name.partition("=")[0] for kind, _, name in read if kind == "constant"}


def _refuse_vacuous(name: str, claim: Claim, change: Mapping) -> None:
    """A rival that is the control, a guess that nobody would make, a thing held against itself or against its reverse:
    they fail, or not, whatever the model says."""
    said = f"{claim.where}: claim {claim.id}: its {name}"
    if name == "rival":
        wider = "tolerance" not in change or (claim.tolerance or 0.0) <= change["tolerance"]
        require(wider, f"{said} has a tolerance below that of the line, which would tell the two apart by less")
        same = {**change, "name": ""} == {**claim.control, "name": ""}
        require(not same, f"{said} is its control; a rival is another explanation, under which it may well hold")
        guess = isinstance(change.get("value"), str)
        require(not guess or bool(change.get("name")), f"{said} is a bare answer; a constant guess has a name")
    if "value" in change:
        return
    corrupts = change.keys() & {"device", "constants", "swap", "shuffled", "algorithm_1"}
    itself = not corrupts and arguments_under(claim, {"set": {}}) == arguments_under(claim, {"set": {}, **change})
    require(not itself or bool(claim.repeats), f"{said} is the line itself")
    takes = inspect.signature(MEASURES[claim.measure["measure"]]).parameters
    usual = {argument: takes[argument].default for argument in takes}
    before = {**usual, **claim.measure}
    after = {**usual, **arguments_under(claim, change)}
    for one, other in SIDES:
        if one not in takes or other not in takes or after[one] is None:
            continue
        require(after[one] != after[other], f"{said} holds {after[one]} against itself ({one}, {other})")
        swapped = (after[one], after[other]) == (before[other], before[one])
        require(not swapped or name == "control", f"{said} only reverses the line ({one}, {other})")


def _refuse_devices(said: str, change: Mapping) -> None:
    devices = catalogue.devices()
    for name in (*change.get("swap", {}), *change.get("swap", {}).values()):
        known(f"device of {said}", name, devices)
    if "device" in change:
        known(f"device of {said}", change["device"], devices)
        told = "parameter" in change and ("factor" in change or "to" in change)
        require(told, f"{said} changes a device and lacks parameter or factor")
        known(f"parameter of {said}", change["parameter"], devices[change["device"]].parameters)


def _refuse_arguments(what: str, claim: Claim, asked: Mapping) -> None:
    """What the measure does not take, and what its study does not know."""
    said = f"{what} of {claim.where}, claim {claim.id},"
    arguments = {name: value for name, value in asked.items() if name != "measure"}
    try:
        inspect.signature(MEASURES[asked["measure"]]).bind(**arguments)
    except TypeError as error:
        raise ModelError(f"{said} {asked['measure']}: {error}") from None
    if "study" not in asked:
        return
    study = STUDIES[known(f"study of {said}", asked["study"], STUDIES)]
    if asked.get("preset") is not None:
        known(f"preset of {said}", asked["preset"], study.presets)
    for name in asked.get("set") or {}:
        known(f"input of {said}", name, study.Inputs.model_fields)
