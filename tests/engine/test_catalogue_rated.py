"""A drive is added to the tables by the recipe of `datasets/README.md`, rated for requests of any size."""

import shutil

import pytest

from pagecost.catalogue import Device, load, root
from pagecost.catalogue_tables import COLUMNS
from pagecost.devices import model_of
from pagecost.errors import ModelError

RATES = [(f"random_{way}_iops", "1000", "1/s") for way in ("read", "write")]
RATES += [(f"sequential_{way}_bytes_per_s", "1000", "MB/s") for way in ("read", "write")]


@pytest.fixture
def added(tmp_path):
    """A function that adds a drive of the model `rated` with its four rates, and the size they are of, to a copy."""

    def add(*block: tuple[str, str, str]) -> Device:
        for table in COLUMNS:
            shutil.copy(root() / table, tmp_path / table)
        with (tmp_path / "devices.csv").open("a", encoding="utf8") as devices:
            devices.write("demo,Demo,flash SSD,rated,2026,\n")
        with (tmp_path / "parameters.csv").open("a", encoding="utf8") as parameters:
            for name, value, unit in (*RATES, *block):
                parameters.write(f"demo,{name},{value},{unit},,,,recalled,general-knowledge,,\n")
        return load(tmp_path).device("demo")

    return add


def test_rates_of_requests_say_their_size(added):
    line = len((root() / "devices.csv").read_text("utf8").splitlines()) + 1
    with pytest.raises(
        ModelError, match=rf"devices\.csv line {line}: demo has model 'rated' but no rated_block_bytes, "
    ):
        added()


@pytest.mark.parametrize(("size", "unit", "rated_bytes"), [("8", "KiB", 8192), ("4096", "B", 4096), ("512", "B", 512)])
def test_a_drive_may_be_rated_for_requests_of_any_size(added, size, unit, rated_bytes):
    """1000 requests a second of what it is rated for, and no more of half of that."""
    one = added(("rated_block_bytes", size, unit))
    at_work = model_of(one).service("random read", [rated_bytes, rated_bytes / 2])
    assert one.value("rated_block_bytes") == rated_bytes
    assert at_work.total_s == pytest.approx([1e-3, 1e-3])
