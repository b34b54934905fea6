"""Simulations of one answer side by side: what studies have in common with the planner below them."""

from pagecost.answers.workers import side_by_side, workers

__all__ = ["side_by_side", "workers"]
