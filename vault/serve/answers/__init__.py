"""What each operation answers: the shapes of `vault.wire`, declared for those who call."""
