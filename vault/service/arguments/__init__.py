"""What callers pass in, validated and converted: choices, command line values, JSON values, paths."""
