"""What options that several commands have mean."""

from pagecost.errors import require
from pagecost.units import quantity
from pagecost.workload import traces


def format_asked(trace_format: str | None, columns: str | None) -> str | None:
    """The format of a trace, by its name or by what its columns mean. Raises ModelError where both are asked for."""
    require(trace_format != "", "--trace-format names a format; got nothing")
    if columns is None:
        return trace_format
    require(trace_format is None, "--columns says what a table means, --trace-format which format it is; name one")
    return f"{traces.PREFIX}{columns}"


def whole(text: str | None, name: str, unit: str = "1") -> int | None:
    """A whole number as people write it (4096, 4k, 4KiB), None where none is asked for. Raises ModelError."""
    if text is None:
        return None
    number = quantity(text, unit, name)
    require(isinstance(number, int), f"{name} must be a whole number; got {text!r}")
    return int(number)


def page_size(text: str | None) -> int | None:
    """The bytes of a page that --page-bytes asks for. Raises ModelError."""
    return whole(text, "--page-bytes", "B")
