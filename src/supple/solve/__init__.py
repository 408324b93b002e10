"""Solving: problems prepared, run, followed along paths, and what they answer."""
