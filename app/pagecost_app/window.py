"""The native window: a web view that shows the app's own server and nothing else.

PySide6 is an optional extra, so it is imported inside the functions.
"""

import builtins
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import webbrowser
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pagecost_app import asking
from pagecost_app.other_programs import libraries_of_the_system

TITLE = "pagecost"
SIZE = (1240, 900)
UNTIL_UP_MS = 20  # between two looks whether the server is up
AFTERWARDS_MS = 250  # between two occasions to notice Ctrl-C, which Qt's event loop would otherwise hide
ENDINGS = {"image/png": ".png", "image/svg+xml": ".svg", "text/csv": ".csv", "text/html": ".html"}

START_PAGE = """<!doctype html><meta charset="utf-8"><title>pagecost</title>
<style>body {{font: 20px sans-serif; display: grid; place-items: center; height: 90vh}}</style>
<body style="color: {ink}; background: {ground}">Starting…</body>"""


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "brave-browser", "microsoft-edge")
"""Programs that show an address in a window without bars (`--app=`)."""


def load_qt() -> None:
    """Import Qt's web view. Raises ImportError when it, or a library that it needs, is missing."""
    import shiboken6.Shiboken  # noqa: F401, I001 -- first: where Qt was left out, PySide6 prints before it raises
    import PySide6.QtWebEngineWidgets  # noqa: F401

    # PySide6 replaces Python's import by one that reads the source of every module it sees. That takes time and
    # breaks modules that are still half imported (pydantic). Only its "from __feature__ import" would need it.
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)


def show(start: Callable[[], str], shown: Callable[[], None]) -> None:
    """Open the window, call `shown()`, load the address that `start()` returns; return when the window is closed.

    `start` runs in another thread while the window is up. What it raises closes the window and is raised here.
    """
    import shiboken6
    from PySide6.QtCore import QTimer, QUrl, qInstallMessageHandler
    from PySide6.QtGui import QIcon
    from PySide6.QtWidgets import QApplication, QMainWindow

    if sys.platform == "linux" and os.geteuid() == 0:
        os.environ.setdefault("QTWEBENGINE_DISABLE_SANDBOX", "1")  # Chromium refuses to run its sandbox as root
    os.environ.setdefault("LANG", "C.UTF-8")  # Qt complains of a plain C locale
    # Flat charts gain nothing by a graphics driver, which takes 60 to 130 MB and may leave a window white.
    os.environ.setdefault("QT_QUICK_BACKEND", "software")
    os.environ.setdefault("QT_XCB_GL_INTEGRATION", "none")
    # the page collects what it held of a page that was left: `pages.leaving`
    os.environ.setdefault("QTWEBENGINE_CHROMIUM_FLAGS", "--log-level=3 --disable-gpu --js-flags=--expose-gc")
    qInstallMessageHandler(_print_errors)
    application = QApplication(sys.argv[:1])
    application.setApplicationName(TITLE)
    application.setDesktopFileName(TITLE)
    application.setWindowIcon(QIcon(str(_icon())))
    window = QMainWindow()
    window.setWindowTitle(TITLE)
    window.resize(*SIZE)
    view = _view(window)
    window.setCentralWidget(view)
    palette = application.palette()
    view.page().setBackgroundColor(palette.window().color())
    view.setHtml(START_PAGE.format(ink=palette.windowText().color().name(), ground=palette.window().color().name()))
    window.show()
    shown()

    starting = ThreadPoolExecutor(1).submit(start)
    clock = QTimer(window, interval=UNTIL_UP_MS)

    def look():
        if not starting.done():
            return
        clock.timeout.disconnect(look)
        clock.setInterval(AFTERWARDS_MS)
        clock.timeout.connect(lambda: None)  # back in Python, which then sees a signal
        if starting.exception():
            application.quit()
        else:
            _stay_on(view.page(), QUrl(starting.result()))
            view.setUrl(QUrl(starting.result()))

    clock.timeout.connect(look)
    clock.start()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: application.quit())
    answers_no_more = asking.offer(place_dialog(window))
    application.exec()
    answers_no_more()
    shiboken6.delete(view.page())  # before its profile, or Qt complains
    if starting.done():
        starting.result()


def _print_errors(kind, context, message: str) -> None:
    """Qt and Chromium also talk about drivers that they can do without; of use to the user are only errors."""
    from PySide6.QtCore import QtMsgType

    if kind in (QtMsgType.QtCriticalMsg, QtMsgType.QtFatalMsg) and sys.stderr:
        print(message, file=sys.stderr)


def open_outside(url: str) -> None:
    """Open an address in the user's own browser, without waiting for it."""
    threading.Thread(target=_open_outside, args=(url,), daemon=True, name="user's browser").start()


def open_app(url: str) -> None:
    """Open our own page in a window of a browser's that has no bars, where there is such a browser, else in a tab."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        open_outside(url)
        return
    with contextlib.suppress(OSError), libraries_of_the_system():
        subprocess.Popen(
            [found, f"--app={url}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C ends pagecost, not the user's browser
        )


def _open_outside(url: str) -> None:
    with contextlib.suppress(webbrowser.Error), libraries_of_the_system():
        webbrowser.open(url)


def _view(window):
    from PySide6.QtGui import QKeySequence, QShortcut
    from PySide6.QtWebEngineCore import QWebEnginePage, QWebEngineProfile, QWebEngineSettings
    from PySide6.QtWebEngineWidgets import QWebEngineView

    profile = QWebEngineProfile(window)  # without a name it is off the record: no cookie and no cache on disk
    fonts = (QWebEngineSettings.FontFamily.StandardFont, QWebEngineSettings.FontFamily.SansSerifFont)
    for font in fonts:  # Bokeh asks for Helvetica, which is not everywhere; the default would be a serif
        profile.settings().setFontFamily(font, "sans-serif")
    profile.downloadRequested.connect(lambda download: _save(window, download))
    view = QWebEngineView(window)
    view.setPage(QWebEnginePage(profile, view))
    for keys, factor in (("Ctrl++", 1.1), ("Ctrl+=", 1.1), ("Ctrl+-", 1 / 1.1)):
        QShortcut(QKeySequence(keys), window, lambda factor=factor: view.setZoomFactor(view.zoomFactor() * factor))
    QShortcut(QKeySequence("Ctrl+0"), window, lambda: view.setZoomFactor(1.0))
    return view


def _stay_on(page, own) -> None:
    """Keep the page on its own origin; a link to anywhere else opens in the user's browser."""
    from PySide6.QtWebEngineCore import QWebEngineNavigationRequest

    def is_ours(url):
        return url.scheme() == "blob" or (url.scheme(), url.authority()) == (own.scheme(), own.authority())

    def leave(url):
        if url.scheme() in ("http", "https") and not is_ours(url):
            open_outside(url.toString())

    def judge(request):
        if is_ours(request.url()):
            return
        request.reject()
        if request.navigationType() == QWebEngineNavigationRequest.NavigationType.LinkClickedNavigation:
            leave(request.url())

    page.navigationRequested.connect(judge)
    page.newWindowRequested.connect(lambda request: leave(request.requestedUrl()))
    page.loadFinished.connect(lambda ok: page.history().clear())  # "Back" must not lead to the start page


def place_dialog(window) -> asking.Ask:
    """What opens a dialog above a window for the place of a file, from any thread; one at a time."""
    from PySide6.QtCore import QObject, Signal
    from PySide6.QtWidgets import QFileDialog

    class Asked(QObject):
        by = Signal(str, object)  # a signal goes to the thread of the window, wherever it is sent

        def answer(self, name: str, found: asking.Found) -> None:
            if window.findChild(QFileDialog):  # the keys were pressed twice before it was up
                return
            dialog = QFileDialog(window, "Save as", str(_downloads() / Path(name).name), f"*{Path(name).suffix}")
            dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
            dialog.setDefaultSuffix(Path(name).suffix.removeprefix("."))  # so that it asks before it writes over a file
            dialog.finished.connect(lambda code: found(Path(dialog.selectedFiles()[0]) if code else None))
            dialog.finished.connect(dialog.deleteLater)
            dialog.open()

    asked = Asked(window)
    asked.by.connect(asked.answer)
    return asked.by.emit


def _downloads() -> Path:
    """The folder in which a dialog begins."""
    from PySide6.QtCore import QStandardPaths

    folder = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DownloadLocation))
    return folder if folder.is_dir() else Path.home()


def _save(window, download) -> None:
    """Ask where a download shall go. Bokeh names its pictures without an ending."""
    from PySide6.QtWidgets import QFileDialog

    name = download.downloadFileName()
    if not Path(name).suffix:
        name += ENDINGS.get(download.mimeType().split(";")[0], "")
    chosen, _ = QFileDialog.getSaveFileName(window, "Save", str(_downloads() / name))
    if not chosen:
        download.cancel()
        return
    download.setDownloadDirectory(str(Path(chosen).parent))
    download.setDownloadFileName(Path(chosen).name)
    download.accept()


def _icon() -> Path:
    """The picture that an installed program carries beside this file, and a checkout in its packaging folder."""
    installed = Path(__file__).with_name("pagecost.png")
    return installed if installed.exists() else Path(__file__).parents[1] / "packaging" / "pagecost.png"
