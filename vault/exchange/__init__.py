"""Knowledge from elsewhere: notes and records turned into entries."""
