"""What to tidy up: findings about names, facts and references, each with the command that would mend it."""
