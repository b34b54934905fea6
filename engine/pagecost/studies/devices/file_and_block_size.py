"""Does the best block size depend on the size of the file? What a benchmark shows that hides its access pattern."""

from typing import Annotated

import numpy as np
from pydantic import Field

from pagecost.devices import load, modelled, title_of
from pagecost.errors import known
from pagecost.studies import finding
from pagecost.studies.fields import Choice, From, OfSystem, Steps, how_many
from pagecost.studies.finding import Finding
from pagecost.studies.shared_fields import SEED
from pagecost.studies.study import Column, Fact, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_bytes, format_seconds, format_si

KIB, MIB = 1024, 1024**2
BLOCKS = tuple(512 << k for k in range(12))  # 0.5 KB .. 1024 KB, as the thesis
FILES = tuple(MIB << k for k in range(10))  # 1 .. 512 MiB
LOW, HIGH = 0.1, 0.9  # the band holds 8 of 10 replications
PATTERNS = {"hidden": "pattern not known", "sequential": "all sequential", "random": "all random"}
OPERATIONS = {"read": "read", "write": "write"}
PLACES = {"one piece": "in one piece", "scattered": "scattered over the partition"}


class Inputs(StudyInputs):
    """The device, where the file lies, what caches it, and how little is known of the benchmark."""

    device: Annotated[
        str,
        Choice(modelled, such=load),
        OfSystem("devices.database.device"),
        Field(title="Device", description="The device under the benchmark."),
    ] = "fernando-hard-disk"
    operation: Annotated[
        str,
        Choice(lambda: OPERATIONS),
        Field(title="The file is", description="Read or written, again and again."),
    ] = "read"
    file_bytes: Annotated[
        int,
        Steps(FILES, "B", format_bytes),
        From("fernando2011 §3.4.2"),
        Field(ge=BLOCKS[-1], le=FILES[-1], title="File in detail", description="The file whose curves are drawn."),
    ] = 256 * MIB
    most_random: Annotated[
        float,
        Steps((0.0, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0), "1", lambda share: f"up to {share:.0%} random"),
        Field(
            ge=0,
            le=1,
            title="The hidden pattern",
            description="Each replication guesses another share of random requests, from none to this one.",
        ),
    ] = 0.05
    noise: Annotated[
        float,
        Steps((0.0, 0.01, 0.02, 0.05, 0.1), "1", lambda share: f"± {share:.0%}"),
        Field(ge=0, le=0.3, title="Scatter of a run", description="Relative standard deviation of one measured rate."),
    ] = 0.02
    cache_bytes: Annotated[
        int,
        Steps(
            (0, *(size * MIB for size in (2, 8, 32, 64, 128, 256, 512))),
            "B",
            lambda size: format_bytes(size) if size else "no cache",
        ),
        Field(
            ge=0,
            title="Cache",
            description="Of drive or operating system; reads what it holds.",
        ),
    ] = 64 * MIB
    cache_bytes_per_s: Annotated[
        float,
        Steps((1e8, 3e8, 1e9, 3e9), "B/s", lambda rate: format_si(rate, "B/s")),
        Field(gt=0, title="Rate of the cache", description="100 MB/s: a drive's own behind Ultra ATA; more: memory."),
    ] = 1e9
    hit_s: Annotated[
        float,
        Steps((0.0, 1e-6, 5e-6, 2e-5, 1e-4), "s", format_seconds),
        Field(ge=0, title="Time of a hit", description="What a request costs beside the transfer from the cache."),
    ] = 1e-6
    partition_bytes: Annotated[
        float,
        Steps((41e6, 1e8, 1e9, 1e10, 4e10), "B", format_bytes),
        From("fernando2011 §3.3"),
        Field(gt=0, title="Partition", description="A file larger than this cannot be tested; the arm stays inside."),
    ] = 4e10
    place: Annotated[
        str,
        Choice(lambda: PLACES, noun="place of a file"),
        Field(title="The file lies", description="Random requests move the arm across the file or the partition."),
    ] = "one piece"
    replications: Annotated[
        int,
        Steps((20, 50, 100, 200, 500, 1000), "1", how_many("runs")),
        Field(ge=10, le=5000, title="Replications", description="Runs of the whole benchmark."),
    ] = 200
    seed: SEED = 1

    @property
    def files(self) -> tuple[int, ...]:
        """The file sizes [bytes], the one in detail among them, rising."""
        return tuple(sorted({*FILES, self.file_bytes}))


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per pattern, file and block size: median rate and the band that holds 8 of 10 replications.

    wins: share of the replications in which this block size was the fastest for the file. A file that does not fit into
    the partition has no rows, nor has what is not known of the device.
    """
    dice = np.random.default_rng(inputs.seed)
    shape = (inputs.replications, len(inputs.files), len(BLOCKS))
    scatter = np.exp(dice.normal(0.0, inputs.noise, shape))
    guesses = dice.uniform(0.0, inputs.most_random, inputs.replications)
    shares = {"hidden": guesses, "sequential": np.zeros(1), "random": np.ones(1)}
    sequential_s, random_s = mean_request_s(inputs)
    rows: dict[str, list[np.ndarray]] = {name: [] for name in ("median", "low", "high", "wins")}
    for share in shares.values():
        part = share[:, None, None]
        rate = np.array(BLOCKS) / (part * random_s + (1 - part) * sequential_s) * scatter
        low, median, high = np.quantile(rate, (LOW, 0.5, HIGH), axis=0)
        fastest = rate == rate.max(axis=2, keepdims=True)
        wins = np.where(np.isfinite(median), fastest.mean(axis=0), np.nan)
        for name, values in (("median", median), ("low", low), ("high", high), ("wins", wins)):
            rows[name].append(values.ravel())
    values = {name: np.concatenate(parts) for name, parts in rows.items()}
    there = np.flatnonzero(np.isfinite(values["median"]))
    cells = len(inputs.files) * len(BLOCKS)
    columns = {
        "pattern": Column(np.repeat(list(PATTERNS), cells)[there], "text", "pattern", PATTERNS),
        "file_bytes": Column(np.tile(np.repeat(inputs.files, len(BLOCKS)), len(PATTERNS))[there], "B", "file size"),
        "block_bytes": Column(np.tile(BLOCKS, len(inputs.files) * len(PATTERNS))[there], "B", "block size"),
        "throughput_bytes_per_s": Column(values["median"][there], "B/s", "throughput, median"),
        "low_bytes_per_s": Column(values["low"][there], "B/s", "1 of 10 runs is slower"),
        "high_bytes_per_s": Column(values["high"][there], "B/s", "1 of 10 runs is faster"),
        "wins": Column(values["wins"][there], "1", "share of runs that find it best"),
    }
    return Result.of(columns, _notes(inputs))


def mean_request_s(inputs: Inputs) -> tuple[np.ndarray, np.ndarray]:
    """Mean time [s] of a sequential and of a random request, each of shape (files, blocks); nan if a file cannot be.

    A file that is read again and again in order is held whole by a least-recently-used cache or not at all; of a file
    that is read at random the cache holds its share. Writes go through to the device. The benchmark asks for one block
    after the other, so a random request takes what one takes alone; nan too where that is not known.
    """
    model, blocks = load(inputs.device), np.array(BLOCKS, float)
    hit_s = inputs.hit_s + blocks / inputs.cache_bytes_per_s
    cache_bytes = inputs.cache_bytes if inputs.operation == "read" else 0
    means = []
    for pattern in ("sequential", "random"):
        times = []
        for file_bytes in inputs.files:
            span = file_bytes if inputs.place == "one piece" else inputs.partition_bytes
            service = model.service(f"{pattern} {inputs.operation}", blocks, span)
            held = min(cache_bytes / file_bytes, 1.0)
            if pattern == "sequential":
                held = float(held == 1)
            device_s = service.total_s if pattern == "sequential" else service.latency_s
            fits = 1.0 if file_bytes <= inputs.partition_bytes else np.nan
            times.append((held * hit_s + (1 - held) * device_s) * fits)
        means.append(np.array(times))
    return means[0], means[1]


def best_blocks(result: Result, pattern: str) -> dict[str, np.ndarray]:
    """The block size that a run finds best, by file: file_bytes, low, median and high [bytes], arrays of one shape.

    8 of 10 runs lie between low and high. Files that do not fit, or of which a
    block size is not known, are left out. Raises ModelError for another pattern.
    """
    rows = result.rows(pattern=known("pattern", pattern, PATTERNS))
    files, known_blocks = np.unique(result["file_bytes"][rows], return_counts=True)
    files = files[known_blocks == len(BLOCKS)]
    rows = rows[np.isin(result["file_bytes"][rows], files)]
    wins = result["wins"][rows].reshape(files.size, len(BLOCKS))
    reached = np.cumsum(wins, axis=1) / wins.sum(axis=1, keepdims=True)
    found = {"file_bytes": files}
    for name, share in (("low", LOW), ("median", 0.5), ("high", HIGH)):
        found[name] = np.array(BLOCKS)[(reached >= share - 1e-12).argmax(axis=1)]
    return found


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The two pure times of the largest block for the file in detail, and what each pattern makes look best."""
    at = inputs.files.index(inputs.file_bytes)
    sequential_s, random_s = (times[at, -1] for times in mean_request_s(inputs))
    lines = []
    if np.isfinite(random_s):
        lines.append(
            f"A request of {format_bytes(BLOCKS[-1])} takes {format_seconds(sequential_s)} in order and "
            f"{format_seconds(random_s)} at random; a pattern with a share p of random requests takes "
            "p × random + (1 - p) × sequential."
        )
    for pattern, title in PATTERNS.items():
        found = best_blocks(result, pattern)
        for file_bytes, low, median, high in zip(*found.values(), strict=True):
            if file_bytes == inputs.file_bytes:
                lines.append(f"{title}: {format_bytes(median)} looks best, 8 of 10 runs say {span(low, high)}.")
    if not lines and not _random_is_known(inputs):
        return [f"{title_of(inputs.device)}: how long one random {inputs.operation} takes alone is not known."]
    return lines or [f"A file of {format_bytes(inputs.file_bytes)} does not fit into the partition."]


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    for pattern, title in PATTERNS.items():
        best = best_blocks(result, pattern)
        (where,) = np.nonzero(best["file_bytes"] == inputs.file_bytes)
        if where.size:
            label = result.columns["block_bytes"].label
            blocks = {name: Fact(float(best[name][where[0]]), "B", label) for name in ("low", "median", "high")}
            agreed = "{low}" if blocks["low"].cell == blocks["high"].cell else "{low} to {high}"
            return finding.found(
                "For a file of {file}, {operation}, {title}, blocks of {median} look best; 8 of 10 runs say "
                f"{agreed}.",
                file=format_bytes(inputs.file_bytes),
                operation=inputs.operation,
                title=title,
                **blocks,
            )
    return finding.found(f"A file of {format_bytes(inputs.file_bytes)} does not fit into the partition of the test.")


def span(low_bytes: float, high_bytes: float) -> str:
    """What lies between two sizes, in words: one size where they are the same."""
    low, high = format_bytes(low_bytes), format_bytes(high_bytes)
    return low if low == high else f"{low} to {high}"


def _random_is_known(inputs: Inputs) -> bool:
    """Whether the time of one random request alone is known of the device, at least for some block size."""
    service = load(inputs.device).service(f"random {inputs.operation}", np.array(BLOCKS, float))
    return bool(np.isfinite(service.latency_s).any())


def _notes(inputs: Inputs):
    yield (
        "The thesis' tool does not say which pattern its file test uses; the thesis leaves the test out of its "
        "algorithm. Here the pattern is a share of random requests that differs from run to run."
    )
    yield "Scatter, cache size and the range of patterns are assumptions to play with, not measurements."
    if not _random_is_known(inputs):
        yield (
            f"{title_of(inputs.device)}: how long one random {inputs.operation} takes alone is not known, so nothing "
            "is said of patterns with random requests; its rates are with many outstanding."
        )
    if inputs.partition_bytes < FILES[-1]:
        yield (
            f"Files above {format_bytes(inputs.partition_bytes)} do not fit into the partition: a test of 512 MB files "
            "cannot have run on the 41 MB partition that the thesis names."
        )
    if inputs.cache_bytes and inputs.operation == "read":
        yield (
            f"Up to {format_bytes(inputs.cache_bytes)} the file stays in the cache and the device is not measured at "
            "all; there the curve is flat and chance names the best block."
        )


STUDY = Study(
    name="file_and_block_size",
    title="Does the best block size depend on the file size, or on what the benchmark hides?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="device",
    source="fernando2011 §3.4.2, §5.2",
    presets={
        "the thesis' 41 MB partition": {"partition_bytes": 41e6, "place": "scattered", "file_bytes": 32 * MIB},
        "the same without a cache": {
            "partition_bytes": 41e6,
            "place": "scattered",
            "file_bytes": 32 * MIB,
            "cache_bytes": 0,
        },
        "written": {"operation": "write"},
        "any pattern, no cache": {"most_random": 1.0, "cache_bytes": 0},
        "a solid state disk": {"device": "fernando-ssd"},
    },
)
