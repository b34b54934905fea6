"""A measured device: the table of a fio result, interpolated between the block sizes that were measured."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from pagecost.devices.service import PATTERNS, ServiceTime, block_sizes
from pagecost.errors import known, require

FIO_PATTERNS = {
    "read": "sequential read",
    "randread": "random read",
    "write": "sequential write",
    "randwrite": "random write",
}
SIZE_SUFFIXES = {"": 1, "b": 1, "k": 1024, "m": 1024**2, "g": 1024**3}


@dataclass(frozen=True, eq=False)
class Measured:
    """Mean time per request by pattern and block size, 1 / measured IOPS [s].

    tables[pattern] = (block_bytes rising, request_s). Between two measured sizes the logarithms are interpolated;
    outside the measured range nothing is claimed (nan).
    """

    name: str
    tables: dict[str, tuple[np.ndarray, np.ndarray]] = field(repr=False)

    def service(self, pattern: str, block_bytes, span_bytes: float | None = None) -> ServiceTime:
        """Time per request of each block size [bytes]; nan where the result says nothing. Shape as `block_bytes`."""
        sizes = block_sizes(block_bytes)
        if known("access pattern", pattern, PATTERNS) not in self.tables:
            return ServiceTime({"measured_s": np.full_like(sizes, np.nan)})
        measured, request_s = self.tables[pattern]
        times = np.exp(np.interp(np.log(sizes), np.log(measured), np.log(request_s), left=np.nan, right=np.nan))
        exact = np.searchsorted(measured, sizes).clip(0, measured.size - 1)
        return ServiceTime({"measured_s": np.where(measured[exact] == sizes, request_s[exact], times)})


def read_fio(path) -> Measured:
    """Read a fio JSON result (`--output-format=json`): pure read, write, randread and randwrite jobs.

    Raises ModelError when the file is missing, is not fio's JSON, or holds no job of the four patterns.
    """
    path = Path(path)
    require(path.is_file(), f"fio result {path}: there is no such file")
    try:
        text = path.read_text("utf8")
        result = json.loads(text[text.index("{") :])  # fio may print warnings before the JSON
    except (ValueError, UnicodeDecodeError) as error:
        require(False, f"fio result {path}: not JSON ({error}); run fio with --output-format=json")
    jobs = result.get("jobs") if isinstance(result, dict) and "fio version" in result else None
    kind = isinstance(jobs, list) and all(isinstance(job, dict) for job in jobs)
    require(kind, f"fio result {path}: no 'fio version' with 'jobs' in it; this is JSON of another kind")
    shared = result.get("global options", {})
    found: dict[str, dict[int, float]] = {}
    for job in jobs:
        options = {**shared, **job.get("job options", {})}
        pattern = FIO_PATTERNS.get(options.get("rw") or options.get("readwrite") or "read")
        if pattern is None:
            continue
        direction = job.get("write" if pattern.endswith("write") else "read", {})
        require("iops" in direction, f"fio result {path}: job {job.get('jobname')!r} lacks the IOPS of its {pattern}")
        iops = direction["iops"]
        require(iops > 0, f"fio result {path}: job {job.get('jobname')!r} has {iops} IOPS; it did not run")
        found.setdefault(pattern, {})[_bytes(options.get("bs", "4k"), path)] = 1 / iops
    require(bool(found), f"fio result {path}: none of its {len(jobs)} jobs is one of {', '.join(FIO_PATTERNS)}")
    tables = {
        pattern: (np.array(sorted(times), float), np.array([times[size] for size in sorted(times)]))
        for pattern, times in found.items()
    }
    return Measured(path.stem, tables)


def _bytes(size: str, path: Path) -> int:
    text = str(size).lower().removesuffix("ib")
    digits = text.rstrip("bkmg")
    suffix = text[len(digits) :][:1]
    require(digits.isdigit(), f"fio result {path}: block size {size!r} is not a number with k, m or g")
    return int(digits) * SIZE_SUFFIXES[suffix]
