"""Which devices, how many, joined and used how: every plan by formula, the best simulated, one chosen and defended.

    from pagecost import planner, system

    made = planner.plan(system.read("mine.toml"))
    made.sentence, made.best.figures["cost"].run_line, made.tornado[0].title, made.sureness

What it rests on stands in docs/models/planner.md#by-formula.
"""

from pagecost.planner.planned import BreakEven, Figure, Group, One, Plan, Planned, Swing
from pagecost.planner.planning import Search, estimated, figures_of_one, plan, search
from pagecost.planner.space import candidates_of

__all__ = ["BreakEven", "Figure", "Group", "One", "Plan", "Planned", "Search", "Swing", "candidates_of"]
__all__ += ["estimated", "figures_of_one", "plan", "search"]
