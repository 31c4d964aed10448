"""What facts mean together."""
