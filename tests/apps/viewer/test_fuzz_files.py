"""Damaged uploads and messages: each is taken or refused in words, and nothing is left behind.

The damage is random and the same in every run.
"""

import base64
import json
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import supple
from supple import Character, Mesh, Motion, Skin, SuppleError
from supple.apps.viewer.app import Playground
from supple.apps.viewer.library import Library
from supple.apps.viewer.messages import json_codec

DAMAGED = 40  # files of each kind
TOKENS = [
    *(
        b"\x00",
        b"\xff",
        b"-1",
        b"1e999",
        b"nan",
        b"99999999999",
        b"0",
        b'"',
        b"{",
        b"}",
        b"[",
        b"<",
    ),
    *(
        b"\n",
        b"../../",
        b"null",
        b"true",
        b" ",
        b"\\u0000",
        b"\x7f\xff\xff\xff",
        b"\xff\xff\xff\xff",
    ),
]

URDF = b"""<robot name="arm"><link name="base"/><link name="upper"/><link name="hand"/>
<joint name="a" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
<origin xyz="0 0 1" rpy="0 0.1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="b" type="continuous"><parent link="upper"/><child link="hand"/><axis xyz="0 1 0"/>
<origin xyz="1 0 0"/></joint></robot>"""
RULES = b"""attr height = 2
Lot --> extrude(height) comp(f) { top : Roof | side : split(x) { 1 : Wall | ~1 : NIL }* }
Roof --> roofGable(30)
Wall --> color("#aa8866")
"""


def limb() -> Character:
    """A small character with a skin and a motion."""
    skeleton = supple.chain([1.0, 1.0])
    positions = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [1, 1, 0]], dtype=float)
    skin = Skin.from_table(
        ["j0", "j1"], np.stack([np.eye(4)] * 2), np.array([[0], [0], [1], [1]]), np.ones((4, 1))
    )
    mesh = Mesh("limb", positions, np.array([[0, 1, 3], [1, 2, 3]]), skin=skin)
    poses = supple.Pose.stack([skeleton.rest, skeleton.pose({"j0": [0.0, 0.0, 0.5]})])
    return Character(skeleton, (mesh,), {"wave": Motion("wave", poses, fps=30)}, unit="m", up="y")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A whole file of each kind, by name."""
    folder = tmp_path_factory.mktemp("whole")
    character, found = limb(), {"arm.urdf": URDF, "house.cga": RULES}
    for name in ("limb.glb", "limb.gltf", "limb.bvh", "limb.smd"):
        supple.save(character, folder / name)
        found[name] = (folder / name).read_bytes()
    buffer = base64.b64encode((folder / "limb.bin").read_bytes())
    uri = b"data:application/octet-stream;base64," + buffer
    found["limb.gltf"] = found["limb.gltf"].replace(b"limb.bin", uri)
    skeleton = character.skeleton
    solved = supple.solve(skeleton, {"tip": [1.0, 1.0, 0.0]}, trace=True)
    for kind, value in {"skeleton": skeleton, "solution": solved, "trace": solved.trace}.items():
        found[f"{kind}.json"] = json.dumps(value.to_json()).encode()
    return found


def damaged(data: bytes, dice: random.Random) -> bytes:
    """Bytes with a few random changes: bits, words, cuts, repetitions."""
    for _ in range(dice.choice((1, 1, 2, 5))):
        at = dice.randrange(len(data) + 1)
        stop = min(len(data), at + dice.choice((1, 2, 8, 100)))
        change = dice.randrange(6)
        if change == 0 and at < len(data):
            data = data[:at] + bytes([data[at] ^ (1 << dice.randrange(8))]) + data[at + 1 :]
        elif change == 1:
            data = data[:at] + dice.choice(TOKENS) + data[stop:]
        elif change == 2:
            data = data[:at] + dice.choice(TOKENS) + data[at:]
        elif change == 3:
            data = data[:at] + data[stop:]
        elif change == 4:
            data = data[:stop] + data[at:stop] * dice.choice((1, 50)) + data[stop:]
        else:
            data = data[:at] if dice.random() < 0.3 else data
    return data


NAMES = ["limb.glb", "limb.gltf", "limb.bvh", "limb.smd", "arm.urdf", "house.cga", "skeleton.json",
         "solution.json", "trace.json"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_upload_is_opened_or_refused(new_page, caplog, files, name):
    library = Library()
    page = new_page(library)
    dice = random.Random(name)
    opened = 0
    for k in range(-1, DAMAGED):
        upload = library.upload()
        upload.place(name).write_bytes(damaged(files[name], dice) if k >= 0 else files[name])
        folder = upload.folder
        try:
            number = library.open(upload)
        except SuppleError as error:
            assert k >= 0, str(error)
            assert str(error) and len(str(error)) < 2000 and str(folder) not in str(error)
        else:
            opened += 1
            answer = page.set_up(scene=f"file:{number}", motion="")
            assert answer["type"] == "scene" or "went wrong" not in answer["text"]
        assert not folder.exists() or name.endswith(".cga")
    assert opened, "the whole one at least"
    assert not [one for one in caplog.records if one.exc_info], "no traceback in the log"
    library.close()


MESSAGES = [
    {
        "type": "setup",
        "seq": 1,
        "setup": {"scene": "arm", "limits": True, "solver": {"name": "CCD"}},
    },
    {"type": "want", "seq": 2, "revision": 1, "goals": [{"id": "goal", "position": [1, 1, 1]}]},
    {"type": "save", "format": "bvh"},
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda one: one["type"])
def test_a_damaged_message_is_taken_or_refused(page, caplog, message):
    page.set_up(scene="arm")
    dice = random.Random(message["type"])
    for _ in range(300):
        text = damaged(json.dumps(message).encode(), dice).decode("latin-1")
        page.session.receive(text)
    page.send("ping")
    page.until(lambda: page.messages[-1]["type"] == "pong")
    page.set_up(scene="snake")  # answered after all that came before
    told = [m["text"] for m in page.messages if m["type"] == "refused"]
    assert told and all(len(one) < 2000 for one in told)
    assert not [one for one in told if "went wrong" in one]
    assert not [one for one in caplog.records if one.exc_info], "no traceback in the log"


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_asked_of_the_server_it_answers(seed):
    """Requests with random paths, queries and headers, as a server hands them to the application."""
    import asyncio

    playground = Playground(token="the-token")
    dice = random.Random(seed)
    whole = b"/upload?into=0123&name=a/b.glb&last=1&token=the-token&open=x"
    codes = []

    async def ask() -> None:
        path, _, query = damaged(whole, dice).partition(b"?")
        known = (b"host", b"origin", b"content-length", b"accept-encoding", b"if-none-match")
        headers = [(one, damaged(b"127.0.0.1", dice)) for one in dice.sample(known, 2)]
        scope = {
            "type": "http",
            "method": dice.choice(("GET", "POST", "HEAD", "PUT")),
            "path": path.decode("latin-1"),
            "query_string": query,
            "headers": [(b"host", b"127.0.0.1"), *headers],
            "root_path": "",
            "http_version": "1.1",
        }

        async def receive():
            return {"type": "http.request", "body": b"x" * dice.randrange(9), "more_body": False}

        async def send(message):
            if message["type"] == "http.response.start":
                codes.append(message["status"])
                assert b"content-security-policy" in dict(message["headers"])

        await playground.app(scope, receive, send)

    async def ask_all() -> None:
        for _ in range(200):
            await ask()

    with ThreadPoolExecutor(1) as pool:  # beside a loop that another test may run in this thread
        pool.submit(asyncio.run, ask_all()).result()
    playground.library.close()
    assert len(codes) == 200 and set(codes) <= {200, 400, 403, 404, 405, 503}
    assert {200, 403} <= set(codes)


def test_messages_that_are_no_text_are_refused():
    for text in (
        "",
        "null",
        "[]",
        "[" * 100_000,
        '"' + "x" * 100_000,
        "{}",
        '{"type": 1}',
        "\ud800",
    ):
        with pytest.raises(SuppleError) as refused:
            json_codec.read(text)
        assert len(str(refused.value)) < 1000
