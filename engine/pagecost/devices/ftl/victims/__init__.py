"""The victim policies of garbage collection: one file each, found by name."""

import importlib
import pkgutil

from pagecost.devices.ftl.page_map_kernels import Policy


def _find() -> dict[str, Policy]:
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    policies = (importlib.import_module(f"{__name__}.{name}").POLICY for name in names)
    return {policy.name: policy for policy in policies}


VICTIMS: dict[str, Policy] = _find()
"""Every victim policy by its name."""
