"""pagecost: what a database page access costs, in time, energy, wear and money, on disk and on flash.

`pagecost.buffer`, `pagecost.devices`, `pagecost.workload`, `pagecost.studies` and `pagecost.claims` load when they
are first used, so that `import pagecost` is instant.
"""

import importlib

__version__ = "0.3.0"

_ROOMS = ("buffer", "catalogue", "claims", "devices", "errors", "studies", "units", "workload")


def __getattr__(name: str):
    if name in _ROOMS:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *_ROOMS])
