"""The dialog that offers the report of a fault nobody foresaw."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QVBoxLayout


class CrashDialog(QDialog):
    """Says that something went wrong, and offers the report."""

    def __init__(self, report: str, *, ends: bool = False) -> None:
        """With `ends`, the program will not go on."""
        super().__init__(QApplication.activeWindow())
        self.setWindowTitle(self.tr("Headwater"))
        goes_on = self.tr(
            "Something went wrong inside Headwater. What was said so far is kept, and you can go on.\n"
            "This report helps to repair it; it holds nothing of your conversations."
        )
        has_ended = self.tr(
            "Something went wrong inside Headwater, and it has to end. What was said so far is kept.\n"
            "This report helps to repair it; it holds nothing of your conversations."
        )
        words = QLabel(has_ended if ends else goes_on)
        words.setWordWrap(True)
        self.report = QPlainTextEdit(report)
        self.report.setReadOnly(True)
        self.report.setAccessibleName(self.tr("Report"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.copy_button = buttons.addButton(self.tr("Copy the report"), QDialogButtonBox.ButtonRole.ActionRole)
        self.copy_button.clicked.connect(self._copy)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addWidget(words)
        column.addWidget(self.report, 1)
        column.addWidget(buttons)
        self.resize(640, 420)

    def _copy(self) -> None:
        QApplication.clipboard().setText(self.report.toPlainText())
