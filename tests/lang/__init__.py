"""The language: reading, writing, laying out and editing Firm text."""
