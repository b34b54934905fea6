"""The rooms of the engine and who imports whom, read from the source; floors follow from that."""

import ast
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

ENGINE = Path(__file__).parents[2] / "engine" / "pagecost"
WIDTH, HEIGHT, GAP = 140, 34, 18  # of a room in the drawing


@dataclass
class Room:
    """A module or package directly under the engine. says: the first sentence of its docstring."""

    says: str
    imports: set[str] = field(default_factory=set)
    imported_by: set[str] = field(default_factory=set)
    floor: int = 0


def rooms() -> dict[str, Room]:
    """Every room by its name, from the ground up."""
    found: dict[str, Room] = {}
    for path in sorted(ENGINE.iterdir()):
        name, main = path.stem, path / "__init__.py" if path.is_dir() else path
        if name != "__init__" and main.suffix == ".py" and main.exists():
            told = ast.get_docstring(ast.parse(main.read_text("utf8"))) or ""
            found[name] = Room(" ".join(told.split("\n\n")[0].split()))
    for name, room in found.items():
        files = (ENGINE / name).rglob("*.py") if (ENGINE / name).is_dir() else [ENGINE / f"{name}.py"]
        room.imports = {other for path in files for other in _imported(path)} & found.keys() - {name}
        for other in room.imports:
            found[other].imported_by.add(name)
    for _ in found:  # a floor above the highest that it imports; the imports have no cycle
        for room in found.values():
            room.floor = 1 + max((found[other].floor for other in room.imports), default=-1)
    return dict(sorted(found.items(), key=lambda item: (item[1].floor, item[0])))


def _imported(path: Path):
    for node in ast.walk(ast.parse(path.read_text("utf8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for parts in (name.split(".") for name in names):
            if parts[0] == "pagecost" and len(parts) > 1:
                yield parts[1]


def drawing(found: dict[str, Room]) -> str:
    """The rooms as SVG: floors from the ground up, a line from each room to those that it imports."""
    floors = [[name for name, room in found.items() if room.floor == n] for n in range(_height(found))]
    widest = max(map(len, floors))
    width, height = widest * (WIDTH + GAP) + GAP, len(floors) * (HEIGHT + 3 * GAP) + GAP
    centre: dict[str, tuple[float, float]] = {}
    for number, names in enumerate(floors):
        left = (width - len(names) * (WIDTH + GAP) + GAP) / 2
        for at, name in enumerate(names):
            centre[name] = (
                left + at * (WIDTH + GAP) + WIDTH / 2,
                height - GAP - HEIGHT / 2 - number * (HEIGHT + 3 * GAP),
            )
    lines = [
        f'<line x1="{centre[a][0]:.0f}" y1="{centre[a][1]:.0f}" x2="{centre[b][0]:.0f}" y2="{centre[b][1]:.0f}"/>'
        for a, room in found.items()
        for b in sorted(room.imports)
    ]
    boxes = [
        f'<rect x="{x - WIDTH / 2:.0f}" y="{y - HEIGHT / 2:.0f}" width="{WIDTH}" height="{HEIGHT}" rx="5"/>'
        f'<text x="{x:.0f}" y="{y + 5:.0f}">{escape(name)}</text>'
        for name, (x, y) in centre.items()
    ]
    style = (
        "line{stroke:#8aa0b4;stroke-opacity:.45}rect{fill:#eef3f8;stroke:#33526e}"
        "text{font:14px sans-serif;text-anchor:middle;fill:#12212e}"
    )
    body = "\n".join([*lines, *boxes])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">'
        f"<style>{style}</style>\n{body}\n</svg>\n"
    )


def _height(found: dict[str, Room]) -> int:
    return 1 + max(room.floor for room in found.values())
