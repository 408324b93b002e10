"""What comes with supple: a character to try things on, and rules to grow."""

from importlib.resources import as_file, files
from pathlib import Path

from supple.apps.character.character import Character
from supple.apps.formats import load
from supple.errors import one_of


def humanoid() -> Character:
    """A clothed figure of 26 joints: skinned, with colour and normal map, limits and motions.

    Metres, y up, facing +z with its left at +x, 1.76 m tall; its arms are half lowered at rest.
    Motions: "walk" (a loop on the spot), "wave" and "reach-ready". Joints are called "pelvis",
    "spine", "chest", "neck", "head" and, with ".L" or ".R", "clavicle", "upperarm", "forearm",
    "hand", "fingers", "thumb", "thigh", "shin", "foot", "toe"; there are tips at the crown, between
    the eyes, and at the ends of fingers, thumbs and toes. Motions move the pelvis, solving does not.

    Example::

        hero = supple.humanoid()
        s = supple.solve(hero.skeleton, {"hand.R": (-0.3, 1.3, 0.4)}, start=hero.motions["walk"][8])
        supple.save(hero.posed(s.pose), "reach.glb")

    `tools/make_humanoid.py` makes it. The same figure, lighter, is there as humanoid.smd, with
    walk.smd for its walk.
    """
    with as_file(files(__name__) / "humanoid" / "humanoid.glb") as path:
        return load(path)


GRAMMAR = Path(__file__).with_name("grammar")


def rules(name: str) -> Path:
    """The path of a rule file that comes with supple.

    Example::

        growth = supple.grow(supple.data.rules("lamp"))

    Args:
        name: "figure", "lamp", "excavator", "human", "street", "facade", "town" or "avenue".
    """
    known = {path.stem: path for path in sorted(GRAMMAR.glob("*.cga"))}
    return known[one_of("rules", name, known)]
