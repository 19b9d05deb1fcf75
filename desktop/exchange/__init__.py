"""Conversations to and from files."""

from desktop.exchange.values import Imported, ImportRefused, LeftOut, Tree

__all__ = ["ImportRefused", "Imported", "LeftOut", "Tree"]
