"""`pagecost lab`: JupyterLab on the lessons, with settings of its own and nothing asked of the network."""

import os
import socket
from pathlib import Path

from pagecost.errors import ModelError, require
from pagecost_app.waiting import moving

HERE = Path(__file__).parent
CHECKOUT = HERE.parents[1] / "notebooks"
FIRST_LESSON = "00_start_here.ipynb"
LOOPBACK = "127.0.0.1"


def run(port: int | None = None) -> int:
    """Serve the lessons in JupyterLab, open the first, and return the exit code when the user ends it.

    port: None takes JupyterLab's own, or the next free one. Raises ModelError when the port cannot be had, or when
    there are no lessons.
    """
    require(CHECKOUT.is_dir(), f"there are no lessons in {CHECKOUT}; run `pagecost lab` from a checkout of pagecost")
    if port is not None:
        _require_free(port)
    with moving("starting JupyterLab"):
        from jupyterlab.labapp import LabApp

    LabApp.launch_instance(arguments(CHECKOUT, port))
    return 0


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
