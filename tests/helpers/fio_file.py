"""Points of a measurement as fio would write them, JSON of version 3."""

import json
import math
from pathlib import Path

WORDS = {
    "random read": "randread",
    "random write": "randwrite",
    "sequential read": "read",
    "sequential write": "write",
}


def write(points, path: Path) -> Path:
    """The points as jobs one after the other; what a point does not know is left out, as fio does."""
    jobs = []
    for number, each in enumerate(points):
        direction = each.pattern.split()[1]
        rate = each.iops * each.block_bytes
        runtime = 1000.0  # ms, or as long as it takes to come past all of the part
        if each.pattern.startswith("sequential") and math.isfinite(each.span_bytes):
            runtime = max(runtime, math.ceil(1000 * each.span_bytes / rate))
        part = {"iops": each.iops, "bw_bytes": rate, "runtime": runtime}
        spread_s = each.spread_s if math.isfinite(each.spread_s) else 0.0
        part["lat_ns"] = {"mean": 1e9 * each.depth / each.iops, "stddev": 1e9 * spread_s, "N": 1000}
        options = {"rw": WORDS[each.pattern], "bs": str(int(each.block_bytes)), "iodepth": str(each.depth)}
        options |= {"size": str(int(each.span_bytes)), "offset": str(int(each.start_bytes))}
        other = "write" if direction == "read" else "read"
        jobs.append(
            {"jobname": each.job, "groupid": number, "job options": options, direction: part, other: {"iops": 0.0}}
        )
    path.write_text(json.dumps({"fio version": "fio-3.41", "jobs": jobs}))
    return path
