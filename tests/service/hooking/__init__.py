"""The hook that checks what git is about to commit."""
