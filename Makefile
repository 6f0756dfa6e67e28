PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Many tests wait for processes: half as many again as there are cores keep all of them busy.
WORKERS = $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) * 3 // 2)')
# Every memory is flushed to disk: tests are faster where the disk is memory, if there is enough.
TEMPORARY = $(shell $(PYTHON) -c 'import os, shutil, tempfile; shm = "/dev/shm"; \
	print(shm if os.path.isdir(shm) and shutil.disk_usage(shm).free > 4 << 30 else tempfile.gettempdir())')

.PHONY: help demo test test-deep mutants lint package conformance clients axe bench reliability pictures eval model clean

help:
	@echo "make demo       install into $(VENV) and play the story of the README in a throw-away repository"
	@echo "make test       run the tests"
	@echo "make test-deep  run the slow fault and property tests too, and the mutants"
	@echo "make mutants    put small faults into the code, and see whether tests notice"
	@echo "make lint       ruff and mypy"
	@echo "make package    build the wheel and use it under every installed Python"
	@echo "make conformance  run the official conformance suite of the protocol (needs node)"
	@echo "make clients    let real agent programs read what init writes (needs node)"
	@echo "make axe        ask axe about every view of the page (needs node and chromium)"
	@echo "make bench      print every figure the docs quote"
	@echo "make reliability  play bad days, and count what was lost"
	@echo "make pictures   take the pictures of the page again (needs chromium)"
	@echo "make eval       measure retrieval quality (needs the evaluation data, see benchmarks/evaluate.py);"
	@echo "                MODEL=FOLDER measures the model in that folder, too"
	@echo "make model      rebuild the table of vectors (downloads half a GB)"

$(READY): pyproject.toml src/treering/__init__.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "treering needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,lint]'
	@$(BIN)/python -m compileall -q src
	@touch $@

demo: $(READY)
	@$(BIN)/treering demo

test: $(READY)
	@$(BIN)/python -m compileall -q src
	PYTEST_DEBUG_TEMPROOT=$(TEMPORARY) $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m 'not deep'

test-deep: $(READY)
	$(BIN)/python -m pytest -n auto --hypothesis-profile deep
	$(BIN)/python -m benchmarks.mutation

mutants: $(READY)
	$(BIN)/python -m benchmarks.mutation

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

package: $(READY)
	@.ci/package $(BIN)/python

axe: $(READY)
	@.ci/axe $(BIN)/python

conformance: $(READY)
	@.ci/conformance $(BIN)/treering

clients: $(READY)
	@.ci/clients $(BIN)/treering

bench: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m benchmarks

reliability: $(READY)
	$(BIN)/python -m benchmarks.reliability

pictures: $(READY)
	$(BIN)/python docs/pictures.py

eval: $(READY)
	$(BIN)/python -m benchmarks.questions
	$(BIN)/python -m benchmarks.evaluate
ifdef MODEL
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[semantic]'
	$(BIN)/python -m benchmarks.questions --model $(MODEL)
	$(BIN)/python -m benchmarks.evaluate --model $(MODEL)
endif

model:
	$(PYTHON) -m venv build/model-venv
	build/model-venv/bin/python -m pip install --quiet --disable-pip-version-check --editable . \
		--requirement benchmarks/model/requirements.txt
	build/model-venv/bin/python -m benchmarks.model

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache
