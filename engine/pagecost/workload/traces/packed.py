"""Trace files plain or compressed: told by their first bytes, read piece by piece, damage told in a sentence."""

import bz2
import gzip
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pagecost.errors import ModelError, require

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


class Packing(NamedTuple):
    """A way to compress: its first bytes, its file ending, and how such a file is opened."""

    name: str
    magic: bytes
    ending: str
    open: Callable


PACKINGS = (
    Packing("gzip", b"\x1f\x8b", ".gz", gzip.open),
    Packing("bzip2", b"BZh", ".bz2", bz2.open),
    Packing("xz", b"\xfd7zXZ\x00", ".xz", lzma.open),
    Packing("zstd", b"\x28\xb5\x2f\xfd", ".zst", zstd.open),
)
DAMAGE = (EOFError, OSError, zlib.error, lzma.LZMAError, zstd.ZstdError)


def packing_of(path: Path) -> Packing | None:
    """How a file is compressed, or None. Raises ModelError when its ending promises what its first bytes are not."""
    with path.open("rb") as file:
        head = file.read(8)
    by_content = next((packing for packing in PACKINGS if head.startswith(packing.magic)), None)
    promised = packing_by_ending(path)
    require(
        by_content is not None or promised is None,
        f"trace {path}: the ending promises {promised.name if promised else ''}, but the file is not compressed so",
    )
    return by_content


def packing_by_ending(path: Path) -> Packing | None:
    """The way to compress that a file's ending names, or None."""
    return next((packing for packing in PACKINGS if path.suffix.lower() == packing.ending), None)


def bare_ending(path: Path) -> str:
    """The ending that tells the format: the last one, before that of the compression."""
    return (Path(path.stem) if packing_by_ending(path) else path).suffix.lower()


def head_of(path: Path, size: int) -> bytes:
    """The first bytes of the (uncompressed) content, as many as can be read."""
    packing = packing_of(path)
    with (packing.open if packing else open)(path, "rb") as file, telling_damage(path, packing):
        return file.read(size)


def pieces(path: Path, size: int, progress: Callable[[float], None]) -> Iterator[bytes]:
    """The uncompressed content in pieces of `size` bytes; the next one is unpacked while the last one is used.

    progress(share of the file) is called before each piece and may raise. Raises ModelError for damaged data, after
    everything before the damage was handed out.
    """
    packing = packing_of(path)
    length = max(path.stat().st_size, 1)
    with path.open("rb") as raw, packing.open(raw, "rb") if packing else raw as file:

        def following() -> bytes:
            with telling_damage(path, packing):
                return file.read(size)

        with ThreadPoolExecutor(max_workers=1) as ahead:
            coming = ahead.submit(following)
            while piece := coming.result():
                progress(min(raw.tell() / length, 1.0))
                coming = ahead.submit(following)
                yield piece
    progress(1.0)


@contextmanager
def telling_damage(path: Path, packing: Packing | None):
    """Turn what the unpackers raise into one sentence."""
    try:
        yield
    except DAMAGE as error:
        if packing is None:
            raise
        raise ModelError(f"trace {path}: the {packing.name} data are damaged or end too early ({error})") from None
