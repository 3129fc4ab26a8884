# Every target works as the first command on a fresh machine with Python 3.11 to 3.13, its venv module and make.
#   make demo                      a sweep of nine cells over the bundled runbooks
#   make test                      the tests
#   make bench SIZE=small          what a sweep costs beside the usual ways; minutes, and hours without SIZE
#   make TORCH_INDEX=URL demo      takes torch from another index too, such as PyTorch's own for CPU builds

SUPPORTED := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))
# The first that runs and is of a version that is supported: a name alone may be a shim of a version manager.
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11; do \
	$$name -c '$(SUPPORTED)' 2>/dev/null && echo $$name && break; done)
TORCH_INDEX ?=
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PYTEST := $(BIN)/python -m pytest -n auto

.PHONY: setup demo test test-long test-browser test-services bench check format coverage wheel clean

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" && $(PYTHON) -c '$(SUPPORTED)' || { echo "Python 3.11, 3.12 or 3.13 is needed, and not found as $(or $(PYTHON),python3). Give one: make PYTHON=/path/to/python3.12"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "Python's venv module is missing. Install it: apt-get install python3-venv (Debian, Ubuntu), or use a Python from python.org."; exit 1; }
	@echo "Setting up $(VENV); the first time this takes some minutes."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) --editable '.[dev]'
	@touch $@

demo: setup
	@$(BIN)/chunksweep sweep runbooks
	@echo "Here the command chunksweep is $(BIN)/chunksweep."

# With the same examples every time; new ones are drawn by test-long, and by pytest on its own.
test: setup
	$(PYTEST) --hypothesis-profile=ci

test-long: setup
	$(PYTEST) -m long

# Debian's chromium, installed where that can be done; elsewhere the skip is said in words.
test-browser: setup
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null \
		|| { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
		&& apt-get update --quiet=2 && apt-get install --yes --quiet=2 chromium chromium-driver >/dev/null; } || true
	@if command -v chromium >/dev/null && command -v chromedriver >/dev/null; \
	then $(BIN)/python -m pytest -m browser tests/browser; \
	else echo "SKIPPED test-browser: chromium and chromedriver are missing. On Debian: apt-get install chromium chromium-driver" >&2; fi

# Someone else's embeddings server, in an environment of its own: it needs older libraries than we do.
SERVICES := .venv-services
test-services: setup
	@test -x $(SERVICES)/bin/infinity_emb || { $(BIN)/python -m venv $(SERVICES) && $(SERVICES)/bin/python -m pip install \
		--quiet $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) "$$(grep '^torch==' constraints.txt)" 'infinity-emb[torch,server]==0.0.78'; }
	INFINITY=$(SERVICES)/bin/infinity_emb $(BIN)/python -m pytest -m services

SIZE ?= full
bench: setup
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) --editable '.[bench]'
	$(BIN)/python -m benchmarks.splitting --out docs/throughput.md
	$(BIN)/python -m benchmarks --size $(SIZE) --out docs/benchmarks.md

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

coverage: setup
	$(PYTEST) --cov --cov-report=term-missing:skip-covered

wheel: setup
	$(BIN)/python -m build --wheel

clean:
	rm -rf $(VENV) $(SERVICES) dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
