"""The buffer pool: replacement policies, their replay and steps, whole curves, and bounds of cost."""

from pagecost.buffer.bounds import Bounds, cost_bounds, optimal_cost
from pagecost.buffer.curves import Curve, che_misses, lru_curve
from pagecost.buffer.policies import POLICIES
from pagecost.buffer.pool import Replay, mean_block_run, replay
from pagecost.buffer.references import References
from pagecost.buffer.sampling import Sampler, sampled_lru_curve
from pagecost.buffer.stepper import Stepper

__all__ = ["POLICIES", "Bounds", "Curve", "References", "Replay", "Sampler", "Stepper"]
__all__ += ["che_misses", "cost_bounds", "lru_curve", "mean_block_run", "optimal_cost", "replay", "sampled_lru_curve"]
