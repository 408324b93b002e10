"""The model: joints, skeletons, poses, meshes, characters and motions."""
