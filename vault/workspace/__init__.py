"""What a command reads: scopes, snapshots, checks."""
