"""The table of operations: name -> function and arguments."""

from __future__ import annotations

from supple.apps.grammar.evaluate.arguments import with_values
from supple.apps.grammar.evaluate.modules import Operation, OperationTable
from supple.apps.grammar.evaluate.texture import layer_number
from supple.apps.grammar.evaluate.values import length, text
from supple.apps.grammar.geometry.roofs import gable, hip, pyramid, shed
from supple.apps.grammar.operations import (
    align,
    attributes,
    comp,
    edit_geometry,
    envelope,
    extrude,
    ik,
    inner_rectangle,
    insert,
    insert_along_uv,
    joints,
    material,
    scatter,
    setback,
    split,
    split_area,
    surface,
    transform,
    trim,
    uv,
)
from supple.apps.grammar.operations.attributes import anything
from supple.apps.grammar.operations.primitives import primitive
from supple.apps.grammar.operations.roofs import roof

OPERATIONS: dict[str, Operation] = {
    # Scope
    "t": Operation(transform.translate),
    "s": Operation(transform.resize),
    "r": Operation(transform.rotate),
    "center": Operation(transform.center),
    "translate": Operation(transform.translate_in),
    "rotate": Operation(transform.rotate_in),
    "rotateScope": Operation(with_values(transform.rotate_scope, length, length, length)),
    "alignScopeToAxes": Operation(align.align_to_axes, bare=True),
    "alignScopeToGeometry": Operation(align.align_to_geometry),
    "alignScopeToGeometryBBox": Operation(align.align_to_box),
    "setPivot": Operation(align.set_pivot),
    # Geometry
    "i": Operation(insert.insert),
    "primitiveCube": Operation(primitive("box", 0, 3), bare=True),
    "primitiveQuad": Operation(primitive("quad", 0, 2), bare=True),
    "primitiveDisk": Operation(primitive("disk", 0, 1, 2), bare=True),
    "primitiveCylinder": Operation(primitive("cylinder", 0, 1, 3), bare=True),
    "primitiveCone": Operation(primitive("cone", 0, 1, 3), bare=True),
    "primitiveSphere": Operation(primitive("sphere", 0, 2, 3), bare=True),
    "extrude": Operation(extrude.extrude),
    "insertAlongUV": Operation(insert_along_uv.insert_along_uv),
    "roofHip": Operation(roof(hip, 3)),
    "roofGable": Operation(roof(gable, 5)),
    "roofShed": Operation(roof(shed, 2)),
    "roofPyramid": Operation(roof(pyramid, 1)),
    "envelope": Operation(envelope.envelope_of),
    "offset": Operation(setback.offset),
    "innerRect": Operation(with_values(inner_rectangle.inner_rect), bare=True),
    "mirror": Operation(edit_geometry.mirror),
    "trim": Operation(with_values(trim.trim), bare=True),
    "reverseNormals": Operation(with_values(edit_geometry.reverse_normals), bare=True),
    "resetGeometry": Operation(with_values(edit_geometry.reset_geometry), bare=True),
    "cleanupGeometry": Operation(edit_geometry.cleanup_geometry),
    "convexify": Operation(edit_geometry.convexify, bare=True),
    "softenNormals": Operation(with_values(surface.soften_normals, length)),
    "setNormals": Operation(surface.set_normals),
    "deleteHoles": Operation(with_values(surface.delete_holes), bare=True),
    "mirrorScope": Operation(surface.mirror_scope),
    "tag": Operation(surface.tag),
    "deleteTags": Operation(surface.tag),
    "setTagsFromEdgeAttrs": Operation(surface.tag),
    "setMaterial": Operation(with_values(surface.set_material, anything)),
    "reduceGeometry": Operation(with_values(surface.reduce_geometry, length)),
    "resetMaterial": Operation(with_values(surface.reset_material), bare=True),
    # Parts
    "split": Operation(split.split, block=True),
    "splitArea": Operation(split_area.split_area, block=True),
    "comp": Operation(comp.comp, block=True),
    "setback": Operation(setback.setback, block=True),
    "shapeL": Operation(setback.wings, block=True),
    "shapeU": Operation(setback.wings, block=True),
    "shapeO": Operation(setback.wings, block=True),
    "innerRectangle": Operation(inner_rectangle.inner_rectangle, block=True),
    "scatter": Operation(scatter.scatter, block=True),
    # Material and texture coordinates
    "color": Operation(material.color),
    "texture": Operation(material.texture),
    "setupProjection": Operation(uv.setup_projection),
    "projectUV": Operation(with_values(uv.project_uv, layer_number)),
    "tileUV": Operation(uv.tile_uv),
    "normalizeUV": Operation(uv.normalize_uv),
    "deleteUV": Operation(with_values(uv.delete_uv, layer_number)),
    "copyUV": Operation(with_values(uv.copy_uv, layer_number, layer_number)),
    "scaleUV": Operation(with_values(uv.scale_uv, layer_number, length, length)),
    "translateUV": Operation(with_values(uv.translate_uv, layer_number, length, length)),
    "rotateUV": Operation(with_values(uv.rotate_uv, layer_number, length)),
    # Attributes and results
    "set": Operation(attributes.set_value),
    "label": Operation(with_values(attributes.label, text)),
    "report": Operation(with_values(attributes.report, text, anything)),
    "print": Operation(with_values(attributes.print_value, anything)),
    # Joints
    "joint": Operation(joints.joint),
    "SetJointLimits": Operation(joints.set_joint_limits),
    "setJointLimits": Operation(joints.set_joint_limits),
    "fix": Operation(joints.fix),
    "IK": Operation(ik.inverse_kinematics),
}

SECTIONS = {
    "Scope": "t",
    "Geometry": "i",
    "Parts": "split",
    "Material and texture coordinates": "color",
    "Attributes and results": "set",
    "Joints and IK": "joint",
}
"""The first operation of each section of the table, for the documentation."""

LEFT_OUT = {
    "union": "there are no Boolean operations; `inside()` and `NIL` drop what is hidden",
    "subtract": "there are no Boolean operations; `split`, `setback` and `trim` cut by planes",
    "intersect": "there are no Boolean operations; `split`, `setback` and `trim` cut by planes",
    "inline": "it collects shapes for union, subtract and intersect",
    "modify": "rules cannot move edges and vertices",
    "taper": "`envelope` and `roofHip` give solids with sloped walls",
    "roofRidge": "`roofGable` with an edge, `roofHip`",
    "rectify": "`alignScopeToGeometryBBox` and `innerRectangle` give right angles",
    "footprint": "`comp(f){ bottom : A }` is the underside of a solid",
    "setbackToArea": "`setback` with a distance from `geometry.area`",
    "setbackPerEdge": "`setback` with an array: `setback(comp(fe){ front : 3 | all : 1 })`",
    "splitAndSetbackPerimeter": "`setback` and `split` of its strips",
    "Roof": "the classic form has no arguments for it; use `roofHip`",
    "Subdiv": "only in the classic form, with its own block",
    "Repeat": "only in the classic form, with its own block",
    "Comp": "only in the classic form, with its own block",
}
"""Operations of CGA that are not supported, with the reason or what to use instead."""

UNSUPPORTED = frozenset(LEFT_OUT)
"""Operations of CGA that are not supported; their use raises an error with the name."""

TABLE = OperationTable(OPERATIONS, UNSUPPORTED)
