"""The parts of a skeleton whose rest is a pose of another."""

from dataclasses import replace

import numpy as np

from supple.kernels import layout
from supple.model.joints import Mimic
from supple.model.parts import Node, Tip
from supple.model.structure import Posed
from supple.rotations import IDENTITY_WXYZ, conjugate, multiply, rotate


def rested_parts(pose: Posed) -> tuple[list[Node], list[Tip]]:
    """Joints and tips, in the order given, of a skeleton whose rest has the world frames of a pose.

    Scales of the pose are multiplied into the offsets; mimic joints keep following their sources.

    Args:
        pose: A single pose.
    """
    skeleton = pose.skeleton
    count = len(skeleton)
    parents, (tip_joint, tip_offset, tip_rotation) = skeleton.parents, skeleton.packed_tips
    if pose.scales is None:
        offsets, rotations = pose.local_translations, pose.local_rotations
        stretch = skeleton.packed_ints[tip_joint, layout.STRETCH_Q]
        padded = np.append(pose.coordinates, 1.0)  # so that index -1 gives a factor of 1
        tip_offset = tip_offset * padded[stretch][:, None]
    else:
        above = np.concatenate([parents, tip_joint])
        R, p = pose.rotations, pose.positions
        R_above = np.where(above[:, None] < 0, IDENTITY_WXYZ, R[above])
        p_above = np.where(above[:, None] < 0, 0.0, p[above])
        local = rotate(conjugate(R_above), p - p_above)
        turned = multiply(conjugate(R_above), R)
        offsets, tip_offset = local[:count], local[count:]
        rotations, tip_rotation = turned[:count], turned[count:]
    nodes = []
    for node, j in zip(skeleton.nodes, skeleton.file_order.tolist(), strict=True):
        joint = node.joint
        if isinstance(joint.mimic, Mimic):
            # Both are measured from the new rest, so the offset is zero.
            joint = replace(joint, mimic=replace(joint.mimic, offset=0.0))
        nodes.append(Node(node.name, node.parent, offsets[j], joint, rotations[j]))
    tips = [
        Tip(tip.name, tip.joint, tip_offset[t], tip_rotation[t])
        for t, tip in enumerate(skeleton.tips)
    ]
    return nodes, tips
