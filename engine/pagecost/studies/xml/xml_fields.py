"""Inputs that several questions about stored XML share, word for word: the document and how it is stored."""

from typing import Annotated

from pydantic import AfterValidator, Field

from pagecost.errors import require
from pagecost.studies.fields import About, Choice, Choices, FilePath, From, OfSystem, Steps
from pagecost.units import format_bytes
from pagecost.xmlstore import MAPPINGS, WHITESPACE
from pagecost.xmlstore.storage import PAGE_SIZES

TPOX = ("customer", "order", "security")
DOCUMENTS = {
    "tpox": "TPoX: customers, orders and securities",
    "customer": "TPoX: customers only",
    "order": "TPoX: orders only",
    "security": "TPoX: securities only",
    "auction": "an auction site (like XMark)",
    "bibliography": "a bibliography (like dblp)",
}
MAPPING_TITLES = {name: f"{name}: {mapping.title}" for name, mapping in MAPPINGS.items()}


def known_page_size(size: int) -> int:
    """A page size that a store can have. Raises ModelError that lists them."""
    require(size in PAGE_SIZES, f"page_bytes must be one of {', '.join(map(str, PAGE_SIZES))}; got {size}")
    return size


def document(options: dict[str, str]) -> About:
    """The kind of input that names generated documents."""
    return (
        Choice(lambda: options, noun="kind of document"),
        Field(title="Documents", description="Generated documents; a file of your own takes their place."),
    )


FILE = Annotated[
    str,
    FilePath("XML document"),
    Field(
        title="Your own XML file",
        description="Path of a well-formed document, to store instead: at most 342 levels of elements, 106 where "
        "1000 siblings stand before each.",
    ),
]
MAPPING = Annotated[
    str,
    Choice(lambda: MAPPING_TITLES, noun="mapping"),
    Field(title="Storage mapping", description="What is stored of each node."),
]
SEVERAL_MAPPINGS = Annotated[
    tuple[str, ...],
    Choices(lambda: MAPPING_TITLES, noun="mapping"),
    Field(min_length=1, title="Storage mappings", description="What is stored of each node."),
]
PAGE_BYTES = Annotated[
    int,
    Steps(PAGE_SIZES, "B", format_bytes),
    From("schmidt2009 §6"),
    OfSystem("memory.page_bytes"),
    AfterValidator(known_page_size),
    Field(title="Page size", description="Of the container pages; one of 1 KiB to 64 KiB."),
]
FILL = Annotated[
    float,
    Steps((0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0), "1", lambda share: f"{share:.0%}"),
    Field(ge=0.1, le=1, title="Fill at load", description="Share of a page that the load fills."),
]
BLANKS = Annotated[
    str,
    Choice(lambda: WHITESPACE, noun="treatment of whitespace"),
    Field(title="Blanks between tags", description="Whether blanks with a line break beside tags are stored."),
]
