import numpy as np
import pytest

import supple


@pytest.fixture(scope="session")
def wave():
    return supple.humanoid().motion("wave")


@pytest.fixture
def clips(tmp_path, wave):
    """A folder of short clips, one of them bad."""
    folder = tmp_path / "clips"
    folder.mkdir()
    for k in range(5):
        supple.save(wave[k : k + 12].with_(name=f"c{k}"), folder / f"c{k}.bvh")
    (folder / "bad.bvh").write_text("HIERARCHY\nROOT\n")
    assert np.all([path.stat().st_size for path in folder.iterdir()])
    return folder
