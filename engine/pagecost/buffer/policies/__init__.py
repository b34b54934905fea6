"""The replacement policies: one file each, found by name. A new file with a `POLICY` is a new policy everywhere.

A policy with other than its default parameters is written NAME:PARAMETER=VALUE, `cflru:window=0.25` or
`2q:kin=0.25:kout=0.5`, wherever a policy is named.
"""

import importlib
import pkgutil

from pagecost.buffer.replay_kernels import Policy
from pagecost.errors import ModelError, known, require


def _find() -> dict[str, Policy]:
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    policies = (importlib.import_module(f"{__name__}.{name}").POLICY for name in names)
    order = sorted(policies, key=lambda policy: (policy.offline, policy.flash_aware, policy.name))
    return {policy.name: policy for policy in order}


POLICIES: dict[str, Policy] = _find()
"""Every policy by its name: those that treat all pages alike, the flash-aware ones, the offline bounds last."""


def find(text: str) -> tuple[Policy, dict[str, float]]:
    """The policy and its parameters, defaults filled in, from NAME or NAME:PARAMETER=VALUE[:PARAMETER=VALUE …].

    Raises ModelError for an unknown policy or parameter, for a value that is no number, and for one out of its range.
    """
    name, *settings = text.strip().split(":")
    policy = POLICIES[known("replacement policy", name, POLICIES)]
    parameters = {parameter.name: parameter for parameter in policy.parameters}
    values = {parameter.name: parameter.default for parameter in policy.parameters}
    for setting in settings:
        key, equals, number = setting.partition("=")
        require(bool(equals), f"policy {text!r}: a parameter is written NAME=VALUE; got {setting!r}")
        require(bool(parameters), f"policy {name} has no parameters; got {setting!r}")
        parameter = parameters[known(f"parameter of {name}", key, parameters)]
        try:
            value = float(number)
        except ValueError:
            raise ModelError(f"policy {name}: {key} must be a number; got {number!r}") from None
        require(
            parameter.least <= value <= parameter.most,
            f"policy {name}: {key} must be {parameter.least:g}..{parameter.most:g}; got {number}",
        )
        values[key] = value
    return policy, values


def title_of(text: str) -> str:
    """The policy's title, with the parameters that are given."""
    policy, _ = find(text)
    settings = ", ".join(text.strip().split(":")[1:]).replace("=", " ")
    return f"{policy.title} ({settings})" if settings else policy.title
