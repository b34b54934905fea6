"""A trace of some megabytes that unpacks to one line of a gigabyte: read in pieces or refused, in little memory."""

import gzip
import subprocess
import sys

import pytest

MOST_BYTES = 700 * 10**6  # of the process that reads: what it holds without a trace, and pieces of one
READ = """
import re, sys
from pathlib import Path
from pagecost.errors import ModelError
from pagecost.workload import traces
try:
    print("requests", traces.read(sys.argv[1]).requests.size)
except ModelError as error:
    print(str(error)[:300])
# ru_maxrss would begin with what the process held from which this one was forked
print(int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024)
"""


@pytest.mark.long
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the most memory held is read from /proc")
def test_a_line_that_never_ends_is_refused_before_it_is_in_memory(tmp_path):
    bomb = tmp_path / "bomb.csv.gz"
    with gzip.open(bomb, "wb", compresslevel=1) as file:
        for _ in range(1024):
            file.write(bytes(b"7" * (1 << 20)))
    told = subprocess.run([sys.executable, "-c", READ, bomb], capture_output=True, text=True, check=True).stdout
    *said, most = told.splitlines()
    assert "requests" not in said[0]
    assert int(most) <= MOST_BYTES
