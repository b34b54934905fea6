"""A clean Debian, as debootstrap makes it, in which a package is installed and then used without a network."""

import contextlib
import ctypes
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil

from helpers.packaged_program import Running, family

USER, HOME = 1000, os.path.join("/home", "student")  # of the clean Debian, no path of this machine
PATH = "/usr/local/bin:/usr/bin:/bin"
OF_ROOT = {"PATH": f"/usr/sbin:/sbin:{PATH}", "DEBIAN_FRONTEND": "noninteractive", "LANG": "C.UTF-8"}
OF_USER = {"PATH": PATH, "HOME": HOME, "LANG": "C.UTF-8"}
LOOPBACK_UP = (
    "import fcntl, socket, struct; up = struct.pack('16sH22x', b'lo', 0x41);"
    "fcntl.ioctl(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0x8914, up)"
)
NEW_NETWORK = 0x40000000  # CLONE_NEWNET
# The root is pivoted to: in one that was only changed to, Chromium cannot make its sandbox. The shell stays as the
# first process, which waits for orphans.
ENTER = """
set -eu
root=$1; shift
mount --bind "$root" "$root"
mount -t proc none "$root/proc"
mount --rbind /dev "$root/dev"
mkdir -p /tmp/.X11-unix "$root/tmp/.X11-unix" "$root/.before"
mount --bind /tmp/.X11-unix "$root/tmp/.X11-unix"
cd "$root"
pivot_root . .before
umount -l /.before
"$@"
exit $?
"""


def debian() -> str:
    """The release that this machine runs."""
    return platform.freedesktop_os_release()["VERSION_CODENAME"]


def bootstrapped(place: Path) -> Path:
    """A minimal Debian of this machine's release under `place`; made once, which needs a network and about a minute."""
    base = place / debian()
    if not base.exists():
        shutil.rmtree(unfinished := place / "unfinished", ignore_errors=True)
        unfinished.mkdir(parents=True)
        subprocess.run(
            ["debootstrap", "--variant=minbase", debian(), unfinished], check=True, stdout=subprocess.DEVNULL
        )
        unfinished.rename(base)
    return base


class DebianRoot:
    """A copy of a bootstrapped root, with an ordinary user whose home is empty."""

    def __init__(self, base: Path, place: Path):
        subprocess.run(["cp", "-a", base, place], check=True)
        self.place = place
        shutil.copyfile("/etc/resolv.conf", place / "etc/resolv.conf")
        made = self.run(f"useradd --uid {USER} student && install -d -o student -g student {HOME}", user=0)
        assert made.returncode == 0, made.stderr

    @property
    def home(self) -> Path:
        return self.place / HOME[1:]

    def install(self, package: Path) -> str:
        """What apt says when it installs a package's file with what that depends on, without what it recommends."""
        shutil.copyfile(package, self.place / "tmp" / package.name)
        install = f"apt-get update -qq && apt-get install -y --no-install-recommends /tmp/{package.name}"
        done = self.run(f"{install} && apt-get clean", user=0)
        (self.place / "tmp" / package.name).unlink()
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def run(self, script: str, *, user: int = USER) -> subprocess.CompletedProcess[str]:
        """What a shell says there."""
        command = self._inside(user, OF_USER if user else OF_ROOT, "/bin/sh", "-c", script)
        return subprocess.run(command, env=OF_ROOT, capture_output=True, text=True, timeout=600)

    @contextlib.contextmanager
    def running(self, *command: str, **environment: str) -> Iterator[Running]:
        """A program there, of the ordinary user and without a terminal; nothing of it stays."""
        folder = self.place / "tmp" / "run"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        os.chown(folder, USER, USER)
        inside = self._inside(USER, OF_USER | {"PAGECOST_REPORT": "/tmp/run/report"} | environment, *command)
        with open(folder / "stdout", "w") as stdout, open(folder / "stderr", "w") as stderr:
            process = psutil.Popen(inside, env=OF_ROOT, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr)
        try:
            yield Running(process, folder)
        finally:
            for left in family(process) if process.is_running() else []:
                with contextlib.suppress(psutil.NoSuchProcess):
                    left.kill()
            process.wait()

    def _inside(self, user: int, environment: dict[str, str], *command: str) -> list[str]:
        begin = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "/bin/sh", "-c", ENTER, "root"]
        as_user = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
        there = [
            "env",
            "-i",
            f"--chdir={HOME if user else '/'}",
            *(f"{key}={value}" for key, value in environment.items()),
        ]
        return [*begin, str(self.place), *as_user, *there, *command]


@contextlib.contextmanager
def without_network() -> Iterator[None]:
    """Loopback is all that this process and what it starts reach, until the end."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/proc/self/ns/net") as before:
        if libc.unshare(NEW_NETWORK):
            raise OSError(ctypes.get_errno(), "only root may leave the network")
        subprocess.run([sys.executable, "-c", LOOPBACK_UP], check=True)
        try:
            yield
        finally:
            libc.setns(before.fileno(), NEW_NETWORK)


def program_of(process: psutil.Process, name: str = "pagecost") -> psutil.Process:
    """The program among what was started; the topmost of that name."""
    return next(each for each in process.children(recursive=True) if each.name() == name)


def memory_mb(process: psutil.Process) -> float:
    """Memory of a program with all its processes; what several share is counted once (PSS)."""
    kilobytes = 0
    for each in family(process):
        with contextlib.suppress(psutil.NoSuchProcess, OSError):
            rollup = Path(f"/proc/{each.pid}/smaps_rollup").read_text()
            kilobytes += next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
    return kilobytes * 1024 / 1e6


def forget(folder: Path) -> None:
    """Have a folder's files read from the disk again, as after the machine was switched on."""
    os.sync()
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
