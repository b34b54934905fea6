"""The buffer pool: replacement policies and their replay."""

from pagecost.buffer.policies import POLICIES
from pagecost.buffer.pool import Replay, replay
from pagecost.buffer.references import References

__all__ = ["POLICIES", "References", "Replay", "replay"]
