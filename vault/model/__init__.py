"""Values, entries, schemas and settings: what the rest of the product is about."""
