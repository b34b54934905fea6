"""Measure a device with fio and fit one of the engine's models to it.

jobs.write(jobs.Order(kind="ssd", target="/data/fio-file"), "jobs")     # then run them
found = calibrate([read_fio(path) for path in paths])
found.found, found.compared, found.demerits, settings(found)
"""

from pagecost.calibration.as_device import as_device
from pagecost.calibration.calibrated import KINDS, Calibrated, Compared, Demerit, calibrate
from pagecost.calibration.least_squares import Fit, Found, Unknown
from pagecost.calibration.observations import Observation, Observations, gather
from pagecost.calibration.postgresql import Setting, settings

__all__ = ["KINDS", "Calibrated", "Compared", "Demerit", "Fit", "Found", "Observation", "Observations", "Setting"]
__all__ += ["Unknown", "as_device", "calibrate", "gather", "settings"]
