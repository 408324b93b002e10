"""Real rule files by others: their derivations, worked out by hand, and refusals.

The Complete Street Rule's library is not there, so a stub of a few lines stands in for it where a
rule needs it.
"""

import shutil

import pytest

import supple

LIBRARY = """
attr Display_Textures = "true"
attr Display_Thematics = "off"
attr Solid_Color = "#ffffff"
attr Sidewalk_Texture = ""
const Sidewalk_Height = 0.25
const sharrowHeight = 0.01
const Curb_Depth = 0.15
const GrassFolder = "grass"
const SidewalkFolder = "sidewalks"
const LanesFolder = "lanes"
const Default_Pavement = "pavement.jpg"
_ThematicRouter(mode) = case mode == "Auto" : "#202020" else : "#808080"
General_Sidewalk_Texture --> Paving
ModeReporter(mode) --> report("mode", mode) NIL
Delete_Texture --> texture("") Bare
"""


@pytest.fixture
def project(street_rules, tmp_path):
    """The real rules in a folder of their own, with the stub of their library."""
    shutil.copytree(street_rules, tmp_path / "rules")
    (tmp_path / "rules/Complete_Street.cga").write_text(LIBRARY)
    (tmp_path / "lanes").mkdir()
    (tmp_path / "lanes/asphalt_14x14m.jpg").write_bytes(b"\xff\xd8\xff\xe0 not much of an image")
    return tmp_path


def test_reports_of_the_lane_configuration(street_rules) -> None:
    path = street_rules / "Complete_Lane_Configuration.cga"
    grown = supple.grow(path, start="ReportMultimodalMetrics(true)")
    assert len(grown.leaves) == 0
    # Design speed 30: 1.47 * 30 * 2.5, 1.075 * 30 * 30 / 11.2, and their sum.
    assert grown.reports == {
        "Speed.Braking Reaction Distance (ft)": [pytest.approx(110.25)],
        "Speed.Braking Distance (ft)": [pytest.approx(86.3839285714)],
        "Speed.Stopping Sight Distance (ft)": [pytest.approx(196.6339285714)],
    }
    fast = supple.grow(
        path, start="ReportMultimodalMetrics(true)", attributes={"Speed_Limit_in_MPH": 50}
    )
    assert fast.reports["Speed.Braking Reaction Distance (ft)"] == [
        pytest.approx(1.47 * 57.5 * 2.5)
    ]
    assert supple.grow(path, start="ReportMultimodalMetrics(false)").reports == {}


def test_a_curb_stamp(project) -> None:
    path = project / "rules/Stamp_Rules/Curb_Drawing_Rule.cga"
    grown = supple.grow(
        path, size=(4, 0, 3), folder=project, attributes={"Main_Allocation": "Curb"}
    )
    # The lot becomes a box 0.25 high, and each of its six faces paving.
    assert grown.leaves.names == {"Paving": 6}
    sizes = sorted(tuple(round(x, 9) for x in leaf.size) for leaf in grown.leaves)
    assert sizes == [(3, 0.25, 0), (3, 0.25, 0), (4, 0.25, 0), (4, 0.25, 0), (4, 3, 0), (4, 3, 0)]
    assert all(leaf.material.color == pytest.approx((128 / 255,) * 3) for leaf in grown.leaves)


def test_an_asphalt_stamp_with_texture_and_reports(project) -> None:
    path = project / "rules/Stamp_Rules/Paint_Drawing_Rule.cga"
    grown = supple.grow(
        path, start='Asphalt("Auto")', size=(28, 0, 14), folder=project,
        attributes={"Element_Height": 0.5},
    )  # fmt: skip
    # Six faces of a slab; each reports its mode and ends without its texture, dark as a lane.
    assert grown.reports == {"mode": ["Auto"] * 6}
    assert grown.leaves.names == {"Bare": 6}
    sizes = sorted(tuple(round(x, 9) for x in leaf.size) for leaf in grown.leaves)
    assert sizes == [*[(14, 0.5, 0)] * 2, *[(28, 0.5, 0)] * 2, *[(28, 14, 0)] * 2]
    material = grown.leaves[0].material
    assert material.texture == "" and material.color == pytest.approx((32 / 255,) * 3)
    # One image covers 14 by 14, u along z and v along x.
    assert (material.projection.axes, material.projection.size) == ((2, 0), (14.0, 14.0))


REFERENCE = """
const CompleteStreetFolder = "street"
const Curb_Depth = 0.15
const GrassFolder = "grass"
_ThematicRouter(mode, kind) = "#808080"
ModeReporter(mode) --> report("mode", mode) NIL
Delete_Texture --> texture("") Bare
"""


def test_a_median_is_cut_along_its_texture_coordinates(project) -> None:
    library = project / "rules/Complete_Lanes/Imports/Reference.cga"
    library.parent.mkdir()
    library.write_text(REFERENCE)
    for name in ("street/Sidewalks/curbs_2m.jpg", "curb.jpg"):
        (project / "rules" / name).parent.mkdir(parents=True, exist_ok=True)
        (project / "rules" / name).write_bytes(b"\xff\xd8\xff\xe0 not much of an image")
    grown = supple.grow(
        project / "rules/Complete_Lanes/Median.cga", start='Raised_Curb("Median", 0)',
        size=(30, 0, 4), folder=project / "rules",
        attributes={
            "Curb_Texture": "curb.jpg", "Median_Type": "Concrete", "Walkway_Width": 0.5,
        },
    )  # fmt: skip
    # Along u curbs at both ends; between them along v a curb, the median and a curb. Of a curb the
    # top and four sides are left, of the median its top, as two walks and what lies between.
    assert grown.leaves.names == {"Bare": 4 * 5 + 3}
    tops = [
        leaf.size.round(9).tolist() for leaf in grown.leaves if 0.1524 not in leaf.size.round(9)
    ]
    across = [[0.15, 4, 0]] * 2
    along = [[29.7, 0.15, 0]] * 2
    middle = [[29.7, 0.5, 0]] * 2 + [[29.7, 2.7, 0]]
    assert sorted(tops) == sorted([*across, *along, *middle])
    assert grown.reports == {"mode": ["Pedestrian"] * 3}


def test_a_tree_of_probability_zero_is_never_created(street_rules) -> None:
    path = street_rules / "Complete_Lanes/Median.cga"
    grown = supple.grow(path, start='Tree_Setup("Median", 0, "Random")', size=(10, 0, 2))
    assert len(grown.leaves) == 0 and len(grown.shapes) == 2


@pytest.mark.parametrize(
    ("name", "start", "message"),
    [
        ("Complete_Lane_Configuration.cga", None, "rule LaneAllocator: import Ref of line 68: there is no"),
        ("Complete_Lanes/BikeLane.cga", None, "BikeLane.cga:87:22: rule LaneWithCrosswalkBegin: import Crossing"),
        ("Complete_Lanes/Median.cga", "TransitionInsert(1)", "rule TransitionInsert: import Ref of line 105"),
        ("Utils/Street_Text.cga", None, "import Text of line 26"),
        ("Complete_Lanes/Sidewalk_Lamp_Lane.cga", None, "import Crossings of line"),
    ],
)  # fmt: skip
def test_missing_and_unsupported_names_are_refused(street_rules, refused, name, start, message):
    said = refused(street_rules / name, start=start, size=(30, 0, 4))
    assert message in said, said


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("Formal Curb", "Complete_Street.cga has no 'Sidewalk_Texture_Scale'"),
    ],
)
def test_unsupported_operations_of_a_stamp_are_named_with_their_line(
    project, refused, choice, message
) -> None:
    path = project / "rules/Stamp_Rules/Curb_Drawing_Rule.cga"
    said = refused(path, folder=project, attributes={"Main_Allocation": choice})
    assert message in said, said


VALUES = {
    "Folder": '"streets"', "Color": '"#ffffff"', "Router": '"#ffffff"', "Asset": '"x.obj"', "Wedge": '"x.obj"',
    "Default_Median_End": '"x.obj"', "Crossing.Crosswalk_": '"continental"', "connection": '"JUNCTION"',
    "neighbor": '"JUNCTION"',
    "tooShort": "false", "hasStop": "false", "Pavement": '"x.jpg"', "lamp": '"x.obj"', "Crossings.": '"None"',
}  # fmt: skip
ATTRIBUTES = {"Curb_Drawing_Rule": {"Main_Allocation": "Curb"}}
STARTS = {"Crossing": 'Crosswalk("continental", 0)'}


@pytest.mark.parametrize(
    "name",
    [
        "Complete_Lane_Configuration", "Complete_Lanes/BikeLane", "Complete_Lanes/BusLane",
        "Complete_Lanes/Crossing", "Complete_Lanes/Median", "Complete_Lanes/Sidewalk_Lamp_Lane",
        "Complete_Lanes/ThroughLane", "Stamp_Rules/Curb_Drawing_Rule",
        "Stamp_Rules/Paint_Drawing_Rule", "Utils/Street_Text",
    ],
)  # fmt: skip
def test_every_file_derives_with_stubs_for_what_it_imports(street_rules, tmp_path, name) -> None:
    path = street_rules / f"{name}.cga"
    lines = []
    for line in supple.grammar.stub_text(path).splitlines():
        if " =    // " not in line:
            continue
        head = line.removeprefix("// ").partition(" =    // ")[0]
        value = next((value for key, value in VALUES.items() if key in head), "1")
        lines.append(f"{head} = {value}")
    stubs = tmp_path / "stubs.cga"
    stubs.write_text("\n".join(lines))
    grown = supple.grow(
        path, start=STARTS.get(path.stem), attributes=ATTRIBUTES.get(path.stem), size=(40, 0, 12),
        missing="stand-in", stubs=stubs,
    )  # fmt: skip
    assert grown.incomplete and len(grown.leaves) > 0
    assert "incomplete" in repr(grown)
