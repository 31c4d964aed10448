"""Finding entries by word."""
