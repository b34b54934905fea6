"""Shorten results of fio: without the bins of json+, without trims, syncs and what did not run, one job a line.

Every number that is left is fio's own. Only the standard library is used:

    python datasets/measurements/shorten.py result-ssd-*.json --into datasets/measurements/virtual-disk-depths
"""

import argparse
import json
from pathlib import Path

KEPT = ("jobname", "groupid", "job_start", "error", "elapsed", "job options", "job_runtime", "usr_cpu", "sys_cpu")
RATES = ("io_bytes", "bw_bytes", "bw", "iops", "runtime", "total_ios", "short_ios", "lat_ns", "clat_ns")
HEAD = ("fio version", "timestamp", "time", "global options")


def job(entry: dict) -> dict:
    """What is kept of one entry: a direction that moved nothing is left out."""
    made = {name: entry[name] for name in KEPT if name in entry}
    for direction in ("read", "write"):
        part = entry[direction]
        if part["total_ios"]:
            times = {name: dict(part[name]) for name in ("lat_ns", "clat_ns")}
            for each in times.values():
                each.pop("bins", None)
            made[direction] = {name: part[name] for name in RATES} | times
    levels = entry["iodepth_level"]
    return made | {"iodepth_level": {level: share for level, share in levels.items() if share}}


def main() -> None:
    """Write the short form of each result into a folder, as run-1.json, run-2.json, …"""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=Path)
    parser.add_argument("--into", type=Path, required=True)
    options = parser.parse_args()
    options.into.mkdir(parents=True, exist_ok=True)
    for number, path in enumerate(options.results, start=1):
        result = json.loads(path.read_text())
        head = {name: result[name] for name in HEAD if name in result}
        head["global options"] = {name: value for name, value in head["global options"].items() if name != "filename"}
        lines = ",\n".join(json.dumps(job(entry)) for entry in result["jobs"])
        (options.into / f"run-{number}.json").write_text(f'{json.dumps(head)[:-1]}, "jobs": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
