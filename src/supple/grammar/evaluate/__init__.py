"""Evaluation: what rules do to shapes."""
