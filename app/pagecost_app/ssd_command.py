"""`pagecost ssd`: what a flash device does with a load, without timing."""

import time
from dataclasses import asdict

from pagecost.devices import ftl
from pagecost.errors import ModelError, known, require

WRITES = 4_000_000
NUMBERS = {
    "blocks": int,
    "pages_per_block": int,
    "page_bytes": int,
    "spare": float,
    "writes": int,
    "seed": int,
    "rounds": int,
    "choices": int,
    "reserve_blocks": int,
    "wear_gap": int,
    "log_blocks": int,
    "cached_entries": int,
    "hot_share": float,
    "hot_writes": float,
    "alpha": float,
    "trimmed": float,
}
TEXTS = ("policy", "workload", "layer", "frontiers")
GEOMETRY = ("blocks", "pages_per_block", "page_bytes", "spare")
LOAD = ("hot_share", "hot_writes", "alpha", "trimmed")
OPTIONS = ("policy", "choices", "reserve_blocks", "wear_gap", "log_blocks", "cached_entries")


def simulate(settings: dict[str, str]) -> dict:
    """Fill the device, overwrite it until it is steady, and report: `pagecost ssd --format json` without times.

    settings: texts as `--set` gives them; all have defaults (1024 blocks of 64 pages of 4 KiB, spare 0.07, page map,
    greedy, uniform random, 4 million writes, seed 42). host_pages = writes: those before the device was steady
    (preconditioning_pages, the fill among them) are not counted in any number but this and erase_count. seconds: how
    long the simulation took. Raises ModelError for a name or value that makes no sense.
    """
    values = {name: _value(name, text) for name, text in settings.items()}
    geometry = ftl.Geometry(**_chosen(values, GEOMETRY))
    load = ftl.Workload(kind=values.get("workload", "uniform"), **_chosen(values, LOAD))
    separate = known("place for copies", values.get("frontiers", "shared"), ("shared", "separate")) == "separate"
    seed = values.get("seed", 42)
    require(seed >= 0, f"seed must not be negative; got {seed}")
    started = time.perf_counter()
    run = ftl.measure(
        geometry,
        load,
        layer=values.get("layer", "page"),
        writes=values.get("writes", WRITES),
        rounds=values.get("rounds", 10),
        seed=seed,
        separate=separate,
        **_chosen(values, OPTIONS),
    )
    seconds = time.perf_counter() - started
    counts = asdict(run.counts)
    erases = run.erase_counts
    return {
        "layer": run.layer,
        "policy": run.options.policy,
        "workload": run.workload.kind,
        "blocks": geometry.blocks,
        "pages_per_block": geometry.pages_per_block,
        "page_bytes": geometry.page_bytes,
        "spare": geometry.spare,
        "over_provisioning": geometry.over_provisioning,
        "logical_pages": geometry.logical_pages,
        "preconditioning_pages": run.whole.host_pages - run.counts.host_pages,
        **counts,
        "write_amplification": run.write_amplification,
        "write_amplification_per_round": run.write_amplification_per_round.tolist(),
        "steady": run.steady,
        "steadiness": run.steadiness.sentence(),
        "worst_request_pages": run.worst_request,
        "blamed_requests": run.blamed_requests,
        "erase_count": {
            "min": int(erases.min()),
            "mean": float(erases.mean()),
            "max": int(erases.max()),
        },
        "map_bytes": run.map_bytes,
        "seconds": seconds,
    }


def _value(name: str, text: str):
    known("setting", name, (*NUMBERS, *TEXTS))
    if name in TEXTS:
        return text
    try:
        return NUMBERS[name](text)
    except ValueError:
        kind = "a whole number" if NUMBERS[name] is int else "a number"
        raise ModelError(f"{name} must be {kind}; got {text!r}") from None


def _chosen(values: dict, names) -> dict:
    return {name: values[name] for name in names if name in values}
