"""Characters: a skeleton with meshes and motions, as files hold them."""
