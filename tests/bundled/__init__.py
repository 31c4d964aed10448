"""The entries that ship with the product, and how vaults have them."""
