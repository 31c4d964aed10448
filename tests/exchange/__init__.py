"""Importing a folder of notes: reading, resolving, and planning."""
