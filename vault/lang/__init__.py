"""The Firm language: a lossless parser with recovery, values, layout, edits by span."""
