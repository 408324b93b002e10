"""`supple demo` and `supple view`, as a person starts them."""

import json
import signal
import subprocess
import sys
from urllib.request import urlopen

import pytest
from tests.patience import PATIENCE

import supple
from supple.apps.viewer.app import PAGE

COMMAND = [sys.executable, "-m", "supple.apps.cli"]
needs_page = pytest.mark.skipif(
    not (PAGE / "index.html").is_file(), reason="the page has not been built"
)


def start(*arguments: str) -> tuple[subprocess.Popen[str], str]:
    """A playground that runs, and its address."""
    given = [*COMMAND, *arguments, "--no-browser", "--port", "0", "--json"]
    process = subprocess.Popen(given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    text = ""
    for line in process.stdout:
        text += line
        if line.strip() == "}":
            break
    return process, json.loads(text)["url"]


def stop(process: subprocess.Popen[str]) -> int:
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    return process.returncode


@needs_page
def test_demo_serves_until_it_is_interrupted():
    process, url = start("demo", "--scene", "arm")
    try:
        assert url.startswith("http://127.0.0.1:") and "token=" in url
        assert b"supple playground" in urlopen(url, timeout=PATIENCE).read()
    finally:
        assert stop(process) == 0


@needs_page
def test_view_shows_a_file(tmp_path):
    path = tmp_path / "three.json"
    path.write_text(json.dumps(supple.chain([3, 2, 1]).to_json()))
    process, url = start("view", str(path))
    try:
        assert b"supple playground" in urlopen(url, timeout=PATIENCE).read()
    finally:
        assert stop(process) == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["demo", "--scene", "snaek"], "did you mean 'snake'"),
        (["view", "nowhere.bvh"], "nowhere.bvh: there is no such file"),
    ],
)
def test_bad_input_ends_with_2(arguments, told):
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 2 and told in done.stderr.replace("\n", " ")
