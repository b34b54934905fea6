"""Which tests take long: noted by a run, left out by a quick one."""

from collections import defaultdict
from pathlib import Path

NOTED = Path(__file__).parents[1] / "seconds.txt"
LONG_S = 0.1  # of one test with what it sets up


def long_tests() -> dict[str, float]:
    """Seconds by the name of the test, of those that took long when that was noted last."""
    lines = NOTED.read_text("utf8").splitlines() if NOTED.exists() else []
    return {name: float(seconds) for seconds, _, name in (line.partition(" ") for line in lines if line)}


def without_noted(items: list) -> tuple[list, list]:
    """Collected tests that are quick, and the others; who is not noted is quick until a run says otherwise."""
    noted = long_tests()
    quick = [item for item in items if item.nodeid not in noted]
    return quick, [item for item in items if item.nodeid in noted]


class Noting:
    """Adds up what each test of a run takes, also where other processes run them."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report) -> None:
        self._seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self) -> None:
        """Writes tests/seconds.txt. What this run did not run stays as it was noted, where its file still stands."""
        root = NOTED.parents[1]
        seconds = {name: old for name, old in long_tests().items() if (root / name.partition("::")[0]).is_file()}
        seconds |= self._seconds
        lines = sorted((name, taken) for name, taken in seconds.items() if taken > LONG_S)
        NOTED.write_text("".join(f"{taken:.1f} {name}\n" for name, taken in lines), "utf8")
