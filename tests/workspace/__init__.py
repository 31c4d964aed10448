"""Files of a vault into the catalog, and what a reader sees of it."""
