"""Do reads and writes together go as fast as their average? Throughput over the share of reads."""

from dataclasses import replace
from functools import partial
from typing import Annotated

import numpy as np
from pydantic import Field

from pagecost import catalogue
from pagecost.answers import ssd_runs
from pagecost.devices.ssd import WITHIN, catalogued, theory
from pagecost.studies import finding
from pagecost.studies.fields import Choices, OfSystem, Steps
from pagecost.studies.finding import Finding, compared, percent
from pagecost.studies.flash.flash_fields import DEPTH, INTERVAL, REQUEST_BYTES, names_of, rate_text
from pagecost.studies.shared_fields import SEED, per_second
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.studies.workers import side_by_side

READ_SHARES = (1.0, 0.95, 0.9, 0.7, 0.5, 0.3, 0.0)


class Inputs(StudyInputs):
    """Which SSDs are asked for a mix."""

    devices: Annotated[
        tuple[str, ...],
        Choices(catalogued, noun="SSD"),
        OfSystem("devices.database.device"),
        Field(min_length=1, title="SSDs", description="SSDs whose chips are known or assumed."),
    ] = ("mtron-pro-7500", "intel-x25-e")
    read_share: Annotated[
        float,
        Steps(READ_SHARES[::-1], "1", lambda share: f"{share:.0%}"),
        OfSystem("load.read_share"),
        Field(ge=0, le=1, title="Share of reads in detail", description="The mix that the words below speak of."),
    ] = 0.5
    depth: DEPTH = 32
    request_bytes: REQUEST_BYTES = 4096
    interval: INTERVAL = WITHIN
    seed: SEED = 1

    @property
    def all_shares(self) -> tuple[float, ...]:
        """The shares with the one in detail among them, falling."""
        return tuple(sorted({*READ_SHARES, self.read_share}, reverse=True))


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per device and share of reads; harmonic_iops is what the pure rates make of the mix."""
    devices = {name: catalogue.device(name) for name in inputs.devices}
    ssds = {name: ssd_runs.ssd_of(device) for name, device in devices.items()}
    wanted = [(name, share) for name in inputs.devices for share in inputs.all_shares]
    found: dict[tuple[str, float], ssd_runs.Measured] = {}
    load = ssd_runs.Load(
        depth=inputs.depth, request_bytes=inputs.request_bytes, within=inputs.interval, seed=inputs.seed
    )
    for cell, run in side_by_side(
        lambda cell: ssd_runs.measured(ssds[cell[0]], replace(load, read_share=cell[1])), wanted
    ):
        found[cell] = run
        if len(found) % len(inputs.all_shares) == 0:
            progress(len(found) / len(wanted), partial(_result, inputs, found.copy()))
    notes = [ssd_runs.scale_note(ssd, devices[name]) for name, ssd in ssds.items()]
    notes += [note for name, ssd in ssds.items() for note in ssd_runs.assumption_notes(ssd, devices[name])]
    notes.append(ssd_runs.cache_note(ssds.values()))
    notes += [
        f"{devices[name].name}, {share:.0%} reads: {run.sentence}"
        for (name, share), run in found.items()
        if not run.steady
    ]
    notes.append(
        "All devices are overwritten at random until their write amplification is steady, and run until their rate is "
        f"known to ± {100 * inputs.interval:g} %. The harmonic mean is that of requests one after the other: "
        "1 / (p / reads per second + (1 - p) / writes per second), no average of rates."
    )
    return _result(inputs, found, notes)


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The harmonic mean with its numbers, for the share in detail."""
    lines = []
    for row in detail_rows(inputs, result):
        share, of = inputs.read_share, {"device": result["device"][row]}
        reads, writes = (result["iops"][result.rows(**of, read_share=one)[0]] for one in (1.0, 0.0))
        lines.append(
            f"{result.cell('device', row)}: 1 / ({share:g} / {per_second(reads)} + "
            f"{1 - share:g} / {per_second(writes)}) = {per_second(result['harmonic_iops'][row])} requests/s by the "
            f"harmonic mean, {rate_text(result, row)} simulated ({result['over_harmonic'][row]:.2f} times); "
            f"the plain average, {per_second(share * reads + (1 - share) * writes)}, is out of reach."
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    return compared(
        result,
        detail_rows(inputs, result),
        "over_harmonic",
        finding.cells(result, "device"),
        several="With {share} reads {most} carries {high} of what its rates alone let expect (their harmonic "
        "mean), "
        "{least} {low}.",
        one="With {share} reads {most} carries {high} of what its rates alone let expect (their harmonic mean).",
        none="With {share} reads nothing is known.",
        show=percent,
        share=f"{inputs.read_share:.0%}",
    )


def detail_rows(inputs: Inputs, result: Result) -> np.ndarray:
    """The rows of the share in detail, one per device."""
    return result.rows(read_share=inputs.read_share)


def _result(inputs: Inputs, found: dict, notes=()) -> Result:
    names = [name for name in inputs.devices if all((name, share) in found for share in inputs.all_shares)]
    cells = [(name, share) for name in names for share in inputs.all_shares]
    runs = [found[cell] for cell in cells]
    iops = np.array([run.iops for run in runs])
    harmonic = np.array(
        [theory.mixed_rate(found[name, 1.0].iops, found[name, 0.0].iops, share) for name, share in cells]
    )
    shares = np.array([share for _, share in cells])
    columns = {
        "device": Column(np.array([name for name, _ in cells]), "text", "device", names_of(inputs.devices)),
        "read_share": Column(shares, "1", "share of reads"),
        "iops": Column(iops, "1/s", "requests per second"),
        "half_width": Column(iops * [run.half_width for run in runs], "1/s", "± at 95 % confidence"),
        "harmonic_iops": Column(harmonic, "1/s", "requests per second by the harmonic mean"),
        "over_harmonic": Column(iops / harmonic, "1", "times the harmonic mean"),
        "read_mean_s": Column(np.array([run.latencies_s[False]["mean"] for run in runs]), "s", "mean read"),
        "write_mean_s": Column(np.array([run.latencies_s[True]["mean"] for run in runs]), "s", "mean write"),
        "read_p99_s": Column(np.array([run.latencies_s[False]["p99"] for run in runs]), "s", "99 % of reads within"),
        "collection_s": Column(
            np.array([run.terms_s[False]["collection_s"] for run in runs]),
            "s",
            "collection in a read's way",
        ),
        "write_amplification": Column(
            np.array([run.write_amplification for run in runs]), "1", "programs per host page"
        ),
        "steady": Column(np.array([run.steady for run in runs]), "1", "steady"),
    }
    return Result.of(columns, notes)


STUDY = Study(
    name="read_write_mix",
    title="Do reads and writes together go as fast as their average?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="device",
    source="wang2011 §2.3 (the bathtub effect)",
    presets={
        "one request at a time": {"depth": 1},
        "a drive for data centres": {"devices": ("intel-x25-e", "intel-dc-p3700-800gb")},
        "requests of 16 KiB": {"request_bytes": 16_384},
    },
)
