"""An open vault: its handle, derived data, the pool of open vaults, views of the past, validation, citations."""
