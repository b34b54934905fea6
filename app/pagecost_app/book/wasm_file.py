"""A WebAssembly module out of an object file of one kernel: no linker is needed where nothing is linked.

An object file is a module already; its indices and addresses hold as they are while no other object joins it. What it
lacks is an export: the names of its functions stand in a section for linkers, which is dropped here.
https://webassembly.github.io/spec/core/binary and https://github.com/WebAssembly/tool-conventions (Linking.md)
"""

from collections.abc import Iterator
from typing import NamedTuple

from pagecost.errors import ModelError, require

MAGIC = b"\0asm\1\0\0\0"
CUSTOM, TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, START, ELEMENT, CODE, DATA, DATA_COUNT = range(13)
ORDER = (TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, START, ELEMENT, DATA_COUNT, CODE, DATA)
OF_FUNCTION, OF_TABLE, OF_MEMORY, OF_GLOBAL = range(4)  # kinds of an import
SYMBOL_TABLE, FUNCTION_SYMBOL, DATA_SYMBOL, SECTION_SYMBOL = 8, 0, 1, 3
UNDEFINED, NAMED = 0x10, 0x40  # flags of a symbol


class Import(NamedTuple):
    """What the module takes from who loads it."""

    module: str
    name: str
    kind: int


class Reader:
    """Reads numbers and names one after the other."""

    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def number(self) -> int:
        """An unsigned number, seven bits a byte (LEB128)."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def take(self, size: int) -> bytes:
        self.at += size
        return self.data[self.at - size : self.at]

    def name(self) -> str:
        return self.take(self.number()).decode()


def number(value: int) -> bytes:
    """An unsigned number as LEB128."""
    parts = bytearray()
    while True:
        value, low = value >> 7, value & 127
        parts.append(low | 128 if value else low)
        if not value:
            return bytes(parts)


def sections(module: bytes) -> Iterator[tuple[int, bytes]]:
    """(kind, contents) of each."""
    reader = Reader(module)
    require(reader.take(len(MAGIC)) == MAGIC, "this is no WebAssembly object of version 1")
    while reader.at < len(module):
        kind = reader.byte()
        yield kind, reader.take(reader.number())


def imports(module: bytes) -> list[Import]:
    """What the module takes."""
    body = dict(sections(module)).get(IMPORT)
    return [] if body is None else list(_imports(Reader(body)))


def _imports(reader: Reader) -> Iterator[Import]:
    for _ in range(reader.number()):
        module, name, kind = reader.name(), reader.name(), reader.byte()
        if kind == OF_FUNCTION:
            reader.number()
        elif kind == OF_GLOBAL:
            reader.take(2)
        else:
            if kind == OF_TABLE:
                reader.byte()
            limited = reader.number()
            for _ in range(2 if limited & 1 else 1):
                reader.number()
        yield Import(module, name, kind)


def exporting(module: bytes, symbol: str, name: str) -> bytes:
    """The object file as a module that exports the function of that symbol by a name.

    Raises ModelError where there is no such function.
    """
    found = [(kind, body) for kind, body in sections(module) if kind != CUSTOM]
    entry = name.encode()
    export = number(1) + number(len(entry)) + entry + bytes([OF_FUNCTION]) + number(_index(module, symbol))
    found = sorted([*found, (EXPORT, export)], key=lambda section: ORDER.index(section[0]))
    return MAGIC + b"".join(bytes([kind]) + number(len(body)) + body for kind, body in found)


def _index(module: bytes, symbol: str) -> int:
    """The number of a function, of the table of symbols that the object has for linkers."""
    for kind, body in sections(module):
        reader = Reader(body)
        if kind == CUSTOM and reader.name() == "linking":
            reader.number()  # version
            while reader.at < len(body):
                part, size = reader.byte(), reader.number()
                symbols = Reader(reader.take(size))
                found = dict(_functions(symbols)) if part == SYMBOL_TABLE else {}
                if symbol in found:
                    return found[symbol]
    raise ModelError(f"the object file has no function {symbol}")


def _functions(reader: Reader) -> Iterator[tuple[str, int]]:
    """(name, number) of each function that a table of symbols defines."""
    for _ in range(reader.number()):
        what, flags = reader.byte(), reader.number()
        defined = not flags & UNDEFINED
        if what == DATA_SYMBOL:
            reader.take(reader.number())
            for _ in range(3 if defined else 0):  # segment, offset, size
                reader.number()
        elif what == SECTION_SYMBOL:
            reader.number()
        else:
            index = reader.number()
            if defined or flags & NAMED:
                name = reader.name()
                if what == FUNCTION_SYMBOL and defined:
                    yield name, index
