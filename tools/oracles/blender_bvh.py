"""Where Blender has the joints of BVH files: run by a Python that has `bpy`.

    python blender_bvh.py OUT.json FILE.bvh...

Writes {file: {frame: {bone: [x, y, z]}}} for four frames of each file that Blender reads.
"""

import json
import sys

import bpy  # isort: skip  # it makes the next one importable
import addon_utils

out, *files = sys.argv[1:]
found = {}
for path in files:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    addon_utils.enable("io_anim_bvh")
    try:
        bpy.ops.import_anim.bvh(
            filepath=path, global_scale=1.0, frame_start=1, use_fps_scale=False,
            axis_forward="Y", axis_up="Z", rotate_mode="NATIVE",
        )  # fmt: skip
    except RuntimeError as error:
        print(f"Blender does not read {path}: {str(error).strip().splitlines()[-1]}")
        continue
    armature = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    action = armature.animation_data.action if armature.animation_data else None
    last = round(action.frame_range[1]) if action else 1
    frames = {}
    for frame in sorted({1, max(1, last // 3), max(1, 2 * last // 3), last}):
        bpy.context.scene.frame_set(frame)
        bpy.context.view_layer.update()
        frames[frame - 1] = {
            bone.name: list(armature.matrix_world @ bone.head) for bone in armature.pose.bones
        }
    found[path] = frames
with open(out, "w") as file:
    json.dump(found, file)
