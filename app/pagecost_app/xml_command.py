"""`pagecost xml`: what documents of one's own take under each storage mapping."""

from dataclasses import asdict
from pathlib import Path

from pagecost.units import format_bytes
from pagecost.xmlstore import footprints as measuring


def said(found: list[dict]) -> str:
    """The records of `footprints` in a sentence: which mapping is smallest."""
    mappings = list(dict.fromkeys(row["mapping"] for row in found))
    sizes = {name: sum(row["bytes"] for row in found if row["mapping"] == name) for name in mappings}
    least = min(sizes, key=lambda name: sizes[name])
    plain = sum(row["plain_bytes"] for row in found if row["mapping"] == least)
    words = f"{least} stores {format_bytes(plain)} of XML in {format_bytes(sizes[least])}"
    others = ", ".join(f"{name} in {format_bytes(size)}" for name, size in sizes.items() if name != least)
    lossy = sum(row["lossless"] is False for row in found)
    lost = f"; {lossy} of {len(found)} did not come back as they were" if lossy else ""
    return f"{words}{f', {others}' if others else ''}{lost}."


def footprints(files: list[Path], mappings: list[str], page_bytes: int, fill: float, whitespace: str) -> list[dict]:
    """One record per file and mapping: `pagecost xml --format json`.

    bytes = pages × page size = label_bytes + tag_bytes + value_bytes + slot_bytes + slack_bytes, the container pages.
    The indexes (index_bytes, element_index_bytes, value_index_bytes) come on top. lossless: whether the rebuilt
    document has the canonical form of the given one; None where that was not compared.
    Raises ModelError for a file that is not XML, and for options that make no sense.
    """
    rows = []
    for file in files:
        found = measuring.of_file(
            file,
            tuple(dict.fromkeys(mappings)),
            page_bytes=page_bytes,
            fill=fill,
            whitespace=whitespace,
            value_index=True,
        )
        for mapping, (footprint, _, lossless) in found.items():
            rows.append({"file": str(file), "mapping": mapping, **asdict(footprint), "lossless": lossless})
    return rows
