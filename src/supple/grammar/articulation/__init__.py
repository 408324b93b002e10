"""Articulation: the joints of a derivation as a skeleton, and IK."""
