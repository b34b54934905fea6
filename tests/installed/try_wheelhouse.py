"""The lab's folder as a lab has it: in a clean root, without a network and without a home.   make test-wheelhouse

`dist/lab` is unpacked from its archive and installed where there is nothing but /usr, /etc and a Python: no checkout,
no cache of pip or uv, no kernel cache, no way out. It takes some minutes and Linux (`unshare`; root, or a kernel on
which users may make namespaces), so it is not part of `make test`: run it before a wheelhouse is given away.
"""

import errno
import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

from helpers.debian_root import LOOPBACK_UP

ROOT = Path(__file__).parents[2]
FACTS = ROOT / "dist" / "lab" / "lab.json"
STUDENT = 65534  # an ordinary user, who is not the one that installed
# What stands in the new root: /usr and /etc read-only, devices, processes of its own, and three folders that stay.
MAKE_ROOT = """
set -eu
root=$1 stays=$2 python_home=$3 script=$4
mount -t tmpfs -o mode=755 none "$root"
mkdir "$root/usr" "$root/etc" "$root/dev" "$root/proc" "$root/opt" "$root/people" "$root/tmp" "$root/media"
chmod 1777 "$root/tmp"
for name in bin lib lib32 lib64 sbin; do
  [ ! -e "/$name" ] || ln -s "usr/$name" "$root/$name"
done
for name in usr etc; do
  mount --rbind "/$name" "$root/$name"
  mount -o remount,bind,ro "$root/$name"
done
mount --rbind /dev "$root/dev"
mount -t proc none "$root/proc"
if [ -n "$python_home" ]; then
  mkdir -p "$root$python_home"
  mount --bind "$python_home" "$root$python_home"
fi
for name in opt people media; do mount --bind "$stays/$name" "$root/$name"; done
exec chroot "$root" /bin/sh -c "$script"
"""
NO_WAY_OUT = """
import socket
for family, address in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
    try:
        socket.create_connection((address, 443), 3)
    except OSError as error:
        print(type(error).__name__, error.errno)
"""
SERVES = """
import json, subprocess, sys, time, urllib.request
lab = subprocess.Popen([sys.argv[1], "lab", "--port", "8765"], stderr=subprocess.PIPE, text=True)
said = []
for line in lab.stderr:  # where it is, with its token
    said.append(line)
    if "http://127.0.0.1:8765/lab" in line and "token=" in line:
        address = line.split()[-1]
        break
else:
    sys.exit("".join(said))
token = address.rpartition("token=")[2]
for _ in range(100):  # it is printed before it answers
    try:
        urllib.request.urlopen("http://127.0.0.1:8765/api").close()
        break
    except OSError:
        time.sleep(0.2)
page = urllib.request.urlopen(address).read().decode()
listed = urllib.request.urlopen("http://127.0.0.1:8765/api/contents?token=" + token).read()
print("JUPYTERLAB" if "jupyter-config-data" in page else page[:400])
print(*sorted(entry["name"] for entry in json.loads(listed)["content"]))
lab.terminate()
lab.wait(20)
"""


def python_of_the_lab() -> tuple[str, str]:
    """(command, folder that has to be shown) of a Python of the lab's version: the system's, or this one."""
    wanted = json.loads(FACTS.read_text())["python"]
    if found := shutil.which(f"python{wanted}", path="/usr/bin:/usr/local/bin"):
        return found, ""
    assert f"{sys.version_info.major}.{sys.version_info.minor}" == wanted, f"there is no Python {wanted} here"
    return f"{sys.base_prefix}/bin/python{wanted}", sys.base_prefix


class CleanRoot:
    """A root with nothing in it, and what was installed there."""

    def __init__(self, folder: Path):
        self._stays = folder / "stays"
        self._root = folder / "root"
        for path in (self._root, *(self._stays / name for name in ("opt", "people", "media"))):
            path.mkdir(parents=True)
        (self._stays / "people" / "student").mkdir()
        self.home = self._stays / "people"
        self.python, self._python_home = python_of_the_lab()

    def run(self, script: str, *, user: int = 0, home: str = "/people/admin", **environment: str):
        """What a shell there says, with no variables but a path and a home."""
        begin = ["unshare", "--net", "--mount", "--pid", "--fork", *(() if os.geteuid() == 0 else ("--map-root-user",))]
        as_user = f"setpriv --reuid={user} --regid={user} --clear-groups " if user else ""
        inside = f"{self.python} -c \"{LOOPBACK_UP}\" && cd /tmp && exec {as_user}/bin/sh -c '{script}'"
        own = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": home, "LANG": "C.UTF-8", **environment}
        command = [*begin, "/bin/sh", "-c", MAKE_ROOT, "root", self._root, self._stays, self._python_home, inside]
        return subprocess.run([*map(str, command)], env=own, capture_output=True, text=True, timeout=600)

    def kernels_of(self, user: str) -> list[str]:
        """Files of machine code that this user's sessions have compiled."""
        return sorted(path.name for path in (self.home / user).rglob("*.kernel"))


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    """A clean root in which the archive is unpacked in /media, as from a stick."""
    assert FACTS.exists(), "there is no dist/lab: run make wheelhouse"
    root = CleanRoot(tmp_path_factory.mktemp("clean"))
    known = json.loads(FACTS.read_text())
    name = f"pagecost-lab-{known['pagecost']}-{known['platform']}-python{known['python']}"
    with tarfile.open(ROOT / "dist" / f"{name}.tar") as archive:
        archive.extractall(root.home.parent / "media", filter="data")
    (root.home.parent / "media" / name).rename(root.home.parent / "media" / "stick")
    for path in (root.home, root.home / "student"):
        path.chmod(0o755)
    if os.geteuid() == 0:
        os.chown(root.home / "student", STUDENT, STUDENT)
    (root.home / "admin").mkdir()
    return root


@pytest.fixture(scope="module")
def installed(clean, request):
    """The same, when install.sh has run there."""
    began = time.monotonic()
    done = clean.run("sh /media/stick/install.sh /opt/pagecost", PYTHON=clean.python)
    assert done.returncode == 0, done.stderr
    print(f"\ninstalled in {time.monotonic() - began:.0f} s, load {os.getloadavg()[0]:.1f}")
    clean.said = done.stdout
    return clean


def test_the_root_is_clean_and_has_no_way_out(clean):
    there = set(clean.run("ls /").stdout.split())
    assert {"opt", "usr"} <= there
    of_python = {clean.python.split("/")[1]}  # where it is not the system's
    assert not {"root", "srv", "var", ROOT.parts[1]} & there - of_python
    assert not Path(clean.python).is_relative_to(ROOT)
    (clean.home / "admin" / "no_way_out.py").write_text(NO_WAY_OUT)
    tried = clean.run(f"{clean.python} /people/admin/no_way_out.py")
    assert tried.stdout.split() == ["OSError", str(errno.ENETUNREACH)] * 2, tried.stderr


def test_one_command_installs_and_says_the_one_that_opens_the_lab(installed):
    assert "is there: nothing has to be compiled" in installed.said
    assert 'Open the lab:   "/opt/pagecost/bin/pagecost" lab' in installed.said
    assert (
        installed.run("/opt/pagecost/bin/pagecost --version")
        .stdout.strip()
        .endswith(json.loads(FACTS.read_text())["pagecost"])
    )


def test_a_question_is_answered_and_no_kernel_is_compiled(installed):
    done = installed.run("/opt/pagecost/bin/pagecost run buffer_size", home="/people/admin")
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", "it would say that it compiles"
    assert installed.kernels_of("admin") == []


@pytest.mark.parametrize("lesson", ["00", "01", "06"])
def test_a_lesson_runs_and_no_kernel_is_compiled(installed, lesson):
    run = "/opt/pagecost/bin/jupyter nbconvert --to notebook --execute --output-dir /people/admin/run"
    done = installed.run(f"{run} /opt/pagecost/lib/python*/site-packages/pagecost_app/_lessons/{lesson}_*.ipynb")
    assert done.returncode == 0, done.stderr  # a cell that raises ends it
    (written,) = (installed.home / "admin" / "run").glob(f"{lesson}_*.ipynb")
    cells = [cell for cell in json.loads(written.read_text())["cells"] if cell["cell_type"] == "code"]
    assert all(cell["execution_count"] for cell in cells)
    assert installed.kernels_of("admin") == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may be another user")
def test_a_shared_install_is_read_only_and_serves_another_user_with_lessons_of_their_own(installed):
    script = installed.home / "student" / "serves.py"
    script.write_text(SERVES)
    as_student = {"user": STUDENT, "home": "/people/student"}
    assert installed.run("touch /opt/pagecost/mine", **as_student).returncode != 0
    done = installed.run("/opt/pagecost/bin/pagecost run buffer_size", **as_student)
    assert (done.returncode, done.stderr) == (0, ""), "machine code of root is good for everybody"
    assert installed.kernels_of("student") == []
    done = installed.run("/opt/pagecost/bin/python /people/student/serves.py /opt/pagecost/bin/pagecost", **as_student)
    assert done.returncode == 0, done.stderr + done.stdout
    page, lessons = done.stdout.splitlines()
    assert page == "JUPYTERLAB"
    assert lessons.split() == sorted(path.name for path in ROOT.glob("notebooks/*.ipynb"))
    assert (installed.home / "student" / "pagecost-lessons" / "00_start_here.ipynb").stat().st_uid == STUDENT


def test_on_a_processor_without_machine_code_it_compiles_and_answers_the_same(installed):
    ask = "/opt/pagecost/bin/pagecost run trace_insight --format csv"
    there = installed.run(ask)
    other = installed.run(ask, NUMBA_CPU_NAME="x86-64", NUMBA_CPU_FEATURES="")
    assert other.returncode == 0, other.stderr
    assert there.stdout == other.stdout
    assert len(installed.kernels_of("admin")) > 0, "it was compiled for that processor, and kept"
