"""In CI Hypothesis tries the same examples every time, so that a run is repeatable; elsewhere it explores."""

import gc
import os
import tempfile

import pytest
from hypothesis import settings

from helpers import seconds
from helpers.remembered import remembering

settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")

# whatever devices whoever runs the tests has, here are none
_no_devices = tempfile.TemporaryDirectory(prefix="pagecost-devices-")
os.environ["PAGECOST_DEVICES"] = _no_devices.name
# and nothing that they left unsaved is offered here
_no_state = tempfile.TemporaryDirectory(prefix="pagecost-state-")
os.environ["PAGECOST_STATE"] = _no_state.name

# Files in the order in which workers take them. Answers to defaults and presets come early: what is computed there
# need not be elsewhere. The package takes over the kernels that other tests have compiled, so
# it comes behind them; beside it run lessons and the browser's tests, which wait more than they compute. The longest of
# these goes first, or one worker would end with it alone. The largest kernels are compiled at the very start, each in
# the file of one worker: files side by side that need the same one would compile it twice.
ORDER = (
    *("tests/engine/test_oltp.py", "tests/engine/test_filesystem.py", "tests/engine/test_studies.py"),
    *("tests/engine/", "tests/app/", "tests/browser/test_packaged.py", "notebooks/", "tests/notebooks/"),
    *("tests/browser/test_lessons.py", "tests/browser/test_app_page.py", "tests/"),
)


def pytest_addoption(parser):
    parser.addoption("--pictures", action="store_true", help="browser tests draw what they see into screenshots/")
    parser.addoption(
        "--within", type=float, metavar="S", help="leave out each test that tests/seconds.txt says is longer"
    )
    parser.addoption("--note-seconds", action="store_true", help="write into tests/seconds.txt what takes long")


def pytest_configure(config):
    if config.getoption("--note-seconds") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(seconds.Noting())


def pytest_collection_modifyitems(config, items):
    if (least_s := config.getoption("--within")) is not None:
        items[:], left_out = seconds.within(items, least_s)
        config.hook.pytest_deselected(items=left_out)

    def place(item) -> int:
        path = item.path.relative_to(item.config.rootpath).as_posix()
        return next((number for number, start in enumerate(ORDER) if path.startswith(start)), len(ORDER))

    items.sort(key=place)


def pytest_collection_finish():
    """Thousands of tests stay until the end: whoever looks for what can go need not look at them again and again."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish():
    gc.unfreeze()


@pytest.fixture(scope="session")
def answers_folder(tmp_path_factory):
    """A folder that all processes of this test run share."""
    own = tmp_path_factory.getbasetemp()
    return (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "answers"


@pytest.fixture(scope="module")
def remembered_answers(answers_folder):
    """Answers to defaults and presets are taken from tests that computed them."""
    with remembering(answers_folder, reuse=True):
        yield


@pytest.fixture(scope="module")
def kept_answers(answers_folder):
    """Answers to defaults and presets are computed, and kept for other tests."""
    with remembering(answers_folder, reuse=False):
        yield
