"""`pagecost ssd`: what a flash device does with a load, from texts."""

from pagecost import catalogue
from pagecost.answers import flash_load
from pagecost.answers.flash_load import SETTINGS
from pagecost.devices.ssd import catalogued
from pagecost.errors import known


def simulate(settings: dict[str, str], device: str | None = None) -> dict:
    """The record of `flash_load.steady_state`. settings: texts as `--set` gives them. device: an SSD by its id."""
    found = None if device is None else catalogue.device(known("SSD with chips", device, catalogued()))
    return flash_load.steady_state(flash_load.values_of(settings), found)


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
