"""Articulation: the joints of a derivation as a skeleton, IK, and the posed shapes.

figure   joint records to a `supple.Skeleton`, with sliders and stretch
ik       the IK rules solved by supple's solvers
posed    frames, stretch and displacement of the shapes after IK
"""
