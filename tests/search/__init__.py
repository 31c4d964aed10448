"""Passages, words and finding."""
