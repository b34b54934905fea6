"""The buffer pool: replacement policies and their replay."""

from pagecost.buffer.policies import POLICIES
from pagecost.buffer.references import References
from pagecost.buffer.replay import Replay, replay

__all__ = ["POLICIES", "References", "Replay", "replay"]
