"""Which tests take long: noted by a run of all, left out where a run shall be short."""

from collections import defaultdict
from pathlib import Path

NOTED = Path(__file__).parents[1] / "seconds.txt"
LONG_S = 0.1  # of one test with what it sets up


def long_tests() -> dict[str, float]:
    """Seconds by the name of the test, of those that took long when that was noted last."""
    lines = NOTED.read_text("utf8").splitlines() if NOTED.exists() else []
    return {name: float(seconds) for seconds, _, name in (line.partition(" ") for line in lines if line)}


def within(items: list, least_s: float) -> tuple[list, list]:
    """Collected tests that take less than so long [s], and the others. Who is not noted is quick until a run says
    otherwise; of a file that takes longer throughout the quickest stays, and every cell of a notebook, as those behind
    it need it.
    """
    noted = long_tests()
    long = {item.nodeid for item in items if noted.get(item.nodeid, 0.0) >= least_s and ".ipynb::" not in item.nodeid}
    files: defaultdict[str, list[str]] = defaultdict(list)
    for item in items:
        files[item.nodeid.partition("::")[0]].append(item.nodeid)
    long -= {min(names, key=noted.__getitem__) for names in files.values() if long.issuperset(names)}
    return [item for item in items if item.nodeid not in long], [item for item in items if item.nodeid in long]


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
