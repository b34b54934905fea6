"""Questions of who has to decide: what to buy for a load, within a time and a budget."""

TITLE = "Plan"
RANK = 8  # place among the topics, behind economics
ORDER = (
    "response_goal",
    "path_goal",
    "storage_plan",
    "plan_terms",
)
"""The questions in the order in which they build on each other; one that is not named comes last."""
