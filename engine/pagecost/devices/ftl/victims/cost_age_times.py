"""Cost-age-times: cost-benefit over the times a block was erased, so that worn blocks are spared."""

from pagecost.devices.ftl.ages_kernels import new_ages
from pagecost.devices.ftl.victim_policy import Policy
from pagecost.devices.ftl.victims.cost_age_times_kernels import serve, serve_by_heat

POLICY = Policy("cost-age-times", "Cost-age-times", new_ages, serve, "Chiang, Lee, Chang 1999", serve_by_heat)
