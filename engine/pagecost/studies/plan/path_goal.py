"""Which rate, buffer and number of drives meet a goal on the whole path, for years and within a budget?"""

import math
from concurrent.futures import Future, as_completed
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, NamedTuple

from pydantic import Field, model_validator

from pagecost import catalogue, oltp
from pagecost.answers import path_goals, path_loads, path_runs
from pagecost.answers.path_goals import LEAST_FRAMES, Found, Knee, Least, Path, Ran
from pagecost.answers.response_goals import Within
from pagecost.answers.workers import workers
from pagecost.devices import title_of
from pagecost.economics import LEVELS, YEAR_S, Endurance, Owned, endurance
from pagecost.errors import ModelError, require
from pagecost.studies.fields import Choices, OfSystem, Steps, how_many
from pagecost.studies.finding import Finding, at, marked
from pagecost.studies.loop_fields import COUNT, TOGETHER
from pagecost.studies.loop_loads import DEBIT_CREDIT, TPC_C, LoadFields, load_of
from pagecost.studies.plan.goal_money import (
    BUDGET,
    DEAR,
    HOLDS,
    WITHIN,
    affordable,
    cost_row,
    drives_for,
    owned_by,
    share_within,
    wear_row,
)
from pagecost.studies.plan.path_goal_inputs import REQUESTS, OpenPathInputs, load_titles
from pagecost.studies.plan.path_goal_said import (
    ALONE,
    BUFFERS,
    CROWDED,
    LABELS,
    LIMITS,
    LOG_COST,
    LOGS,
    LOOKING,
    TOO_SMALL,
    answered,
    explain,
    notes,
)
from pagecost.studies.plan.plan_inputs import choosable
from pagecost.studies.plan.response_goal_said import COSTS, CURVE, NUMBERS, WEAR, columns_of
from pagecost.studies.shared_fields import FORCE, SEED, horizon, per_second
from pagecost.studies.study import Fact, Progress, Result, Study, no_progress
from pagecost.workload.patterns import Zipf
from pagecost.workload.tpcc import TpcC

TAIL = 10  # transactions of a run beyond the percentile, at least
CHECK_SEED = 7919  # added to the seed of the runs that look for the least


class Inputs(LoadFields, OpenPathInputs):
    """A goal, transactions that come by themselves, and a path that they take."""

    devices: Annotated[
        tuple[str, ...],
        Choices(choosable, most=6, noun="device with times"),
        OfSystem("devices.database.device"),
        Field(min_length=1, title="Drives", description="For the pages of the database and the log."),
    ] = ("seagate-exos-x18-18tb", "intel-x25-m-g2-160gb", "intel-optane-p4800x-375gb")
    within_s: Annotated[float, *WITHIN] = 2e-3
    share: Annotated[float, *share_within("Share of the transactions that the goal is for.")] = 0.99
    rate_hz: Annotated[
        float,
        Steps((10.0, 50.0, 100.0, 200.0, 1000.0, 5000.0, 20_000.0, 50_000.0), "1/s", per_second),
        OfSystem("load.transaction_rate_hz"),
        Field(gt=0, le=1e7, title="Transactions", description="That come a second, at random times."),
    ] = 20_000.0
    load: Annotated[
        str, *load_of("What a transaction does; what changes pages writes the log, too.", options=load_titles)
    ] = REQUESTS
    frames: Annotated[
        int,
        Steps((256, 1024, 4096, 16384, 65536), "frames", how_many("frames")),
        OfSystem("memory.buffer_frames"),
        Field(ge=LEAST_FRAMES, le=2**20, title="Buffer", description="Pages; one for each connection at least."),
    ] = 4096
    count: Annotated[int, *COUNT] = 1
    years: Annotated[float, *horizon("How long the drives shall last.")] = 5.0
    budget_usd: Annotated[float, *BUDGET] = 10_000.0
    seed: SEED = 1

    @model_validator(mode="after")
    def _a_frame_for_each_connection(self):
        require(
            self.connections <= self.frames,
            f"each connection keeps a page fixed: {self.connections} connections need as many frames; got "
            f"{self.frames}: take fewer connections or a larger buffer",
        )
        return self

    @property
    def drive_count(self) -> int:
        """Drives that knee and buffer are of: `count`, or as many more as the RAID level needs."""
        return LEVELS[self.level].joined(self.count)

    @property
    def goal(self) -> Within:
        """Of the transactions."""
        return Within(share=self.share, within_s=self.within_s)

    @property
    def all_seeds(self) -> tuple[int, ...]:
        """Of the runs, so far apart that neighbours of `seed` share none."""
        return tuple(self.seed + 1000 * number for number in range(self.seeds))

    @property
    def length(self) -> int:
        """Transactions that are measured in a run: so many that `TAIL` take longer than the percentile, at least."""
        return max(self.measured, math.ceil(TAIL / (1 - self.share) * (1 - 1e-12)))

    @property
    def replaying(self) -> int:
        """Transactions of a trace come in its order, whoever works on them."""
        return 1

    def tpcc_of(self, mix: str, page_bytes: int) -> TpcC:
        """TPC-C with its usual mix."""
        return TpcC(warehouses=self.warehouses, page_bytes=page_bytes)

    def asked(self) -> path_loads.AnyLoad:
        """What transactions do."""
        if self.offered is not None:
            return self.offered.of(self, "", self.page_bytes)
        return Zipf(
            pages=self.pages,
            alpha=self.skew,
            write_share=round(1 - self.read_share, 12),
            page_bytes=self.page_bytes,
        )

    def path(self, device: str) -> Path:
        """The path with one kind of drive. Raises ModelError where the parts do not fit."""
        load = self.asked()
        cached, logged = int(self.page_cache_bytes // load.page_bytes), path_loads.logged(load)
        own_s = self.offered.mean_s if self.offered else None
        mean_s = own_s(self) if own_s else self.transaction_s
        setup = oltp.Setup(
            users=self.connections,
            processors=oltp.Processors(servers=self.processors, transaction_s=path_loads.processor_times(load, mean_s)),
            buffer=oltp.Buffer(frames=self.frames, policy=self.policy, force=self.strategy == FORCE),
            page_cache=oltp.PageCache(pages=cached) if cached else None,
            file_system=path_runs.file_system(self.file_system, path_runs.Cleaner()),
            log=oltp.Log(**logged._asdict(), group_size=self.group_size or self.connections, storage=self.log_storage),
            storage=path_runs.joined(
                device, self.count, self.level, self.scheduler, self.write_cache_bytes, self.volume_bytes
            ),
        )
        return Path(setup=setup, load=load, fill=self.fill, measured=self.length)

    @property
    def log_storage(self) -> oltp.Storage | None:
        """What the log has for itself; None: it lies with the data."""
        if self.log_device == TOGETHER:
            return None
        return path_runs.joined(
            self.log_device, self.log_count, self.log_level, write_cache_bytes=self.write_cache_bytes
        )


class Enough(NamedTuple):
    """Which number of drives is enough for the rate, and what they cost.

    drives: the least, None where no number is. many: drives that are bought, 0 for none: also for the volume. run: with
    the first seed, and check: with one that looked for nothing, of as many drives, or of the most there are, hardly
    asked for anything. at_once: what that path does at most. log, log_worn_s: the same as owned, worn_s of the devices
    that the log has for itself, None where it has none.
    """

    drives: Least | None
    many: int
    run: Ran
    check: Ran
    at_once: Ran
    rated: Endurance | None
    worn_s: float
    owned: Owned
    log_worn_s: float
    log: Owned | None

    @property
    def total_usd(self) -> float:
        """Of the drives and the log's own."""
        return float(self.owned.total) + (float(self.log.total) if self.log else 0.0)


class Buffered(NamedTuple):
    """The least buffer with the drives as they are, None where none is enough; largest: frames that were tried."""

    least: Least | None
    largest: int


@dataclass
class Drive:
    """What is known of a drive by now: its knees by seed, and what is enough; refused: why it cannot be asked."""

    found: dict[int, Found] = field(default_factory=dict)
    enough: Enough | None = None
    buffered: Buffered | None = None
    refused: str = ""

    @property
    def knee(self) -> Knee:
        """Of all seeds."""
        return path_goals.knee_of([self.found[seed] for seed in sorted(self.found)])

    def learn(self, seed: int, part: Found | Enough | Buffered) -> None:
        """A part of the answer is there; seed: of a knee."""
        if isinstance(part, Found):
            self.found[seed] = part
        elif isinstance(part, Enough):
            self.enough = part
        else:
            self.buffered = part


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per drive: the largest rate of the path with it that is within the goal (the knee), over several seeds.

    Tables: `curve`: the percentile at every rate that was simulated; `numbers`: how many drives are enough for the
    rate, checked by another seed; `buffers`: the least buffer of the path as it is; `limits`: where most waits if no
    number is enough; `wear`; `costs`: where known. A drive that the load does not fit on is left out, and the others
    answer. Raises ModelError where none does.
    """
    drives = {name: Drive() for name in inputs.devices}
    try:
        with workers() as pool:
            jobs: dict[Future, tuple[str, int]] = {}
            for name in drives:
                for seed in inputs.all_seeds:
                    jobs[pool.submit(_knee, inputs, name, seed)] = name, seed
            for work in (_enough, _buffered):
                for name in drives:
                    jobs[pool.submit(work, inputs, name)] = name, 0
            for done, job in enumerate(as_completed(jobs), start=1):
                name, seed = jobs[job]
                try:
                    drives[name].learn(seed, job.result())
                except ModelError as error:
                    drives[name].refused = str(error)
                there = _there(inputs, drives)
                if done < len(jobs):
                    progress(done / len(jobs), partial(_result, inputs, there, drives) if there else None)
    finally:
        oltp.forget()
    there = _there(inputs, drives)
    require(bool(there), next((drive.refused for drive in drives.values()), ""))
    return _result(inputs, there, drives)


def _there(inputs: Inputs, drives: dict[str, Drive]) -> dict[str, Drive]:
    """The drives of which all knees are there, in their order."""
    return {
        name: drive for name, drive in drives.items() if not drive.refused and len(drive.found) == len(inputs.all_seeds)
    }


def _knee(inputs: Inputs, name: str, seed: int) -> Found:
    """With one seed; the first one also shows the way there."""
    path = inputs.path(name)
    found = path_goals.knee_with(path, inputs.goal, seed)
    return path_goals.way_to(path, inputs.goal, found, seed) if seed == inputs.seed else found


def _enough(inputs: Inputs, name: str) -> Enough:
    """The least number of drives with the buffer as it is, and what they cost."""
    path, device, seeds = inputs.path(name), catalogue.device(name), inputs.all_seeds
    drives = path_goals.least_drives(path, inputs.goal, inputs.rate_hz, seeds)
    many = max(drives.every, drives_for(inputs.volume_bytes, device, inputs.level)) if drives else 0
    most_drives = path.setup.storage.counts[-1]
    several = path.with_drives(min(many, most_drives) or most_drives)  # more, for the volume, only have less to do
    most = path_goals.at_once(several, seeds[0])
    rate_hz = inputs.rate_hz if many else most.tps * path_goals.IDLE
    run, check = (path_goals.ran(several, inputs.share, rate_hz, seed) for seed in (seeds[0], inputs.seed + CHECK_SEED))
    rated = endurance(device)
    worn_s = rated.worn_s(run.written_bytes_per_s / max(many, 1)) if rated else math.inf
    owned = owned_by(inputs, device, many, run.busy, worn_s)
    log = path.setup.log and path.setup.log.storage
    return Enough(
        drives, many, run, check, most, rated, worn_s, owned, *_log_owned(inputs, run, log.count if log else 0)
    )


def _log_owned(inputs: Inputs, run: Ran, count: int) -> tuple[float, Owned | None]:
    """(time until they are worn out [s], what they cost) of so many devices that the log has for itself."""
    if not count:
        return math.inf, None
    device = catalogue.device(inputs.log_device)
    rated = endurance(device)
    worn_s = rated.worn_s(run.log_written_bytes_per_s / count) if rated else math.inf
    return worn_s, owned_by(inputs, device, count, run.log_busy, worn_s)


def _buffered(inputs: Inputs, name: str) -> Buffered:
    path, seeds = inputs.path(name), inputs.all_seeds
    least = path_goals.least_frames(path, inputs.goal, inputs.rate_hz, seeds)
    return Buffered(least, path_goals.sizes(path, seeds[0])[-1])


def _verdict(inputs: Inputs, drive: Drive) -> str:
    enough = drive.enough
    if enough is None or drive.buffered is None:
        return LOOKING
    if enough.many:
        return affordable(inputs.budget_usd, enough.total_usd)
    if enough.check.percentile_s > inputs.within_s:
        return ALONE
    return CROWDED if enough.at_once.tps < inputs.rate_hz else TOO_SMALL


def _result(inputs: Inputs, drives: dict[str, Drive], asked: dict[str, Drive]) -> Result:
    names = {name: title_of(name) for name in asked}
    verdicts = {name: _verdict(inputs, drive) for name, drive in drives.items()}
    known = {name: drive.enough for name, drive in drives.items() if drive.enough}
    bought = {name: enough for name, enough in known.items() if enough.many}
    tables: dict[str, list[dict[str, Any]]] = {
        CURVE: _curve(drives),
        NUMBERS: [_numbers(inputs, name, enough) for name, enough in bought.items()],
        BUFFERS: [_buffers(inputs, name, drive.buffered) for name, drive in drives.items() if drive.buffered],
        WEAR: [
            wear_row(name, enough.rated, enough.run.written_bytes_per_s / enough.many, enough.worn_s, enough.owned)
            for name, enough in bought.items()
            if enough.rated
        ],
        LIMITS: [_limits(name, enough) for name, enough in known.items() if not enough.many],
        LOGS: [_log(name, enough) for name, enough in bought.items() if enough.log],
        COSTS: [
            cost_row(name, enough.owned, {LOG_COST: float(enough.log.total)} if enough.log else {})
            for name, enough in bought.items()
            if verdicts[name] in (HOLDS, DEAR)
        ],
    }
    main = [_found(name, drive.knee, verdicts[name]) for name, drive in drives.items()]
    holding = {name: enough.total_usd for name, enough in bought.items() if verdicts[name] == HOLDS}
    chosen = min(holding, key=lambda name: holding[name], default="")
    facts = {"chosen": Fact(chosen, "text", "the cheapest drive that holds all")}
    more = {name: columns_of(rows, names, LABELS) for name, rows in tables.items() if rows}
    refused = {name: drive.refused for name, drive in asked.items() if drive.refused}
    return Result.of(columns_of(main, names, LABELS), notes(inputs, bought, refused), facts=facts, more=more)


def _found(name: str, knee: Knee, verdict: str) -> dict:
    return {
        "device": name,
        "verdict": verdict,
        "alone_s": knee.alone_s,
        "knee_hz": knee.rate_hz,
        "knee_low_hz": knee.low_hz,
        "knee_high_hz": knee.high_hz,
        "capacity_hz": knee.capacity_hz,
    }


def _curve(drives: dict[str, Drive]) -> list[dict]:
    return [
        {"device": name, "seed": seed, "path_hz": point.rate_hz, "response_s": point.percentile_s}
        for name, drive in drives.items()
        for seed, found in sorted(drive.found.items())
        for point in found.points
    ]


def _numbers(inputs: Inputs, name: str, enough: Enough) -> dict:
    assert enough.drives is not None  # so many are bought
    return {
        "device": name,
        "count": enough.many,
        "count_every": enough.drives.every,
        "count_any": enough.drives.any,
        "mean_s": enough.run.mean_s,
        "busy": enough.run.busy,
        "check_s": enough.check.percentile_s,
        "checked": "holds" if enough.check.percentile_s <= inputs.within_s else "does not hold",
    }


def _log(name: str, enough: Enough) -> dict:
    return {
        **{"device": name, "log_busy": enough.run.log_busy, "log_bytes_per_s": enough.run.log_written_bytes_per_s},
        "log_worn_years": enough.log_worn_s / YEAR_S,
    }


def _limits(name: str, enough: Enough) -> dict:
    (station, busy), (term, time_s) = enough.at_once.busiest, enough.run.mostly
    return {
        **{"device": name, "most_hz": enough.at_once.tps, "busiest": station, "busiest_busy": busy},
        **{"mostly": term, "mostly_s": time_s},
    }


def _buffers(inputs: Inputs, name: str, buffered: Buffered) -> dict:
    """0 frames where no buffer is enough."""
    least = buffered.least or Least(0, 0)
    of_pages = {"buffer_bytes": float(least.every * inputs.asked().page_bytes)}
    return {"device": name, "frames": least.every, **of_pages, "frames_any": least.any, "largest": buffered.largest}


WANG = {
    **{"load": TPC_C, "warehouses": 30, "processors": 2, "transaction_s": 5.5e-3, "frames": 2048, "fill": 8000},
    **{"page_cache_bytes": 1.9 * 2**30, "scheduler": "anticipatory", "measured": 2000, "seeds": 3},
    **{"connections": 30},
}


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    costs = result.tables.get(COSTS)
    paid = [at(costs, "total_usd", row) for row in range(len(costs))] if costs else []
    knees = [at(result, "knee_hz", row) for row in range(len(result))]
    return marked(answered(inputs, result), *paid, *knees)


STUDY = Study(
    name="path_goal",
    title="Which rate, buffer and number of drives meet a goal on the whole path?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="whole path",
    source="Lazowska et al. 1984; Law, Simulation Modeling and Analysis; Dowell and Jarratt 1971 for the search",
    presets={
        "Wang 2011: TPC-C on a disk and two flash drives": {
            **WANG,
            **{"devices": ("hgst-7k1000-750gb", "mtron-pro-7500", "intel-x25-e"), "file_system": "in-place"},
            **{"rate_hz": 50.0, "within_s": 0.5, "share": 0.95},
        },
        "Debit-Credit of 1985: 95 % within a second": {
            **{"load": DEBIT_CREDIT, "devices": ("wd800aajs", "cheetah-15k5", "hgst-7k1000-750gb"), "rate_hz": 100.0},
            **{"within_s": 1.0, "share": 0.95, "transaction_s": 5e-3, "fill": 20_000},
        },
        "mirrored disks, the log on a drive of its own": {
            **{"load": DEBIT_CREDIT, "devices": ("wd800aajs", "seagate-exos-x18-18tb"), "level": "raid-1"},
            **{"log_device": "intel-x25-m-g2-80gb", "rate_hz": 100.0, "within_s": 0.2, "share": 0.95},
            **{"transaction_s": 5e-3, "fill": 20_000},
        },
        "a goal that no drive can meet": {"within_s": 5e-5},
    },
)
