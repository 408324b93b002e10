"""Compile an MJCF model with MuJoCo, in a separate process (`isolated_start`), which may crash.

MuJoCo gets all files in memory: once it is loaded, this process can open none (`confined`). It imports neither
supple nor what supple needs, so that it starts quickly.
"""

import os
from typing import Any

from supple.apps.formats.confined import confine

CPU_SECONDS = 60  # limit of computing time [s]
OLDEST_VERSION = [3, 3, 2]  # of MuJoCo
NO_MEMORY = ("ould not allocate", "out of memory", "Caught an unknown exception")
"""What MuJoCo reports if memory, or its stack, is too small; the last one is std::bad_alloc."""
# MuJoCo's stack gets one part in so many of the memory; its default takes gigabytes for many bodies.
STACK_PART = 4
PLACEHOLDER_MASS = 1e-9  # mass [kg] and inertia [kg m^2] given to bodies that have none

FIELDS = (
    "body_parentid body_pos body_quat body_mass body_ipos body_iquat body_inertia "
    "body_jntadr body_jntnum body_mocapid jnt_type jnt_qposadr jnt_bodyid jnt_pos "
    "jnt_axis jnt_limited jnt_range qpos0 site_bodyid site_pos site_quat geom_type "
    "geom_bodyid geom_pos geom_quat geom_size geom_contype geom_conaffinity geom_group "
    "geom_rgba geom_dataid mesh_vertadr mesh_vertnum mesh_faceadr mesh_facenum mesh_vert "
    "mesh_face eq_type eq_obj1id eq_obj2id eq_objtype eq_active0 eq_data key_qpos "
    "tendon_adr tendon_num wrap_type wrap_objid wrap_prm tendon_length0 exclude_signature"
)


def main(job: dict[str, Any]) -> bytes:
    """The compiled model as `plain_arrays`, whose plain data are names, or an error.

    Args:
        job: "xml", the text of the model; "models" that it attaches and "files", its meshes, by name;
            "marker", the end of the names of missing meshes, "soft", of those of soft bodies; "memory",
            a limit [B].
    """
    os.environ["MUJOCO_GL"] = "disable"  # nothing is drawn, and importing OpenGL is slow
    import numpy as np

    from supple.apps.formats.plain_arrays import packed

    try:
        import mujoco  # type: ignore  # of an extra
    except ImportError as error:
        return packed({"missing": str(error)}, {})
    version = [int(part) for part in mujoco.__version__.split(".")[:3] if part.isdigit()]
    if version < OLDEST_VERSION:
        return packed({"missing": f"mujoco {mujoco.__version__}"}, {})
    confine(memory=job["memory"], seconds=CPU_SECONDS, files=False)
    try:
        meta, arrays = _compiled(np, mujoco, job)
    except MemoryError:
        return packed({"memory": True}, {})
    except Exception as error:  # MuJoCo raises ValueError and others for bad models
        text = f"{error}"[:2000]
        if any(words in text for words in NO_MEMORY):
            return packed({"memory": True}, {})
        return packed({"error": text}, {})
    return packed(meta, arrays)


def _compiled(np: Any, mujoco: Any, job: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    models = {name: text.encode() for name, text in job["models"].items()}

    def spec() -> Any:
        made = mujoco.MjSpec.from_string(
            job["xml"], include=models or None, assets=job["files"] or None
        )
        made.memory = job["memory"] // STACK_PART
        made.compiler.usethread = 0
        made.compiler.fusestatic = 0
        made.compiler.discardvisual = 0
        return made

    own = spec()
    massless = False
    try:
        model = own.compile()
    except ValueError as error:
        if "mass and inertia of moving bodies" not in str(error):
            raise
        massless = True
        own = spec()
        own.compiler.boundmass = max(own.compiler.boundmass, PLACEHOLDER_MASS)
        own.compiler.boundinertia = max(own.compiler.boundinertia, PLACEHOLDER_MASS)
        model = own.compile()
    arrays = {name: np.asarray(getattr(model, name)) for name in FIELDS.split()}
    marker = job["marker"]
    lost = np.zeros(model.ngeom, bool)  # geoms whose mesh was not found
    unknown = np.zeros(model.nbody, bool)  # bodies whose mass depends on such geoms
    low, high = own.compiler.inertiagrouprange
    explicit = np.zeros(model.nbody, bool)
    for body in own.bodies:
        explicit[body.id] = bool(body.explicitinertial) and int(own.compiler.inertiafromgeom) != 1
    for geom in own.geoms:
        if geom.meshname.endswith(marker):
            lost[geom.id] = True
            weighs = geom.mass != 0 if geom.mass == geom.mass else geom.density != 0
            body = model.geom_bodyid[geom.id]
            soft = geom.meshname.endswith(
                job["soft"]
            )  # its mass adds to any inertia that is stated
            if weighs and (soft or (low <= geom.group <= high and not explicit[body])):
                unknown[body] = True
    if massless:
        unknown |= (model.body_mass <= PLACEHOLDER_MASS) & (np.arange(model.nbody) > 0)
    if own.compiler.settotalmass > 0 and unknown[1:].any():
        unknown[1:] = True
    kinds = mujoco.mjtObj
    names = {
        "body": (kinds.mjOBJ_BODY, model.nbody),
        "joint": (kinds.mjOBJ_JOINT, model.njnt),
        "geom": (kinds.mjOBJ_GEOM, model.ngeom),
        "site": (kinds.mjOBJ_SITE, model.nsite),
        "equality": (kinds.mjOBJ_EQUALITY, model.neq),
        "key": (kinds.mjOBJ_KEY, model.nkey),
        "tendon": (kinds.mjOBJ_TENDON, model.ntendon),
    }
    meta: dict[str, Any] = {
        what: [mujoco.mj_id2name(model, kind, k) or "" for k in range(count)]
        for what, (kind, count) in names.items()
    }
    meta["massless"] = massless
    return meta, {**arrays, "lost": lost, "unknown": unknown}
