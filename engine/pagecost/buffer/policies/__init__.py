"""The replacement policies: one file each, found by name. A new file with a `POLICY` is a new policy everywhere.

A policy with other than its default parameters is written NAME:PARAMETER=VALUE, `cflru:window=0.25` or
`2q:kin=0.25:kout=0.5`, wherever a policy is named.
"""

from pagecost import registry
from pagecost.buffer.policy import Policy

POLICIES: dict[str, Policy] = registry.find(__name__, "POLICY", lambda policy: (policy.offline, policy.flash_aware))
"""Every policy by its name: those that treat all pages alike, the flash-aware ones, the offline bounds last."""


def find(text: str) -> tuple[Policy, dict[str, float]]:
    """The policy and its parameters, defaults filled in. Raises ModelError as `registry.choose` does."""
    return registry.choose("replacement policy", text, POLICIES)


def title_of(text: str) -> str:
    """The policy's title, with the parameters that are given."""
    return registry.title_of("replacement policy", text, POLICIES)
