"""`pagecost check`: a system as it was planned beside a system as it runs."""

import math
import sys
from pathlib import Path

from pagecost import system
from pagecost.devices import smart
from pagecost.errors import require
from pagecost.planner import system_check
from pagecost.units import format_cell
from pagecost.workload import iostat, pg_stat_io
from pagecost_app import printing, terminal
from pagecost_app.command_parts import DataFormat, Output


def check(
    file: Path, iostat_file: Path | None, device: str | None, smart_files: list[Path], database_files: list[Path]
) -> tuple[list[system_check.Compared], tuple[str, ...]]:
    """What is compared, and what must be known of it. Raises ModelError for each of the files that is none."""
    planned = system.read(file)
    require(device is None or iostat_file is not None, "--device names a device of --iostat, which is missing")
    load = None if iostat_file is None else iostat.of_member(iostat_file, device)
    drive = _between("--smart", smart_files, smart.read)
    database = _between("--pg-stat-io", database_files, pg_stat_io.read)
    return system_check.compared(planned, load, drive, database)


def show(rows: list[system_check.Compared], notes: tuple[str, ...], out: Output) -> None:
    """Print the rows; notes stand behind the table, and with other formats on standard error."""
    made = printing.typed(out)
    if out.format == DataFormat.table:
        shown = [
            {
                "quantity": row.quantity,
                "predicted": format_cell(row.predicted, row.unit),
                "measured": format_cell(row.measured, row.unit),
                "distance": f"{row.distance:+.0%}" if math.isfinite(row.distance) else "–",
                "what it says": row.said,
            }
            for row in rows
        ]
        terminal.say(said(rows), strong=True)
        print()
        if shown:
            terminal.table(printing.texts(shown), wide=out.wide)
        for note in notes:
            terminal.say(f"note: {note}")
        printing.foot(out, made)
        return
    names = ("quantity", "unit", "predicted", "measured", "distance", "said")
    plain = [{name: _plain(getattr(row, name)) for name in names} for row in rows]
    printing.records(plain, out, made, said(rows))
    print("\n".join(notes), file=sys.stderr)


def said(rows: list[system_check.Compared]) -> str:
    """The whole in a sentence: what is furthest from its prediction."""
    known = [row for row in rows if math.isfinite(row.distance)]
    if rows and not known and not all(row.tells for row in rows):
        return "what is measured here is too coarse to be held against what was predicted"
    if not known:
        return "nothing that was predicted is measured here"
    worst = max(known, key=lambda row: abs(row.distance))
    return f"furthest from what was predicted: {worst.quantity}, measured {worst.distance:+.0%} ({worst.said})"


def _between(option: str, files: list[Path], read):
    """One report, or what lies between an earlier and a later one."""
    require(len(files) <= 2, f"{option} takes one file, or an earlier and a later one; got {len(files)}")
    if not files:
        return None
    reports = [read(path) for path in files]
    return reports[0] if len(reports) == 1 else reports[1].since(reports[0])


def _plain(value):
    """None in the place of what is not known; what cannot keep up stays infinite."""
    return None if isinstance(value, float) and math.isnan(value) else value
