"""Trace files of a test: written down, and read back as plain rows."""

from pathlib import Path

COLUMNS = ("arrival_s", "op", "page", "pages", "stream")


def saved(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rows_of(pieces) -> list[tuple]:
    return [row for piece in pieces for row in zip(*(getattr(piece, name).tolist() for name in COLUMNS), strict=True)]
