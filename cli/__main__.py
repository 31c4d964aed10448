"""`python -m cli`."""

from cli.main import run

run()
