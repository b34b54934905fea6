"""In CI Hypothesis tries the same examples every time, so that a run is repeatable; elsewhere it explores."""

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")
