import pytest

import supple
from supple.apps.viewer import browser


def test_anything_of_supple_s_can_be_viewed(tmp_path):
    skeleton = supple.chain([1, 1, 1])
    answer = supple.solve(skeleton, {"tip": (1, 1, 1)}, solver="CCD", trace=True)
    assert answer.trace is not None
    for value in (skeleton, skeleton.rest, answer, answer.trace):
        shown = supple.view(value, browser=False, port=0)
        scene = shown._server.playground.scene
        subject = shown._server.playground.library.subject(scene.removeprefix("file:"))
        assert subject.skeleton == skeleton
        shown.close()
    path = tmp_path / "trace.json"
    answer.trace.save(path)
    shown = supple.view(path, browser=False, port=0)
    assert shown._server.playground.scene.startswith("file:")
    shown.close()


def test_a_notebook_shows_the_page():
    shown = supple.view(browser=False, port=0, height=500)
    assert shown.url in shown._repr_html_().replace("&amp;", "&")
    assert 'height="500"' in shown._repr_html_() and "iframe" in shown._repr_html_()
    assert shown.url in repr(shown)
    shown.close()


def test_a_browser_with_windows_is_opened_if_wanted(monkeypatch):
    opened = []
    monkeypatch.setattr(browser.webbrowser, "open", opened.append)
    monkeypatch.setattr(browser.sys, "platform", "linux")
    monkeypatch.setenv("DISPLAY", ":0")
    shown = supple.view(port=0)
    shown.close()
    assert opened == [shown.url]
    monkeypatch.delenv("DISPLAY")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    supple.view(port=0).close()
    assert opened == [shown.url], "not one that would take over the terminal"


def test_other_things_are_refused():
    with pytest.raises(supple.SuppleError, match="got a dict"):
        supple.view({}, browser=False, port=0)
