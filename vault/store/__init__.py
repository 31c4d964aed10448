"""Files, git and the catalog: the only layer that touches the disk."""
