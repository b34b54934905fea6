"""`pagecost ssd`: what a flash device does with a load, from texts."""

from pagecost import catalogue
from pagecost.answers import flash_load
from pagecost.answers.flash_load import SETTINGS
from pagecost.devices.ssd import catalogued
from pagecost.errors import known
from pagecost.units import format_cell


def simulate(settings: dict[str, str], device: str | None = None) -> dict:
    """The record of `flash_load.steady_state`. settings: texts as `--set` gives them. device: an SSD by its id."""
    found = None if device is None else catalogue.device(known("SSD with chips", device, catalogued()))
    return flash_load.steady_state(flash_load.values_of(settings), found)


def said(found: dict) -> str:
    """The record of `simulate` in a sentence."""
    words = (
        f"Each page that the host writes is programmed {found['write_amplification']:.3g} times "
        f"({found['layer']} map, {found['policy']}, spare {found['spare']:.3g})"
    )
    latency = found.get("latency_us")
    if latency:
        mean, slow = (format_cell(latency[name], "us") for name in ("mean", "p99"))
        words += f"; a request takes {mean} in the mean, one in a hundred more than {slow}"
    return f"{words}{'' if found['steady'] else '; the device is not steady yet'}."


def listed() -> list[dict]:
    """Every setting with its default and its meaning."""
    return [
        {
            "setting": name,
            "default": "" if setting.default is None else str(setting.default),
            "meaning": setting.meaning,
        }
        for name, setting in SETTINGS.items()
    ]
