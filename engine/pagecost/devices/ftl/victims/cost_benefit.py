"""Cost-benefit: collect the block with the largest age · (1 - u) / 2u, u its share of live pages."""

from pagecost.devices.ftl.ages_kernels import new_ages
from pagecost.devices.ftl.victim_policy import Policy
from pagecost.devices.ftl.victims.cost_benefit_kernels import serve, serve_by_heat

POLICY = Policy("cost-benefit", "Cost-benefit", new_ages, serve, "Kawaguchi, Nishioka, Motoda 1995", serve_by_heat)
