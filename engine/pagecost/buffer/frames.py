"""How many frames a buffer has: one rule for all who ask for a buffer."""

from numbers import Integral

from pagecost.errors import require


def whole_frames(frames) -> int:
    """The number of frames. Raises ModelError unless it is a whole number, of Python or NumPy, and at least 1."""
    whole = isinstance(frames, Integral) and not isinstance(frames, bool)
    require(whole and frames >= 1, f"a buffer needs a whole number of frames, at least one frame; got {frames!r}")
    return int(frames)
