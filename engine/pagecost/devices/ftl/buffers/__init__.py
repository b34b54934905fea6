"""The policies of the write buffer: one file each, found by name."""

from pagecost import registry
from pagecost.devices.ftl.write_policy import WritePolicy

WRITE_POLICIES: dict[str, WritePolicy] = registry.find(__name__, "POLICY")
"""Every policy of the write buffer by its name."""
