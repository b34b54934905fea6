"""A native XML store: labels, pages, three storage mappings, and the documents to fill it with."""

from pagecost.xmlstore.mappings import MAPPINGS
from pagecost.xmlstore.parsing import WHITESPACE
from pagecost.xmlstore.store import CAUSES, PAGE_BYTES, Footprint, Store, load, load_file

__all__ = ["CAUSES", "MAPPINGS", "PAGE_BYTES", "WHITESPACE", "Footprint", "Store", "load", "load_file"]
