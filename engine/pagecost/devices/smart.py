"""What a drive tells of its own life: `nvme smart-log` as text or JSON, and `smartctl -j`.

How worn it is, how many bytes the host has written to it, and for how long it was on. Two of them, an earlier and a
later one, tell of the time between.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pagecost import texts
from pagecost.errors import ModelError, require, require_file

MOST_BYTES = 4 << 20
DATA_UNIT_BYTES = 512_000  # NVMe counts thousands of 512 bytes
MOST = 1e30  # of any counter: an NVMe one has 128 bits
HOUR_S = 3600.0
WHOLE = 100  # of a SATA attribute's value that falls with what is left of the rated life
# What a number of a SATA attribute means is the maker's affair; names as drivedb.h of smartmontools 7.3 gives them.
_LEFT = (
    *((231, "SSD_Life_Left"), (231, "SSD_Life_Left_Perc"), (231, "Lifetime_Left"), (231, "Perc_Rated_Life_Remain")),
    *((231, "Percent_Lifetime_Remain"), (233, "Media_Wearout_Indicator"), (233, "Remaining_Lifetime_Perc")),
    *((177, "Wear_Leveling_Count"), (202, "Percent_Lifetime_Remain"), (202, "Percent_Lifetime_Used")),
    *((202, "Perc_Rated_Life_Used"), (173, "Wear_Leveling_Count")),
    *((173, "Ave_Block-Erase_Count"), (173, "Avg_Block-Erase_Count")),
)
_WRITTEN_BY_HOST = {  # unit [B]
    "Host_Writes_32MiB": 32 << 20,
    "Host_Writes_MiB": 1 << 20,
    "Host_Writes_GiB": 1 << 30,
    "Lifetime_Writes_GiB": 1 << 30,
    "Total_Writes_GiB": 1 << 30,
    "Total_Writes_GB": 10**9,
    "Lifetime_Wts_Frm_Hst_GB": 10**9,
}
# Of the ATA device statistics (log 04h, pages 01h and 07h), whose meaning the ATA command set says, by the names that
# ataprint.cpp of smartmontools gives them: logical sectors, and percent of the rated life, beyond 100 where passed.
SECTORS_WRITTEN, ENDURANCE_USED = "Logical Sectors Written", "Percentage Used Endurance Indicator"
_WRITTEN_BLOCKS = ((241, "Total_LBAs_Written"), (246, "Total_LBAs_Written"))  # 233 of this name is the flash's


@dataclass(frozen=True)
class Smart:
    """One report, or the time between two. used: share of the rated life, 0 and up. on_s [s]: how long it was on.
    written_step_bytes [B]: in which it counts what is written. None where the drive does not say it. source: the file
    or files.
    """

    source: str
    model: str
    used: float | None
    written_bytes: float | None
    on_s: float | None
    written_step_bytes: float | None = None

    def since(self, earlier: "Smart") -> "Smart":
        """What happened between two reports of one drive. Raises ModelError where the earlier one is the later."""
        require(
            not (self.model and earlier.model) or self.model == earlier.model,
            f"SMART {self.source} is of {self.model}, {earlier.source} of {earlier.model}: name two of one drive",
        )
        found: dict[str, Any] = {}
        for name in ("used", "written_bytes", "on_s"):
            now, then = getattr(self, name), getattr(earlier, name)
            require(
                now is None or then is None or now >= then,
                f"SMART {self.source}: it counts less than {earlier.source}; name the earlier report first",
            )
            found[name] = None if now is None or then is None else round(now - then, 12)  # 0.03 - 0.02 is 0.01
        return replace(self, source=f"{earlier.source} to {self.source}", **found)


def read(path) -> Smart:
    """The report in a file. Raises ModelError for a file that is missing or none of these reports."""
    path = Path(path)
    require_file(path, f"SMART {path}")
    require(path.stat().st_size <= MOST_BYTES, f"SMART {path}: more than 4 MiB are no report of a drive")
    text = texts.read(path, "replace")
    try:
        return _of_json(str(path), text) if text.lstrip().startswith("{") else _of_text(str(path), text)
    except ModelError as error:
        raise ModelError(f"SMART {path}: {error}") from None


def _of_json(source: str, text: str) -> Smart:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise ModelError("its JSON is damaged or cut") from None
    model = found.get("model_name", "")
    log = found.get("nvme_smart_health_information_log")
    if isinstance(log, Mapping):
        return _of_log(source, log, str(model))
    if {"ata_smart_attributes", "ata_device_statistics", "endurance_used"} & {*found}:
        return _of_ata(source, found, str(model))
    if {"data_units_written", "Data Units Written"} & {*found}:
        return _of_log(source, found, str(model))
    raise ModelError("it has no SMART data of a drive; write it by nvme smart-log -o json or by smartctl -j -x")


def _of_text(source: str, text: str) -> Smart:
    """`name : value` on each line, as nvme smart-log prints."""
    found = {}
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if colon:
            found[name.strip().lower().replace(" ", "_")] = value.strip().split(" (")[0].removesuffix("%")
    require(
        "data_units_written" in found,
        "it has no data_units_written; write it by nvme smart-log or by smartctl -j -x",
    )
    return _of_log(source, found, "")


def _of_log(source: str, log: Mapping[str, Any], model: str) -> Smart:
    used = next((log[name] for name in ("percent_used", "percentage_used") if name in log), None)
    units, hours = (_number(name, log.get(name)) for name in ("data_units_written", "power_on_hours"))
    worn = _number("percentage_used", used)
    return Smart(
        source,
        model,
        None if worn is None else worn / 100,
        None if units is None else units * DATA_UNIT_BYTES,
        None if hours is None else hours * HOUR_S,
        None if units is None else DATA_UNIT_BYTES,
    )


def _of_ata(source: str, found: Mapping[str, Any], model: str) -> Smart:
    try:
        table = found.get("ata_smart_attributes", {}).get("table", [])
        rows = {(row["id"], row.get("name")): (row["value"], row["raw"]["value"]) for row in table}
        hours = found.get("power_on_time", {}).get("hours")
        used = found.get("endurance_used", {}).get("current_percent")
        block = found.get("logical_block_size", 512)
        pages = found.get("ata_device_statistics", {}).get("pages", [])
        counts = {
            each["name"]: each["value"]
            for page in pages
            for each in page.get("table", [])
            if each.get("flags", {}).get("valid") and "value" in each
        }
    except (AttributeError, KeyError, TypeError):
        raise ModelError("its table of attributes is not that of smartctl -j") from None
    worn = _number("endurance_used", counts.get(ENDURANCE_USED, used))
    if worn is None:
        left = (_sure(each[1], rows[each][0]) for each in _LEFT if each in rows)
        worn = next((WHOLE - value for value in left if value <= WHOLE), None)  # of Apple it falls from 200
    on = _number("power_on_time", hours)
    written, step = _written(rows, counts, _sure("logical_block_size", block))
    return Smart(
        source,
        model,
        None if worn is None else worn / WHOLE,
        None if written is None or step is None else written * step,
        None if on is None else on * HOUR_S,
        step,
    )


def _written(
    rows: Mapping[tuple[Any, Any], tuple[Any, Any]], counts: Mapping[str, Any], block_bytes: float
) -> tuple[float, float] | tuple[None, None]:
    """What the host has written, as a count and the bytes of one: by the standard's statistics first, then by the
    attributes whose names say their unit; None where none is known.
    """
    if SECTORS_WRITTEN in counts:
        return _sure(SECTORS_WRITTEN, counts[SECTORS_WRITTEN]), block_bytes
    units: dict[tuple[Any, Any], float] = {
        each: _WRITTEN_BY_HOST[each[1]] for each in rows if each[1] in _WRITTEN_BY_HOST
    }
    units |= {each: block_bytes for each in _WRITTEN_BLOCKS if each in rows}
    return next(((_sure(each[1], rows[each][1]), unit) for each, unit in units.items()), (None, None))


def _number(name: str, value: Any) -> float | None:
    """A count as a report writes it, also with separators of thousands; None where it is not there."""
    if value is None:
        return None
    text = re.sub(r"(?<=\d)[,._' ](?=\d{3}(\D|$))", "", str(value).strip())
    if isinstance(value, bool) or re.fullmatch(r"\d{1,40}(\.\d+)?", text, re.ASCII) is None:
        raise ModelError(f"{name} must be a number from 0; got {value!r}")
    number = float(text)
    require(number <= MOST, f"{name} is beyond what a drive can count; got {value!r}")
    return number


def _sure(name: str, value: Any) -> float:
    number = _number(name, value)
    if number is None:
        raise ModelError(f"{name} is missing")
    return number
