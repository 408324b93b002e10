"""The parts of the script that makes the humanoid: body, surface, atlas, paint, motions."""
