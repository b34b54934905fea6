"""What `make wheelhouse` gives: a folder from which a lab without a network is installed.  wheelhouse.py FOLDER

In FOLDER then lie the wheels that `uv.lock` names for one Python on one platform and pagecost's own (with lessons and
datasets), the machine code of the kernels, the book where `make book` built it, `install.sh` (`install.ps1` for
Windows), and beside it one archive. `--platform` makes it for another system: wheels only, for kernels are compiled
where they run. The Python is the one that runs this, `uv run --python 3.12 …` takes another.
"""

import argparse
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import NamedTuple

from packaging.markers import Marker, default_environment

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
GLIBCS = range(17, 40)  # minor versions of glibc 2 that tags of wheels name
MACOS = range(11, 16)
# platform -> tags that pip takes, newest first, what markers of requirements are asked for, and (system, machine) of it
PLATFORMS: dict[str, tuple[list[str], dict[str, str]]] = {
    "linux-x86_64": (
        [*(f"manylinux_2_{minor}_x86_64" for minor in reversed(GLIBCS)), "manylinux2014_x86_64"],
        {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "platform_machine": "x86_64"},
    ),
    "linux-aarch64": (
        [*(f"manylinux_2_{minor}_aarch64" for minor in reversed(GLIBCS)), "manylinux2014_aarch64"],
        {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "platform_machine": "aarch64"},
    ),
    "macos-arm64": (
        [f"macosx_{major}_0_{kind}" for major in reversed(MACOS) for kind in ("arm64", "universal2")],
        {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix", "platform_machine": "arm64"},
    ),
    "windows-x86_64": (
        ["win_amd64"],
        {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt", "platform_machine": "AMD64"},
    ),
}
ARCHITECTURES = {"amd64": "x86_64", "x64": "x86_64"}
SYSTEMS = {"Darwin": "macos"}
PINNED = re.compile(r"([A-Za-z0-9._-]+==[^\s;\\]+)\s*(?:;\s*([^\\\n]+))?")


def this_platform() -> str:
    """Name of the platform that runs this. Exits where there is no wheelhouse for it."""
    machine, system = platform.machine().lower(), platform.system()
    name = f"{SYSTEMS.get(system, system.lower())}-{ARCHITECTURES.get(machine, machine)}"
    if name not in PLATFORMS:
        sys.exit(f"there are no wheels of pagecost's parts for {name}; known are {', '.join(PLATFORMS)}")
    return name


def run(*command, **options) -> str:
    """What a program prints; it has to succeed."""
    done = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, text=True, **options)
    if done.returncode:
        sys.exit(f"{Path(str(command[0])).name} {command[1]} failed: see above")
    return done.stdout


def uv() -> str:
    """The uv that runs this, or one on the path. Exits without one."""
    found = os.environ.get("UV") or shutil.which("uv")
    return found or sys.exit("uv is needed: run `make wheelhouse`")


class Needed(NamedTuple):
    """A version that the lock file names. condition: of the Python's last digit, where it hangs on that."""

    pinned: str  # NAME==VERSION
    hashes: tuple[str, ...]
    condition: str
    python: str  # one with which it holds


def needed(exported: str, platform_name: str) -> list[Needed]:
    """`uv export`'s requirements that hold on the platform with some Python of this version."""
    asked = {**default_environment(), **PLATFORMS[platform_name][1]}
    pythons = [f"{PYTHON}.{digit}" for digit in (0, 99)]
    found = []
    for block in re.findall(r"^\S.*?(?<!\\)\n", exported, re.MULTILINE | re.DOTALL):
        if block.startswith("#"):
            continue
        pinned = PINNED.match(block)
        if pinned is None:
            sys.exit(f"uv names a requirement that is no version: {block.strip()}")
        condition = (pinned[2] or "").strip()
        good = [
            python
            for python in pythons
            if not condition or Marker(condition).evaluate({**asked, "python_full_version": python})
        ]
        if good:
            hashes = tuple(re.findall(r"--hash=\S+", block))
            found.append(Needed(pinned[1], hashes, condition if len(good) < len(pythons) else "", good[0]))
    return found


def fetch(requirements: list[Needed], platform_name: str, wheels: Path) -> None:
    """Have the wheels in the folder, by pip, which checks each against the lock file."""
    listed = wheels.parent / "locked.txt"
    options = ["--no-deps", "--require-hashes", "--only-binary=:all:", "--disable-pip-version-check", "--quiet"]
    if platform_name != this_platform():
        abi = f"cp{PYTHON.replace('.', '')}"
        options += [*(f"--platform={tag}" for tag in PLATFORMS[platform_name][0]), "--implementation=cp"]
        options += [f"--abi={abi}", "--abi=abi3", "--abi=none"]
    for python in sorted({each.python for each in requirements}):
        lines = [" ".join([each.pinned, *each.hashes]) for each in requirements if each.python == python]
        listed.write_text("\n".join(lines) + "\n", encoding="utf-8")
        version = f"--python-version={python}"
        run(sys.executable, "-m", "pip", "download", *options, version, "--dest", wheels, "--requirement", listed)
    listed.unlink()


def pinned(wheels: Path, requirements: list[Needed]) -> str:
    """A requirement with its hash for every wheel there is, but pip: what installs the rest is not installed by it."""
    conditions = {_key(*each.pinned.split("==")): each.condition for each in requirements}
    lines = []
    for path in sorted(wheels.glob("*.whl")):
        name, version, *_ = path.stem.split("-")
        condition = conditions.get(_key(name, version))
        marked = f"{name}=={version} ; {condition}" if condition else f"{name}=={version}"
        if name != "pip":
            lines.append(f"{marked} --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n")
    return "".join(lines)


def _key(name: str, version: str) -> tuple[str, str]:
    return re.sub(r"[-_.]+", "-", name).lower(), version


def oldest_glibc(wheels: Path) -> int:
    """Minor version of the glibc 2 that all wheels of a Linux run with; 0 where none names any."""
    found = [0]
    for path in wheels.glob("*.whl"):
        minors = [int(minor) for minor in re.findall(r"manylinux_2_(\d+)_", path.stem)]
        minors += [17] * ("manylinux2014_" in path.stem)
        if minors:
            found.append(min(minors))
    return max(found)


def facts(folder: Path, platform_name: str) -> dict:
    """What is in the folder, as its page says it and its installer asks."""
    wheels = list((folder / "wheels").glob("*.whl"))
    levels = {path.name: len(list(path.glob("*.kernel"))) for path in sorted((folder / "kernels").glob("*"))}
    return {
        "pagecost": run(uv(), "version", "--short", cwd=ROOT).strip(),
        "platform": platform_name,
        "python": PYTHON,
        "glibc": oldest_glibc(folder / "wheels"),
        "wheels": len(wheels),
        "wheel_megabytes": round(sum(path.stat().st_size for path in wheels) / 1e6),
        "kernels": levels,
    }


def add_installer(folder: Path, known: dict) -> None:
    """The installer, with what it asks of the machine filled in, and a page that says what this folder is."""
    system, _, machine = known["platform"].partition("-")
    levels = known["kernels"]
    kernels = (
        ", ".join(f"{count} for {level}" for level, count in levels.items()) or "none: they are compiled at first use"
    )
    words = {
        "VERSION": known["pagecost"],
        "PYTHON": known["python"],
        "SYSTEM": {"linux": "Linux", "macos": "Darwin", "windows": "Windows"}[system],
        "MACHINE": machine,
        "GLIBC": str(known["glibc"]),
        "WHEELS": f"{known['wheels']} wheels ({known['wheel_megabytes']} MB)",
        "KERNELS": kernels or "none, they are compiled at first use",
        "COMMAND": "powershell -ExecutionPolicy Bypass -File install.ps1" if system == "windows" else "sh install.sh",
    }
    installer = "install.ps1" if system == "windows" else "install.sh"
    for name in (installer, "README.txt"):
        text = (HERE / "lab" / name).read_text(encoding="utf-8")
        text = re.sub(r"@([A-Z]+)@", lambda found: words[found[1]], text)
        (folder / name).write_text(text, encoding="utf-8", newline="\r\n" if system == "windows" else "\n")
    if installer == "install.sh":
        (folder / installer).chmod(0o755)


def pack(folder: Path, name: str) -> Path:
    """One archive of the folder; not compressed, for wheels are."""
    if "windows" in name:
        archive = folder.parent / f"{name}.zip"
        with zipfile.ZipFile(archive, "w") as file:
            for path in sorted(folder.rglob("*")):
                file.write(path, Path(name) / path.relative_to(folder))
    else:
        archive = folder.parent / f"{name}.tar"
        with tarfile.open(archive, "w") as file:
            file.add(folder, name)
    return archive


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="made anew; dist/lab")
    parser.add_argument("--platform", choices=PLATFORMS, default=this_platform(), help="of the machines of the lab")
    parser.add_argument("--extra", action="append", default=[], help="of pyproject.toml: window for a window by Qt")
    parser.add_argument("--levels", default="", help="of processors, with a comma between: x86-64-v3,x86-64-v2")
    asked = parser.parse_args()
    folder, wheels = asked.folder, asked.folder / "wheels"
    shutil.rmtree(folder, ignore_errors=True)
    wheels.mkdir(parents=True)

    extras = [f"--extra={extra}" for extra in asked.extra]
    kept_out = ("--no-default-groups", "--group=wheelhouse", "--no-emit-project", "--no-header", "--no-annotate")
    exported = run(uv(), "export", "--locked", "--quiet", *kept_out, *extras, cwd=ROOT)
    requirements = needed(exported, asked.platform)
    print(f"fetching {len(requirements)} wheels for Python {PYTHON} on {asked.platform} ...", flush=True)
    fetch(requirements, asked.platform, wheels)
    run(uv(), "build", "--wheel", "--quiet", "--out-dir", wheels.resolve(), cwd=ROOT)
    (wheels / ".gitignore").unlink(missing_ok=True)  # which uv leaves
    (folder / "requirements.txt").write_text(pinned(wheels, requirements), encoding="utf-8")

    if asked.platform == this_platform():
        print("compiling kernels, as far as the kernel cache lacks them ...", flush=True)
        compile_ahead = [sys.executable, HERE / "compile_ahead.py"]
        run(*compile_ahead, "carry", folder / "kernels", *filter(None, asked.levels.split(",")))
    else:
        print(f"no kernels: they can be compiled on {asked.platform} only, and are at first use")
    book = ROOT / "dist" / "book"
    if book.is_dir():
        shutil.copytree(book, folder / "book")
    known = facts(folder, asked.platform)
    (folder / "lab.json").write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    add_installer(folder, known)
    archive = pack(folder, f"pagecost-lab-{known['pagecost']}-{asked.platform}-python{PYTHON}")
    megabytes = archive.stat().st_size / 1e6
    print(f"{folder}: {json.dumps(known)}\n{archive} ({megabytes:.0f} MB); what it is stands in its README.txt")


if __name__ == "__main__":
    main()
