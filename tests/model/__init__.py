"""Values, schemas and settings."""
