"""The server as others meet it: over a socket."""

import asyncio
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from urllib.parse import urlencode, urlsplit

import pytest
from tests.patience import PATIENCE, until
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

import supple
from supple.apps.viewer.app import PAGE
from supple.apps.viewer.library import MOST_AT_ONCE, MOST_UPLOADS
from supple.apps.viewer.security import Guard
from supple.apps.viewer.server import Server

LIMIT = 100_000


@pytest.fixture(scope="module")
def server():
    with Server(port=0, upload_limit=LIMIT) as one:
        yield one


def ask(server, path, *, method="GET", body=None, token=True, headers=None, **query):
    """The status, headers and body of an answer."""
    address = urlsplit(server.url)
    line = http.client.HTTPConnection(address.hostname, address.port, timeout=PATIENCE)
    if token:
        query["token"] = server.playground.token if token is True else token
    line.request(method, f"{path}?{urlencode(query)}", body=body, headers=headers or {})
    answer = line.getresponse()
    data = answer.read()
    line.close()
    return answer.status, dict(answer.getheaders()), data


def socket_address(server, token=None):
    token = server.playground.token if token is None else token
    return f"{server.url.replace('http', 'ws', 1).partition('/?')[0]}/ws?token={token}"


def test_it_is_bound_to_this_machine(server):
    assert urlsplit(server.url).hostname == "127.0.0.1"
    assert server._socket.getsockname()[0] == "127.0.0.1"


def test_the_page_comes_with_the_token_only(server):
    if not (PAGE / "index.html").is_file():
        pytest.skip("the page has not been built (no npm registry at install time)")
    status, headers, body = ask(server, "/")
    assert status == 200 and b"supple playground" in body
    assert "default-src 'self'" in headers["content-security-policy"]
    assert ask(server, "/", token=False)[0] == 403
    assert ask(server, "/", token="wrong")[0] == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "[", ""]
)
def test_a_foreign_host_is_refused(server, host):
    assert ask(server, "/", headers={"Host": host})[0] == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "https://127.0.0.1", "null"])
def test_a_foreign_origin_is_refused(server, origin):
    headers = {"Origin": origin}
    status, _, _ = ask(server, "/upload", method="POST", body=b"x", headers=headers, name="a.smd")
    assert status == 403
    with pytest.raises(InvalidStatus) as refused, connect(socket_address(server), origin=origin):
        pass
    assert refused.value.response.status_code == 403


POLICY = {
    "script-src": "'self' 'wasm-unsafe-eval'",
    "connect-src": "'self'",
    "object-src": "'none'",
    "frame-ancestors": "'none'",
}


def policy(headers):
    """The directives of a response's content security policy."""
    parts = headers["content-security-policy"].split(";")
    return dict(part.strip().split(" ", 1) for part in parts)


@pytest.mark.parametrize(
    ("path", "given", "status"),
    [
        ("/", {}, 200),
        ("/", {"token": "wrong"}, 403),
        ("/", {"headers": {"Host": "evil.example"}}, 403),
        ("/upload", {"method": "GET"}, 405),
        ("/nothing", {}, 404),
        ("/assets/nothing.js", {}, 404),
        ("/%", {"headers": {"Content-Length": "-1"}}, 400),
    ],
)
def test_every_answer_says_what_its_page_may_do(server, path, given, status):
    got, headers, _ = ask(server, path, **given)
    assert got == status or (path == "/" and got == 503), "503 if the page has not been built"
    assert policy(headers).items() >= POLICY.items()
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_a_refused_socket_has_the_headers_too(server):
    with pytest.raises(InvalidStatus) as refused, connect(socket_address(server, token="guess")):
        pass
    answer = refused.value.response
    assert answer.status_code == 403 and b"token" in answer.body
    assert policy(answer.headers).items() >= POLICY.items()


def test_an_error_of_the_server_has_the_headers_too(server, monkeypatch, caplog):
    def fail(*given):
        raise RuntimeError("a defect")

    monkeypatch.setattr(server.playground.library, "upload", fail)
    status, headers, _ = ask(server, "/upload", method="POST", body=b"x", name="a.smd")
    assert status == 500 and policy(headers).items() >= POLICY.items()


def test_only_a_notebook_may_show_the_page_in_a_frame():
    with Server(port=0, notebook=True) as one:
        framed_by = policy(ask(one, "/")[1])["frame-ancestors"].split()
    assert "http://localhost:*" in framed_by and "*" not in framed_by


@pytest.mark.parametrize(
    ("head", "rest"),
    [
        (b"", b""),
        (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", b"X-Slow: and slower\r\n"),
        (b"POST /upload HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 999\r\n\r\n", b"refused"),
    ],
    ids=["silent", "slow headers", "the body of a refused request"],
)
def test_a_connection_that_waits_for_a_request_is_closed(head, rest):
    with Server(port=0, patience=0.2) as one:
        address = urlsplit(one.url)
        with socket.create_connection((address.hostname, address.port), timeout=0.05) as line:
            line.sendall(head)
            ended, k, ends = False, 0, time.monotonic() + PATIENCE
            while not ended and time.monotonic() < ends:
                k += 1
                try:
                    if rest:
                        line.sendall(rest[k % len(rest) :][:1])
                    ended = line.recv(4096) == b""
                except TimeoutError:
                    pass
                except OSError:
                    ended = True
        assert ended


def test_a_connection_that_is_used_stays_open(monkeypatch):
    """No timer runs that would close it."""
    patience, timers = 12345.0, []

    def call_later(loop, delay, *given, real=asyncio.BaseEventLoop.call_later, **more):
        timer = real(loop, delay, *given, **more)
        if delay == patience:
            timers.append(timer)
        return timer

    running = lambda: [timer for timer in timers if not timer.cancelled()]  # noqa: E731
    monkeypatch.setattr(asyncio.BaseEventLoop, "call_later", call_later)
    with Server(port=0, patience=patience) as one:
        with connect(socket_address(one)) as line:
            line.recv(timeout=PATIENCE)
            assert len(timers) == 1 and not running()
            line.send(json.dumps({"type": "ping"}))
            assert json.loads(line.recv(timeout=PATIENCE))["type"] == "pong"
        address = urlsplit(one.url)
        with socket.create_connection((address.hostname, address.port), timeout=PATIENCE) as line:
            until(lambda: len(timers) == 2)
            assert running(), "it waits for a request"
            query = urlencode({"name": "a.png", "token": one.playground.token})
            head = f"POST /upload?{query} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\n"
            line.sendall(head.encode())
            until(lambda: not running())  # a body may take longer
            line.sendall(b"xxxxx")
            assert b"200 OK" in line.recv(4096)
            until(running)  # for the next request


def test_the_token_is_kept_when_asked(tmp_path, monkeypatch):
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path / "own"))
    tokens = []
    for keep in (True, True, False):
        with Server(port=0, keep_token=keep) as one:
            tokens.append(one.playground.token)
    assert tokens[0] == tokens[1] != tokens[2]


def test_a_socket_without_the_token_is_refused(server):
    with pytest.raises(InvalidStatus), connect(socket_address(server, token="guess")):
        pass


def test_a_socket_with_the_page_s_own_origin_gets_in(server):
    origin = server.url.partition("/?")[0]
    with connect(socket_address(server), origin=origin) as line:
        hello = json.loads(line.recv(timeout=PATIENCE))
    assert hello["type"] == "hello" and hello["upload_limit"] == LIMIT
    assert [one["name"] for one in hello["solvers"]][:2] == ["auto", "TwoBone"]


def test_kernels_that_come_after_the_start_are_there_for_the_next_page(monkeypatch):
    there = [b""]

    def kernels():
        if not there[0]:
            raise supple.SuppleError("still being compiled")
        return there[0]

    monkeypatch.setattr("supple.apps.viewer.app.kernels_wasm", kernels)
    with Server(port=0) as one:
        for expected in ("", "/supple.wasm"):
            with connect(socket_address(one)) as line:
                assert json.loads(line.recv(timeout=PATIENCE))["kernels"] == expected
            there[0] = b"\0asm"
        assert ask(one, "/supple.wasm")[2] == b"\0asm"


@pytest.mark.parametrize(
    "path", ["/assets/../app.py", "/assets/..%2f..%2fapp.py", "/../../etc/passwd", "/app.py", "/assets//etc/passwd"]
)  # fmt: skip
def test_nothing_else_is_served(server, path):
    status, _, body = ask(server, path)
    assert status in (400, 403, 404, 405) and b"import" not in body and b"root:" not in body


def test_a_session_ends_with_its_socket(server):
    with connect(socket_address(server)) as line:
        line.recv(timeout=PATIENCE)
        line.send(json.dumps({"type": "setup", "seq": 1, "setup": {}}))
        assert json.loads(line.recv(timeout=PATIENCE))["type"] == "scene"
        session = server.playground.sessions[-1]
    session._worker.join(PATIENCE)
    assert not session._worker.is_alive()
    until(lambda: session not in server.playground.sessions)


# Uploads ------------------------------------------------------------------------------------------


def upload(server, name, data, **query):
    status, _, body = ask(server, "/upload", method="POST", body=data, name=name, **query)
    assert status == 200
    return json.loads(body)


def send_all(server, files):
    """Send files one by one, as the page does; the answer to the last."""
    told = {}
    for k, (name, data) in enumerate(files.items()):
        into = {"into": told["into"]} if told else {}
        last = {"last": 1} if k == len(files) - 1 else {}
        told = upload(server, name, data, **into, **last)
    return told


def test_a_file_is_opened(server):
    data = json.dumps(supple.chain([1, 2]).to_json()).encode()
    told = upload(server, "two.json", data, last=1)
    subject = server.playground.library.subject(told["scene"].removeprefix("file:"))
    assert subject.title == "two.json" and subject.skeleton == supple.chain([1, 2])


def test_a_broken_file_is_refused_in_the_reader_s_words(server):
    told = upload(server, "broken.json", b'{"format": "supple-skeleton"', last=1)
    assert told["error"].startswith("broken.json:1: not JSON: ")
    told = upload(server, "notes.txt", b"hello", last=1)
    assert "expected a file ending in" in told["error"]


def test_a_large_file_is_refused(server):
    told = upload(server, "large.glb", b"x" * (LIMIT + 1), last=1)
    assert "are not accepted" in told["error"]


def test_many_small_files_are_large_too(server):
    told = upload(server, "a.png", b"x" * (LIMIT // 2))
    told = upload(server, "b.png", b"x" * (LIMIT - 10), into=told["into"], last=1)
    assert "are not accepted" in told["error"]


def test_what_does_not_say_its_size_is_counted(server):
    address = urlsplit(server.url)
    line = http.client.HTTPConnection(address.hostname, address.port, timeout=PATIENCE)
    query = urlencode({"name": "x.smd", "last": 1, "token": server.playground.token})
    chunks = (b"x" * 10_000 for _ in range(20))
    line.request("POST", f"/upload?{query}", body=chunks, encode_chunked=True)
    answer = line.getresponse()
    assert b"are not accepted" in answer.read()
    line.close()


@pytest.mark.parametrize("into", ["../x", "0123456789ab/..", "/etc", "0123456789ab"])
def test_an_upload_stays_in_its_folder(server, into):
    assert "number of an upload" in upload(server, "a.json", b"{}", into=into)["error"]


@pytest.mark.parametrize(
    "name",
    ["..", "", "/etc/passwd", "../../etc/passwd", "a/../../b.smd", "a\\..\\b.smd", "a//b.smd"],
)
def test_a_path_that_leaves_its_folder_is_refused(server, name):
    assert "name of a file in a folder" in upload(server, name, b"{}", last=1)["error"]


def test_a_folder_is_opened_with_its_paths(server):
    rules = {
        "town/rules/town.cga": b'import Lib : "parts/lib.cga"\nLot --> extrude(2) Lib.House',
        "town/rules/parts/lib.cga": b'House --> i("assets/roof.obj")',
        "town/assets/roof.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n",
    }
    told = send_all(server, rules)
    subject = server.playground.library.subject(told["scene"].removeprefix("file:"))
    assert subject.title == "town.cga"
    assert sum(len(mesh.faces) for mesh in subject.meshes) == 2, "the asset beside the rules"
    folder = subject.rules.home.parent
    assert folder.is_dir(), "rules are grown again"
    told = send_all(server, {"town/rules/bad.cga": b"Lot --> extrude(", "town/x.png": b"x"})
    assert told["error"].startswith("rules/bad.cga:1:"), "without where it lies here"


def test_of_several_models_one_is_chosen(server):
    files = {
        f"chains/{name}.json": json.dumps(supple.chain([1] * n).to_json()).encode()
        for n, name in ((2, "two"), (3, "three"))
    }
    told = send_all(server, files)
    assert told["choose"] == ["three.json", "two.json"]
    again = upload(server, "", b"", into=told["into"], open="four.json")
    assert "did you mean" in again["error"] or "expected one of" in again["error"]
    told = send_all(server, files)
    told = upload(server, "", b"", into=told["into"], open="two.json")
    subject = server.playground.library.subject(told["scene"].removeprefix("file:"))
    assert subject.skeleton == supple.chain([1, 1])


def test_files_are_counted(server, monkeypatch):
    monkeypatch.setattr("supple.apps.viewer.uploads.MOST_FILES", 2)
    told = send_all(server, {f"many/{k}.png": b"x" for k in range(3)})
    assert "more than 2 files" in told["error"]
    clash = send_all(server, {"a": b"x", "a/b.json": b"x"})
    assert clash["error"].startswith("upload: a/b.json: ")


def begin_upload(server, length=10, **query):
    """A connection that has begun to send a file of some length and does not go on."""
    address = urlsplit(server.url)
    line = socket.create_connection((address.hostname, address.port), timeout=PATIENCE)
    query = urlencode({"name": "a.png", "token": server.playground.token, **query})
    head = f"POST /upload?{query} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\n\r\nx"
    line.sendall(head.encode())
    return line


def answer(line):
    """The body of the answer on a connection."""
    response = http.client.HTTPResponse(line)
    response.begin()
    return response.read()


def receiving(server):
    return [one for one in server.playground.library._uploads.values() if one.receiving]


def test_unfinished_uploads_are_limited():
    with Server(port=0) as server:
        begun = [begin_upload(server) for _ in range(MOST_UPLOADS)]
        until(lambda: len(receiving(server)) == MOST_UPLOADS)
        assert "no more are accepted at once" in upload(server, "b.png", b"x")["error"]
        folders = [one.folder for one in receiving(server)]
        begun[0].sendall(b"y" * 9)
        assert b"into" in answer(begun[0])
        assert "into" in upload(server, "b.png", b"x"), "there is room again"
        for line in begun:
            line.close()
        until(lambda: not receiving(server))
        until(lambda: not any(folder.exists() for folder in folders))  # what was not finished


def test_the_files_of_an_upload_that_come_at_once_are_limited():
    with Server(port=0) as server:
        into = upload(server, "a.png", b"x")["into"]
        begun = [begin_upload(server, into=into, name=f"{k}.png") for k in range(MOST_AT_ONCE)]
        until(lambda: sum(one.receiving for one in receiving(server)) == MOST_AT_ONCE)
        assert "no more are accepted at once" in upload(server, "b.png", b"x", into=into)["error"]
        begun[0].sendall(b"y" * 9)
        assert b"upload has ended" in answer(begun[0])
        for line in begun:
            line.close()


def test_an_upload_that_stalls_is_given_up(monkeypatch):
    monkeypatch.setattr("supple.apps.viewer.uploads.STALL_TIMEOUT", 0.2)
    with Server(port=0) as server, begin_upload(server) as line:
        assert b"nothing more of it came" in answer(line)
        assert not server.playground.library._uploads


def test_uploads_that_nobody_ends_are_forgotten(server):
    library = server.playground.library
    first = library.upload(upload(server, "a.png", b"x")["into"])
    assert first.folder.is_dir()
    for _ in range(8):
        upload(server, "a.png", b"x")
    assert not first.folder.exists()
    assert "number of an upload" in upload(server, "b.png", b"x", into=first.number)["error"]


RULES = b"Lot --> extrude(2)"  # whose folder is kept, since rules are grown again
SERVE = """
import sys
from supple.apps.viewer.server import Server
server = Server(port=0).start()
print(server.url, flush=True)
{}
"""


def _heed_signals():
    """Undo what a parent such as `nohup` has its children ignore."""
    for name in ("SIGTERM", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends a process without a signal")
@pytest.mark.parametrize(
    ("script", "end", "code"),
    [
        ("server.wait()", signal.SIGTERM, -signal.SIGTERM),
        ("server.wait()", getattr(signal, "SIGHUP", None), -getattr(signal, "SIGHUP", 0)),
        ("server.wait()", signal.SIGINT, 0),
        ("sys.stdin.readline()", None, 0),  # a script that does not close what it viewed
    ],
)
def test_received_files_are_removed_when_the_process_ends(tmp_path, script, end, code):
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE.format(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        text=True,
        preexec_fn=_heed_signals,
    )
    try:
        address = urlsplit(process.stdout.readline().strip())
        token = address.query.removeprefix("token=")
        line = http.client.HTTPConnection(address.hostname, address.port, timeout=PATIENCE)
        query = urlencode({"name": "town.cga", "last": 1, "token": token})
        line.request("POST", f"/upload?{query}", body=RULES)
        assert "scene" in json.loads(line.getresponse().read())
        line.close()
        assert list(tmp_path.glob("supple-*/*/town.cga"))
        if end is None:
            process.communicate("\n", timeout=PATIENCE)
        else:
            process.send_signal(end)
        assert process.wait(PATIENCE) == code
        assert not list(tmp_path.glob("supple-*"))
    finally:
        process.kill()
        process.communicate()


# Letting others in --------------------------------------------------------------------------------


def refusal(guard, host, origin=""):
    headers = [(b"host", host.encode())] + ([(b"origin", origin.encode())] if origin else [])
    return guard.refusal({"headers": headers, "path": "/assets/x", "query_string": b""})


def test_bound_to_all_numbers_are_let_in_but_names_are_not():
    guard = Guard(None, token="t", hosts=("studio",), addresses=True)
    assert refusal(guard, "192.168.1.7:8421") is None
    assert refusal(guard, "[fe80::1]:8421") is None
    assert refusal(guard, "studio:8421") is None
    assert refusal(guard, "evil.example:8421") is not None
    assert refusal(guard, "192.168.1.7:8421", "http://192.168.1.7:9999") is not None


def test_the_usual_port_is_left_for_another_if_taken():
    with Server() as one, Server() as two:
        assert urlsplit(one.url).port != urlsplit(two.url).port


def test_a_port_that_is_taken_is_an_error():
    with Server(port=0) as one, pytest.raises(supple.SuppleError, match="cannot serve on"):
        Server(port=urlsplit(one.url).port)
