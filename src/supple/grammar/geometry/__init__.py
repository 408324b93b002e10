"""Geometry of shapes: polygons, solids, cuts, roofs and texture coordinates."""
