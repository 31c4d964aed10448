"""Use cases that set a vault up and keep it in order: init, hooks, import, evaluation, doctor."""
