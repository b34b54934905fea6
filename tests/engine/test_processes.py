"""Worker processes: none is left when the process that started them is killed."""

import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).parents[2]
SWEEP = """
import time
from pagecost import sweep
with sweep.processes(2) as workers:
    for _ in range(2):
        workers.submit(time.sleep, 600)
    print("started", flush=True)
    time.sleep(600)
"""
CLAIMS = """
from itertools import cycle, islice
from pagecost.claims import whole
from pagecost.claims.ledger import claims
asked = [each for each in claims() if each.study]
whole._groups = lambda asked: [list(islice(cycle(asked), 100_000))] * 2
print("started", flush=True)
list(whole._checked(asked[:100], 2))
"""


def python_processes(of: psutil.Process) -> list[psutil.Process]:
    """Workers of a process, with those who start them; not the one that Python keeps for shared memory."""
    found = of.children(recursive=True)
    return [each for each in found if not any("resource_tracker" in word for word in each.cmdline())]


def ended(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.mark.parametrize("script", [SWEEP, CLAIMS], ids=["sweep", "claims"])
def test_workers_end_when_their_parent_is_killed(script):
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert parent.stdout.readline() == "started\n"
        deadline = time.monotonic() + 60
        while len(workers := python_processes(psutil.Process(parent.pid))) < (2 if script == SWEEP else 3):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        time.sleep(2)  # they are at work
        assert not any(map(ended, workers))
    finally:
        parent.kill()
        parent.wait()
        parent.stdout.close()
    try:
        deadline = time.monotonic() + 30
        while not all(map(ended, workers)):
            assert time.monotonic() < deadline, "workers outlive their parent"
            time.sleep(0.1)
    finally:
        for worker in workers:
            if not ended(worker):
                worker.kill()


def test_every_pool_of_processes_is_one_that_ends_with_its_parent():
    sources = [*(ROOT / "engine").rglob("*.py"), *(ROOT / "app").rglob("*.py")]
    assert [path.name for path in sources if "ProcessPoolExecutor(" in path.read_text("utf8")] == ["_processes.py"]
