"""What agents and programs are served."""
