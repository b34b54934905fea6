"""What does a stored XML document consist of, and how much of it does each storage mapping save?"""

from typing import Annotated

import numpy as np
from pydantic import Field

from pagecost import reads
from pagecost.studies.fields import From, Steps
from pagecost.studies.finding import Finding, cells, compared, percent
from pagecost.studies.shared_fields import SEED
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.studies.xml import xml_fields
from pagecost.studies.xml.xml_fields import DOCUMENTS, TPOX
from pagecost.units import format_bytes
from pagecost.xmlstore import CAUSES, MAPPINGS, footprints

ALL = "all kinds"
LENGTHS_COUNT = False  # whether the byte of its length belongs to a label where the ratio of labels is told


class Inputs(StudyInputs):
    """The documents and how they are stored."""

    document: Annotated[str, *xml_fields.document(DOCUMENTS)] = "tpox"
    file: xml_fields.FILE = ""
    plain_bytes: Annotated[
        float,
        Steps((1e6, 1e7, 1e8, 1e9, 1e10), "B", format_bytes),
        From("schmidt2009 §5.2"),
        Field(ge=1e5, le=1e12, title="Size as text", description="Of all generated documents; labels grow with it."),
    ] = 1e9
    mappings: xml_fields.SEVERAL_MAPPINGS = tuple(MAPPINGS)
    page_bytes: xml_fields.PAGE_BYTES = 4096
    fill: xml_fields.FILL = 1.0
    whitespace: xml_fields.BLANKS = "drop"
    seed: SEED = 1


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per kind of document and mapping; of several kinds also their sum, first.

    share: stored bytes over bytes of text. label_ratio: bytes that labels take (without their lengths) over what they
    would take whole. All bytes are those of container pages; the causes add up to `bytes`.
    """
    rows: list[tuple[str, str, np.ndarray]] = []
    for number, kind in enumerate(kinds := _kinds(inputs)):
        for mapping, measured in _measured(inputs, kind, progress).items():
            rows.append((kind, mapping, _numbers(measured)))
        progress((number + 1) / len(kinds), None)
    if len(kinds) > 1:
        rows = [
            (ALL, mapping, _sum([row[2] for row in rows if row[1] == mapping])) for mapping in inputs.mappings
        ] + rows
    return _result(inputs, rows)


NUMBERS = ("plain_bytes", "bytes", "records", *CAUSES, "label_length_bytes", "full_label_bytes", "lossless")


def _kinds(inputs: Inputs) -> tuple[str, ...]:
    if inputs.file:
        return ("your file",)
    return TPOX if inputs.document == "tpox" else (inputs.document,)


def _measured(inputs: Inputs, kind: str, progress: Progress) -> dict[str, footprints.Measured]:
    page_bytes, fill, whitespace = inputs.page_bytes, inputs.fill, inputs.whitespace
    if not inputs.file:
        return footprints.of_collection(
            kind, inputs.plain_bytes, inputs.mappings, page_bytes, fill, whitespace, inputs.seed
        )
    return footprints.of_file(
        inputs.file,
        inputs.mappings,
        progress=lambda share: progress(share, None),
        element_index=False,
        page_bytes=page_bytes,
        fill=fill,
        whitespace=whitespace,
    )


def _numbers(measured: footprints.Measured) -> np.ndarray:
    """Sizes in the order of NUMBERS; the last is 1 or 0 for the lossless check, nan where it was not made."""
    sizes = [getattr(measured.footprint, name) * measured.times for name in NUMBERS[:-1]]
    return np.array([*sizes, np.nan if measured.lossless is None else float(measured.lossless)])


def _sum(kinds: list[np.ndarray]) -> np.ndarray:
    """All kinds together: sizes add up, and all must come back."""
    return np.append(np.sum(kinds, axis=0)[:-1], np.min(kinds, axis=0)[-1])


def _result(inputs: Inputs, rows) -> Result:
    table = {name: np.array([row[2][place] for row in rows]) for place, name in enumerate(NUMBERS)}
    pages = table["bytes"] / inputs.page_bytes
    whole_label = table["full_label_bytes"] / table["records"]
    lengths_count = reads.constant("xml_footprint.LENGTHS_COUNT", LENGTHS_COUNT)
    sizes = zip(pages, whole_label, strict=True)
    heights = [footprints.index_height(count, inputs.page_bytes, label) for count, label in sizes]
    words = {1.0: "yes", 0.0: "no"}
    columns = {
        "kind": Column(np.array([row[0] for row in rows]), "text", "documents"),
        "mapping": Column(np.array([row[1] for row in rows]), "text", "mapping", xml_fields.MAPPING_TITLES),
        "plain_bytes": Column(table["plain_bytes"], "B", "as text"),
        "bytes": Column(table["bytes"], "B", "stored"),
        "share": Column(table["bytes"] / table["plain_bytes"], "1", "of the text"),
        **{cause: Column(table[cause], "B", label) for cause, label in CAUSES.items()},
        "pages": Column(pages, "1", "pages"),
        "records": Column(table["records"], "1", "records"),
        "label_ratio": Column(
            (table["label_bytes"] - (0 if lengths_count else table["label_length_bytes"])) / table["full_label_bytes"],
            "1",
            "of whole labels",
        ),
        "index_height": Column(np.array(heights), "1", "index levels"),
        "lossless": Column(
            np.array([words.get(value, "not compared") for value in table["lossless"]]),
            "text",
            "canonical XML comes back",
        ),
    }
    return Result.of(columns, _notes(inputs))


def _notes(inputs: Inputs):
    yield "Stored bytes are container pages; the index over them and the element index come on top."
    if inputs.file:
        yield (
            "Stored is what canonical XML keeps: entities are expanded, CDATA is text; XML declaration and DOCTYPE are "
            "left out."
        )
        return
    if inputs.document == "tpox":
        yield (
            "One customer to five orders, and 20,833 securities to 1 GB. Mix, document shapes and record layout are "
            "ours: the paper publishes neither, and no kind alone gives its three numbers."
        )
    yield (
        "Some documents spread over the whole collection are stored, with the labels they have there, and scaled; "
        "three of them are rebuilt and compared."
    )


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The bytes of each mapping by cause, in percent of the text."""
    lines = []
    for row in result.rows(kind=result["kind"][0]):
        plain = result["plain_bytes"][row]
        parts = " + ".join(f"{label} {result[cause][row] / plain:.1%}" for cause, label in CAUSES.items())
        lines.append(
            f"{result.cell('mapping', row)}: {parts} = {result['share'][row]:.1%} of {format_bytes(plain)}; labels "
            f"take {result['label_ratio'][row]:.0%} of their whole length."
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    stored = compared(
        result,
        result.rows(kind=result["kind"][0]),
        "share",
        cells(result, "mapping"),
        several="Of {size} of XML {least} stores {low} of the text's bytes, {most} {high}. ",
        one="Of {size} of XML {most} stores {high} of the text's bytes. ",
        none="Nothing was stored. ",
        show=percent,
        size=format_bytes(result["plain_bytes"][0]),
    )
    return Finding(stored, _lossless(inputs, result))


def _lossless(inputs: Inputs, result: Result) -> str:
    """What the comparison of what came back with what was given says, in a sentence."""
    answers = dict.fromkeys(result["lossless"].tolist())
    if list(answers) == ["yes"]:
        dropped = " but for dropped blanks" if inputs.whitespace == "drop" else ""
        return f"Lossless: rebuilt from the pages of each mapping, its canonical form is the same{dropped}."
    if "no" in answers:
        lost = [result.cell("mapping", row) for row in result.rows(lossless="no")]
        return f"NOT lossless: what comes back from {', '.join(dict.fromkeys(lost))} has another canonical form."
    return "Whether it comes back was not compared: it is too large, or has no canonical form."


STUDY = Study(
    name="xml_footprint",
    title="What does a stored XML document consist of?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="load",
    source="schmidt2009 §5.2",
    presets={
        "10 MB, as the smallest of Schmidt 2009": {"plain_bytes": 1e7},
        "a bibliography of 100 MB": {"document": "bibliography", "plain_bytes": 1e8},
        "an auction site in pages of 16 KiB": {"document": "auction", "plain_bytes": 1e8, "page_bytes": 16384},
        "pages filled to 90 %, blanks kept": {"fill": 0.9, "whitespace": "keep"},
    },
)
