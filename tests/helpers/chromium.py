"""The machine's Chromium, as tests start it."""

import os
import shutil

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-quic", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-default-apps"),
)


def launched(playwright):
    """Playwright's handle on it. Tests that need it are never skipped: without Chromium they fail."""
    executable = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        pytest.fail("The browser tests need Chromium: `apt install chromium`, or name one in CHROMIUM.", pytrace=False)
    return playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
