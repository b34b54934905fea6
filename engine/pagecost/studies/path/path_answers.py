"""What the questions about the whole path answer alike: the runs of a grid, their columns, and what must be said."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from functools import partial

import numpy as np

from pagecost import oltp
from pagecost.answers import path_loads, path_runs
from pagecost.answers.path_runs import FILE_SYSTEMS, Case, Mean, drives
from pagecost.economics import LEVELS
from pagecost.errors import ModelError, require
from pagecost.oltp.setup import MOST_BATCH
from pagecost.studies import mix_fields
from pagecost.studies.fields import how_many
from pagecost.studies.loop_fields import TOGETHER, arms_in_words, bounds_in_words, write_cache_in_words
from pagecost.studies.path.path_fields import IN_FEW_WORDS, MYSQL, NO_MIX
from pagecost.studies.path.path_inputs import PathInputs, Point, VolumeInputs
from pagecost.studies.shared_fields import FORCE, unused_said
from pagecost.studies.study import Column, Progress, Result
from pagecost.studies.workers import workers
from pagecost.units import format_bytes, format_seconds, grouped

MOST_ROWS = 64
MOST_UNDER_WAY = 0.05  # of the users' time, in transactions that had not ended; above it a run is said to be short
MOST_NAMED = 4


def case_of(inputs: PathInputs, point: Point, run: int, seconds: float) -> Case:
    """The system at a point, for one of its runs. Raises ModelError where its parts do not fit."""
    database = inputs.profile(point.database)
    load = inputs.load_of(point.mix, database.page_bytes)
    mean_s, logged = inputs.mean_s(database), path_loads.logged(load)
    cached = int(inputs.page_cache_bytes // load.page_bytes)
    frames = int((point.buffer_bytes or database.buffer_bytes) // load.page_bytes)
    storage = point.storage
    setup = oltp.Setup(
        users=inputs.users,
        think_s=inputs.think_s,
        processors=oltp.Processors(
            servers=inputs.processors,
            transaction_s=path_loads.processor_times(load, mean_s),
            io_s=inputs.io_s,
        ),
        buffer=oltp.Buffer(
            frames=frames,
            policy=database.policy,
            write_batch=database.write_batch,
            force=inputs.strategy == FORCE,
        ),
        page_cache=oltp.PageCache(
            pages=cached, synchronous=not point.write_back, read_ahead_pages=inputs.read_ahead_pages
        )
        if cached
        else None,
        file_system=path_runs.file_system(point.file_system, point.cleaner),
        volume_bytes=min(_volume_bytes(load), storage.capacity_bytes),
        cleaning=point.cleaner.interval_s > 0,
        log=oltp.Log(
            transaction_bytes=logged.transaction_bytes,
            change_bytes=logged.change_bytes,
            group_size=inputs.group_size or inputs.users,
            group_wait_s=inputs.group_wait_s,
            flush=inputs.log_flush == "commit",
            buffer_bytes=database.log_buffer_bytes,
            storage=point.log_storage,
        ),
        storage=storage,
        checkpoint_interval_s=point.checkpoint_s or None,
    )
    return Case(
        setup=setup,
        load=load,
        transaction_s=mean_s,
        seconds=seconds,
        fill=inputs.fill,
        seed=inputs.seed + 1000 * run,
    )


def _volume_bytes(load: path_loads.Load) -> float:
    """Of the file system: so much that a log which nobody cleans has room for a run."""
    return path_runs.ROOM_BYTES + 1.2 * sum(load.pages_of().values()) * load.page_bytes


class Found(dict[Point, list[oltp.OltpRun]]):
    """The runs of each point, as many as there are by now. left_out: why a point has none, in a sentence."""

    def __init__(self, runs: Mapping[Point, list[oltp.OltpRun]], left_out: Mapping[Point, str]):
        super().__init__(runs)
        self.left_out = dict(left_out)


def answered(
    inputs: PathInputs,
    points: Sequence[Point],
    seconds: float | Callable[[Point], float],
    progress: Progress,
    result: Callable[[Found], Result],
) -> Found:
    """All runs of all points, side by side; `result` makes a Result of those that are there.

    Runs stand in the order of their streams, whichever ended first: each is known by its number.
    A system that breaks down while it runs is left out, and the others answer. Raises ModelError where none does.
    """
    of_point = seconds if callable(seconds) else lambda point: seconds
    made: dict[Point, dict[int, oltp.OltpRun]] = {point: {} for point in points}
    refused: dict[Point, dict[int, str]] = {point: {} for point in points}

    def found() -> Found:
        left_out = {point: reasons[min(reasons)] for point, reasons in refused.items() if reasons}
        there = {
            point: [runs[number] for number in sorted(runs)]
            for point, runs in made.items()
            if runs and point not in left_out
        }
        return Found(there, left_out)

    try:
        with workers() as pool:
            running = {
                pool.submit(path_runs.measured, case_of(inputs, point, run, of_point(point))): (point, run)
                for run in range(inputs.runs)
                for point in points
            }
            for done, future in enumerate(as_completed(running), start=1):
                point, run = running[future]
                try:
                    made[point][run] = future.result()
                except ModelError as error:
                    refused[point][run] = str(error)
                there = found()
                if there:
                    progress(done / len(running), partial(result, there))
    finally:
        oltp.forget()
    there = found()
    require(bool(there), next(iter(there.left_out.values()), ""))
    return there


def numbers(found: Found, read: Callable[[oltp.OltpRun], float], unit: str, label: str) -> Column:
    """A column of means over the runs of each point."""
    return Column(np.array([path_runs.mean_of(runs, read) for runs in found.values()], float), unit, label)


def tpm_columns(found: Found) -> dict[str, Column]:
    """Transactions per minute and their intervals."""
    means = [path_runs.mean_tpm(runs) for runs in found.values()]
    return {
        "tpm": Column(np.array([mean.value for mean in means], float), "1", "transactions per minute"),
        "half_width": Column(np.array([mean.half_width for mean in means], float), "1", "± at 95 % confidence"),
    }


def names_of(points: Iterable[Point], read: Callable[[Point], str]) -> np.ndarray:
    """A column of texts."""
    return np.array([read(point) for point in points], str)


def place_columns(points: Sequence[Point]) -> dict[str, Column]:
    """Device and file system of each point."""
    return {
        "device": Column(names_of(points, lambda point: point.device), "text", "device", drives()),
        "file_system": Column(names_of(points, lambda point: point.file_system), "text", "file system", FILE_SYSTEMS),
    }


def rate_of(level: str, operation: str) -> Callable[[oltp.OltpRun], float]:
    """Bytes per second of an operation at a level."""
    return lambda run: run.moved_bytes[level, operation] / run.seconds


def size_of(level: str, operation: str) -> Callable[[oltp.OltpRun], float]:
    """Mean size [B] of the requests of an operation at a level."""
    return lambda run: run.mean_request_bytes(level, operation)


def of_term(term: str) -> Callable[[oltp.OltpRun], float]:
    """Seconds of a term of the response time."""
    return lambda run: run.composition[term]


def log_columns(found: Found) -> dict[str, Column]:
    """Busy share of the device that the log has for itself, where it has one."""
    if all(point.log_device == TOGETHER for point in found):
        return {}
    return {"log_busy": numbers(found, lambda run: run.busy(of_log=True), "1", "busy share of the log's device")}


def interval(mean: Mean) -> str:
    """A rate with its interval, as people read it."""
    return f"{grouped(mean.value)} ± {grouped(mean.half_width)}"


def many(storage: oltp.Storage) -> str:
    """Devices in a few words: 2 × Mtron PRO 7500 32 GB."""
    title = drives()[storage.drive.name]
    return f"{storage.count} × {title}" if storage.count > 1 else title


def name_of(point: Point) -> str:
    """A system in a few words: what the grids of the path may vary, where it is not as most have it."""
    words = [IN_FEW_WORDS[point.database], drives()[point.device], path_runs.SHORT[point.file_system]]
    words[1] = many(point.storage)
    if point.mix not in ("normal", NO_MIX):
        words.append(f"mix {mix_fields.TITLES.get(point.mix, point.mix)}")
    if point.buffer_bytes:
        words.append(f"buffer of {format_bytes(point.buffer_bytes)}")
    if point.checkpoint_s:
        words.append(f"a checkpoint every {format_seconds(point.checkpoint_s)}")
    if (log := point.log_storage) is not None:
        words.append(f"log on {many(log)}")
    if point.cleaner.interval_s:
        words.append(f"cleaned every {format_seconds(point.cleaner.interval_s)}")
    return ", ".join(words)


def _start(fill: int) -> str:
    if not fill:
        return "buffer and page cache are empty when the clock starts"
    return f"{grouped(fill)} transactions fill buffer and page cache, without time, before the clock starts"


def _placed(points: Sequence[Point]) -> Iterator[str]:
    """How many devices there are, and where the log lies, if not as usual."""
    counts, levels = {point.storage.count for point in points}, {point.level for point in points}
    if len(counts) == len(levels) == 1 and (several := max(counts)) > 1:
        fewest = f", as few as that needs (asked for: {points[0].count})" if several > points[0].count else ""
        yield (
            f"{several} devices of each kind are joined in one group, striped in units of 64 KiB: "
            f"{LEVELS[points[0].level].title}{fewest}."
        )
    apart = {(point.log_level, many(log)): log.count for point in points if (log := point.log_storage) is not None}
    for (level, devices), count in sorted(apart.items()):
        how = f" ({LEVELS[level].title})" if count > 1 else ""
        yield f"The log has {devices if count > 1 else f'one {devices}'}{how} for itself, without a file system."


def _cached(points: Sequence[Point], found: Found) -> Iterator[str]:
    """What is said of the devices' write caches, and that a cache which was never full has shown half of the truth."""
    if not points[0].write_cache_bytes:
        return
    yield write_cache_in_words(points[0].write_cache_bytes)
    roomy = [name_of(point) for point in points if not sum(run.counts["writes without room"] for run in found[point])]
    if roomy:
        yield f"No cache was full by the end: in a longer run it may be slower on {', '.join(dict.fromkeys(roomy))}."


def _filling(inputs: PathInputs, found: Found) -> Iterator[str]:
    """Which buffers were not full when the clock began: of what they hold nothing must leave yet."""
    if not inputs.fill:
        return
    filled = {name_of(point): path_runs.mean_of(runs, lambda run: run.filled) for point, runs in found.items() if runs}
    roomy = sorted((name for name, share in filled.items() if share < 1), key=filled.__getitem__)
    if roomy:
        named = "; ".join(f"{name}, {filled[name]:.0%}" for name in roomy[:MOST_NAMED])
        more = f"; and {len(roomy) - MOST_NAMED} more" if len(roomy) > MOST_NAMED else ""
        yield (
            f"So much of the buffer was full when the clock began: {named}{more}. Until it is, nothing is written to "
            f"make room, and pages are read that a longer run would find: let more transactions fill it (at most "
            f"{grouped(path_runs.MOST_FILL)}), or ask for a smaller one."
        )


def _under_way(inputs: PathInputs, found: Found) -> Iterator[str]:
    """Which runs were too short for their transactions: by Little's law, users' time is left that had no end yet."""
    think_s = inputs.mean_think_s(inputs.think_s)

    def share(run: oltp.OltpRun) -> float:
        ended = run.tps * (think_s + run.response_s) if run.transactions else 0.0
        return 1 - ended / inputs.users

    idle = [point for point, runs in found.items() if not all(run.transactions for run in runs)]
    if idle:
        named = "; ".join(dict.fromkeys(name_of(point) for point in idle))
        yield (
            f"A run in which no transaction ended has no response time: {named}. What is not known there is left "
            "blank: ask for more seconds."
        )
    shares = {name_of(point): path_runs.mean_of(runs, share) for point, runs in found.items() if point not in idle}
    short = sorted((name for name, each in shares.items() if each > MOST_UNDER_WAY), key=shares.__getitem__)[::-1]
    if short:
        named = "; ".join(f"{name}, {shares[name]:.0%}" for name in short[:MOST_NAMED])
        more = f"; less of {len(short) - MOST_NAMED} more" if len(short) > MOST_NAMED else ""
        yield (
            f"So much of the users' time went into transactions that had not ended with the run: {named}{more}. There "
            "response times are too short, for the slow ones are missing, and rates not yet those of a longer run: ask "
            "for more seconds."
        )


def without_effect(inputs: PathInputs, points: Sequence[Point]) -> Iterator[str]:
    """What was set and changes nothing here, and why."""
    return unused_said(inputs, inputs.unused(points))


def notes(inputs: PathInputs, found: Found) -> Iterator[str]:
    """What a reader must know: what is left out, what runs, which device stands for another, what was cut short."""
    points = list(found)
    for point, reason in found.left_out.items():
        yield f"Left out: {name_of(point)}. {reason[0].upper()}{reason[1:].rstrip('.')}."
    page_bytes = inputs.profile(points[0].database).page_bytes
    users = how_many("users")(inputs.users)
    yield f"{users} on {inputs.load_in_words(page_bytes)}; {_start(inputs.fill)}."
    yield from _placed(points)
    if isinstance(inputs, VolumeInputs):
        yield from arms_in_words(point.storage for point in points)
    yield from bounds_in_words(each for point in points for each in (point.storage, point.log_storage) if each)
    yield from without_effect(inputs, points)
    yield from _cached(points, found)
    yield from _filling(inputs, found)
    if inputs.fill and inputs.strategy != FORCE and any(point.checkpoint_s for point in points):
        yield "The first checkpoint writes what was changed while the buffer was filled, others what has been since."
    yield from _under_way(inputs, found)
    if any(point.mix == mix_fields.OWN_MIX for point in points):
        yield f"Your own mix, in percent: {inputs.mix_of(mix_fields.OWN_MIX)}."
    if inputs.strategy == FORCE:
        yield (
            "FORCE: what a transaction has changed is written behind its log before it ends, its pages together; a "
            "page that leaves the buffer is then hardly ever written."
        )
    if any(point.database == MYSQL for point in points):
        yield (
            "The commercial system makes each page durable that must leave its buffer, and its user waits; MySQL has "
            f"one writer that takes up to {MOST_BATCH} pages with one sync. Its double writes are not modelled."
        )
    if any(point.device == "indilinx-barefoot-ssd" for point in points):
        yield (
            "Indilinx Barefoot: simulated, with numbers fitted to the ratios that Lee 2009 prints. For "
            "Wang 2011 it stands for the OCZ Vertex EX: the same controller, of whose random rates none is stated."
        )
    short = [run.seconds for runs in found.values() for run in runs if run.ended]
    if short:
        yield (
            f"{len(short)} of the runs ended before their time, the shortest after {format_seconds(min(short))}: at "
            f"most {grouped(path_runs.MOST_LOADED)} transactions are made. Rates are of the time until then."
        )
