"""One method a use case: the `Vault` and what it wires together."""
