"""`iostat -x` as it is printed: sysstat 11 and 12, text and JSON, and what is none of it."""

import json

import pytest

from pagecost.errors import ModelError
from pagecost.workload import iostat, measured, sources

HEAD = "Linux 6.18.44 (vm) \t11/23/26 \t_x86_64_\t(2 CPU)\n\n"
# printed by iostat -x 1 3 of sysstat 12.6.1, two devices, of which the first report is the mean since the start
TWELVE = f"""{HEAD}avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          56.46    0.14    6.39    0.13    0.13   36.75

Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz     d/s     dkB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util
loop0            1.60     27.35     0.00   0.00    0.32    17.06    8.29   2549.36     9.68  53.88    2.17   307.57    0.05  52506.09     0.00   0.00    0.77 1056462.02    2.99    1.71    0.02   1.26
vda           1767.59  41378.06    18.16   1.02    0.30    23.41  407.99  22888.03    83.55  17.00    0.31    56.10    9.85   3639.27     0.03   0.26    0.18   369.58    5.70    0.11    0.66   5.92


Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz     d/s     dkB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util
vda             30.00    120.00     0.00   0.00    0.50     4.00   10.00     80.00     0.00   0.00    0.50     8.00    0.00      0.00     0.00   0.00    0.00     0.00    0.00    0.00    0.50  10.00

Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz     d/s     dkB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util
vda             60.00    240.00     0.00   0.00    0.50     4.00    0.00      0.00     0.00   0.00    0.00     0.00    5.00     20.00     0.00   0.00    0.00     4.00    0.00    0.00    1.50  30.00
"""  # noqa: E501
# iostat -xmdz of sysstat 11 and before: a colon behind Device, MB/s, sizes in sectors, other names of the queue
ELEVEN = f"""{HEAD}Device:  rrqm/s   wrqm/s     r/s     w/s    rMB/s    wMB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util
xvdf       0.00  2934.00    0.00 2000.00     0.00    48.69    49.86     2.59    1.30    0.00    1.30   0.50  99.60
"""  # noqa: E501
HUMAN = f"{HEAD}Device r/s rkB/s w/s wkB/s aqu-sz %util\nsda 1.5k 6.0M 0.5k 2,0M 0.48 2.0%\n"
JSON = json.dumps(
    {
        "sysstat": {
            "hosts": [
                {
                    "statistics": [
                        {"disk": [{"disk_device": "sda", "r/s": 9, "w/s": 9, "rkB/s": 1, "wkB/s": 1, "util": 1.0}]},
                        {"avg-cpu": {"user": 1.0}, "disk": []},
                        {
                            "disk": [
                                {"disk_device": "sda", "r/s": 3.0, "w/s": 1.0, "rkB/s": 12.0, "wkB/s": 4.0}
                                | {"aqu-sz": 2.0, "util": 50.0}
                            ]
                        },
                    ]
                }
            ]
        }
    }
)


def saved(folder, text: str):
    path = folder / "iostat.txt"
    path.write_text(text)
    assert iostat.is_one(text[:4096])
    return path


def test_the_means_are_over_all_reports_but_the_first(tmp_path):
    loads = iostat.read(saved(tmp_path, TWELVE))
    vda = loads["vda"]
    assert vda.rates_hz == (40.0, 60.0)
    assert (vda.rate_hz, vda.peak_rate_hz, vda.read_share) == (50.0, 60.0, 0.9)
    assert vda.request_bytes == (120 + 80 + 240) * 1024 / 100
    assert (vda.queue, vda.utilisation) == (1.0, pytest.approx(0.2))
    assert vda.of_system() == {"load.rate_hz": 50.0, "load.read_share": 0.9}
    assert "The first report, the mean since the system was started, is left out." in vda.notes
    assert "2.5 discards a second are not counted as requests." in vda.notes
    assert list(loads) == ["vda"]  # loop0 is only in the first report


def test_sysstat_11_has_other_names_and_sizes(tmp_path):
    load = iostat.of_device(saved(tmp_path, ELEVEN), None)
    assert (load.device, load.rate_hz, load.read_share, load.queue) == ("xvdf", 2000.0, 0.0, 2.59)
    assert load.request_bytes == pytest.approx(49.86 * 512, rel=1e-3)  # avgrq-sz says the same
    assert load.utilisation == pytest.approx(0.996)
    assert "unless it was made with -y" in load.notes[0]


def test_numbers_for_people_and_json_say_the_same_things(tmp_path):
    human = iostat.of_device(saved(tmp_path, HUMAN), "sda")
    assert (human.rate_hz, human.read_share) == (2048.0, 0.75)
    assert human.request_bytes == 8 * 1024**2 / 2048
    found = iostat.of_device(saved(tmp_path, JSON), "sda")
    assert (found.rate_hz, found.read_share, found.request_bytes, found.queue) == (4.0, 0.75, 4096.0, 2.0)
    assert found.utilisation == 0.5


BAD = {
    HEAD: "no line of it describes a device; write it by iostat -x 10 60",
    f"{HEAD}Device tps kB_read/s\nsda 1.0 2.0\n": "it has no columns r/s and w/s; write it by iostat -x",
    f"{HEAD}Device r/s w/s\nsda 1.0\n": "the line 'sda 1.0' has 2 of the 3 columns; it is cut",
    f"{HEAD}Device r/s w/s\nsda 1.0 -2\n": "w/s of sda must be a number from 0; got '-2'",
    f"{HEAD}Device r/s w/s\nsda nan 2\n": "r/s of sda must be a number from 0; got 'nan'",
    JSON[:-4]: "its JSON is damaged or cut",
    '{"sysstat": {"disk": 3}}': 'its JSON has no "sysstat", "hosts"',
}


@pytest.mark.parametrize("text", BAD, ids=BAD.values())
def test_what_is_no_iostat_x_is_refused_in_a_sentence(tmp_path, text):
    path = tmp_path / "iostat.txt"
    path.write_text(text)
    with pytest.raises(ModelError) as error:
        iostat.read(path)
    assert BAD[text] in str(error.value)
    assert "\n" not in str(error.value)


ARRAY = f"""{HEAD}Device r/s w/s %util
sda 13.00 30.00 25.00
sdb 13.00 30.00 26.00
md0 52.00 60.00 0.00
dm-0 52.00 60.00 99.00
nvme0n1 80.00 0.00 1.00
"""


def test_a_check_takes_the_busiest_member_and_a_load_is_that_with_most_requests(tmp_path):
    path = saved(tmp_path, ARRAY)
    assert iostat.of_member(path, None).device == "sdb"
    assert iostat.of_member(path, "md0").rate_hz == iostat.of_device(path, None).rate_hz == 112.0
    joined = saved(tmp_path, f"{HEAD}Device r/s w/s\nmd0 1 1\nmd1 2 2\n")
    assert iostat.of_member(joined, None).device == "md1", "no member is there, and nobody says how busy"
    assert [name for name in ("md0", "md_d1p2", "md127", "dm-3", "mdx", "sdm", "dm") if iostat.is_joined(name)] == [
        *("md0", "md_d1p2", "md127", "dm-3")
    ]


def test_a_device_that_is_not_there_or_idle_is_said(tmp_path):
    path = saved(tmp_path, TWELVE)
    with pytest.raises(ModelError, match="unknown device in it 'sda'; known: vda"):
        iostat.of_device(path, "sda")
    path = saved(tmp_path, f"{HEAD}Device r/s w/s %util\nsda 0.00 0.00 0.00\n")
    with pytest.raises(ModelError, match="nothing was asked of sda"):
        iostat.of_device(path, "sda").of_system()
    with pytest.raises(ModelError, match="there is no such file"):
        iostat.read(tmp_path / "none.txt")


def test_a_trace_is_a_load_too(tmp_path):
    path = tmp_path / "a.blkparse"
    path.write_text(
        "  8,0 0 1 0.000000000 1 Q R 8 + 8 [a]\n  8,0 0 2 1.000000000 1 Q R 16 + 8 [a]\n"
        "  8,0 0 3 1.500000000 1 Q W 80 + 16 [a]\n  8,0 0 4 2.000000000 1 Q D 80 + 16 [a]\n"
    )
    load = measured.of_trace(sources.Pieces(str(path)), str(path))
    assert (load.rate_hz, load.references_hz, load.seconds) == (1.5, 2.0, 2.0)
    assert (load.read_share, load.sequential_share) == (pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert load.request_bytes == pytest.approx(4 * 4096 / 3)
    assert load.of_system()["load.source"] == str(path)
    path = tmp_path / "a.txt"
    path.write_text("7 r\n")
    with pytest.raises(ModelError, match="it has no times, so it says no rate of requests"):
        measured.of_trace(sources.Pieces(str(path)))
