"""What facts mean together: what replaces what, and how they are walked."""
