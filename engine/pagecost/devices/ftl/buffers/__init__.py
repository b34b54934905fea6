"""The policies of the write buffer: one file each, found by name."""

import importlib
import pkgutil

from pagecost.devices.ftl.write_buffer_kernels import WritePolicy


def _find() -> dict[str, WritePolicy]:
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    policies = (importlib.import_module(f"{__name__}.{name}").POLICY for name in names)
    return {policy.name: policy for policy in policies}


WRITE_POLICIES: dict[str, WritePolicy] = _find()
"""Every policy of the write buffer by its name."""
