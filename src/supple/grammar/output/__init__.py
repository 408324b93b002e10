"""The result of a growth and its files."""
