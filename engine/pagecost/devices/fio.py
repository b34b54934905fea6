"""Results of the benchmark fio (`--output-format=json`, also json+) as a measured device, used as measured."""

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pagecost import texts
from pagecost.devices.measured import Measured, MeasuredPoint, summed
from pagecost.errors import ModelError, require, require_file
from pagecost.units import format_bytes, format_si

PLACES = {"read": "sequential", "write": "sequential", "rw": "sequential", "readwrite": "sequential"}
PLACES |= {"randread": "random", "randwrite": "random", "randrw": "random"}
DIRECTIONS = ("read", "write")
WRITING = ("write", "rw", "readwrite", "randwrite", "randrw")
LIMITS = ("rate", "rate_iops", "thinktime", "latency_target")
SYNCS, NO_SYNC = ("fsync", "fdatasync", "sync"), ("0", "none")
POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
LATENCIES = {"lat_ns": 1e-9, "clat_ns": 1e-9, "lat": 1e-6, "clat": 1e-6}  # before fio 3 in microseconds
OVERLAP = 0.1  # of the shorter of two jobs: so much at the same time is side by side
LEFT_OUT = "Left out: "
"""How a remark begins that names a job which cannot be used."""
CACHED = "All jobs went through the page cache (direct=0, fio's default): the rates are those of memory and device."
"""The remark on a file of which no job went past the page cache."""
SHORTEST_S = 1e-3  # of a job whose runtime is not recorded
TOLERANCE = 0.02  # by which bytes over requests may miss the block size before it counts as mixed


@dataclass(frozen=True)
class Job:
    """One entry of a result: when it ran [s], what it was asked to do, and its points, one per direction."""

    name: str
    start_s: float
    run_s: float
    points: tuple[MeasuredPoint, ...]


def read_fio(path) -> Measured:
    """Read a fio JSON result. Jobs that ran side by side are one measurement, jobs one after the other are several.

    What cannot be used (a failed job, trims) is left out and said in the remarks. Raises ModelError when the file is
    missing, is not fio's JSON, or holds nothing that can be used.
    """
    path = Path(path)
    require_file(path, f"fio result {path}")
    try:
        text = texts.read(path)
        require(bool(text.strip()), f"fio result {path}: the file is empty; run fio with --output-format=json")
        require("{" in text, f"fio result {path}: not JSON of fio; run fio with --output-format=json")
        result = json.loads(text[text.index("{") :])  # fio may print warnings before the JSON
    except ModelError:
        raise
    except (ValueError, RecursionError) as error:  # no UTF-8, no JSON, brackets without end
        require(False, f"fio result {path}: not JSON ({error}); run fio with --output-format=json")
    entries: Any = result.get("jobs") if isinstance(result, dict) and "fio version" in result else None
    kind = isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries)
    require(kind, f"fio result {path}: no 'fio version' with 'jobs' in it; this is JSON of another kind")
    left_out: list[str] = []
    try:
        jobs = _jobs(entries, result.get("global options", {}), left_out)
    except (TypeError, AttributeError, KeyError, ValueError) as error:
        why = error if isinstance(error, ModelError) else f"a job is not as fio writes it ({error})"
        raise ModelError(f"fio result {path}: {why}") from None
    points = [point for run in _side_by_side(jobs) for point in _points(run)]
    why = f": {'; '.join(left_out)}" if left_out else ""
    require(bool(points), f"fio result {path}: none of its {len(entries)} jobs can be used{why}")
    remarks = [f"{LEFT_OUT}{each}." for each in left_out] + list(_cached([job.name for job in jobs], entries, result))
    return Measured(path.stem, tuple(points), (*remarks, *_remarks(points)))


def _jobs(entries: list[dict], shared: Mapping, left_out: list[str]) -> list[Job]:
    """The jobs that can be used, with the time at which each began; the others are named in `left_out`."""
    together = _groups_ran_together(entries, shared)
    begun, latest = {}, 0.0
    for entry in entries:  # without a recorded start a group begins when the one before has ended
        group = entry.get("groupid", 0)
        if group not in begun:
            begun[group] = 0.0 if together else latest
        delay_s = _seconds(_options(entry, shared).get("startdelay", 0))
        latest = max(latest, begun[group] + delay_s + (_run_s(entry) or SHORTEST_S))
    timed = all("job_start" in entry for entry in entries)
    jobs, unlike = [], _unlike_the_others([_options(entry, shared) for entry in entries])
    for number, entry in enumerate(entries):
        options, name = _options(entry, shared), str(entry.get("jobname", "?"))
        error = entry.get("error", 0)
        options = options if "job options" in entry or shared else _of_name(name)
        place = PLACES.get(_pattern(options))
        if error:
            left_out.append(f"job {name!r}, which failed with error {error}")
        elif not options and "job options" not in entry:
            left_out.append(f"job {name!r}: this old fio does not say what it did, and neither does its name")
        elif place is None:
            left_out.append(f"job {name!r}, which neither reads nor writes ({options.get('rw')})")
        elif number in unlike:
            left_out.append(f"job {name!r}, {unlike[number]}")
        else:
            points = tuple(_measured(name, entry, options, place, entries))
            start_s = begun[entry.get("groupid", 0)] + _seconds(options.get("startdelay", 0))
            start_s = float(entry["job_start"]) / 1e3 if timed else start_s
            if points:
                jobs.append(Job(name, start_s, _run_s(entry), points))
            else:
                left_out.append(f"job {name!r}, which has 0 IOPS: it did not run")
    return jobs


def _unlike_the_others(options: list[dict]) -> dict[int, str]:
    """Places of jobs that measured something before the device, where others measured the device itself; and why."""
    found = {}
    direct = [str(each.get("direct", "0")) != "0" for each in options]
    writes = [_pattern(each) in WRITING for each in options]
    waits = [_waits_for(each) for each in options]
    bare = any(here and not wait for here, wait in zip(writes, waits, strict=True))
    for number, (is_direct, here, wait) in enumerate(zip(direct, writes, waits, strict=True)):
        if any(direct) and not is_direct:
            found[number] = "which went through the page cache (direct=0), beside jobs that did not"
        elif here and wait and bare:
            found[number] = f"whose writes wait until they are durable ({wait}), beside writes that do not"
    return found


def _cached(used: list[str], entries: list[dict], result: Mapping) -> Iterable[str]:
    """A sentence where the jobs that are used went through the page cache; of an old fio the file does not say it."""
    options = {str(each.get("jobname", "?")): _options(each, result.get("global options", {})) for each in entries}
    if used and all(options[name] and str(options[name].get("direct", "0")) == "0" for name in used):
        yield CACHED


def _waits_for(options: Mapping) -> str:
    """The option by which each write waits until it is durable, "" where none does."""
    return next((f"{what}={options[what]}" for what in SYNCS if str(options.get(what, "0")) not in NO_SYNC), "")


def _options(entry: dict, shared: Mapping) -> dict:
    return {**shared, **entry.get("job options", {})}


def _pattern(options: Mapping) -> str:
    return str(options.get("rw", options.get("readwrite", "read"))).split(":")[0]


def _partly_random(options: Mapping) -> bool:
    """Whether places are neither in order nor drawn evenly: some reads in a row, or places that are drawn more often.

    `rw=randread:8` draws a place for every eighth request only; behind a sequential pattern the number is a gap.
    """
    every = str(options.get("rw", options.get("readwrite", "read"))).partition(":")[2]
    some_in_order = str(options.get("percentage_random", "100")) not in ("0", "100")
    uneven = not str(options.get("random_distribution", "random")).startswith("random")
    return every not in ("", "0", "1") or some_in_order or (uneven and PLACES.get(_pattern(options)) == "random")


def _of_name(name: str) -> dict:
    """What the name of a job says of it, for files of fio before 2.2 that hold no options: its pattern, or nothing."""
    words = [word for word in re.split(r"[^a-z]+", name.lower()) if word in PLACES]
    return {"rw": words[0]} if len(words) == 1 else {}


def _run_s(entry: dict) -> float:
    """How long a job ran; of jobs that fio reports as a group, the longest."""
    return max(float(entry.get(direction, {}).get("runtime", 0)) for direction in (*DIRECTIONS, "trim")) / 1e3


def _groups_ran_together(entries: list[dict], shared: Mapping) -> bool:
    """Whether groups of jobs ran side by side: then they took together longer than the whole did, or it is said."""
    longest: dict[int, float] = {}
    for entry in entries:
        group = entry.get("groupid", 0)
        longest[group] = max(longest.get(group, 0.0), _run_s(entry))
    elapsed_s = max((float(entry.get("elapsed", 0)) for entry in entries), default=0.0)
    said = any(
        "new_group" in options and "stonewall" not in options for options in (_options(e, shared) for e in entries)
    )
    return len(longest) > 1 and (said or (elapsed_s > 0 and sum(longest.values()) >= elapsed_s))


def _measured(name: str, entry: dict, options: dict, place: str, entries: list[dict]) -> Iterable[MeasuredPoint]:
    """The points of one entry, one for each direction in which it moved something."""
    twins = sum((e.get("jobname"), e.get("groupid")) == (entry.get("jobname"), entry.get("groupid")) for e in entries)
    jobs = int(options.get("numjobs", 1))
    jobs = jobs if twins == 1 else 1  # with group reporting one entry stands for all of them
    wanted = _pattern(options)
    directions = DIRECTIONS if wanted.endswith("rw") or wanted == "readwrite" else (wanted.removeprefix("rand"),)
    partly_random = _partly_random(options)
    for direction in directions:
        part = entry.get(direction, {})
        require("iops" in part, f"job {name!r} lacks the IOPS of its {place} {direction}")
        iops = float(part["iops"])
        require(math.isfinite(iops), f"job {name!r} has {iops} IOPS, which is no number")
        if iops <= 0:
            continue
        rate = float(part["bw_bytes"]) if "bw_bytes" in part else 1024 * float(part.get("bw", 0))
        size, mixed = _size(name, options, direction, iops, rate)
        latency_s, spread_s, percentiles, bins = _latencies(part)
        runtime_s = float(part.get("runtime", 0)) / 1e3
        yield MeasuredPoint(
            job=name,
            pattern=f"{place} {direction}",
            block_bytes=size,
            sizes_mixed=mixed,
            iops=iops,
            bytes_per_s=rate or iops * size,
            depth=_depth(entry, options) * jobs,
            jobs=jobs,
            latency_s=latency_s,
            percentiles=percentiles,
            beside=partly_random,
            limited=any(str(options.get(limit, "0")) != "0" for limit in LIMITS),
            spread_s=spread_s,
            bins=bins,
            span_bytes=_place_bytes(name, options, "size", "filesize"),
            start_bytes=_place_bytes(name, options, "offset", default=0.0),
            reached_bytes=iops * size * runtime_s / jobs if place == "sequential" and runtime_s else math.nan,
            part_unsaid=_part_unsaid(name, options),
        )


def _place_bytes(name: str, options: Mapping, *keys: str, default: float = math.nan) -> float:
    """The first of these options that is a number of bytes, or a share of a file whose size is said."""
    for key in keys:
        text = str(options.get(key, "")).lower()
        if text[:1].isdigit() and not text.endswith(("%", "z")):
            return _bytes(name, text, options)
        if text.endswith("%") and key != "filesize" and math.isfinite(whole := _place_bytes(name, options, "filesize")):
            return _share(name, key, text) * whole
    return default


def _share(name: str, key: str, text: str) -> float:
    share = float(text[:-1]) / 100 if re.fullmatch(r"\d+(\.\d*)?%", text) else math.nan
    require(0 <= share <= 1, f"{key} {text!r} of job {name!r} must be a share of the file, 0%..100%")
    return share


def _part_unsaid(name: str, options: Mapping) -> bool:
    """Whether size or offset is a share, other than all or nothing, of a file whose size is not said."""
    shares = {"size": "100", "offset": "0"}
    parts = [key for key, all_ in shares.items() if str(options.get(key, "")).rstrip("%") != all_]
    said = math.isfinite(_place_bytes(name, options, "filesize"))
    return not said and any(str(options.get(key, "")).endswith("%") for key in parts)


def _size(name: str, options: dict, direction: str, iops: float, rate: float) -> tuple[float, bool]:
    """The size of a request and whether it is a mean of several sizes: what was moved over the requests decides."""
    if rate and not {"bs", "blocksize", "filename", "size"} & set(options):  # of an old fio: only the rates say it
        power = 2.0 ** round(math.log2(rate / iops))
        return (
            (power, False) if abs(rate / iops / power - 1) <= TOLERANCE + 1024 / (iops * power) else (rate / iops, True)
        )
    sizes = str(options.get("bs", options.get("blocksize", "4k"))).split(",")
    nominal = _bytes(name, sizes[min(DIRECTIONS.index(direction), len(sizes) - 1)] or sizes[0], options)
    varied = any(option in options for option in ("bsrange", "blocksize_range", "bssplit"))
    if not rate:
        require(not varied, f"job {name!r} mixes block sizes and lacks its bytes per second")
        return nominal, False
    mean = rate / iops
    rounding = 1024 / (iops * nominal)  # rates of old versions are whole KiB a second
    if varied or abs(mean / nominal - 1) > TOLERANCE + rounding:
        return mean, True
    return nominal, False


def _depth(entry: dict, options: dict) -> int:
    """Requests of one job that are outstanding; an engine that waits for each has one, whatever was asked."""
    asked = int(options.get("iodepth", 1))
    alone = float(entry.get("iodepth_level", {}).get("1", 0))
    return 1 if alone > 99.5 else asked


def _latencies(part: dict) -> tuple[float, float, tuple[tuple[float, float], ...], tuple[tuple[float, int], ...]]:
    """Mean and standard deviation of the time of a request [s], its percentiles and, of json+, its bins: from its
    making where recorded, else from its submission.
    """
    mean = spread = math.nan
    percentiles: tuple[tuple[float, float], ...] = ()
    bins: tuple[tuple[float, int], ...] = ()
    for name, scale in reversed(LATENCIES.items()):
        found = part.get(name)
        if isinstance(found, dict) and found.get("N", 1) and found.get("mean", 0) > 0:
            mean, spread = found["mean"] * scale, float(found.get("stddev", math.nan)) * scale
            recorded = found.get("percentile") or {}  # before fio 3 filled up with zeros
            kept = sorted((float(percent), time * scale) for percent, time in recorded.items() if float(percent) > 0)
            percentiles = tuple(kept) or percentiles
            counted = found.get("bins") or {}
            bins = tuple(sorted((float(time) * scale, int(count)) for time, count in counted.items() if count)) or bins
    return mean, spread, percentiles, bins


def _side_by_side(jobs: list[Job]) -> list[list[Job]]:
    """The jobs in runs: those of a run were at work at the same time."""
    runs: list[list[Job]] = []
    for job in sorted(jobs, key=lambda job: job.start_s):
        if runs and any(_overlap(job, other) for other in runs[-1]):
            runs[-1].append(job)
        else:
            runs.append([job])
    return runs


def _overlap(one: Job, other: Job) -> bool:
    if one.start_s == other.start_s:
        return True
    shared_s = min(one.start_s + one.run_s, other.start_s + other.run_s) - max(one.start_s, other.start_s)
    return shared_s > OVERLAP * min(one.run_s, other.run_s)


def _points(run: list[Job]) -> list[MeasuredPoint]:
    """What the jobs of a run did together, one point for each kind of request."""
    kinds: dict[tuple, list[MeasuredPoint]] = {}
    for point in (point for job in run for point in job.points):
        size = "mixed" if point.sizes_mixed else point.block_bytes
        kinds.setdefault((point.pattern, size, point.beside), []).append(point)
    depth = sum(max(point.depth for point in job.points) for job in run)
    iops = sum(point.iops for points in kinds.values() for point in points)
    reads = sum(point.iops for points in kinds.values() for point in points if point.pattern.endswith("read"))
    beside = len(kinds) > 1
    return [
        replace(each, depth=depth, read_share=reads / iops, beside=beside or each.beside)
        for each in map(summed, kinds.values())
    ]


def _remarks(points: list[MeasuredPoint]) -> Iterable[str]:
    for point in points:
        what = f"{point.job}: {format_si(point.iops, '')} {point.pattern}s a second"
        at = f"{point.depth} outstanding"
        if point.sizes_mixed:
            yield f"{what} of mixed sizes, {format_bytes(round(point.block_bytes))} in the mean, {at}."
        if point.limited:
            yield f"{what}, {at}: fio itself held this rate down, so it is not what the device can do."
        if point.beside:
            mixture = f"{point.read_share:.0%} of all of them reads"
            yield f"{what}, {at}, among requests of other kinds, {mixture}: no rate of one pattern follows from it."
        if point.jobs > 1:
            yield f"{what}, {at}: {point.jobs} jobs that ran side by side, summed."


def _bytes(name: str, size: str, options: Mapping) -> float:
    """A size as fio reads it: k is 1024 bytes and ki 1000, unless the option kb_base turns that round."""
    found = re.fullmatch(r"(\d+)(b|([kmgt])(i?)b?)?", size.strip().lower().split("-")[0])
    if found is None:
        raise ModelError(f"block size {size!r} of job {name!r} is not a number with k, m, g or t")
    decimal = (found[4] == "i") != (str(options.get("kb_base", "1024")) == "1000")
    return float(int(found[1]) * (1000 if decimal else 1024) ** POWERS[found[3] or ""])


def _seconds(text) -> float:
    """The option startdelay in seconds; of a range its start."""
    scales = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
    word = str(text).split(",")[0].split("-")[0].strip()
    unit = word.lstrip("0123456789.")
    return float(word.removesuffix(unit) or 0) * scales.get(unit, 1.0)
