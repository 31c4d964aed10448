"""Firm files with what is expected of them."""
