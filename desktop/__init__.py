"""Headwater's window: the program a person sees."""
