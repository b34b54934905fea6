"""The replacement policies: one file each, found by name. A new file with a `POLICY` is a new policy everywhere."""

import importlib
import pkgutil

from pagecost.buffer.replay_kernels import Policy


def _find() -> dict[str, Policy]:
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    policies = (importlib.import_module(f"{__name__}.{name}").POLICY for name in names)
    return {policy.name: policy for policy in sorted(policies, key=lambda policy: (policy.offline, policy.name))}


POLICIES: dict[str, Policy] = _find()
"""Every policy by its name, the offline bounds last."""
