# Everything from a fresh clone on a machine with Python 3.11 or later: `make demo`, `make test`.

PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo $$python; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DOCS_READY := $(VENV)/.docs-ready
JOBS ?= auto
.PHONY: help demo test kernels lint bench docs dist clean
.DEFAULT_GOAL := help

help:
	@echo "make demo    open the playground in the browser"
	@echo "make test    lint, then run the tests (JOBS=1 runs them in one process)"
	@echo "make lint    ruff, pyright and the import contracts"
	@echo "make kernels compile the kernels ahead, if they have changed"
	@echo "make dist    build wheels for every platform, and the source, into dist"
	@echo "make bench   run the benchmarks, and supple beside the solvers that are installed"
	@echo "make docs    build the documentation into build/docs"
	@echo "make clean   remove what was built, but not $(VENV)"

$(READY): pyproject.toml hatch_build.py $(shell find web/src web/*.* -type f)
	@test -n "$(PYTHON)" || { echo "supple needs Python 3.11 or later (make PYTHON=...)" >&2; exit 1; }
	@test -x $(BIN)/python || { echo "creating $(VENV)"; "$(PYTHON)" -m venv $(VENV); }
	@echo "installing supple and its tools into $(VENV)"
	@SUPPLE_SKIP_KERNELS=1 $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

kernels: $(READY)
	@PYTHONPATH=tools $(BIN)/python -m compile_ahead

demo: kernels
	$(BIN)/supple demo

# Lint runs while the kernels are compiled.
test: $(READY)
	@$(MAKE) --no-print-directory kernels & kernels=$$!; \
	$(MAKE) --no-print-directory lint || { kill $$kernels; exit 1; }; \
	wait $$kernels
	$(BIN)/python -m pytest --numprocesses $(JOBS) --dist loadfile

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright
	$(BIN)/lint-imports

bench: $(READY)
	@$(BIN)/python benchmarks/run_all.py; own=$$?; $(BIN)/supple bench && exit $$own

$(DOCS_READY): $(READY)
	@echo "installing what builds the documentation into $(VENV)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'supple[docs]'
	@touch $@

docs: $(DOCS_READY)
	$(BIN)/python -m sphinx --quiet --fail-on-warning -b html docs build/docs
	@echo "build/docs/index.html"

dist: $(READY)
	@PYTHONPATH=tools $(BIN)/python -m compile_ahead.dist

clean:
	rm -rf build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
