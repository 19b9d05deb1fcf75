"""The process that sets formulas, seen from the window: asked, waited for, ended when it takes too long.

It is started with the first formula and ends when none was asked for a while.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QObject, QProcess, QProcessEnvironment, QTimer, Signal

from desktop import formulas
from desktop.formulas import Formula

START_PATIENCE = 20_000  # milliseconds: on a slow machine with cold disks
PATIENCE = 2_000  # of one formula; most take 10
IDLE = 30_000
_MOST_DEATHS = 20


class FormulaProcess(QObject):
    """Asks for pictures; answers come in order."""

    answered = Signal(object, object)  # a Formula; its Picture, or None where it was refused

    def __init__(
        self, parent: QObject | None = None, command: Sequence[str] | None = None, patience: int = PATIENCE
    ) -> None:
        super().__init__(parent)
        self._command = tuple(command or formulas.command())
        self._waiting: deque[Formula] = deque()
        self._unsent: deque[Formula] = deque()
        self._process: QProcess | None = None
        self._deaths = 0
        self._patience = patience
        self._sending = self._timer(0, self._send)
        self._impatience = self._timer(START_PATIENCE, self._end_process)
        self._idling = self._timer(IDLE, self._let_go)
        # A process that is still running when its QProcess goes is killed with a complaint.
        application = QCoreApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(self.close)
        if parent is not None:
            parent.destroyed.connect(self.close)

    @property
    def is_running(self) -> bool:
        return self._process is not None

    def ask(self, formula: Formula) -> None:
        """Ask for a picture; at once, nothing happens but that."""
        self._unsent.append(formula)
        self._sending.start()

    def close(self) -> None:
        """End the process, and wait until it has ended."""
        for timer in (self._sending, self._impatience, self._idling):
            timer.stop()
        self._waiting.clear()
        self._unsent.clear()
        process, self._process = self._process, None
        if process is not None:
            process.blockSignals(True)
            process.kill()
            process.waitForFinished(1_000)

    def _timer(self, interval: int, slot: object) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(interval)
        timer.timeout.connect(slot)
        return timer

    def _send(self) -> None:
        self._idling.stop()
        if self._deaths > _MOST_DEATHS:
            self._refuse_all()
            return
        process = self._process or self._start()
        while self._unsent:
            formula = self._unsent.popleft()
            self._waiting.append(formula)
            process.write(formulas.request(formula))
        if not self._impatience.isActive():
            self._impatience.start()

    def _start(self) -> QProcess:
        process = self._process = QProcess(self)
        environment = QProcessEnvironment.systemEnvironment()
        environment.insert("PYTHONPATH", formulas.folder())
        process.setProcessEnvironment(environment)
        process.setStandardErrorFile(QProcess.nullDevice())
        process.readyReadStandardOutput.connect(self._read)
        process.errorOccurred.connect(self._on_error)
        process.finished.connect(self._on_finished)
        self._impatience.setInterval(START_PATIENCE)
        process.start(self._command[0], list(self._command[1:]))
        return process

    def _read(self) -> None:
        process = self._process
        while process is not None and process.canReadLine() and self._waiting:
            line = bytes(process.readLine().data())
            self._impatience.setInterval(self._patience)
            self.answered.emit(self._waiting.popleft(), formulas.picture_in(line))
        if self._waiting:
            self._impatience.start()
        else:
            self._impatience.stop()
            self._idling.start()

    def _end_process(self) -> None:
        if self._process is not None:
            self._process.kill()

    def _let_go(self) -> None:
        """Nothing was asked for a while: it ends where its input does."""
        if self._process is not None:
            self._process.closeWriteChannel()

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._deaths = _MOST_DEATHS + 1
            self._process = None
            self._refuse_all()

    def _on_finished(self) -> None:
        """It ended: by itself, or it was ended over the formula it was at."""
        self._impatience.stop()
        if self._process is not None:
            self._process.deleteLater()
            self._process = None
        if self._waiting:
            self._deaths += 1
            self.answered.emit(self._waiting.popleft(), None)
            self._unsent.extendleft(reversed(self._waiting))
            self._waiting.clear()
        if self._unsent:
            self._sending.start()

    def _refuse_all(self) -> None:
        refused = [*self._waiting, *self._unsent]
        self._waiting.clear()
        self._unsent.clear()
        self._impatience.stop()
        for formula in refused:
            self.answered.emit(formula, None)
