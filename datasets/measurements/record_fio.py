"""Measure a disk with fio: four access patterns x five block sizes, one job after the other.

All job options are in order.fio beside this script. The script writes the test file full of random bytes first (so that
no read meets a hole or an unwritten extent), runs fio inside a temporary folder, writes fio's complete JSON output and
removes the folder. As the job file names the test file without a folder, the output holds no machine path.

Needs fio 3.x and a folder on the disk to be measured (not tmpfs). Only the standard library is used:

    python datasets/measurements/record_fio.py --folder /var/tmp
"""

import argparse
import configparser
import json
import os
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
JOB_FILE = HERE / "order.fio"
CHUNK_BYTES = 1 << 20
UNIT_BYTES = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def read_test_file_options(job_file: Path) -> tuple[str, int]:
    """Return the name and the size in bytes of the test file, as the job file's global section states them."""
    jobs = configparser.ConfigParser(allow_no_value=True)
    jobs.read(job_file)
    size = jobs["global"]["size"]
    return jobs["global"]["filename"], int(size[:-1]) * UNIT_BYTES[size[-1]]


def lay_out(path: Path, size_bytes: int) -> None:
    """Fill the test file with random bytes, so that neither the file system nor the host can answer reads for free."""
    with path.open("wb") as file:
        for _ in range(size_bytes // CHUNK_BYTES):
            file.write(os.urandom(CHUNK_BYTES))
        file.flush()
        os.fsync(file.fileno())


def run_fio(folder: Path) -> dict:
    """Run the job file with the test file in `folder` and return fio's JSON document."""
    command = ["fio", "--output-format=json", str(JOB_FILE)]
    return json.loads(subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout)


def print_table(document: dict) -> None:
    """Print one line per job: name, MB/s (10^6 bytes), accesses per second, mean and 99 % completion latency."""
    print("| job | MB/s | accesses/s | mean latency, µs | 99 % latency, µs |")
    print("|---|---:|---:|---:|---:|")
    for job in document["jobs"]:
        side = job["write" if job["jobname"].split("-")[0].endswith("write") else "read"]
        latency_ns = side["clat_ns"]
        mb_per_s, p99_us = side["bw_bytes"] / 1e6, latency_ns["percentile"]["99.000000"] / 1e3
        mean_us = latency_ns["mean"] / 1e3
        print(f"| {job['jobname']} | {mb_per_s:.1f} | {side['iops']:.0f} | {mean_us:.0f} | {p99_us:.0f} |")


def main() -> None:
    """Lay out the test file, measure, and write the JSON document."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=HERE / "fio-virtual-disk.json", help="JSON file to write")
    parser.add_argument("--folder", type=Path, default=Path("/var/tmp"), help="folder on the disk to be measured")
    options = parser.parse_args()
    name, size_bytes = read_test_file_options(JOB_FILE)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        lay_out(Path(folder) / name, size_bytes)
        document = run_fio(Path(folder))
    options.output.write_text(json.dumps(document, indent=1) + "\n")
    print_table(document)


if __name__ == "__main__":
    main()
