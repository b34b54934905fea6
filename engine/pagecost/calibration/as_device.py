"""A calibrated device as one of the catalogue: what the models of every study, page and system take."""

import datetime
import math
import re
from collections.abc import Iterator
from dataclasses import replace

from pagecost import catalogue
from pagecost.calibration.calibrated import Calibrated
from pagecost.calibration.disk import DiskFit
from pagecost.calibration.observations import Observation
from pagecost.calibration.ssd import UNIT_BYTES
from pagecost.errors import require
from pagecost.units import format_bytes

HOW = "least squares over the engine's own model, 95 % interval by profile likelihood"
PREDICTED = "predicted by the fitted model, 95 % interval of what its unknowns leave open"


def as_device(
    calibrated: Calibrated, id: str, name: str, *, today: datetime.date | None = None
) -> tuple[catalogue.Device, dict[str, catalogue.Source]]:
    """(device, its source by id). id: lower-case words joined by hyphens.

    Raises ModelError where the measurement does not determine what a model of the engine needs, naming what is missing.
    """
    require(
        re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id) is not None,
        f"the id of a device must be lower-case words joined by hyphens, as my-ssd; got {id!r}",
    )
    day = (today or datetime.date.today()).isoformat()
    source = f"{id}-fio"
    origin = catalogue.Source(source, f"results of fio on {name}", "", "", day[:4], "", day, "", "measured by the user")
    is_disk = isinstance(calibrated.model, DiskFit)
    made = list(_of_disk(calibrated, id, source) if is_disk else _of_ssd(calibrated, id, source))
    parameters = {each.name: each for each in made}
    model = "hard_disk" if is_disk else "rated"
    for need in catalogue.NEEDS[model]:
        choice = (need,) if isinstance(need, str) else need
        require(
            any(one in parameters for one in choice),
            f"the measurement does not determine {' or '.join(choice)}, which a device file of class {model} needs; "
            "measure with the jobs of pagecost calibrate --jobs",
        )
    device = catalogue.Device(
        id, name, "hard disk" if is_disk else "flash SSD", model, None, "fitted to fio results", parameters, ()
    )
    return device, {source: origin}


def _parameter(id, name, unit, value, low, high, status, source, place, note) -> catalogue.Parameter:
    low, high = (min(low, value), max(high, value)) if math.isfinite(low) and math.isfinite(high) else (None, None)
    stated = f"{value:.4g} {unit}" + (f" ({low:.4g}–{high:.4g} {unit})" if low is not None else "")
    return catalogue.Parameter(id, name, value, low, high, stated, unit, "", status, source, place, note)


def _of_disk(calibrated: Calibrated, id: str, source: str) -> Iterator[catalogue.Parameter]:
    model = calibrated.model
    assert isinstance(model, DiskFit)
    note = "the span that was measured; seeks are those over it" if "capacity" in " ".join(model.notes) else "as given"
    yield _parameter(
        id, "capacity_bytes", "B", model.capacity_bytes, math.nan, math.nan, "derived", source, "span of the jobs", note
    )
    settle = 0.0
    for each in calibrated.found:
        if each.is_determined and each.unknown.name != "write_settle_s":
            yield _parameter(
                id, each.unknown.name, each.unknown.unit, each.value, each.low, each.high, "fitted", source, "", HOW
            )
        settle = each.value if each.unknown.name == "write_settle_s" and each.is_determined else settle
    average = next(each for each in calibrated.found if each.unknown.name == "average_seek_read_s")
    if settle and average.is_determined:
        value = average.value + settle
        yield _parameter(
            id,
            "average_seek_write_s",
            "s",
            value,
            math.nan,
            math.nan,
            "fitted",
            source,
            "",
            f"read seek plus settling; {HOW}",
        )


def _of_ssd(calibrated: Calibrated, id: str, source: str) -> Iterator[catalogue.Parameter]:
    """What the class `rated` needs, at 4 KiB and the deepest queue of reads and writes; and what the fit found."""
    random = [each for each in calibrated.observations.all if each.is_random and calibrated.model.describes(each)]
    depths = {write: {each.depth for each in random if each.is_write == write} for write in (False, True)}
    if calibrated.capacity_bytes is not None:
        yield _parameter(
            id, "capacity_bytes", "B", calibrated.capacity_bytes, math.nan, math.nan, "stated", source, "", "as given"
        )
    shared = depths[False] & depths[True] or depths[False]
    deepest = max(shared)
    yield _parameter(
        id,
        "rated_block_bytes",
        "B",
        float(UNIT_BYTES),
        math.nan,
        math.nan,
        "derived",
        source,
        "",
        "what the rates hold for",
    )
    yield _parameter(
        id,
        "rated_queue_depth",
        "1",
        float(deepest),
        math.nan,
        math.nan,
        "derived",
        source,
        "",
        "deepest queue measured",
    )
    for write, kind in ((False, "read"), (True, "write")):
        if not depths[write]:
            continue
        like = next(each for each in random if each.is_write == write)
        for depth, name in ((deepest, f"random_{kind}_iops"), (1, f"qd1_{kind}_s")):
            yield _predicted(calibrated, id, source, replace(like, block_bytes=float(UNIT_BYTES), depth=depth), name)
        if moved := [each for each in calibrated.observations.all if each.pattern == f"sequential {kind}"]:
            best = max(moved, key=lambda each: each.iops * each.block_bytes)
            rates = [math.exp(log) * best.block_bytes for log in best.logs]
            place = f"{best.points[0].job}: {format_bytes(best.block_bytes)}, {best.depth} outstanding"
            yield _parameter(
                id,
                f"sequential_{kind}_bytes_per_s",
                "B/s",
                best.iops * best.block_bytes,
                min(rates),
                max(rates),
                "measured",
                source,
                place,
                "geometric mean, lowest and highest of the repetitions",
            )
    for each in calibrated.found:
        if each.is_determined:
            unknown = each.unknown
            yield _parameter(
                id,
                unknown.name,
                unknown.unit,
                each.value,
                each.low,
                each.high,
                "fitted",
                source,
                "",
                f"{unknown.meaning}; {HOW}",
            )


def _predicted(calibrated: Calibrated, id: str, source: str, asked: Observation, name: str) -> catalogue.Parameter:
    (rate,), ((low,), (high,)) = calibrated.model.rates([asked]), calibrated.model.rate_interval([asked])
    if name.endswith("_s"):
        return _parameter(
            id, name, "s", float(1 / rate), float(1 / high), float(1 / low), "fitted", source, "", PREDICTED
        )
    return _parameter(id, name, "1/s", float(rate), float(low), float(high), "fitted", source, "", PREDICTED)
