"""The pages that are made from the code say what the code says."""

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def test_the_matrix_of_solvers_is_up_to_date():
    made = runpy.run_path(str(DOCS / "make_matrix.py"))
    assert (DOCS / "solvers.md").read_text(encoding="utf-8") == made["page"](), (
        "run: python docs/make_matrix.py"
    )
