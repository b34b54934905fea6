"""Seconds that a lesson takes on a fresh machine: until its first chart is there, and until every cell has run.

    python tests/benchmarks/bench_first_use.py [--python PYTHON] [--lessons 01,02] [--compiled] [--runs 1] [--read 20]

Each run has an empty home and an empty kernel cache, so every kernel is compiled; `--compiled` runs each lesson once
before it counts, on the same cache. `--python` names the Python of an installed lab (`make wheelhouse`), whose kernels
came along: nothing is then compiled in either way. Time counts from the first cell, as for somebody who presses
"Run all"; the start of the kernel as `pagecost lab` starts it, which loads pagecost while people read the lesson's
head, stands beside it. `--read` is for how many seconds they go on reading, while another process compiles ahead for
the lesson's cells. What a browser needs to draw comes on top (some tenths).
"""

import argparse
import json
import os
import queue
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import nbformat
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager

from pagecost_app import lab
from pagecost_app.notebook import ahead

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
FIRST_CHART_S, WHOLE_S = 5.0, 60.0  # what was asked for: the first on any fresh machine, all once kernels are there
WIDGET, EXERCISE = "application/vnd.jupyter.widget-view+json", "application/vnd.pagecost.check+json"
COUNT = "import pagecost._jit as j; print(j.compilations(), j.loaded())"
SILENT_S = 2.0  # a cell that says nothing for longer is named


@contextmanager
def kernel(python: str, home: Path, lesson: Path):
    """A client of a new kernel of that Python for that lesson, whose user has this home and nothing else."""
    manager = KernelManager()
    of_lab = json.loads((lab.KERNELS / "kernels" / "python3" / "kernel.json").read_text("utf8"))
    manager._kernel_spec = KernelSpec(argv=[python, *of_lab["argv"][1:]])
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TMPDIR")}
    manager.start_kernel(env=kept | {"HOME": str(home), ahead.LESSON: str(lesson)}, cwd=str(NOTEBOOKS))
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=120)
        yield client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def run_cell(client, code: str) -> tuple[list[tuple[float, dict]], str]:
    """(when, content) of everything that the cell shows, and what it prints. Raises RuntimeError for its error."""
    asked, shown, printed = client.execute(code), [], ""
    while True:
        try:
            said = client.get_iopub_msg(timeout=900)
        except queue.Empty:
            raise RuntimeError(f"a cell takes over 900 s: {code[:60]}") from None
        if said["parent_header"].get("msg_id") != asked:
            continue
        kind, content = said["msg_type"], said["content"]
        if kind == "error":
            raise RuntimeError(f"{content['ename']}: {content['evalue']}")
        if kind == "stream":
            printed += content["text"]
        if kind in ("display_data", "execute_result", "stream"):
            shown.append((time.monotonic(), content))
        if kind == "status" and content["execution_state"] == "idle":
            return shown, printed


def is_chart(content: dict) -> bool:
    """Whether it is a widget with a picture, not an exercise."""
    return WIDGET in content.get("data", {}) and EXERCISE not in content.get("data", {})


def measure(lesson: Path, python: str, home: Path, read_s: float = 0.0) -> dict:
    """How long the lesson takes on this home, when its head is read for so long before the first cell."""
    began = time.monotonic()
    first_chart, silent = None, []
    with kernel(python, home, lesson) as client:
        started = time.monotonic()
        time.sleep(read_s)
        from_kernel = time.monotonic()
        for cell in nbformat.read(lesson, 4).cells:
            if cell.cell_type != "code":
                continue
            at = time.monotonic()
            shown, _ = run_cell(client, cell.source)
            charts = [when for when, content in shown if is_chart(content)]
            if charts and first_chart is None:
                first_chart = charts[0] - from_kernel
            quiet = (shown[0][0] if shown else time.monotonic()) - at
            if quiet > SILENT_S:
                silent.append((quiet, cell.source.strip().splitlines()[0]))
        whole = time.monotonic() - from_kernel
        compiled, loaded = map(int, run_cell(client, COUNT)[1].split())
    return {
        "kernel_s": started - began,
        "first_chart_s": first_chart,
        "whole_s": whole,
        "compiled": compiled,
        "loaded": loaded,
        "silent": silent,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="that runs the lessons; of an installed lab")
    parser.add_argument("--lessons", default="01,02", help="their numbers")
    parser.add_argument("--compiled", action="store_true", help="run each once before, so that its kernels are there")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--read", type=float, default=0.0, help="seconds before the first cell")
    asked = parser.parse_args()
    print(f"{'lesson':8}{'kernel':>9}{'first chart':>13}{'all of it':>11}{'compiled':>10}{'loaded':>8}  load")
    for number in asked.lessons.split(","):
        lesson = next(NOTEBOOKS.glob(f"{number}_*.ipynb"))
        for _ in range(asked.runs):
            with tempfile.TemporaryDirectory() as home:
                if asked.compiled:
                    measure(lesson, asked.python, Path(home))
                found = measure(lesson, asked.python, Path(home), asked.read)
            chart = found["first_chart_s"]
            drawn = "      none" if chart is None else f"{chart:9.1f}{'!' if chart > FIRST_CHART_S else ' '}"
            late = "!" if found["whole_s"] > WHOLE_S and not found["compiled"] else " "
            print(
                f"{number:8}{found['kernel_s']:7.1f} s{drawn:>11} s{found['whole_s']:8.1f}{late} s{found['compiled']:9}"
                f"{found['loaded']:8}  {os.getloadavg()[0]:.1f}",
                flush=True,
            )
            for quiet, line in found["silent"]:
                print(f"        says nothing for {quiet:.1f} s: {line}")
    print(f"! is over what was asked for: a first chart in {FIRST_CHART_S:.0f} s, all in {WHOLE_S:.0f} s")


if __name__ == "__main__":
    main()
