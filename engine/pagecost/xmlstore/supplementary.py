"""Characters beyond the basic plane in the names of a document, which expat takes for faults.

XML 1.0 allows them in names since its fifth edition (U+10000 to U+EFFFF); expat follows the fourth. So every such
character of a UTF-8 document, wherever it stands, is spelled as a letter that expat knows with six digits behind it,
and put back in what expat reports. Documents without such characters pass untouched.
"""

import re
from collections.abc import Iterable, Iterator

import numpy as np

SIGN = "\u9fa5"  # a rare ideograph that may begin a name in all editions; it is spelled out itself
HIGHEST_IN_NAMES = "\U000effff"
_SIGN_BYTES = SIGN.encode()
_TO_SPELL = re.compile(b"[\xf0-\xf4][\x80-\xbf]{3}|" + _SIGN_BYTES)
_SPELLED = re.compile(SIGN + "([0-9A-F]{6})")
_FOUR_BYTES = 0xF0  # the least first byte of a character beyond the basic plane
_OTHER_ENCODING = re.compile(rb"""\A<\?xml[^>]*encoding\s*=\s*["'](?!utf-8["']|us-ascii["'])""", re.IGNORECASE)


class Speller:
    """Spells the characters of one document; `used` says whether there were any so far."""

    def __init__(self):
        self.used = False

    def spelled(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """The pieces with such characters spelled; those of other encodings than UTF-8 as they are."""
        utf_8, held = None, b""
        for piece in pieces:
            piece, held = held + piece, b""
            if utf_8 is None and piece:
                utf_8 = not (
                    piece.startswith((b"\xff\xfe", b"\xfe\xff", b"\0", b"<\0")) or _OTHER_ENCODING.match(piece)
                )
            if utf_8 and piece and (np.frombuffer(piece, np.uint8).max() >= _FOUR_BYTES or _SIGN_BYTES in piece):
                piece, held = _whole(piece)
                piece = _TO_SPELL.sub(self._spell, piece)
            elif utf_8:
                piece, held = _whole(piece)
            yield piece
        if held:
            yield held

    def _spell(self, found: re.Match) -> bytes:
        try:
            character = found[0].decode()
        except UnicodeDecodeError:  # expat says what is wrong with it
            return found[0]
        self.used = True
        return _SIGN_BYTES + b"%06X" % ord(character)


def read(text: str) -> str:
    """The text with its characters put back."""
    return _SPELLED.sub(lambda found: chr(int(found[1], 16)), text) if SIGN in text else text


def _whole(piece: bytes) -> tuple[bytes, bytes]:
    """(the piece up to its last whole character, the rest)."""
    for back in range(1, min(4, len(piece) + 1)):
        byte = piece[-back]
        if byte >= 0xC0:  # a first byte: of two, three or four
            size = 2 if byte < 0xE0 else 3 if byte < _FOUR_BYTES else 4
            return (piece[:-back], piece[-back:]) if back < size else (piece, b"")
        if byte < 0x80:
            break
    return piece, b""
