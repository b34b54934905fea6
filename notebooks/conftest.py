"""Outputs of cells are compared here, and a slow machine must not have one more."""

import os

os.environ["PAGECOST_QUIET"] = "1"  # which the kernels inherit
