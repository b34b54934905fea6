"""pagecost: what a database page access costs, in time, energy, wear and money, on disk and on flash.

Its rooms (`pagecost.buffer`, `pagecost.devices`, `pagecost.transactions`, `pagecost.studies` and the others that
`dir(pagecost)` names) load when they are first used, so that `import pagecost` is instant.
"""

import importlib
import pkgutil

__version__ = "0.3.0"

_FOUND = sorted(room.name for room in pkgutil.iter_modules(__path__))
_ROOMS = tuple(name for name in _FOUND if not name.startswith("_") and not name.endswith("_kernels"))


def __getattr__(name: str):
    if name in _ROOMS:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *_ROOMS})
