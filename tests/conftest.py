"""Hypothesis explores on a developer's machine; in CI the same examples come every time, so that a run is repeatable."""

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")
