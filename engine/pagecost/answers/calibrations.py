"""Devices fitted to fio results: those that come with pagecost, and a user's own."""

import glob
from pathlib import Path

from pagecost import calibration, catalogue
from pagecost.devices import Measured, read_fio
from pagecost.errors import known, require
from pagecost.remembering import remembered

MOST_FILES = 64


def shipped() -> dict[str, tuple[Path, ...]]:
    """Name -> files of the measurements that come with pagecost; those of one folder are runs of one plan."""
    folder = catalogue.root() / "measurements"
    runs = {each.name: tuple(sorted(each.glob("*.json"))) for each in sorted(folder.iterdir()) if each.is_dir()}
    return {name: files for name, files in runs.items() if files} | {
        path.stem: (path,) for path in sorted(folder.glob("*.json"))
    }


def results_of(name: str) -> tuple[Measured, ...]:
    """The results of a measurement that comes with pagecost. Raises ModelError for an unknown name."""
    return tuple(read_fio(path) for path in shipped()[known("measurement", name, shipped())])


def read(paths: str) -> tuple[Measured, ...]:
    """The results in a file, or in all that a path with * and ? means. Raises ModelError for none, or too many."""
    files = sorted(glob.glob(paths)) if any(sign in paths for sign in "*?") else [paths]
    require(bool(files), f"no file is called {paths}")
    require(len(files) <= MOST_FILES, f"at most {MOST_FILES} fio results are read together; {paths} means {len(files)}")
    return tuple(read_fio(path) for path in files)


@remembered
def calibrated(
    results: tuple[Measured, ...],
    kind: str = "auto",
    hold_out: tuple[str, ...] = (),
    hold_out_every: int = 0,
    capacity_bytes: float | None = None,
) -> calibration.Calibrated:
    """The device that explains the results best, see `calibration.calibrate`."""
    return calibration.calibrate(
        results, kind=kind, hold_out=hold_out, hold_out_every=hold_out_every, capacity_bytes=capacity_bytes
    )
