"""Storage devices: how long one request takes, and why.

Every model has `service(pattern, block_bytes, span_bytes)` and returns named terms that add up to the device time of a
request, and beside them the time of one request alone, which only the models of one request at a time have in common.
"""

import functools
from collections.abc import Mapping

from pagecost import catalogue
from pagecost.devices.fio import read_fio
from pagecost.devices.flash import Flash
from pagecost.devices.hard_disk import HardDisk
from pagecost.devices.measured import Measured, MeasuredPoint
from pagecost.devices.memory import Memory
from pagecost.devices.page_times import ALONE, BUSY, PageTimes, page_times
from pagecost.devices.rated import LEAST_FLASH_S, Rated, least_alone_s, why_alone
from pagecost.devices.service import PATTERNS, TERMS, Model, ServiceTime
from pagecost.errors import known, require

MODELS: dict[str, type[HardDisk | Flash | Rated | Memory]] = {
    "hard_disk": HardDisk,
    "flash": Flash,
    "rated": Rated,
    "memory": Memory,
}
"""The model classes by the name that the catalogue uses."""

__all__ = ["ALONE", "BUSY", "MODELS", "PATTERNS", "TERMS", "Flash", "HardDisk", "Measured", "MeasuredPoint", "Memory"]
__all__ += [
    "LEAST_FLASH_S",
    "Model",
    "PageTimes",
    "Rated",
    "ServiceTime",
    "least_alone_s",
    "load",
    "measurements",
    "model_of",
    "modelled",
    "page_times",
]
__all__ += ["random_page_times", "read_fio", "title_of", "why_alone"]


def modelled() -> dict[str, str]:
    """Device id -> name of every device that can be asked for times, catalogue first, then measurements."""
    known_well = {id: device.name for id, device in catalogue.devices().items() if device.model}
    return known_well | {id: title_of(id) for id in measurements()}


def load(name: str) -> Model:
    """The model of a catalogue device or of a measurement in `datasets/measurements`.

    Raises ModelError for an unknown name, or for a device of which too little is known.
    """
    if name in measurements():
        return measurements()[name]
    return model_of(catalogue.devices()[known("device", name, [*catalogue.devices(), *measurements()])])


def title_of(name: str) -> str:
    """What people call a device: the catalogue's name of it, or the name of the measurement; any other as it is."""
    found = catalogue.devices().get(name)
    return found.name if found else f"{name} (measured)" if name in measurements() else name


def model_of(device: catalogue.Device) -> Model:
    """The model of a catalogue device, which may be a changed copy ("what if").

    Raises ModelError when the device has no model, naming what is known of it.
    """
    require(
        bool(device.model),
        f"device {device.id!r}: too little is known for a service time (known: {', '.join(device.parameters)})",
    )
    return MODELS[known("model", device.model, MODELS)].of(device)


def random_page_times(name: str, page_bytes: float, span_bytes: float | None = None, *, kind: str) -> PageTimes:
    """`page_times` of a device by its name. kind: `BUSY` for load and throughput, `ALONE` for what one reference waits.

    Raises ModelError as `load` and `page_times` do.
    """
    return page_times(load(name), page_bytes, span_bytes, kind=kind, title=title_of(name))


@functools.cache
def measurements() -> Mapping[str, Measured]:
    """The fio results that come with pagecost, by file name without ending."""
    folder = catalogue.root() / "measurements"
    return {path.stem: read_fio(path) for path in sorted(folder.glob("*.json"))}
