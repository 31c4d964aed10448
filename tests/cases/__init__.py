"""Inputs with expected outcomes, the handed-over ones among them."""
