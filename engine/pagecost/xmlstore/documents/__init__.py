"""Documents to store: generated collections shaped like TPoX, XMark and dblp. Equal seeds give equal bytes."""

from pagecost.xmlstore.documents import auction, bibliography, tpox

__all__ = ["auction", "bibliography", "tpox"]
