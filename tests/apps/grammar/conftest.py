from pathlib import Path

import pytest

import supple


@pytest.fixture
def leaves():
    """Grow rules and give their leaves as {name: [size, ...]}, sizes rounded."""

    def find(rules: str, **options):
        grown = supple.grow(rules, **options)
        found: dict[str, list[tuple[float, ...]]] = {}
        for leaf in grown.leaves:
            found.setdefault(leaf.name, []).append(tuple(round(x, 9) for x in leaf.size.tolist()))
        return found

    return find


@pytest.fixture
def refused():
    """The message with which rules are refused."""

    def message(rules, **options) -> str:
        with pytest.raises(supple.SuppleError) as caught:
            supple.grow(rules, **options)
        return str(caught.value)

    return message


@pytest.fixture
def street_rules() -> Path:
    """Real rule files, if they lie beside the repository."""
    folder = Path(__file__).parents[3].parent / "shared/data/cga/complete_street_rule/rules"
    if not folder.is_dir():
        pytest.skip("the street rules are not here")
    return folder
