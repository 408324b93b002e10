import pytest

from supple.apps.formats import kept_answers


@pytest.fixture(autouse=True)
def answers(tmp_path_factory, monkeypatch):
    """A separate cache folder for each test, so that MuJoCo runs."""
    folder = tmp_path_factory.mktemp("answers")
    monkeypatch.setattr(kept_answers, "folder", lambda: folder)
    return folder
