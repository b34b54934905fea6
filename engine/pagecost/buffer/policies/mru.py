"""Most recently used: the page used last leaves, which suits a scan that comes round again."""

from pagecost.buffer.policies.lru import describe, start
from pagecost.buffer.policies.mru_kernels import replay
from pagecost.buffer.policy import Policy

REASONS = ("it was used last",)
POLICY = Policy("mru", "MRU", start, replay, "Chou and DeWitt 1985", describe, REASONS)
