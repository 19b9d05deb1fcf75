"""What every test of the window needs: Qt without a screen."""

from __future__ import annotations

import os

# Before anything makes a QApplication. Somebody who wants to look on sets it to what shows windows.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
