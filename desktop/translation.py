"""The languages of the program, and what makes it speak one of them."""

from __future__ import annotations

LANGUAGES = {"en": "English", "de": "Deutsch"}
