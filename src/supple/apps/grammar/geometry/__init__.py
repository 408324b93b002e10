"""Geometry of shapes: polygons, solids, cuts, roofs and texture coordinates.

This package is independent of rules. A `mesh.Geometry` is a polygon mesh in the unit cube; a scope (origin,
rotation and size, see `frames`) places it in the world. Functions take a geometry and its size, and
return new geometries.

    frames, polygons, mesh        vectors and rotations; polygons in space; polygon meshes
    topology, components          neighbouring faces; faces, edges and vertices as parts, selectors
    clipping, extrusion, editing  slabs; solids from flat geometries; clean-up, mirror, convex parts
    footprints, wavefront, roofs  flat polygons; moving edges (straight skeleton); roofs over them
    rectangles, split_sizes       largest inner rectangle; how a split divides a length
    alignment, sampling           axes that fit a geometry; random points on it
    measures, occlusion, uv       angles and shape tests; inside, overlap, distance; texture coordinates
"""
