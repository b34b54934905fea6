"""Devices of one lesson: what is fitted in it stands in every list of its notebook, and the user's folder stays.

keep(fit, "my-ssd", "the shop's disk", capacity_bytes=256e9)   # from here on explore(…) and the planner know my-ssd
"""

import atexit
import functools
import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from pagecost import device_files
from pagecost.calibration import Calibrated, as_device
from pagecost.catalogue_tables import Device


@functools.cache
def lesson_folder() -> Path:
    """A folder of this process alone, for what a lesson writes; it is gone when the process ends.

    Its `devices` take the place of the user's own, with a copy of them among them.
    """
    own, folder = device_files.folder(), Path(tempfile.mkdtemp(prefix="pagecost-lesson-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    devices = folder / "devices"
    devices.mkdir()
    for file in own.glob("*.toml"):
        shutil.copy(file, devices)
    os.environ[device_files.FOLDER_VARIABLE] = str(devices)
    return folder


def keep(fit: Calibrated, id: str, name: str, capacity_bytes: float) -> Device:
    """The fitted device, kept for this lesson. capacity_bytes: of the drive, which no measurement says [B].

    Raises ModelError where the measurement says too little for any model of a device.
    """
    device, sources = as_device(replace(fit, capacity_bytes=capacity_bytes), id, name)
    device_files.write(device, sources, lesson_folder() / "devices" / f"{id}.toml")
    return device
