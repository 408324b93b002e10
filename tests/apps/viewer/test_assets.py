"""The files of the page, compressed as the browser accepts them."""

import asyncio
import gzip
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from supple.apps.viewer.assets import Assets, encodings

SCRIPT = b"const supple = 1;\n" * 1000


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "page.js").write_bytes(SCRIPT)
    (tmp_path / "page.css").write_bytes(b"a {}" * 100)
    (tmp_path / "page.css.br").write_bytes(b"made when the page was built")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "deep.js").write_bytes(b"x")
    return tmp_path


async def respond(folder, path, **headers):
    """The status, headers and body of a response."""
    app = Starlette(routes=[Route("/assets/{name}", Assets(folder).respond)])
    told = []

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        told.append(message)

    raw = [(k.replace("_", "-").encode(), v.encode()) for k, v in headers.items()]
    scope = {"type": "http", "method": "GET", "path": path, "headers": raw, "query_string": b""}
    await app({**scope, "root_path": "", "http_version": "1.1"}, receive, send)
    body = b"".join(one.get("body", b"") for one in told)
    given = {k.decode(): v.decode() for k, v in told[0]["headers"]}
    return told[0]["status"], given, body


@pytest.fixture
def ask(folder):
    def in_a_thread(answer):  # beside a loop that another test may run in this thread
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(asyncio.run, answer).result()

    return lambda path, **headers: in_a_thread(respond(folder, path, **headers))


def test_a_script_is_compressed(ask):
    status, headers, body = ask("/assets/page.js", accept_encoding="gzip, deflate")
    assert status == 200 and headers["content-encoding"] == "gzip"
    assert len(body) < len(SCRIPT) / 10 and gzip.decompress(body) == SCRIPT
    assert headers["content-type"].startswith("text/javascript")
    assert headers["vary"] == "Accept-Encoding" and "immutable" in headers["cache-control"]


@pytest.mark.parametrize("accepted", ["", "identity", "gzip;q=0", "br", "*;q=0"])
def test_it_is_sent_plain_to_who_accepts_nothing_else(ask, accepted):
    _, headers, body = ask("/assets/page.js", accept_encoding=accepted)
    assert "content-encoding" not in headers and body == SCRIPT


def test_what_was_compressed_by_the_build_is_preferred(ask):
    _, headers, body = ask("/assets/page.css", accept_encoding="gzip, br")
    assert headers["content-encoding"] == "br" and body == b"made when the page was built"
    assert headers["content-type"].startswith("text/css")
    _, headers, _ = ask("/assets/page.css", accept_encoding="gzip")
    assert headers["content-encoding"] == "gzip"


def test_what_the_browser_has_is_not_sent_again(ask):
    _, headers, _ = ask("/assets/page.js", accept_encoding="gzip")
    tag = headers["etag"]
    status, headers, body = ask(
        "/assets/page.js", accept_encoding="gzip", if_none_match=f'"x", {tag}'
    )
    assert status == 304 and body == b"" and headers["etag"] == tag
    status, _, _ = ask("/assets/page.js", if_none_match=tag)
    assert status == 200, "another encoding has another tag"


@pytest.mark.parametrize(
    "path", ["/assets/page.css.br", "/assets/inner", "/assets/inner/deep.js", "/assets/..", "/assets/"]
)  # fmt: skip
def test_nothing_but_files_by_their_names(ask, path):
    assert ask(path)[0] == 404


@pytest.mark.parametrize(
    ("header", "accepted"),
    [
        ("", set()),
        ("gzip", {"gzip"}),
        ("GZIP ; Q=0.5 , br", {"gzip", "br"}),
        ("*", {"gzip", "br"}),
        ("*;q=0.1, br;q=0", {"gzip"}),
        ("gzip;q=x, deflate", set()),
    ],
)
def test_accepted_encodings(header, accepted):
    assert encodings(header) == accepted
