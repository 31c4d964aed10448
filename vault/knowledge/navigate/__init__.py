"""The walk from an entity to its aspects, their groups, the claims in them, and what was said in each."""
