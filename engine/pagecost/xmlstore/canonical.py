"""Canonical XML (C14N) by another parser and writer, libxml2: the proof that a store gives back what it was given."""

import hashlib
import io
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, cast

from lxml import etree

from pagecost.errors import ModelError, require
from pagecost.xmlstore.store import Store

CHECKED_BYTES = 1 << 27  # of one document: its tree takes some ten times as much memory


class _Digest(io.RawIOBase):
    """A file that only takes a digest of what is written."""

    def __init__(self):
        self._hash = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, data) -> int:
        self._hash.update(data)
        return len(data)

    def value(self) -> str:
        return self._hash.hexdigest()


class _Pieces:
    """A file that is read piece by piece, whatever their size."""

    def __init__(self, pieces: Iterable[bytes]):
        self._pieces = iter(pieces)

    def read(self, size: int = -1) -> bytes:
        return next(self._pieces, b"")


class _Nothing(etree.Resolver):
    """Whatever lies outside the file holds nothing. (`resolve_empty` would let libxml2 load it itself.)"""

    def resolve(self, url, public_id, context):  # type: ignore[override]  # lxml hands the context, its stubs do not
        return self.resolve_string("<!-- nothing -->", context, base_url=None)


def digest(pieces: Iterable[bytes], whitespace: str = "keep") -> str:
    """Digest of the canonical form of a document; whitespace: as a store treated it.

    Raises ModelError when it has no canonical form, as with relative namespaces, or libxml2 cannot read it. It reads a
    carriage return in an entity's own text (`<!ENTITY e '&#13;'>`) as a line feed, though only files as they are read
    have their line ends normalised (XML 1.0, 2.11 and 4.5): such documents count among the latter.
    """
    parser = etree.XMLParser(huge_tree=True, no_network=True, attribute_defaults=True)
    parser.resolvers.add(_Nothing())
    try:
        tree = etree.parse(cast(IO[bytes], _Pieces(pieces)), parser)
    except etree.XMLSyntaxError as error:
        raise ModelError(f"libxml2 cannot read the document: {error}") from None
    declared: Any = tree.docinfo.internalDTD  # its stubs lack the entities
    returns = declared is not None and any("\r" in (entity.content or "") for entity in declared.iterentities())
    require(not returns, "libxml2 takes a carriage return in an entity's own text for a line feed")
    if whitespace == "drop":
        _drop_layout(tree)
    found = _Digest()
    try:
        tree.write_c14n(cast(IO[bytes], found))
    except etree.C14NError as error:
        raise ModelError(f"the document has no canonical form: {error}") from None
    return found.value()


def digest_of_file(path: str | Path, whitespace: str = "keep") -> str | None:
    """`digest` of a file; None where there is none, or the file is larger than CHECKED_BYTES."""
    if Path(path).stat().st_size > CHECKED_BYTES:
        return None
    try:
        with open(path, "rb") as file:
            return digest(iter(lambda: file.read(1 << 20), b""), whitespace)
    except ModelError:
        return None


def text_digest(store: Store) -> str:
    """Digest of the store's text as it is written, byte by byte."""
    found = _Digest()
    for piece in store.text():
        found.write(piece)
    return found.value()


def gives_back(store: Store, given: str | None) -> bool | None:
    """Whether the store's text has the canonical form with that digest; None where that cannot be told."""
    return None if given is None else given == digest(store.text())


def _drop_layout(tree) -> None:
    """Blanks with a line break beside tags, as the store drops them."""
    for element in tree.iter():
        if isinstance(element.tag, str) and len(element) and _is_layout(element.text):
            element.text = None
        if element.getparent() is not None and _is_layout(element.tail):
            element.tail = None


def _is_layout(text: str | None) -> bool:
    return text is not None and "\n" in text and not text.strip(" \t\r\n")
