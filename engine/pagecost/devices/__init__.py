"""Storage devices: how long one request takes, and why.

Every model has `service(pattern, block_bytes, span_bytes)` and returns named terms that add up.
"""

import functools
import math
from collections.abc import Mapping

from pagecost import catalogue
from pagecost.devices.flash import Flash
from pagecost.devices.hard_disk import HardDisk
from pagecost.devices.measured import Measured, read_fio
from pagecost.devices.memory import Memory
from pagecost.devices.rated import Rated
from pagecost.devices.service import PATTERNS, TERMS, ServiceTime
from pagecost.errors import known, require

MODELS = {"hard_disk": HardDisk, "flash": Flash, "rated": Rated, "memory": Memory}
"""The model classes by the name that the catalogue uses."""

__all__ = ["MODELS", "PATTERNS", "TERMS", "Flash", "HardDisk", "Measured", "Memory", "Rated", "ServiceTime"]
__all__ += ["load", "measurements", "model_of", "modelled", "random_page_times", "read_fio"]


def modelled() -> dict[str, str]:
    """Device id -> name of every device that can be asked for times, catalogue first, then measurements."""
    known_well = {id: device.name for id, device in catalogue.devices().items() if device.model}
    return known_well | {id: f"{id} (measured)" for id in measurements()}


def load(name: str):
    """The model of a catalogue device or of a measurement in `datasets/measurements`.

    Raises ModelError for an unknown name, or for a device of which too little is known.
    """
    if name in measurements():
        return measurements()[name]
    return model_of(catalogue.devices()[known("device", name, [*catalogue.devices(), *measurements()])])


def model_of(device: catalogue.Device):
    """The model of a catalogue device, which may be a changed copy ("what if").

    Raises ModelError when the device has no model, naming what is known of it.
    """
    require(
        bool(device.model),
        f"device {device.id!r}: too little is known for a service time (known: {', '.join(device.parameters)})",
    )
    return MODELS[known("model", device.model, MODELS)].of(device)


def random_page_times(name: str, page_bytes: int, span_bytes: float | None = None) -> tuple[float, float]:
    """Seconds of a random read and of a random write of one page, over a span of the device or all of it.

    Raises ModelError as `load` does, or for a measured device when such pages were not measured.
    """
    patterns = ("random read", "random write")
    times = [float(load(name).service(pattern, page_bytes, span_bytes=span_bytes).total_s) for pattern in patterns]
    require(all(map(math.isfinite, times)), f"{name}: it was not measured with blocks of {page_bytes} bytes")
    return times[0], times[1]


@functools.cache
def measurements() -> Mapping[str, Measured]:
    """The fio results that come with pagecost, by file name without ending."""
    folder = catalogue.root() / "measurements"
    return {path.stem: read_fio(path) for path in sorted(folder.glob("*.json"))}
