"""The victim policies of garbage collection: one file each, found by name.

One with other than its default parameters is written NAME:PARAMETER=VALUE, `d-choices:choices=10`.
"""

from pagecost import registry
from pagecost.devices.ftl.victim_policy import Policy

VICTIMS: dict[str, Policy] = registry.find(__name__, "POLICY")
"""Every victim policy by its name."""


def find(text: str) -> tuple[Policy, dict[str, float]]:
    """The policy and its parameters, defaults filled in. Raises ModelError as `registry.choose` does."""
    return registry.choose("victim policy", text, VICTIMS)
