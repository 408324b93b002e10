"""Bodies: which parts of a skeleton may touch, how far apart they are, and what the skeleton stands on.

The shapes themselves are part of the model (`supple.model`: geoms, capsules, masses). The queries here are shared by
`Avoid` and `Balance`, checking, retargeting, pictures and the page:

| file | idea |
|---|---|
| `solids` | the collision shapes of bones: capsules, alone or around the shapes of geoms |
| `pairs` | which solids may touch, and their gaps in a pose: `contacts_of` |
| `distances` | distances of segments, gaps of solids |
| `convex` | convex shapes of geoms |
| `close_pairs` | gaps of bones with one or two joints between them, as tables |
| `figure` | capsules of a figure without shapes |
| `obstacles` | planes and boxes in the world |
| `support` | soles, and the support of a pose |
| `constraints` | all of these as a solver takes them |
"""
