"""The project's own packaging: hooks, metadata, changelog."""
