"""Bodies: what of a skeleton may touch, how far it is apart, and what it stands on.

The shapes themselves are part of the model (`supple.model`: geoms, capsules, masses). Here is what is asked of them,
once for `Avoid` and `Balance`, for checking, retargeting, pictures and the page:

| file | idea |
|---|---|
| `solids` | what stands for the bones of a skeleton: capsules, alone or around the shapes of geoms |
| `pairs` | which solids may touch, and how far apart they are in a pose: `contacts_of` |
| `distances` | how far apart segments and solids are |
| `convex` | convex shapes of geoms |
| `close_pairs` | gaps of bones with one or two joints between them, as tables |
| `figure` | capsules of a figure without shapes |
| `obstacles` | what stands in the world |
| `support` | soles, and what a pose stands on |
| `constraints` | all of that as a solver takes it |
"""
