"""`pagecost lab`: JupyterLab on the lessons, with settings of its own and nothing asked of the network.

A checkout's lessons are served where they lie. Those of an installed package, which all users of a machine may share,
are copied to a folder of whoever runs it; what is there already is theirs and stays.
"""

import os
import shutil
import socket
from pathlib import Path

from pagecost.errors import ModelError
from pagecost_app.course import lessons
from pagecost_app.waiting import moving

HERE = Path(__file__).parent
KERNELS = HERE / "lab-settings" / "jupyter"  # they load pagecost as they start, while people read the lesson's head
OWN = "pagecost-lessons"  # in the home of whoever runs an installed pagecost
FIRST_LESSON = "00_start_here.ipynb"
LOOPBACK = "127.0.0.1"


def run(port: int | None = None, folder: Path | None = None) -> int:
    """Serve the lessons in JupyterLab, open the first, and return the exit code when the user ends it.

    port: None takes JupyterLab's own, or the next free one. folder: of one's own copies of the lessons; None is the
    checkout's, or for an installed package `OWN` in the user's home. Raises ModelError when the port cannot be had,
    when there are no lessons, or when they cannot be copied.
    """
    lessons.require_some()
    if folder is None and lessons.FOLDER == lessons.CHECKOUT:
        served = lessons.FOLDER
    else:
        served = copied(folder or Path.home() / OWN)
    if port is not None:
        _require_free(port)
    with moving("starting JupyterLab"):
        from jupyterlab.labapp import LabApp

    os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, [str(KERNELS), os.environ.get("JUPYTER_PATH")]))
    LabApp.launch_instance(arguments(served, port))
    return 0


def copied(folder: Path) -> Path:
    """The folder, made where there is none, with every lesson that it does not have yet.

    Raises ModelError where there are no lessons, or where they cannot be written.
    """
    found = [lesson.path for lesson in lessons.lessons()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in found:
            if not (folder / path.name).exists():
                shutil.copyfile(path, folder / path.name)  # not its mode: a shared package may be read-only
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ModelError(f"the lessons cannot be copied to {folder}: {reason}; name another folder") from None
    return folder.resolve()


def arguments(folder: Path, port: int | None = None) -> list[str]:
    """What JupyterLab is started with, to serve `folder` on loopback."""
    chosen = [] if port is None else [f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
    as_root = ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    return [
        f"--ServerApp.root_dir={folder}",
        f"--ServerApp.ip={LOOPBACK}",
        f"--LabApp.app_settings_dir={HERE / 'lab-settings'}",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
        f"--LabApp.default_url=/lab/tree/{FIRST_LESSON}",
        *chosen,
        *as_root,
    ]


def _require_free(port: int) -> None:
    with socket.socket() as probe:
        if os.name != "nt":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError as error:
            raise ModelError(f"port {port} cannot be used: {error.strerror}; choose another with --port") from None
