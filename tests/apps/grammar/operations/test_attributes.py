"""report, print and label."""

import supple


def test_reports_prints_and_labels() -> None:
    grown = supple.grow(
        'Lot --> split(x){ ~1 : A }*\nA --> report("area", geometry.area) print("part " + split.index) '
        'label("part") NIL',
        size=(4, 0, 2),
    )
    assert grown.reports == {"area": [2.0] * 4}
    assert grown.printed == ("part 0", "part 1", "part 2", "part 3")
    assert len(grown.shapes.named("part")) == 4
