"""A desk lamp that finds the book: chance puts the book somewhere, IK the lamp above it.

The rules are in src/supple/apps/data/grammar/lamp.cga. One IK rule brings the end of the arm over the shape labelled
"book", another turns the shade, which opens along its own -y, towards it.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import supple
from supple import plot
from supple.apps.data import rules
from supple.apps.grammar.output.picture import common_bounds, draw, look_from
from supple.apps.plot.figures import headline, styled

RULES = rules("lamp")
VIEW = look_from(yaw=20, pitch=24)


@styled
def draw_all(lamps):
    fig = Figure(figsize=(10, 5.6))
    headline(fig, "The lamp finds the book", "Four seeds of one rule file")
    panels = fig.subplots(2, 2).ravel()
    fig.subplots_adjust(0.0, 0.0, 1.0, 0.87, 0.0, 0.0)
    bounds = common_bounds(lamps, VIEW)
    for ax, grown in zip(panels, lamps, strict=True):
        draw(ax, grown, view=VIEW, bounds=bounds, width=4.4, targets=False)
    return fig


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    lamps = [supple.grow(RULES, seed=seed) for seed in (0, 3, 6, 9)]
    plot.save(draw_all(lamps), folder / "12_desk_lamp.png")
    books = []
    for grown in lamps:
        assert grown.reached
        book = grown.shapes.named("book")[0].point(0.5, 1, 0.5)
        shade = grown.shapes.named("Shade")[0]
        top, down = shade.point(0.5, 1, 0.5), -shade.T_world_scope[:3, 1]
        way = (book - top) / np.linalg.norm(book - top)
        assert down @ way > 0.999, "the shade shines on the book"
        assert 0.25 < top[1] - book[1] < 0.45, "from above"
        books.append(book)
    assert np.ptp(books, axis=0)[0] > 0.05, "chance moves the book"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "out")
