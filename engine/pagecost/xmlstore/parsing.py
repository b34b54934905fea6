"""XML text to nodes: a streaming parse whose Python does nothing but note the events.

Stored is the document as canonical XML sees it: entities and character references are expanded, CDATA is text, line
ends are line feeds, defaulted attributes are there; the XML declaration and the DOCTYPE are not. Namespace declarations
are attributes, names keep their prefix. Entities from outside the file are refused, never fetched.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple
from xml.parsers import expat

import numpy as np

from pagecost.errors import ModelError, require
from pagecost.xmlstore import parse_kernels, supplementary
from pagecost.xmlstore.parse_kernels import CLOSE, COMMENT, DONE, END, INSTRUCTION, LONGEST_VALUE, SKIP, TEXT, Nodes

PIECE_BYTES = 1 << 20  # read at a time
LONGEST_TOKEN = 1 << 25  # bytes of a tag, comment or processing instruction: expat holds it whole
GROWTH, FREE_GROWTH_BYTES = 4, 1 << 24  # most that entities and defaulted attributes may make of a document
SHALLOW = 8 * parse_kernels.LONGEST_LABEL // 36 - 4  # levels that fit whatever the divisions: a code has up to 36 bits
CHUNK_TEXTS = 150_000  # texts noted before they are turned into nodes: some 2 MB
WHITESPACE = {"keep": "kept", "drop": "dropped between elements"}
WHY_NOT = {
    parse_kernels.NAMES_FULL: "it has more than 65 534 different names",
    parse_kernels.PATHS_FULL: "it has more than 65 535 path classes",
    parse_kernels.TOO_DEEP: "its elements are nested so deep that a label needs more than 220 bytes; they hold 342 "
    "levels of only children, or 106 behind 1000 siblings a level. Store deep parts as documents of their own, or "
    "leave out elements that only wrap one other",
    parse_kernels.TOO_LONG: "one value has more than 16 777 215 bytes",
    parse_kernels.NAME_LONG: "one name has more than 1024 bytes",
}


class Chunk(NamedTuple):
    """Nodes in document order and the blob that their values are pieces of."""

    nodes: Nodes
    size: int
    blob: np.ndarray


class Parser:
    """Reads documents one after another and hands out chunks of nodes.

    state holds the names and path classes; bytes_read counts what went in.
    """

    def __init__(self, state: parse_kernels.State | None = None, whitespace: str = "keep"):
        self.state = state or parse_kernels.new_state()
        self.state.numbers[parse_kernels.LAYOUT_DROPPED] = whitespace == "drop"
        self.bytes_read = 0
        self.documents = 0
        self._codes: list[int] = []
        self._texts: list[str] = []
        self._name = "nothing"
        self._place = 0
        self._noted_bytes = 0
        self._spelled = False

    def number(self, place: int) -> None:
        """Say which place in the collection the next document has, if it is not the next."""
        if self._place != place:
            self._codes.append(SKIP - (place - self._place))
            self._place = place

    def read(self, name: str, pieces: Iterable[bytes]) -> Iterator[Chunk]:
        """One document. Raises ModelError that says what is wrong with it and where."""
        self._name = name
        noting, checking = self._noting(name), expat.ParserCreate(namespace_separator=" ")
        for parser in (noting, checking):  # entities of the document itself are declared through its own parameters too
            parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_ALWAYS)
        checking.ExternalEntityRefHandler = lambda *_: 1
        size, waiting, before = 0, 0, self._noted_bytes
        speller = supplementary.Speller()
        try:
            for piece in speller.spelled(self._counted(pieces)):
                if speller.used and not self._spelled:
                    self._spelled = True
                    self._note(noting)
                fed, size = size, size + len(piece)
                for at in range(0, len(piece), PIECE_BYTES):
                    part = piece[at : at + PIECE_BYTES]
                    noting.Parse(part, False)
                    checking.Parse(part, False)
                    waiting += len(part)
                    token = fed + at + len(part) - max(noting.CurrentByteIndex, 0)
                    require(token <= LONGEST_TOKEN, f"{name}: one tag or comment has more than {LONGEST_TOKEN} bytes")
                    if len(self._texts) > CHUNK_TEXTS or waiting >= PIECE_BYTES:
                        waiting = 0
                        yield from self._understood()
                        grown = self._noted_bytes - before > GROWTH * size + FREE_GROWTH_BYTES
                        require(not grown, f"{name}: entities and defaults make it more than four times as large")
            noting.Parse(b"", True)
            checking.Parse(b"", True)
        except expat.ExpatError as error:
            raise ModelError(_sentence(name, size, error)) from None
        except (LookupError, ValueError) as error:
            raise _unknown_encoding(name, error) from None
        self._codes.append(CLOSE)
        self.documents += 1
        self._place += 1
        if len(self._texts) > CHUNK_TEXTS:
            yield from self._understood()

    def finish(self) -> Iterator[Chunk]:
        """What is left when the last document has been read."""
        yield from self._understood()

    def _counted(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self.bytes_read += len(piece)
            yield piece

    def _noting(self, name: str) -> expat.XMLParserType:
        parser = expat.ParserCreate()
        parser.ordered_attributes = parser.buffer_text = True
        parser.buffer_size = 1 << 16
        self._spelled = False
        self._note(parser)
        return parser

    def _note(self, parser: expat.XMLParserType) -> None:
        """Have the parser's events noted; from where characters are spelled, they are put back."""
        name, outside = self._name, []
        note, say, more = self._codes.append, self._texts.append, self._texts.extend

        def start(element, attributes):
            note(len(attributes) >> 1)
            say(element)
            more(attributes)

        def text(data):
            note(TEXT)
            say(data)

        def comment(data):
            note(COMMENT)
            say(data)

        def instruction(target, data):
            note(INSTRUCTION)
            say(target)
            say(data)

        if self._spelled:
            start, text, comment, instruction = _reading(name, start, text, comment, instruction)

        def refuse_external(context, base, system, public):
            if context is None:  # declarations: not needed until something is used that only they could declare
                outside.append(repr(system))
                return 1
            raise ModelError(f"{name}: an entity lies outside the file, in {system!r}; nothing is fetched")

        def refuse_unknown(entity, is_parameter):
            require(bool(outside), f"{name}: not well-formed XML: undefined entity {entity!r}")
            where = " or ".join(outside)
            raise ModelError(f"{name}: entity {entity!r} is declared outside the file, in {where}; nothing is fetched")

        parser.StartElementHandler = start
        parser.EndElementHandler = lambda element: note(END)
        parser.CharacterDataHandler = text
        parser.CommentHandler = comment
        parser.ProcessingInstructionHandler = instruction
        parser.ExternalEntityRefHandler = refuse_external
        parser.SkippedEntityHandler = refuse_unknown

        # comments and instructions of a DOCTYPE are its own: they are no nodes of the document
        def in_doctype(*_):
            parser.CommentHandler = parser.ProcessingInstructionHandler = None

        def behind_doctype():
            parser.CommentHandler, parser.ProcessingInstructionHandler = comment, instruction

        parser.StartDoctypeDeclHandler, parser.EndDoctypeDeclHandler = in_doctype, behind_doctype

    def _understood(self) -> Iterator[Chunk]:
        """Turn the noted events into nodes; elements and texts that may go on are left for later."""
        codes, texts = self._codes, self._texts
        cut = len(codes)
        while cut and (codes[cut - 1] >= 0 or codes[cut - 1] == TEXT):
            cut -= 1
        held = sum(map(len, texts[len(texts) - _trailing(codes) :]))
        require(held <= LONGEST_VALUE, f"{self._name}: {WHY_NOT[parse_kernels.TOO_LONG]}")
        if not cut:
            return
        tail_texts = sum(1 if code == TEXT else 1 + 2 * code for code in codes[cut:])
        kept = len(texts) - tail_texts
        events = np.array(codes[:cut], np.int32)
        blob, ends = _joined(texts[:kept])
        del codes[:cut], texts[:kept]
        self._noted_bytes += blob.size
        nodes = parse_kernels.new_nodes(events)
        size, status, _at = parse_kernels.understand(events, blob, ends, self.state, nodes)
        where = self._where() if status == parse_kernels.TOO_DEEP else ""
        require(status == DONE, f"{self._name}: {where}{WHY_NOT.get(status, '')}")
        yield Chunk(nodes, size, blob)

    def _where(self) -> str:
        """The innermost open element and its level, the root's being 1, as the beginning of a clause."""
        state, depth = self.state, int(self.state.numbers[parse_kernels.DEPTH])
        name = state.path_name[state.path_at[depth]]
        start, end = state.name_end[name : name + 2]
        return f"in <{state.name_bytes[start:end].tobytes().decode()}> at level {depth} "


def require_readable(name: str, pieces: Callable[[], Iterable[bytes]], whitespace: str = "keep") -> None:
    """Raise ModelError that says what of a document no store can hold, before one is touched.

    pieces: called for each reading. A document is read for its depth first, which is cheap; one that is deep enough for
    a label to be too long, or that is no XML, is read as it will be for the store.
    """
    if not _is_shallow(pieces()):
        parser = Parser(whitespace=whitespace)
        for chunks in (parser.read(name, pieces()), parser.finish()):
            for _ in chunks:
                pass


def require_well_formed(name: str, pieces: Iterable[bytes]) -> None:
    """Raise ModelError that says what is wrong and where in what is no well-formed XML, by expat alone.

    What a store cannot hold, and what lies outside the file, is found when it is read for a store.
    """
    parser, size = expat.ParserCreate(namespace_separator=" "), 0
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_ALWAYS)
    parser.ExternalEntityRefHandler = lambda *_: 1
    try:
        for piece in supplementary.Speller().spelled(pieces):
            size += len(piece)
            parser.Parse(piece, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise ModelError(_sentence(name, size, error)) from None
    except (LookupError, ValueError) as error:
        raise _unknown_encoding(name, error) from None


def _unknown_encoding(name: str, error: Exception) -> Exception:
    """What is said of an encoding that Python's expat cannot take; a ModelError, which is a ValueError, as it is."""
    if isinstance(error, ModelError):
        return error
    return ModelError(f"{name}: its encoding is not understood ({error}); convert it to UTF-8")


def _is_shallow(pieces: Iterable[bytes]) -> bool:
    """Whether no element stands deeper than SHALLOW levels, as far as expat alone can tell."""
    parser, depth = expat.ParserCreate(), 0

    def start(_name, _attributes):
        nonlocal depth
        depth += 1
        if depth > SHALLOW:
            raise _TooDeep

    def end(_name):
        nonlocal depth
        depth -= 1

    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        for piece in pieces:
            parser.Parse(piece, False)
        parser.Parse(b"", True)
    except (_TooDeep, expat.ExpatError, LookupError, ValueError):
        return False
    return True


class _TooDeep(Exception):
    """Ends a reading that has found what it looks for."""


def _reading(document: str, start, text, comment, instruction):
    """The same notes with spelled characters put back. Raises ModelError for those that no name may have."""
    put_back = supplementary.read

    def named(name):
        name = put_back(name)
        require(
            max(name) <= supplementary.HIGHEST_IN_NAMES,
            f"{document}: not well-formed XML: a name has the character U+{ord(max(name)):04X}",
        )
        return name

    def start_read(element, attributes):
        attributes[::2] = map(named, attributes[::2])
        attributes[1::2] = map(put_back, attributes[1::2])
        start(named(element), attributes)

    return (
        start_read,
        lambda data: text(put_back(data)),
        lambda data: comment(put_back(data)),
        lambda target, data: instruction(named(target), put_back(data)),
    )


def _trailing(codes: list[int]) -> int:
    """How many texts stand at the end: parts of one node, which may go on."""
    count = 0
    while count < len(codes) and codes[-1 - count] == TEXT:
        count += 1
    return count


def pieces_of(file) -> Iterator[bytes]:
    """A binary file in pieces."""
    while piece := file.read(PIECE_BYTES):
        yield piece


def bytes_array(data: bytes) -> np.ndarray:
    """The bytes as uint8 that may be written to: kernels are compiled for one type, and it has at least one element."""
    return np.frombuffer(bytearray(data or b"\0"), np.uint8)


def _joined(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """The texts as UTF-8 in one blob, and where each ends (int64, one more, from 0)."""
    whole = "".join(texts)
    ends = np.zeros(len(texts) + 1, np.int64)
    lengths = map(len, texts) if whole.isascii() else (len(text.encode()) for text in texts)
    np.cumsum(np.fromiter(lengths, np.int64, len(texts)), out=ends[1:])
    return bytes_array(whole.encode()), ends


def _sentence(name: str, size: int, error: expat.ExpatError) -> str:
    if size == 0:
        return f"{name}: an empty file is not XML"
    reason = expat.ErrorString(error.code)
    if "amplification" in reason:
        reason = "its entities would expand to more than a hundred times its size"
    return f"{name}: not well-formed XML: {reason} at line {error.lineno}, column {error.offset + 1}"
