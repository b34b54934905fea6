"""Outputs of cells are compared here, and a slow machine must not have one more."""

import os
import tempfile

os.environ["PAGECOST_QUIET"] = "1"  # which the kernels inherit
# whatever devices whoever runs the lessons has, here are none
os.environ["PAGECOST_DEVICES"] = os.path.join(os.path.dirname(__file__), "no-devices-of-ones-own")
# and what is answered is kept nowhere that stays
_no_sheet = tempfile.TemporaryDirectory(prefix="pagecost-state-")
os.environ["PAGECOST_STATE"] = _no_sheet.name

OUTPUT_S = 60  # nbval waits five seconds for what a cell printed after it was done: too short beside a busy browser


def pytest_collection_modifyitems(items):
    for item in items:
        if hasattr(item, "output_timeout"):
            item.output_timeout = OUTPUT_S
