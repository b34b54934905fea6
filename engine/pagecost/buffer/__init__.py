"""The buffer pool: replacement policies, their replay and steps, whole curves, and bounds of cost."""

from pagecost.buffer.bounds import DEMAND, Bounds, cost_bounds, fewest_write_backs, optimal_cost
from pagecost.buffer.curves import Curve, che_misses, lru_curve
from pagecost.buffer.policies import POLICIES
from pagecost.buffer.pool import Replay, mean_block_run, replay
from pagecost.buffer.references import References
from pagecost.buffer.sampling import Sampler, sampled_lru_curve
from pagecost.buffer.stepper import Stepper
from pagecost.buffer.streamed import StreamedReplays, Wanted, can_stream

__all__ = ["DEMAND", "POLICIES", "Bounds", "Curve", "References", "Replay", "Sampler", "Stepper", "che_misses"]
__all__ += ["cost_bounds", "fewest_write_backs", "lru_curve", "mean_block_run", "optimal_cost", "replay"]
__all__ += ["StreamedReplays", "Wanted", "can_stream", "sampled_lru_curve"]
