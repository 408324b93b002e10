import importlib
import sys

import pytest

from supple import clips


def test_the_old_name_of_clips_warns_and_works(monkeypatch):
    monkeypatch.delitem(sys.modules, "supple.batch", raising=False)
    with pytest.warns(DeprecationWarning, match=r"supple\.batch is now supple\.clips"):
        batch = importlib.import_module("supple.batch")
    assert set(batch.__all__) == set(clips.__all__)
    for name in clips.__all__:
        assert getattr(batch, name) is getattr(clips, name)
