import pytest

from supple.formats import kept_answers


@pytest.fixture(autouse=True)
def answers(tmp_path_factory, monkeypatch):
    """The folder of kept answers: one of the test's own, so that MuJoCo is asked."""
    folder = tmp_path_factory.mktemp("answers")
    monkeypatch.setattr(kept_answers, "folder", lambda: folder)
    return folder
