"""Text as programs write it: UTF-8 with or without a byte order mark, and UTF-16 with one, as PowerShell redirects."""

import codecs
from pathlib import Path

UTF8_MARK = codecs.BOM_UTF8
UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
TOLD_BY = 1024  # bytes
UTF16 = "this is text in UTF-16; save it as UTF-8"
"""What is said where such a text is not read."""


def is_utf16(head: bytes) -> bool:
    """Whether first bytes are of a text in UTF-16: its mark, and no character of zeros, as numbers in binary have."""
    if len(head) < 4 or not head.startswith(UTF16_MARKS):  # a mark alone is no text
        return False
    return "\0" not in head[:TOLD_BY].decode("utf16", "replace")


def without_mark(head: bytes) -> bytes:
    """The first bytes of a text in UTF-8 without the mark that may stand before them."""
    return head.removeprefix(UTF8_MARK)


def of_bytes(data: bytes, errors: str = "strict") -> str:
    """The text, without its mark. errors: as of `bytes.decode`; UnicodeDecodeError where they are strict."""
    if is_utf16(data):
        return data.decode("utf16", errors)
    return without_mark(data).decode("utf8", errors)


def read(path: Path, errors: str = "strict") -> str:
    """The text of a file, its lines ended by \\n. Raises as `of_bytes`, and OSError."""
    return of_bytes(path.read_bytes(), errors).replace("\r\n", "\n").replace("\r", "\n")
