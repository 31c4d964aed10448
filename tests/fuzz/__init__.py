"""Any bytes at all, held against what is true of every text."""
