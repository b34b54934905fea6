"""What the studies of XML transactions show alike: the table of many runs, its notes, and how one is explained."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from pagecost import catalogue, devices
from pagecost.answers.xml_runs import (
    COUNTED,
    TRANSACTIONS,
    WARM_UP,
    Load,
    Times,
    alone,
    alone_notes,
    counted,
    times,
)
from pagecost.answers.xml_write_cache import served
from pagecost.studies.study import Column, Progress, Result
from pagecost.studies.xml.xml_fields import MAPPING_TITLES
from pagecost.studies.xml.xml_inputs import COLD, ExperimentInputs
from pagecost.units import grouped

TERMS = {"cpu_s": "processor", "io_s": "data I/O", "log_s": "log"}
LAID_OUT = (
    "Pages of a database are laid out from stored samples of its collections, not from all of its text. Stored whole, "
    "10 MB take between 1 % less and 3 % more pages than the layout says, 100 MB between 11 % less (customers) and 2 % "
    "more."
)


def single_user(inputs: ExperimentInputs) -> str:
    """How many transactions there are, and when they begin to count."""
    if inputs.start == COLD:
        return f"{grouped(TRANSACTIONS)} transactions from empty caches on, single user"
    return f"{grouped(COUNTED)} transactions after {grouped(WARM_UP)} that fill the buffer, single user"


def over(
    inputs: ExperimentInputs,
    axis: tuple[str, str, str],
    values: Sequence[float],
    chosen: float,
    chosen_label: str,
    progress: Progress,
    further=None,
) -> Result:
    """One row per device, mapping and value of an axis; `chosen` marks those of the chosen value.

    axis: (name, unit, label): an input that the values take the place of. Per transaction: cpu_s, io_s and log_s, less
    hidden_s, add up to 1 / tps. load: share of the time that the device works, or the host on its requests. mean_w: by
    the paper's formula, energy_j = mean_w / tps. Its notes say of which device the time of a request alone is not
    known.
    further(costs): columns of one study.
    """
    name, unit, label = axis
    values = sorted({*values, chosen})
    host, caches = inputs.host, {device: inputs.write_cache_of(device) for device in inputs.devices}
    found, costs_of = {}, {}
    for number, value in enumerate(values):
        for mapping in inputs.mappings:
            asked = {"plain_bytes": inputs.plain_bytes, "write_share": inputs.write_share} | {name: value}
            load = Load(mapping, asked["plain_bytes"], asked["write_share"], inputs.seed, inputs.start == COLD)
            counts = found[mapping, value] = counted(load, host)
            for device, cache in caches.items():
                made = None
                if cache:
                    log_page_s = alone(device, "sequential write", None).waits_s
                    made = served(load, host, inputs.disk_of(device), cache, inputs.processor, log_page_s)
                costs_of[device, mapping, value] = times(device, counts, inputs.processor, made)
        progress((number + 1) / len(values), None)
    rows = [(device, mapping, value) for device in inputs.devices for mapping in inputs.mappings for value in values]
    every = [found[row[1:]] for row in rows]
    costs = [costs_of[row] for row in rows]
    device_of, mapping_of, value_of = (np.array(column) for column in zip(*rows, strict=True))

    def cost(name: str) -> np.ndarray:
        return np.array([getattr(each, name) for each in costs])

    def count(read) -> np.ndarray:
        return np.array([read(each) for each in every])

    tps, mean_w, writes = 1 / cost("elapsed_s"), cost("mean_w"), cost("writes")
    reads = count(lambda each: each.traffic.device_requests(write=False) / each.transactions)
    log_pages = count(lambda each: each.log_pages)
    return Result.of(
        {
            "device": Column(device_of, "text", "device", devices.modelled()),
            "mapping": Column(mapping_of, "text", "mapping", MAPPING_TITLES),
            name: Column(value_of, unit, label),
            "tps": Column(tps, "1/s", "transactions per second"),
            **{term: Column(cost(term), "s", label) for term, label in TERMS.items()},
            "hidden_s": Column(cost("hidden_s"), "s", "hidden by overlap"),
            "behind_s": Column(cost("behind_s"), "s", "device work that nobody waits for"),
            "load": Column(cost("load"), "1", "device under load"),
            "mean_w": Column(mean_w, "W", "mean power"),
            "energy_j": Column(mean_w / tps, "J", "energy per transaction"),
            "iops_per_w": Column(
                (reads + writes + log_pages) * tps / mean_w, "1/J", "device requests per second and watt"
            ),
            "pages": Column(count(lambda each: each.pages), "1", "pages touched"),
            "reads": Column(reads, "1", "pages read"),
            "writes": Column(writes, "1", "pages written"),
            "hit_ratio": Column(count(lambda each: each.traffic.hit_ratio("buffer")), "1", "buffer hit ratio"),
            "height": Column(count(lambda each: each.height), "1", "index levels"),
            **(further(costs) if further else {}),
            "chosen": Column(value_of == chosen, "1", chosen_label),
        },
        alone_notes(zip((row[0] for row in rows), costs, strict=True)),
    )


def shares(costs: Iterable[Times]) -> Mapping[str, Column]:
    """The terms as shares of the elapsed time; with overlap they add up to more than 1."""
    costs = list(costs)
    return {
        f"share_{name.removesuffix('_s')}": Column(
            np.array([getattr(cost, name) / cost.elapsed_s for cost in costs]), "1", f"{label}, share of the time"
        )
        for name, label in TERMS.items()
    }


def terms_of(result: Result, row: int) -> list[str]:
    """The terms of a transaction's time, a word and a number each."""
    return [f"{label} {result[name][row] * 1e3:.2f} ms" for name, label in TERMS.items()]


def power_of(result: Result, row: int) -> str:
    """How the mean power of a row comes about."""
    device = catalogue.device(result["device"][row])
    return (
        f"{device.value('idle_w'):g} W × {1 - result['load'][row]:.1%} + {device.value('active_w'):g} W × "
        f"{result['load'][row]:.1%} = {result['mean_w'][row]:.2f} W"
    )
