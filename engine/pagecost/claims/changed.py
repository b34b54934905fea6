"""Runs a measure under a change: a corruption under which a claim must fail, or a simpler explanation as its rival.

A change is one of {device, parameter, factor} (a number of the catalogue is multiplied; with {to} instead of a factor a
number in SI or a text takes its place), {constants = {name = value}} (what was assumed is another), {swap = {device =
other}} (another device takes the place of one), {shuffled = true} (loads have their references in another order),
{algorithm_1 = factor} (the typed-in table is multiplied), {set = inputs} (the study is asked something else),
{arguments = ...} (the measure is) and, for rivals, {value = x} (no run at all).
"""

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping

from pagecost import catalogue, reads
from pagecost.claims.ledger import Claim
from pagecost.claims.measures import MEASURES
from pagecost.devices import best_block
from pagecost.errors import known, require
from pagecost.workload.shuffled import shuffled

FORMS = ("device", "constants", "swap", "shuffled", "algorithm_1", "arguments", "set", "value")


def measured(claim: Claim, change: Mapping | None = None):
    """What the claim's measure gives, in the claim's unit. Raises ModelError that names the line of the ledger."""
    change = change or {}
    require(not change or any(form in change for form in FORMS), f"{claim.where}: a change is one of {FORMS}")
    if "value" in change:
        return change["value"]
    arguments = arguments_under(claim, change)
    name = known(f"measure of {claim.where}", arguments.pop("measure"), MEASURES)
    with catalogue.of_project(), _corrupted(change):
        return MEASURES[name](**arguments)


def arguments_under(claim: Claim, change: Mapping) -> dict:
    """What the claim's measure is asked under a change, as the record has it: `measure`, and `set` where it has one."""
    arguments = {**claim.measure, **change.get("arguments", {})}
    if "set" in change:
        arguments["set"] = {**arguments.get("set", {}), **change["set"]}
    return arguments


@contextlib.contextmanager
def _corrupted(change: Mapping) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        if "device" in change:
            device = catalogue.device(change["device"])
            name = change["parameter"]
            value = change["to"] if "to" in change else device.value(name) * change["factor"]
            stack.enter_context(catalogue.using(device.replaced(name, value)))
        if "constants" in change:
            stack.enter_context(reads.instead(change["constants"]))
        for name, other in change.get("swap", {}).items():
            stack.enter_context(catalogue.using(dataclasses.replace(catalogue.device(other), id=name)))
        if change.get("shuffled"):
            stack.enter_context(shuffled())
        if "algorithm_1" in change:
            stack.enter_context(_scaled(best_block.ALGORITHM_1, change["algorithm_1"]))
        yield


@contextlib.contextmanager
def _scaled(table: dict, factor: int) -> Iterator[None]:
    kept = dict(table)
    table.update({name: tuple(factor * size for size in sizes) for name, sizes in kept.items()})
    try:
        yield
    finally:
        table.update(kept)
