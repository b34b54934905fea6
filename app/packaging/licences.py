"""Licences of everything that a package carries, read from where it was taken:  licences.py PACKED FOLDER

PACKED: what the package's recipe wrote: `modules` (top-level names of Python) and `libraries` (files of this Debian).
In FOLDER then lie each part's own texts, and `README.md` with a line for each part.
"""

import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ALWAYS = ("numba", "pyinstaller")  # Numba's helpers and PyInstaller's loader are carried without their modules
A_LICENCE = re.compile(r"(licen[cs]e|copying|notice|authors|copyright)", re.IGNORECASE)
COMMON = Path("/usr/share/common-licenses")  # of Debian: texts that parts name without bringing them
OF_QT = ("LGPL-3", "GPL-3")


def distributions(modules: list[str]) -> list[importlib.metadata.Distribution]:
    """What the modules were installed from."""
    known = importlib.metadata.packages_distributions()
    names = {name for module in modules for name in known.get(module, ())}
    own = {importlib.metadata.distribution(name).metadata["Name"].lower() for name in {*names, *ALWAYS}} - {"pagecost"}
    return [importlib.metadata.distribution(name) for name in sorted(own)]


def licence_of(distribution) -> str:
    """The licence that a distribution names itself."""
    said = distribution.metadata
    classified = [line.rpartition(" :: ")[2] for line in said.get_all("Classifier", []) if line.startswith("License")]
    first_line = (said.get("License") or "").strip().partition("\n")[0]
    return said.get("License-Expression") or ", ".join(classified) or first_line or "see its text"


def copy_texts(distribution, folder: Path) -> list[Path]:
    """Copy its licence texts into the folder; returns them."""
    copied = []
    for file in distribution.files or ():
        source = Path(distribution.locate_file(file))
        if A_LICENCE.search(file.name) and source.suffix not in (".py", ".pyc", ".so") and source.is_file():
            folder.mkdir(parents=True, exist_ok=True)
            copied.append(folder / "-".join(part for part in file.parts[-3:] if part not in (".", "..")))
            shutil.copyfile(source, copied[-1])
    return copied


def debian_packages(libraries: list[str]) -> list[str]:
    """The Debian packages that files of this system belong to."""
    names = set()
    for library in libraries:
        for path in (str(Path(library).resolve()), library, library.removeprefix("/usr")):
            found = subprocess.run(["dpkg-query", "--search", path], capture_output=True, text=True)
            if found.returncode == 0:
                names.add(found.stdout.partition(":")[0])
                break
        else:
            raise SystemExit(f"{library} is carried, and belongs to no package of this Debian: whose licence is it?")
    return sorted(names)


def collect(packed: dict, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    lines = ["# What pagecost's package carries, and under which licence", "", "| part | version | licence | texts |"]
    lines.append("|---|---|---|---|")
    root = Path(__file__).resolve().parents[2]
    shutil.copyfile(root / "LICENSE", folder / "pagecost.txt")
    lines.append("| pagecost | | MIT | pagecost.txt |")
    python = Path(sysconfig.get_path("stdlib")) / "LICENSE.txt"
    if not python.exists():  # Debian keeps it elsewhere
        python = Path(f"/usr/share/doc/python{sys.version_info[0]}.{sys.version_info[1]}/copyright")
    shutil.copyfile(python, folder / "python.txt")
    lines.append(f"| Python | {sys.version.split()[0]} | PSF-2.0 | python.txt |")
    for each in distributions(packed["modules"]):
        name, licence = each.metadata["Name"], licence_of(each)
        texts = [path.relative_to(folder).as_posix() for path in copy_texts(each, folder / name)]
        if not texts:
            common = [text for text in OF_QT if "LGPL" in licence and (COMMON / text).exists()]
            for text in common:
                shutil.copyfile(COMMON / text, folder / f"{text}.txt")
            texts = [f"{text}.txt" for text in common]
        lines.append(
            f"| {name} | {each.version} | {licence} | {', '.join(texts) or each.metadata['Home-page'] or ''} |"
        )
    for name in debian_packages(packed["libraries"]):
        shutil.copyfile(f"/usr/share/doc/{name}/copyright", folder / f"{name}.txt")
        lines.append(f"| {name} (Debian) | | see its text | {name}.txt |")
    (folder / "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    collect(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]))
