"""A system whose plans are quick to look at."""

from pagecost import system


def wanted(**candidates) -> system.System:
    """A small load on some devices, quick to answer."""
    asked = {"devices": ("intel-x25-m-g2-80gb", "wd800aajs"), "counts": (1, 2, 4), "buffers": (1024, 4096)}
    return system.System(
        load=system.Load(source="sqlite-order-entry", rate_hz=4000, transaction_rate_hz=200, volume_bytes=6e10),
        targets=system.Targets(response_s=0.1),
        candidates=system.Candidates(**asked | candidates),
    )
