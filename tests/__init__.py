"""The tests: their folders mirror the modules."""
