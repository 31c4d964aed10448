"""firm-vault: git for what you know."""

__version__ = "0.1.0"
