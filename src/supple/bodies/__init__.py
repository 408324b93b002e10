"""Bodies: what of a skeleton may touch, how far it is apart, and what it stands on.

The shapes themselves are part of the model (`supple.model`: geoms, capsules, masses). Here is what is asked of them,
once for `Avoid` and `Balance`, for checking, retargeting, pictures and the page:

| file | idea |
|---|---|
| `pairs` | which capsules of a skeleton may touch |
| `distances` | how far apart segments and capsules are |
| `convex` | how far apart convex shapes are |
| `close_pairs` | gaps of bones with one or two joints between them, as tables |
| `obstacles` | what stands in the world |
| `support` | soles, and what a pose stands on |
| `constraints` | all of that as a solver takes it |
"""
