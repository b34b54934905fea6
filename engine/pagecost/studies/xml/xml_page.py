"""What is in one page of a stored XML document, byte by byte?"""

from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from pagecost.answers import remembered
from pagecost.errors import require_file
from pagecost.studies.fields import Steps
from pagecost.studies.finding import Derived, Finding, at, found
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.studies.xml import xml_fields
from pagecost.studies.xml.xml_fields import DOCUMENTS
from pagecost.units import format_bytes, grouped
from pagecost.workload.sources import Version
from pagecost.xmlstore import CAUSES, inspection
from pagecost.xmlstore.documents import auction, bibliography, tpox
from pagecost.xmlstore.parsing import pieces_of

PAPERS_OWN = "example"
SAMPLES = {
    PAPERS_OWN: "the bibliography of Schmidt 2009, Fig. 5",
    **{name: title for name, title in DOCUMENTS.items() if name != "tpox"},
}
EXAMPLE = b'<bib><publication><book year="1994"><author/><publisher/><title>TCP/IP</title></book></publication></bib>'
SAMPLED, SINGLE_BYTES = 40, 200_000  # documents of a collection; size of a single document
LONGEST_SHOWN = 60  # characters of a value


class Inputs(StudyInputs):
    """Which page of which documents, and how they are stored."""

    document: Annotated[str, *xml_fields.document(SAMPLES)] = "customer"
    file: xml_fields.FILE = ""
    mapping: xml_fields.MAPPING = "pc"
    page: Annotated[
        int,
        Steps(tuple(range(1, 33)), "1", lambda page: f"page {page}"),
        Field(ge=1, le=10**9, title="Page", description="Its number; behind the last one, the last is shown."),
    ] = 1
    page_bytes: xml_fields.PAGE_BYTES = 4096
    fill: xml_fields.FILL = 1.0
    whitespace: xml_fields.BLANKS = "drop"


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per run of bytes of one cause, in the order of the page; `bytes` adds up to the page.

    record: number in the page, 0 for headers, slots and unused bytes. Table "records": what each one is; shared_bytes:
    of its label, as before. Table "values": of those that have one.
    """
    containers = _containers(inputs)
    number = min(inputs.page, len(containers.pages)) - 1
    pieces = containers.pieces(number)
    progress(1.0, None)
    columns = {
        "at": Column(np.array([piece.at for piece in pieces]), "B", "at byte"),
        "bytes": Column(np.array([piece.size for piece in pieces]), "B", "bytes"),
        "cause": Column(np.array([piece.cause for piece in pieces]), "text", "cause", CAUSES),
        "record": Column(np.array([piece.record for piece in pieces]), "1", "record"),
    }
    records = list({piece.record: piece for piece in pieces if piece.record}.values())
    values = [piece for piece in records if piece.value]
    more = {"records": _records(records)} if records else {}
    more |= {"values": _values(values)} if values else {}
    return Result.of(columns, _notes(inputs, containers, number), more=more)


def _records(records: list[inspection.Piece]) -> dict[str, Column]:
    return {
        "record": Column(np.array([piece.record for piece in records]), "1", "record"),
        "label": Column(np.array([piece.label for piece in records]), "text", "label"),
        "shared_bytes": Column(np.array([piece.shared for piece in records]), "B", "of the label as before"),
        "path": Column(np.array([piece.path for piece in records]), "text", "path"),
    }


def _values(records: list[inspection.Piece]) -> dict[str, Column]:
    return {
        "record": Column(np.array([piece.record for piece in records]), "1", "record"),
        "value": Column(np.array([_short(piece.value) for piece in records]), "text", "value"),
    }


class Document(NamedTuple):
    """What is stored: generated documents by their name, or a file by its version."""

    generated: str
    version: Version | None = None


def _containers(inputs: Inputs) -> inspection.Containers:
    given = Document(inputs.document)
    if inputs.file:
        path = Path(inputs.file)
        require_file(path, str(path))
        given = Document("", Version.of(path))
    return _stored(given, inputs.mapping, inputs.page_bytes, inputs.fill, inputs.whitespace)


@remembered
def _stored(document: Document, mapping: str, page_bytes: int, fill: float, whitespace: str) -> inspection.Containers:
    options = {"page_bytes": page_bytes, "fill": fill, "whitespace": whitespace}
    if document.version:
        path = document.version.path
        with path.open("rb") as opened:
            return inspection.containers_of([(path.name, pieces_of(opened))], mapping, **options)
    return inspection.containers_of(_sample(document.generated), mapping, **options)


def _sample(document: str) -> list[tuple[str, list[bytes]]]:
    if document == PAPERS_OWN:
        return [(document, [EXAMPLE])]
    if document in tpox.KINDS:
        texts = (tpox.document(document, number, 1000, 1000, 1) for number in range(SAMPLED))
        return [(f"{document} {number}", [text]) for number, text in enumerate(texts)]
    single = {"auction": auction.document, "bibliography": bibliography.document}[document]
    return [(document, list(single(SINGLE_BYTES, 1)))]


def _short(value: str) -> str:
    return value if len(value) <= LONGEST_SHOWN else f"{value[: LONGEST_SHOWN - 1]}…"


def _notes(inputs: Inputs, containers: inspection.Containers, number: int):
    count = len(containers.pages)
    yield f"Page {number + 1} of {count} container pages{'' if containers.whole else ' that are kept to look at'}."
    if number + 1 < inputs.page:
        yield f"There is no page {inputs.page}; the last one is shown."
    if containers.mapping.leaves:
        yield "Each record holds the number of its path class; the path synopsis, kept in memory, says what it means."
    else:
        yield "A record holds the number of its own name; the names above are those of the records of its ancestors."
    yield "Lengths count to the label or the value that they are of."


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The page's bytes by cause, and its labels against what they would take whole."""
    size = int(result["bytes"].sum())
    parts = []
    for cause, words in CAUSES.items():
        rows = result.rows(cause=cause)
        if rows.size:
            parts.append(f"{words} {grouped(result['bytes'][rows].sum())}")
    rows = result.rows(cause="label_bytes")
    records = result.tables.get("records")
    stored, shared = int(result["bytes"][rows].sum()), int(records["shared_bytes"].sum()) if records else 0
    return [
        f"{' + '.join(parts)} = {grouped(size)} bytes, {grouped(result['record'].max())} records.",
        f"Labels with their lengths take {grouped(stored)} bytes; {grouped(shared)} more are those of the label before"
        + (" and not stored." if shared else ": every label stands here whole."),
    ]


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    sizes = {cause: float(result["bytes"][result.rows(cause=cause)].sum()) for cause in CAUSES}
    size, largest = sum(sizes.values()), max(sizes, key=lambda cause: sizes[cause])
    column = result.columns["bytes"]
    how = f"{column.label} of {CAUSES[largest]}, over those of the page"
    return found(
        "{records} records in {bytes}: the largest part, {share}, is {cause}.",
        records=at(result, "record", int(result["record"].argmax())),
        bytes=format_bytes(size),
        share=Derived(100 * sizes[largest] / size, "%", CAUSES[largest], how),
        cause=CAUSES[largest],
    )


STUDY = Study(
    name="xml_page",
    title="What is in one page of a stored XML document?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="load",
    source="schmidt2009 §5.2, Fig. 5 and 6",
    presets={
        "the paper's own example, full storage": {"document": PAPERS_OWN, "mapping": "fs", "page_bytes": 1024},
        "the same without elements": {"document": PAPERS_OWN, "mapping": "el", "page_bytes": 1024},
        "an order: attributes only": {"document": "order", "mapping": "el"},
        "an auction site, filled to 90 %": {"document": "auction", "fill": 0.9},
        "a bibliography in pages of 16 KiB": {"document": "bibliography", "page_bytes": 16384},
    },
)
