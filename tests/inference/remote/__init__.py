"""Servers behind the engine's face."""
