"""Job files for fio whose results a device can be fitted to: on one file, of bounded size and time.

Two plans, for an SSD and for a hard disk. Both fill the file first and work it until it is steady, then run one job
after the other; the whole plan is run several times, since only repetitions say how much a number is worth. Jobs whose
name begins with `held-out` are measured like the others and kept out of the fit, which then predicts them.
"""

import math
import re
import shlex
import shutil
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pagecost.errors import known, require
from pagecost.units import format_bytes, format_seconds

KIB, MIB = 1 << 10, 1 << 20
HELD_OUT = "held-out"
MARK = ".pagecost"  # of a file beside the measured one, which says that it was made for this
LEAST_BYTES, MOST_BYTES = 64 * MIB, 1 << 42
RUNS = 3
RAMP_SHARE = 0.25  # of a job's time goes by before it counts: what the job before left in queues
STEADY_WITHIN = "10%"  # rates of the last quarter of the preconditioning's time
ENGINES = {"linux": "libaio", "win32": "windowsaio"}
SCRIPT = "run.sh"
DEVICES = Path("/dev")  # nothing in it is a file on a disk


@dataclass(frozen=True)
class Job:
    """One job of a plan. pattern: fio's `rw`. span_share of the file that it falls on, from start_share on."""

    pattern: str
    block_bytes: int
    depth: int = 1
    span_share: float = 1.0
    start_share: float = 0.0
    held_out: bool = False

    @property
    def name(self) -> str:
        """Says all that tells the job from the others of its plan."""
        size = format_bytes(self.block_bytes).replace(" ", "")
        words = [HELD_OUT] * self.held_out + [self.pattern, size, f"depth{self.depth}"]
        words += [f"span{self.span_share:g}"] * (self.span_share != 1)
        words += [f"from{self.start_share:g}"] * (self.start_share != 0)
        return "-".join(words)


def _grid(pattern: str, depths_of: dict[int, tuple[int, ...]], *, held_out: bool = False) -> list[Job]:
    return [Job(pattern, size, depth, held_out=held_out) for size, depths in depths_of.items() for depth in depths]


def _ssd() -> list[Job]:
    """Reads before writes, so that no read waits for what a write left behind."""
    return [
        *_grid(
            "randread",
            {
                4 * KIB: (1, 2, 4, 8, 16, 32, 64, 128),
                16 * KIB: (1, 8, 32),
                64 * KIB: (1, 4, 16),
                256 * KIB: (1, 8),
                MIB: (1, 4),
            },
        ),
        *_grid("randread", {8 * KIB: (1, 4, 16), 32 * KIB: (2,), 128 * KIB: (4,)}, held_out=True),
        *_grid("read", {4 * KIB: (1,), 128 * KIB: (1, 16)}),
        *_grid("write", {128 * KIB: (1, 16)}),
        *_grid(
            "randwrite",
            {4 * KIB: (1, 4, 16, 64), 16 * KIB: (1, 16), 64 * KIB: (1, 8), 256 * KIB: (1, 4), MIB: (1,)},
        ),
        *_grid("randwrite", {8 * KIB: (1, 8), 128 * KIB: (2,)}, held_out=True),
    ]


def _disk() -> list[Job]:
    """The seek curve shows in the span, the rate in the size, the drive's own ordering in the depth."""
    spans = (1 / 256, 1 / 64, 1 / 16, 1 / 4, 1 / 2)
    return [
        *(Job("randread", 4 * KIB, span_share=span) for span in spans),
        *_grid("randread", {4 * KIB: (1, 2, 8, 32), 64 * KIB: (1,), MIB: (1,)}),
        Job("randread", 4 * KIB, span_share=1 / 8, held_out=True),
        *_grid("randread", {4 * KIB: (4, 16), 256 * KIB: (1,)}, held_out=True),
        *_grid("read", {4 * KIB: (1,), 64 * KIB: (1,), MIB: (1,)}),
        Job("read", MIB, span_share=1 / 8, start_share=7 / 8),
        *_grid("write", {MIB: (1,)}),
        *_grid("randwrite", {4 * KIB: (1,), 64 * KIB: (1,)}),
    ]


@dataclass(frozen=True)
class Plan:
    """What is measured of one kind of device. job_s: how long a job counts, if not said otherwise [s]."""

    title: str
    jobs: tuple[Job, ...]
    job_s: float


PLANS = {"ssd": Plan("an SSD", tuple(_ssd()), 8.0), "disk": Plan("a hard disk", tuple(_disk()), 20.0)}


@dataclass(frozen=True, kw_only=True)
class Order:
    """What is to be measured: a plan (a key of `PLANS`) on the file `target` of size_bytes.

    job_s: how long each job counts [s], 1..600; None: as the plan says. runs: how often, 1..20. Raises ModelError for a
    target that is a device or somebody else's file, and for sizes and times out of range.
    """

    kind: str
    target: Path
    size_bytes: int = 4 << 30
    job_s: float | None = None
    runs: int = RUNS
    plan: Plan = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "plan", PLANS[known("kind of device", self.kind, PLANS)])
        object.__setattr__(self, "target", Path(self.target).absolute())
        require(
            LEAST_BYTES <= self.size_bytes <= MOST_BYTES,
            f"a file to measure on must be {format_bytes(LEAST_BYTES)} to {format_bytes(MOST_BYTES)}; "
            f"got {format_bytes(self.size_bytes)}",
        )
        require(self.size_bytes % MIB == 0, f"the size of the file must be whole MiB; got {self.size_bytes} bytes")
        require(1 <= self.seconds <= 600, f"a job must count for 1 to 600 seconds; got {self.seconds:g}")
        require(1 <= self.runs <= 20, f"a plan is run 1 to 20 times; got {self.runs}")
        _require_own(self.target)

    @property
    def seconds(self) -> float:
        """How long each job counts."""
        return self.plan.job_s if self.job_s is None else self.job_s

    @property
    def ramp_s(self) -> float:
        """How long each job runs before it counts, whole seconds as fio 2 wants them."""
        return float(math.ceil(RAMP_SHARE * self.seconds))

    @property
    def steady_s(self) -> float:
        """How long the preconditioning may take at most, beyond the filling: eight jobs."""
        return 8 * self.seconds

    @property
    def total_s(self) -> float:
        """The whole measurement without the filling, at most [s]."""
        return self.runs * len(self.plan.jobs) * (self.ramp_s + self.seconds) + self.steady_s


def _require_own(target: Path) -> None:
    """Nothing is measured on a device, in its place, or on a file that holds somebody's data."""
    require(
        re.fullmatch(r"[A-Za-z0-9._-]+", target.name) is not None,
        f"the name of the file to measure on may have letters, digits, dots and hyphens only; got {target.name!r}",
    )
    require(
        DEVICES not in target.parents,
        f"{target} would be a device, there or not; measuring writes to a file of its own on a disk, never to a device",
    )
    require(target.parent.is_dir(), f"the folder {target.parent} of the file to measure on is not there")
    if target.is_symlink() or target.exists():
        mode = target.lstat().st_mode
        require(
            stat.S_ISREG(mode), f"{target} is no plain file; measuring writes to a file of its own, never to a device"
        )
        mark = target.with_name(target.name + MARK)
        require(
            mark.is_file(),
            f"{target} is there already and was not made for measuring; name a file that is not there with --file",
        )


def write(order: Order, folder: Path | str) -> list[str]:
    """Write the job files and the script that runs them into `folder`; returns what was written and what it will do.

    Raises ModelError where the file would not fit on its disk.
    """
    folder = Path(folder)
    free = shutil.disk_usage(order.target.parent).free + (order.target.stat().st_size if order.target.exists() else 0)
    require(
        free > 1.1 * order.size_bytes,
        f"{order.target.parent} has {format_bytes(free)} free; a file of {format_bytes(order.size_bytes)} needs "
        "a tenth more than its size: name another folder with --file, or a smaller --size",
    )
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        f"prepare-{order.kind}.fio": _prepare(order),
        f"measure-{order.kind}.fio": _measure(order),
        SCRIPT: _script(order),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, "utf8", newline="\n")
    held = sum(job.held_out for job in order.plan.jobs)
    return [
        f"{folder}: {', '.join(texts)}.",
        f"{len(order.plan.jobs)} jobs for {order.plan.title}, {held} of them held out, {order.runs} times: at most "
        f"{format_seconds(order.total_s)}, and before that the time to write {format_bytes(order.size_bytes)}.",
        f"They write to {order.target} only, {format_bytes(order.size_bytes)} that the script makes and removes.",
        f"Run them:  sh {shlex.quote(str(folder / SCRIPT))}",
        f"Then:  pagecost calibrate {shlex.quote(str(folder))}/result-{order.kind}-*.json --out my-device.toml",
    ]


def _options(order: Order) -> Iterator[str]:
    yield "[global]"
    yield f"filename={order.target.name}"
    yield f"filesize={order.size_bytes}"
    yield f"ioengine={ENGINES.get(sys.platform, 'posixaio')}"
    yield "direct=1"
    yield "group_reporting=1"
    yield "randseed=1994"


def _prepare(order: Order) -> str:
    """Fill the file, so that no read meets a hole; an SSD is then overwritten at random until its rate is steady."""
    lines = [
        f"# Prepares a file for measuring {order.plan.title}: {format_bytes(order.size_bytes)} are written.",
        *_options(order),
        "",
        "[fill]",
        "rw=write",
        "bs=1m",
        "iodepth=8",
        f"size={order.size_bytes}",
        "refill_buffers=1",
        "end_fsync=1",
    ]
    if order.kind == "ssd":
        lines += [
            "",
            f"# Random writes until the rate stays within {STEADY_WITHIN}, or the time is over.",
            "[steady]",
            "stonewall",
            "rw=randwrite",
            "bs=4k",
            "iodepth=32",
            f"size={order.size_bytes}",
            "time_based=1",
            f"runtime={order.steady_s:g}",
            f"steadystate=iops:{STEADY_WITHIN}",
            f"steadystate_duration={max(1, round(order.steady_s / 4))}",
        ]
    return "\n".join(lines) + "\n"


def _measure(order: Order) -> str:
    lines = [
        f"# Measures {order.plan.title}, one job after the other. Jobs called {HELD_OUT} are kept out of the fit.",
        *_options(order),
        "time_based=1",
        f"runtime={order.seconds:g}",
        f"ramp_time={order.ramp_s:g}",
        "percentile_list=1:5:10:25:50:75:90:95:99:99.9",
    ]
    for job in order.plan.jobs:
        start = int(order.size_bytes * job.start_share) // MIB * MIB
        span = max(int(order.size_bytes * job.span_share) // MIB * MIB, MIB)
        lines += [
            "",
            f"[{job.name}]",
            "stonewall",
            f"rw={job.pattern}",
            f"bs={job.block_bytes}",
            f"iodepth={job.depth}",
            f"offset={start}",
            f"size={span}",
        ]
    return "\n".join(lines) + "\n"


def _script(order: Order) -> str:
    needed_kib = round(1.1 * order.size_bytes / KIB)
    return f"""#!/bin/sh
# Fills a file of {format_bytes(order.size_bytes)}, runs the plan for {order.plan.title} on it, and removes the file.
#   sh {SCRIPT} [how often, default {order.runs}]
set -eu
runs=${{1:-{order.runs}}}
jobs=$(cd "$(dirname "$0")" && pwd)
cd {shlex.quote(str(order.target.parent))}
file={order.target.name}
stop() {{ echo "$1" >&2; exit 2; }}
command -v fio > /dev/null || stop "fio is not installed; it is a package of every Linux distribution"
if [ -e "$file" ] || [ -L "$file" ]; then
  [ -f "$file" ] && [ ! -L "$file" ] && [ -f "$file{MARK}" ] || stop "$file is there and was not made by this script"
else
  [ "$(df -Pk . | awk 'NR == 2 {{ print $4 }}')" -gt {needed_kib} ] || stop "too little room for $file"
fi
: > "$file{MARK}"
trap 'rm -f "$file" "$file{MARK}"' EXIT
trap 'exit 130' INT TERM
echo "preparing $file"
fio --output="$jobs/prepare-{order.kind}.log" "$jobs/prepare-{order.kind}.fio"
run=1
while [ "$run" -le "$runs" ]; do
  echo "run $run of $runs"
  fio --output-format=json+ --output="$jobs/result-{order.kind}-$run.json" "$jobs/measure-{order.kind}.fio"
  run=$((run + 1))
done
echo "done: $jobs/result-{order.kind}-*.json"
"""
