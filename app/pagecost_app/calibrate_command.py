"""`pagecost calibrate`: job files for fio, and the device that their results describe."""

import re
from collections.abc import Sequence
from pathlib import Path

from pagecost import device_files
from pagecost.answers import calibrations
from pagecost.calibration import Calibrated, as_device, jobs
from pagecost.devices import read_fio
from pagecost.errors import require
from pagecost.studies import Result
from pagecost.studies.devices.device_fit import OPEN, PARAMETERS, by_parameter, result_of
from pagecost.units import quantity

FILE = "pagecost-fio-file"


def write_jobs(folder: Path, kind: str, file: Path | None, size: str, seconds: float | None, runs: int) -> list[str]:
    """Write job files; what was written and what it does. kind: "auto" counts as an SSD."""
    order = jobs.Order(
        kind="ssd" if kind == "auto" else kind,
        target=file or Path(FILE),
        size_bytes=int(quantity(size, "B", "--size")) // jobs.MIB * jobs.MIB,
        job_s=seconds,
        runs=runs,
    )
    return jobs.write(order, folder)


def fitted(files: Sequence[Path], kind: str, hold_out: Sequence[str], capacity: str | None) -> Calibrated:
    """The device that the results in `files` describe."""
    require(bool(files), "name the fio results that a device is to be fitted to, or --jobs DIR to write job files")
    results = tuple(read_fio(path) for path in files)
    capacity_bytes = None if capacity is None else float(quantity(capacity, "B", "--capacity"))
    return calibrations.calibrated(results, kind, tuple(hold_out), 0, capacity_bytes)


def tables(found: Calibrated) -> Result:
    """All that is said of a device, what was found first."""
    return by_parameter(result_of(found))


def said(answer: Result) -> str:
    """The answer in a sentence: what was fitted, and what the results leave open."""
    found = [str(name) for name in answer.tables[PARAMETERS]["parameter"]] if PARAMETERS in answer.tables else []
    left = [str(name) for name in answer.tables[OPEN]["parameter"]] if OPEN in answer.tables else []
    words = f"Fitted as {answer.facts['kind'].cell}: {', '.join(found) or 'nothing'} determined"
    return f"{words}; not determined: {', '.join(left)}." if left else f"{words}."


def require_free(out: Path | None, force: bool) -> None:
    """Raise ModelError where writing would lose a file; asked before the work begins."""
    require(
        out is None or force or not out.exists(),
        f"device {out}: the file is there already; --force writes over it",
    )


def write(found: Calibrated, out: Path, name: str | None) -> str:
    """Write a fitted device as a file of one's own; what was written, as a sentence. The file's name gives the id.

    Raises ModelError where the measurement says too little for any model of a device.
    """
    id = re.sub(r"[^a-z0-9]+", "-", out.stem.lower()).strip("-") or "my-device"
    device, sources = as_device(found, id, name or out.stem)
    device_files.write(device, sources, out)
    return f"wrote {out}: {id}, {len(device.parameters)} numbers; pagecost devices add {out} puts it into every list"
