"""The result of a growth and its files.

growth, shapes   `Growth`, the result of `supple.grow`; the shapes one by one
meshes           leaves grouped by material, and their vertices
glb, obj, page   instanced GLB, Wavefront OBJ, a self-contained HTML page (page.html)
picture, raster  Matplotlib figures, drawn by a small software renderer
"""
