"""JSON that every reader takes: it has neither numbers without an end nor ones that are not known."""

import json
import math
from typing import Any


def plain(value: Any) -> Any:
    """Lists for tuples, None for what is not known (nan), and "inf" or "-inf" for what has no end."""
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if hasattr(value, "items"):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, float):
        return None if math.isnan(value) else str(float(value)) if math.isinf(value) else float(value)
    return value


def text(value: Any, indent: int | None = 1) -> str:
    """The value as JSON."""
    return json.dumps(plain(value), indent=indent, ensure_ascii=False, allow_nan=False)
