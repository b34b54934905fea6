"""Which device do these measurements describe, and what do they not say?"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np
from pydantic import Field

from pagecost.answers import calibrations
from pagecost.calibration import KINDS, Calibrated, Compared, settings
from pagecost.studies import finding
from pagecost.studies.fields import Choice, FilePath, Group, Steps
from pagecost.studies.finding import Finding, counted
from pagecost.studies.study import Column, Fact, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import TEXT, format_bytes, format_cell

PARAMETERS, HELD_OUT, OPEN, DEMERIT, POSTGRESQL = "parameters", "held_out", "not_determined", "demerit", "postgresql"
OWN = "Your own results"
CAPACITIES = (0.0, *(float(f"{digit}e{zeros}") for zeros in (11, 12, 13) for digit in (1, 2, 5)))


class Inputs(StudyInputs):
    """Which results a device is fitted to, and what is held back to test it."""

    measurement: Annotated[
        str,
        Choice(lambda: {name: name.replace("-", " ") for name in calibrations.shipped()}, noun="measurement"),
        Field(title="Measurement", description="Results of fio that come with pagecost."),
    ] = "virtual-disk-depths"
    fio_files: Annotated[
        str,
        FilePath("fio JSON result"),
        Field(title="Your own fio results", description="A fio JSON result, or several by * in the name, instead."),
    ] = ""
    kind: Annotated[
        str,
        Choice(lambda: KINDS, noun="kind of device"),
        Field(title="Kind of device", description="Which of the engine's models shall explain the results."),
    ] = "auto"
    hold_out_every: Annotated[
        int,
        Steps((0, 3, 4, 5, 8), "1", lambda every: f"1 of {every}" if every else "none but those so named"),
        Field(
            ge=0,
            le=100,
            title="Held out",
            description="Points that the fit does not see and then predicts, beside jobs whose name says so.",
        ),
    ] = 0
    capacity_bytes: Annotated[
        float,
        Steps(CAPACITIES, "B", lambda size: format_bytes(size) if size else "not known"),
        Group("A hard disk"),
        Field(ge=0, title="Capacity", description="Of a hard disk whose file was a known part of it; 0: not known."),
    ] = 0.0


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per kind of request that was fitted: measured, predicted, and how far they are apart.

    Table `held_out`: the same of points that the fit did not see. `parameters`: what was found, with intervals.
    `not_determined`: what the results do not say. `demerit`: how far the distributions of response times are apart.
    `postgresql`: its three settings of a device.
    """
    results = calibrations.read(inputs.fio_files) if inputs.fio_files else calibrations.results_of(inputs.measurement)
    progress(0.1, None)
    found = calibrations.calibrated(
        results, inputs.kind, hold_out_every=inputs.hold_out_every, capacity_bytes=inputs.capacity_bytes or None
    )
    return result_of(found)


def result_of(found: Calibrated) -> Result:
    """All that is said of a fitted device, as tables."""
    fitted = [each for each in found.compared if not each.observation.held_out]
    held = [each for each in found.compared if each.observation.held_out]
    more = {}
    if held:
        more[HELD_OUT] = _points(held)
    if known := [each for each in found.found if each.is_determined]:
        more[PARAMETERS] = {
            "parameter": _texts([each.unknown.name for each in known], "parameter"),
            "value": Column(np.array([each.value for each in known]), "1", "value"),
            "low": Column(np.array([each.low for each in known]), "1", "low, 95 %"),
            "high": Column(np.array([each.high for each in known]), "1", "high, 95 %"),
            "unit": _texts([each.unknown.unit for each in known], "unit"),
            "meaning": _texts([each.unknown.meaning for each in known], "meaning"),
        }
    if open := [each for each in found.found if not each.is_determined]:
        more[OPEN] = {
            "parameter": _texts([each.unknown.name for each in open], "parameter"),
            "finding": _texts([each.sentence for each in open], "what the results say"),
        }
    if found.demerits:
        more[DEMERIT] = {
            **_labels([each.observation for each in found.demerits]),
            "demerit_s": Column(np.array([each.demerit_s for each in found.demerits]), "s", "demerit"),
            "share": Column(np.array([each.share for each in found.demerits]), "1", "demerit over mean time"),
        }
    costs, unsaid = settings(found)
    if costs:
        more[POSTGRESQL] = {
            "setting": _texts([each.name for each in costs], "setting"),
            "value": Column(np.array([each.value for each in costs]), "1", "value"),
            "low": Column(np.array([each.low for each in costs]), "1", "low, 95 %"),
            "high": Column(np.array([each.high for each in costs]), "1", "high, 95 %"),
            "condition": _texts([each.condition for each in costs], "holds for"),
        }
    return Result.of(_points(fitted), (*found.notes, *_left(found), *unsaid), facts=_facts(found, held), more=more)


def by_parameter(result: Result) -> Result:
    """The same answer with what was found as its main table, where anything was."""
    first = {PARAMETERS: result.tables[PARAMETERS]} if PARAMETERS in result.tables else {}
    rest = {name if table is not result.main else "residuals": table for name, table in result.tables.items()}
    return replace(result, tables=first | {name: table for name, table in rest.items() if name not in first})


def _texts(values: Sequence[str], label: str) -> Column:
    return Column(np.array(values, str), TEXT, label)


def _labels(observations) -> dict[str, Column]:
    return {
        "pattern": _texts([each.pattern for each in observations], "pattern"),
        "block_bytes": Column(np.array([each.block_bytes for each in observations]).astype(int), "B", "block size"),
        "depth": Column(np.array([each.depth for each in observations]), "1", "outstanding"),
        "span_bytes": Column(np.array([each.span_bytes for each in observations]), "B", "span"),
    }


WORDS = {True: "yes", False: "no", None: "not known"}


def _points(compared: Sequence[Compared]) -> dict[str, Column]:
    observations = [each.observation for each in compared]

    def rates(label: str, values: list[float]) -> Column:
        return Column(np.array(values, float), "1/s", label)

    return {
        **_labels(observations),
        "runs": Column(np.array([len(each.logs) for each in observations]), "1", "runs"),
        "measured_iops": rates("measured requests per second", [each.iops for each in observations]),
        "predicted_iops": rates("predicted requests per second", [each.predicted for each in compared]),
        "within": _texts([WORDS[each.within] for each in compared], "as near as a further run"),
        "predicted_low_iops": rates("predicted, low", [each.low for each in compared]),
        "predicted_high_iops": rates("predicted, high", [each.high for each in compared]),
        "lowest_iops": rates("slowest run", [each.lowest for each in compared]),
        "highest_iops": rates("fastest run", [each.highest for each in compared]),
        "ratio": Column(np.exp([each.apart for each in compared]), "1", "measured over predicted"),
    }


def _left(found: Calibrated):
    if found.not_described:
        kinds = sorted({each.pattern for each in found.not_described})
        yield f"The fitted model says nothing of {len(found.not_described)} other points ({', '.join(kinds)})."


def _facts(found: Calibrated, held: list[Compared]) -> dict[str, Fact]:
    facts = {
        "kind": Fact(KINDS[found.model.kind], TEXT, "fitted as"),
        "scatter": Fact(found.miss, "1", "root mean square of a point about the fit"),
    }
    if np.isfinite(found.observations.noise):
        facts["noise"] = Fact(found.observations.noise, "1", "spread from run to run")
    if found.demerits:
        facts["demerit"] = Fact(float(np.median([each.share for each in found.demerits])), "1", "median demerit")
    if held and all(each.within is not None for each in held):
        within = sum(bool(each.within) for each in held)
        facts["held_out_within"] = Fact(f"{within} of {len(held)}", TEXT, "held out, as near as a further run")
    return facts


def explain(inputs: Inputs, result: Result) -> list[str]:
    """How the numbers come about, with the largest residual."""
    at = int(np.argmax(np.abs(np.log(result["ratio"]))))
    what = ", ".join(
        (result.cell("pattern", at), result.cell("block_bytes", at), f"{result.cell('depth', at)} outstanding")
    )
    lines = [
        "minimum over the unknowns of Σ runs · (ln measured − ln predicted)², unknowns moved in logarithms",
        f"{what}: ln({result.cell('measured_iops', at)} / {result.cell('predicted_iops', at)}) = "
        f"{np.log(result['ratio'][at]):+.3f}, the largest of {len(result)}",
    ]
    if PARAMETERS in result.tables:
        table = result.tables[PARAMETERS]
        for row in range(len(table)):
            low, value, high = (
                format_cell(float(table[name][row]), str(table["unit"][row])) for name in ("low", "value", "high")
            )
            lines.append(
                f"{table['parameter'][row]} = {value}; from {low} to {high} no other values fit significantly worse"
            )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    tables = (result.tables.get(name) for name in (PARAMETERS, OPEN))
    sizes = [len(table) if table else 0 for table in tables]
    held = ""
    if "held_out_within" in result.facts:
        held = "; {held_out_within} held-out points are as near as a further run"
    return finding.found(
        f"Fitted as {{kind}} to {{points}} points: {sizes[0]} of {sum(sizes)} parameters are determined{held}.",
        points=counted(result, range(len(result)), "points that were fitted to"),
        kind=result.facts["kind"].cell,
        held_out_within=result.facts.get("held_out_within", ""),
    )


STUDY = Study(
    name="device_fit",
    title="Which device do these measurements describe, and what do they not say?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="device",
    source="Ruemmler and Wilkes 1994 (demerit); Bates and Watts 1988 ch. 6 (intervals)",
    presets={
        "one request at a time: what it cannot say": {"measurement": "fio-virtual-disk"},
    },
)
