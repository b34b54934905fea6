"""How claims on caches below a database are measured where the paper gives no size: by where they hold."""

from collections.abc import Mapping

from pagecost.claims.economics_measures import slower_without


def slower_where(study: str, device: str, part: str, page_cache_mib: list[int], set: Mapping | None = None) -> str:
    """The sizes of the page cache [MiB] at which a device does less without a part: "4 8 16", or "none"."""
    held = [
        size
        for size in page_cache_mib
        if slower_without(study, device, part, {**(set or {}), "page_cache_bytes": size * 2.0**20}) == "less"
    ]
    return " ".join(map(str, held)) or "none"
