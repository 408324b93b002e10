# Everything from a fresh clone on a machine with Python 3.11 or later: `make demo`, `make test`.

PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo $$python; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PICTURE := reach.png
JOBS ?= auto
LONG := tests/laws/test_solver_laws.py tests/laws/test_symmetry_laws.py tests/laws/test_same_bits.py \
	tests/laws/test_calm.py tests/test_torture.py tests/test_examples.py tests/solvers/test_ccd.py \
	tests/solvers/test_fabrik.py tests/solvers/test_target_triangle.py

.PHONY: help demo test laws lint bench clean
.DEFAULT_GOAL := help

help:
	@echo "make demo    solve a five-link chain and draw it ($(PICTURE))"
	@echo "make test    lint, then run the tests (JOBS=1 runs them in one process)"
	@echo "make laws    properties, adversarial solves and examples: the long tests"
	@echo "make lint    ruff, pyright and the import contracts"
	@echo "make bench   run the benchmarks, and supple beside the solvers that are installed"
	@echo "make clean   remove what was built, but not $(VENV)"

$(READY): pyproject.toml
	@test -n "$(PYTHON)" || { echo "supple needs Python 3.11 or later (make PYTHON=...)" >&2; exit 1; }
	@test -x $(BIN)/python || { echo "creating $(VENV)"; "$(PYTHON)" -m venv $(VENV); }
	@echo "installing supple and its tools into $(VENV)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(READY)
	$(BIN)/supple reach chain:9,9,9,9,4 --effector tip --to 12,18,6 --plot $(PICTURE)

# Kernels are compiled before the tests, once, not by every worker at the same time.
test: lint
	$(BIN)/supple warmup
	$(BIN)/python -m pytest --numprocesses $(JOBS) --dist loadfile $(LONG:%=--ignore=%)

# Properties of every solver under Hypothesis, adversarial solves and the examples: minutes, not seconds.
laws: $(READY)
	$(BIN)/python -m pytest --numprocesses $(JOBS) --dist loadfile $(LONG)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/python benchmarks/run_all.py
	$(BIN)/supple bench

clean:
	rm -rf build dist $(PICTURE) .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
