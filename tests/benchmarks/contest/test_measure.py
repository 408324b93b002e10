"""The contest: processes, figures, peers that are not there, a busy machine."""

import sys
from pathlib import Path

import numpy as np
import pytest
from contest import measure, peers
from contest.adapters.drive import Skip, drive
from contest.adapters.ours import make
from contest.load import busy
from contest.problems import PROBLEMS, problem

from supple.errors import SuppleError


def loaded(name, count):
    one = problem(name, targets=count)
    data = one.to_json()
    for key in ("targets", "start", "hinged_start", "hinged_limits", "start_points", "poles"):
        data[key] = None if data[key] is None else np.array(data[key])
    return one, data


@pytest.mark.parametrize("name", PROBLEMS)
def test_supple_solves_every_problem(name):
    one, data = loaded(name, 6)
    raw = drive(make(data, "prepared"), data, 5.0)
    rows = measure.judged(one, "supple, prepared", raw)
    assert [row.solved for row in rows] == [1.0] * len(rows)
    assert len(rows) == (1 if one.kind == "path" else 2)
    assert rows[0].tried == 6
    assert 0 < rows[0].median <= rows[0].p99 <= rows[0].worst


@pytest.mark.parametrize("name", ["chain-5", "panda-pose", "two-bone", "full-body"])
def test_one_shot_solves_them_too(name):
    one, data = loaded(name, 3)
    (row,) = measure.judged(one, "one", drive(make(data, "one-shot"), data, 5.0))
    assert row.solved == 1.0


def test_a_path_has_no_one_shot():
    with pytest.raises(Skip):
        make(loaded("panda-track", 2)[1], "one-shot")


def test_a_path_goes_on_from_each_answer():
    _, data = loaded("panda-track", 4)
    begun = []

    def solve(target, start):
        begun.append(start.tolist())
        return start + 1.0

    solver = {"solve": solve, "target": lambda k: k, "answer": lambda raw: raw}
    result = drive(solver, data, 5.0)
    assert begun[-3:] == result["answers"][:3]


def test_time_that_is_up_leaves_targets_untried():
    _, data = loaded("panda-pose", 5)
    solver = {"solve": lambda t, q: q, "target": lambda k: k, "answer": lambda raw: raw}
    assert len(drive(solver, data, -1.0)["answers"]) == 1


def test_a_solver_that_lies_is_not_believed():
    one = problem("panda-pose", targets=2)
    raw = {"seconds": [1e-6, 1e-6], "answers": [one.start.tolist()] * 2, "reached": True}
    (row,) = measure.judged(one, "liar", raw)
    assert row.solved == 0.0


def test_a_whole_run_has_ratios_to_the_prepared_call():
    said = []
    rows = measure.run(problem("chain-5", targets=5), budget=0.2, progress=said.append)
    by_name = {row.solver: row for row in rows}
    assert set(by_name) == {"supple, prepared", "supple, one-shot", "supple, batch"}
    ours, once = by_name["supple, prepared"], by_name["supple, one-shot"]
    assert ours.ratio == ours.median_ratio == 1.0
    assert once.ratio == pytest.approx(once.mean / ours.mean)
    assert once.median_ratio == pytest.approx(once.median / ours.median)
    assert all(row.failure is None and row.solved == 1.0 for row in rows)
    assert said == ["supple, prepared", "supple, one-shot"]


class Script(peers.Peer):
    """A peer that is a script of this test."""

    def command(self):
        return [sys.executable, self.adapter]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise SystemExit('cannot')", "exit code 1: cannot"),
        ("", "exit code 0: no message"),
    ],
)
def test_a_peer_that_fails_says_why_and_the_others_go_on(tmp_path, monkeypatch, code, said):
    script = tmp_path / "peer.py"
    script.write_text(code)
    monkeypatch.setattr(measure, "VARIANTS", ("prepared",))
    rows = measure.run(problem("chain-5", targets=2), [Script("p", (), str(script))], budget=0.1)
    assert rows[-1].failure == said
    assert rows[0].failure is None


def test_peers_are_only_asked_what_they_can_be(tmp_path):
    one = problem("panda-pose", targets=1)
    listed = measure._contestants(one, [Script("p", (), "x", ("chain",))])
    assert [label for label, *_ in listed] == ["supple, prepared", "supple, one-shot"]


# Peers ------------------------------------------------------------------------------------------


@pytest.fixture
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path))
    return tmp_path / "peers"


def test_a_peer_that_cannot_be_installed_is_left_out_with_its_reason(own_home, monkeypatch):
    def refuse(self, command):
        raise SuppleError(f"{self.name}: No matching distribution")

    monkeypatch.setattr(peers.Peer, "_do", refuse)
    found = peers.install([peers.PEERS["optik"]])
    assert "No matching distribution" in str(found["optik"])
    assert peers.PEERS["optik"].version is None
    assert not (own_home / "optik").exists()


def test_an_installed_peer_tells_its_version(own_home, monkeypatch):
    monkeypatch.setattr(peers.Peer, "_do", lambda self, command: "1.2.3\n")
    assert peers.install([peers.PEERS["optik"]]) == {"optik": "1.2.3"}
    assert peers.PEERS["optik"].version == "1.2.3"


def test_half_an_installation_is_none(own_home):
    (own_home / "optik").mkdir(parents=True)
    assert peers.PEERS["optik"].version is None


def test_without_node_javascript_is_refused_in_words(own_home, monkeypatch):
    monkeypatch.setattr(peers.shutil, "which", lambda name: None)
    found = peers.install([peers.PEERS["fullik"]])
    assert "Node.js" in str(found["fullik"])


def test_every_peer_has_its_adapter():
    for peer in peers.PEERS.values():
        assert (peers.ADAPTERS / peer.adapter).is_file()


def test_peers_do_not_see_our_packages(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "somewhere")
    assert "PYTHONPATH" not in peers.environment()


def test_no_cache_folder_is_said(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path / "file"))
    with pytest.raises(SuppleError, match="SUPPLE_CACHE_DIR"):
        peers.home()


# Load -------------------------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="asks /proc whether processes live")
def test_a_busy_machine_is_quiet_again_afterwards():
    with pytest.raises(KeyboardInterrupt), busy(computing=1, writing=1) as numbers:
        assert len(numbers) == 2
        assert all(Path(f"/proc/{pid}").exists() for pid in numbers)
        raise KeyboardInterrupt
    assert not any(Path(f"/proc/{pid}").exists() for pid in numbers)


def test_nobody_is_started_who_is_not_wanted():
    with busy(computing=0, writing=0) as numbers:
        assert numbers == []


def test_adapters_need_no_supple():
    for path in peers.ADAPTERS.glob("*_ik.py"):
        if path.name != "supple_ik.py":
            assert "import supple" not in path.read_text(encoding="utf-8")
            assert "from supple" not in path.read_text(encoding="utf-8")
