"""What `make package` gives besides the folder that PyInstaller made:  make_packages.py DIST

Each in two kinds: the whole program, and a small one without Qt, which uses the system's browser. Licences are put into
the folder first; then come an archive and a Debian package. Sizes are printed; a thing over its limit is an error.
"""

import argparse
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import licences

import pagecost

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIMITS_MB = {"pagecost": (580, 200), "pagecost-browser": (260, 90)}  # of a folder, and of it packed
QT = ("PySide6", "shiboken6")
COMPRESSION = 15  # of zstd: 10 takes a third of the time and is a twentieth larger
DESCRIPTION = """What does a database page access cost, on disk and on flash?
 Models of buffers, disks, flash devices, file systems and whole paths, with charts that
 answer while a slider moves: time, energy, wear and money."""
MIME = """<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="application/x-pagecost-project">
    <comment>pagecost project</comment>
    <sub-class-of type="application/json"/>
    <icon name="pagecost"/>
    <magic priority="60"><match type="string" offset="0:64" value="&quot;pagecost_project&quot;"/></magic>
    <glob pattern="*.pagecost"/>
  </mime-type>
</mime-info>
"""


def said(*command) -> str:
    """What a program prints; it has to succeed."""
    return subprocess.run([*map(str, command)], check=True, capture_output=True, text=True).stdout


def machine_code(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield path


def needed(folder: Path) -> dict[Path, set[str]]:
    """The libraries that each file of machine code names."""
    return {
        path: set(re.findall(r"^ +NEEDED +(\S+)$", said("objdump", "-p", path), re.MULTILINE))
        for path in machine_code(folder)
    }


def without_qt(whole: Path, small: Path) -> None:
    """The same program for the system's browser: without Qt, and without the libraries that only Qt wanted.

    Python's own library is named by no file: the program opens it by itself.
    """
    shutil.rmtree(small, ignore_errors=True)
    shutil.copytree(whole, small, symlinks=True, copy_function=os.link)
    for name in QT:
        shutil.rmtree(small / "_internal" / name)
    shutil.rmtree(small / "licences", ignore_errors=True)
    for link in small.rglob("*"):
        if link.is_symlink() and not link.exists():
            link.unlink()
    while True:
        wanted = {name for names in needed(small).values() for name in names}
        left_over = [path for path in (small / "_internal").glob("*.so*") if path.name not in wanted]
        left_over = [path for path in left_over if path.name.startswith("lib") and "python" not in path.name]
        if not left_over:
            return
        for path in left_over:
            path.unlink()


def add_licences(folder: Path) -> None:
    packed = json.loads((ROOT / "build" / "packed.json").read_text())
    if not (folder / "_internal" / QT[0]).exists():
        packed["modules"] = [name for name in packed["modules"] if name not in QT]
        there = {path.name for path in (folder / "_internal").glob("*.so*")}
        packed["libraries"] = [path for path in packed["libraries"] if Path(path).name in there]
    licences.collect(packed, folder / "licences")


def size_mb(path: Path) -> float:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file() and not file.is_symlink()]
    return sum(file.stat().st_size for file in files) / 1e6


def depends(folder: Path) -> str:
    """The Debian packages whose libraries the folder's machine code names, under the names of Debian 12 and 13."""
    libraries = needed(folder)
    own = {path.name for path in folder.rglob("*.so*")}
    wanted = {name for names in libraries.values() for name in names} - own
    either = [
        line.split(None, 1)[1] for line in (HERE / "debian-packages.txt").read_text().splitlines() if " | " in line
    ]
    packages = set()
    for name in sorted(wanted):
        if not re.match(r"lib|ld-linux", name):
            raise SystemExit(f"{name} is needed, and neither carried nor a library of the system")
        path = re.search(rf"^\s+{re.escape(name)} .*=> (\S+)$", said("/sbin/ldconfig", "-p"), re.MULTILINE)
        if path is None:
            raise SystemExit(f"{name} is needed, and this system has none")
        (package,) = licences.debian_packages([path[1]])
        packages.add(next((line for line in either if package in line.split(" | ")), package))
    versions = {
        tuple(map(int, version.split(".")))
        for path in libraries
        for version in re.findall(r"\(GLIBC_([0-9.]+)\)", said("objdump", "-T", path))
    }
    newest = ".".join(map(str, max(versions)))
    return ", ".join(sorted(f"{name} (>= {newest})" if name == "libc6" else name for name in packages))


def debian_tree(folder: Path, name: str, tree: Path) -> None:
    """Lay out what the Debian package holds."""
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(folder, tree / "usr/lib/pagecost", symlinks=True, copy_function=os.link)
    places = {"bin", "share/applications", "share/man/man1", f"share/doc/{name}", "share/mime/packages"}
    places |= {"share/icons/hicolor/scalable/apps", "share/icons/hicolor/256x256/apps"}
    for place in places:
        (tree / "usr" / place).mkdir(parents=True)
    (tree / "usr/bin/pagecost").symlink_to("../lib/pagecost/pagecost")
    shutil.copyfile(HERE / "pagecost.desktop", tree / "usr/share/applications/pagecost.desktop")
    shutil.copyfile(HERE / "pagecost.svg", tree / "usr/share/icons/hicolor/scalable/apps/pagecost.svg")
    shutil.copyfile(HERE / "pagecost.png", tree / "usr/share/icons/hicolor/256x256/apps/pagecost.png")
    (tree / "usr/share/mime/packages/pagecost.xml").write_text(MIME)
    manual = tree / "usr/share/man/man1/pagecost.1"
    said(sys.executable, "-m", "pagecost_app.man", manual.parent)
    with gzip.GzipFile(f"{manual}.gz", "wb", 9, mtime=0) as page:
        page.write(manual.read_bytes())
    manual.unlink()
    own = (ROOT / "LICENSE").read_text()
    (tree / f"usr/share/doc/{name}/copyright").write_text(
        f"{own}\nWhat is packed with it is under licences of its own: /usr/lib/pagecost/licences/README.md\n"
    )
    other = next(each for each in LIMITS_MB if each != name)
    control = {
        "Package": name,
        "Version": pagecost.__version__,
        "Architecture": said("dpkg", "--print-architecture").strip(),
        "Maintainer": "The pagecost authors <pagecost@localhost>",
        "Installed-Size": str(round(size_mb(tree) * 1000)),
        "Depends": depends(folder),
        "Recommends": "fonts-dejavu-core" if name == "pagecost" else "chromium | www-browser",
        "Conflicts": other,
        "Section": "science",
        "Priority": "optional",
        "Description": DESCRIPTION,
    }
    (tree / "DEBIAN").mkdir()
    (tree / "DEBIAN/control").write_text("".join(f"{key}: {value}\n" for key, value in control.items()))
    for path in (tree, *tree.rglob("*")):
        if not path.is_symlink() and "usr/lib/pagecost" not in path.as_posix():
            path.chmod(0o755 if path.is_dir() else 0o644)


def pack(folder: Path, compression: int) -> list[Path]:
    """The archive and the Debian package of a folder."""
    name, dist = folder.name, folder.parent
    machine = said("uname", "-m").strip()
    archive = dist / f"{name}-{pagecost.__version__}-linux-{machine}.tar.zst"
    compress = f"zstd -T0 -{compression} -q"
    said("tar", "--sort=name", "--owner=0", "--group=0", "-C", dist, "-I", compress, "-cf", archive, name)
    tree = ROOT / "build" / f"debian-{name}"
    debian_tree(folder, name, tree)
    package = dist / f"{name}_{pagecost.__version__}_{said('dpkg', '--print-architecture').strip()}.deb"
    said("dpkg-deb", "--root-owner-group", "-Zzstd", f"-z{compression}", "--build", tree, package)
    shutil.rmtree(tree)
    return [archive, package]


def main(dist: Path, compression: int) -> None:
    whole, small = dist / "pagecost", dist / "pagecost-browser"
    without_qt(whole, small)
    too_large = []
    for folder in (whole, small):
        add_licences(folder)
        most = LIMITS_MB[folder.name]
        for path, limit in ((folder, most[0]), *((packed, most[1]) for packed in pack(folder, compression))):
            size = size_mb(path)
            print(f"{path.relative_to(dist.parent)}: {size:.0f} MB (at most {limit} MB)", flush=True)
            if size > limit:
                too_large.append(path.name)
    if too_large:
        raise SystemExit(f"larger than allowed: {', '.join(too_large)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("dist", type=Path)
    parser.add_argument("--compression", type=int, default=COMPRESSION)
    asked = parser.parse_args()
    main(asked.dist.resolve(), asked.compression)
