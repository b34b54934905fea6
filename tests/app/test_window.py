"""The native window's dialog for a place, on Qt's own drawing without a display."""

import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("PySide6.QtWidgets", exc_type=ImportError)

ASKED = textwrap.dedent(
    """
    import sys, threading
    from pathlib import Path
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMainWindow
    from pagecost_app import asking, window

    QApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    application = QApplication([])
    above, found = QMainWindow(), []
    above.show()
    take_back = asking.offer(window.place_dialog(above))
    chosen = sys.argv[1]

    def ask():  # twice, as by keys that are pressed twice
        for _ in range(2):
            asking.save_as("../my project.pagecost", lambda place: found.append((place, threading.current_thread())))

    def answer():
        dialogs = above.findChildren(QFileDialog)
        if not dialogs:
            return
        (dialog,) = dialogs
        assert dialog.selectedFiles() == [str(window._downloads() / "my project.pagecost")], dialog.selectedFiles()
        if chosen:
            dialog.findChild(QLineEdit).setText(chosen)
            dialog.accept()
        else:
            dialog.reject()
        clock.stop()
        QTimer.singleShot(200, application.quit)

    clock = QTimer(above, interval=20)
    clock.timeout.connect(answer)
    clock.start()
    threading.Thread(target=ask).start()
    application.exec()
    (place, thread), = found
    assert not above.findChildren(QFileDialog)
    print(place)
    """
)


@pytest.mark.skipif(sys.platform != "linux", reason="Qt draws nowhere by its platform offscreen, which is tried there")
@pytest.mark.parametrize(
    ("typed", "found"), [("mine", "mine.pagecost"), ("mine.pagecost", "mine.pagecost"), ("", None)]
)
def test_the_dialog_gives_one_place_with_its_ending_or_none(tmp_path, monkeypatch, typed, found):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setenv("HOME", str(tmp_path))
    place = str(tmp_path / typed) if typed else ""
    done = subprocess.run(
        [sys.executable, "-c", ASKED, place], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(tmp_path / found) if found else "None"]
