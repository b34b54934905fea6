"""How high is the index over a stored document, and when does it grow another level?"""

import math
import tempfile
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from pagecost.answers import remembered
from pagecost.studies.fields import Choices, Steps
from pagecost.studies.finding import Finding, cells, compared
from pagecost.studies.shared_fields import SEED
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.studies.xml import xml_fields
from pagecost.studies.xml.xml_fields import TPOX
from pagecost.units import format_bytes, grouped
from pagecost.xmlstore import MAPPINGS, footprints, load
from pagecost.xmlstore.documents import tpox
from pagecost.xmlstore.storage import PAGE_SIZES

STEPS = ("1", "1.25", "1.6", "2", "2.5", "3.2", "4", "5", "6.3", "8")  # of a decade
SIZES = (*(float(f"{step}e{power}") for power in range(5, 9) for step in STEPS), 1e9)  # 100 KB .. 1 GB
MEASURED = (1e6, 1e9)  # where the shares of the text and the labels are measured; between them they follow the log
LOADED = (1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7)
WAYS = {"formula": "by formula", "loaded": "loaded and counted"}


class Inputs(StudyInputs):
    """The mappings and page sizes to compare, and how far the formula is checked by loading."""

    mappings: xml_fields.SEVERAL_MAPPINGS = tuple(MAPPINGS)
    page_sizes: Annotated[
        tuple[int, ...],
        Choices(
            lambda: {size: format_bytes(size) for size in PAGE_SIZES},
            unit="B",
            such=xml_fields.known_page_size,
            said=format_bytes,
        ),
        Field(min_length=1, title="Page sizes", description="Of containers and index alike; schmidt2009 has 4 KiB."),
    ] = (1024, 4096, 16384)
    loaded_bytes: Annotated[
        float,
        Steps(LOADED, "B", format_bytes),
        Field(ge=1e5, le=1e7, title="Loaded up to", description="Databases up to this size are stored and looked at."),
    ] = 5e5
    fill: xml_fields.FILL = 1.0
    seed: SEED = 1


class Point(NamedTuple):
    """An index over so many container pages. fan_out: children of a full page."""

    way: str
    mapping: str
    page_bytes: int
    plain_bytes: float
    containers: int
    fan_out: float
    height: int


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per way, mapping, page size and database size; height counts the levels above the containers.

    plain_bytes: of the TPoX mix as text, all three collections in one document index. fan_out: of a full index page,
    by formula with whole labels as separators; loaded, children over pages of the lowest index level (nan without).
    """
    points: list[Point] = []
    for number, page_bytes in enumerate(inputs.page_sizes):
        for place, size in enumerate(size for size in LOADED if size <= inputs.loaded_bytes):
            stored = _loaded(size, page_bytes, inputs.fill, inputs.seed)
            points += [stored[mapping] for mapping in inputs.mappings]
            progress((number + (place + 1) / (len(LOADED) + 1)) / len(inputs.page_sizes), None)
        for mapping in inputs.mappings:
            points += [_formula(mapping, size, page_bytes, inputs.fill, inputs.seed) for size in SIZES]
        progress((number + 1) / len(inputs.page_sizes), None)
    points.sort(key=lambda point: (list(WAYS).index(point.way), inputs.mappings.index(point.mapping), point[2:4]))
    table = {name: np.array([getattr(point, name) for point in points]) for name in Point._fields}
    columns = {
        "way": Column(table["way"], "text", "found", WAYS),
        "mapping": Column(table["mapping"], "text", "mapping", xml_fields.MAPPING_TITLES),
        "page_bytes": Column(table["page_bytes"], "B", "page size"),
        "plain_bytes": Column(table["plain_bytes"], "B", "database as text"),
        "containers": Column(table["containers"], "1", "container pages"),
        "fan_out": Column(table["fan_out"], "1", "children of an index page"),
        "height": Column(table["height"], "1", "index levels"),
    }
    return Result.of(columns, _notes())


def _formula(mapping: str, plain_bytes: float, page_bytes: int, fill: float, seed: int) -> Point:
    """Containers by the share of the text that they take, levels by how many labels fit into a page."""
    shares, sizes = zip(*(_measured(size, page_bytes, fill, seed)[mapping] for size in MEASURED), strict=True)
    at = math.log(plain_bytes / MEASURED[0]) / math.log(MEASURED[1] / MEASURED[0])
    share, label = (ends[0] + at * (ends[1] - ends[0]) for ends in (shares, sizes))
    containers = math.ceil(share * plain_bytes / page_bytes)
    entries = footprints.fan_out(page_bytes, label)
    height = footprints.index_height(containers, page_bytes, label)
    return Point("formula", mapping, page_bytes, plain_bytes, containers, entries, height)


@remembered
def _measured(plain_bytes: float, page_bytes: int, fill: float, seed: int) -> dict[str, tuple[float, float]]:
    """Of each mapping: stored bytes over text and mean bytes of a whole label, from samples of the collections."""
    found = [
        footprints.of_collection(kind, plain_bytes, tuple(MAPPINGS), page_bytes, fill, "drop", seed) for kind in TPOX
    ]
    totals = {}
    for mapping in MAPPINGS:
        each = [(kind[mapping].footprint, kind[mapping].times) for kind in found]
        names = ("bytes", "plain_bytes", "full_label_bytes", "records")
        stored, plain, labels, records = (sum(getattr(of, name) * times for of, times in each) for name in names)
        totals[mapping] = (stored / plain, labels / records)
    return totals


@remembered
def _loaded(plain_bytes: float, page_bytes: int, fill: float, seed: int) -> dict[str, Point]:
    """Of each mapping: what a store of all three collections has."""
    documents = (document for kind in TPOX for document in tpox.collection(kind, plain_bytes, seed))
    with tempfile.TemporaryDirectory(prefix="pagecost-") as folder:
        places = {mapping: Path(folder) / mapping for mapping in MAPPINGS}
        stores = load(
            documents, places, page_bytes=page_bytes, fill=fill, whitespace="drop", element_index=False, sync=False
        )
        found = {}
        for mapping, store in stores.items():
            with store:
                counted = store.levels("document")
            lowest = counted[-1] / counted[-2] if len(counted) > 1 else math.nan
            found[mapping] = Point("loaded", mapping, page_bytes, plain_bytes, counted[-1], lowest, len(counted) - 1)
        return found


def _notes():
    yield "Levels count without the container pages: with one page there is no index, and its height is 0."
    yield (
        "Loaded indexes hold separators as short as they can be, the formula whole labels: it has more pages, and "
        "sometimes grows a level earlier."
    )
    yield "One index over all containers of the TPoX mix; an index of its own for each collection is at most as high."


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The levels of the largest database, page by page."""
    lines = []
    for page_bytes in inputs.page_sizes:
        for mapping in inputs.mappings:
            (row,) = result.rows(way="formula", mapping=mapping, page_bytes=page_bytes, plain_bytes=SIZES[-1])
            pages, entries = int(result["containers"][row]), int(result["fan_out"][row])
            steps = [pages]
            while steps[-1] > 1:
                steps.append(math.ceil(steps[-1] / entries))
            lines.append(
                f"{xml_fields.MAPPING_TITLES[mapping]}, {format_bytes(page_bytes)}: {format_bytes(SIZES[-1])} of text "
                "take "
                f"{' → '.join(map(grouped, steps))} pages, {grouped(entries)} children each: "
                f"{len(steps) - 1} levels."
            )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    largest = float(np.max(result["plain_bytes"]))
    rows = result.rows(way="formula", plain_bytes=largest)
    return compared(
        result,
        rows[np.isin(result["page_bytes"][rows], inputs.page_sizes)],
        "height",
        cells(result, "page_bytes"),
        several="At {size} of XML the index has {high} levels above the container pages in pages of {most}, "
        "and {low} in pages "
        "of {least}.",
        one="At {size} of XML the index has {high} levels above the container pages.",
        none="Nothing is known of these pages.",
        size=format_bytes(largest),
    )


STUDY = Study(
    name="index_height",
    title="How high is the index over a stored document?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="load",
    source="schmidt2009 §6.1",
    presets={
        "4 KiB, as Schmidt 2009": {"page_sizes": (4096,)},
        "pages half full": {"fill": 0.5},
        "the smallest pages, checked further": {"page_sizes": (1024, 2048), "loaded_bytes": 2e6},
    },
)
