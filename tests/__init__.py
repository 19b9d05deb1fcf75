"""Headwater's tests: they mirror the two packages, one file per module."""
