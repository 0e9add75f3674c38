# polyexam: `make help` lists the targets. Everything is installed into .venv by the targets themselves.
PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
JOBS   ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
PYTEST ?= -n $(JOBS) --dist loadfile
OPTIONS ?= --skip-bad
PIP    := $(PY) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# What every report depends on: the library, the data in the repository, cached outputs, the code that builds.
LIBRARY := $(shell find analysis reports data/published data/baselines data/claims data/evidence data/prompts data/outputs \
	\( -name '*.py' -o -name '*.csv' -o -name '*.parquet' -o -name '*.yaml' -o -name '*.jsonl' -o -path 'reports/template/*' -type f \) \
	! -path reports/catalog.yaml 2>/dev/null)
STALE := build/stale
export LIBRARY STALE

.DEFAULT_GOAL := help
.PHONY: help reports test outputs bench lab clean distclean claims

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

reports: $(VENV)/.light build/reports.mk ## every table and figure of the papers, and the site: reports/site/index.html
	@: > $(STALE)
	@$(MAKE) --no-print-directory --silent -f build/reports.mk reports/site/index.html
	@if [ -s $(STALE) ]; then $(PY) -m reports run --jobs $(JOBS) `cat $(STALE)` site; else echo "nothing to do: reports/site/index.html"; fi

claims: $(VENV)/.light ## what the papers' numbers carry: counts by verdict, then what they contradict
	@$(PY) -m reports claims

test: $(VENV)/.dev ## the tests
	$(PY) -m pytest $(PYTEST)

outputs: $(VENV)/.light ## cache a model's outputs: make outputs BENCHMARK=cmmlu MODEL=baseline/always-A
	$(PY) -m runners run --benchmark "$(BENCHMARK)" --model "$(MODEL)" $(OPTIONS)

lab: $(VENV)/.lab ## JupyterLab in this environment
	$(VENV)/bin/jupyter lab notebooks

bench: $(VENV)/.dev bench/.venv-lm-eval/.done ## speed against peers in one run: bench/results.md (half an hour; POLYEXAM_DATA names the files)
	$(PY) -m bench $(BENCH)

bench/.venv-lm-eval/.done:
	$(PYTHON) -m venv bench/.venv-lm-eval
	bench/.venv-lm-eval/bin/python -m pip install --quiet --disable-pip-version-check torch==2.13.0 "lm-eval[hf]==0.4.13"
	@touch $@

clean: ## remove what `make reports` wrote (not the environment, not cached outputs)
	rm -rf build reports/site reports/claims.json reports/audits.json $(wildcard figures/*/) $(filter-out reports/template/ reports/__pycache__/,$(wildcard reports/*/))

distclean: clean ## remove the environment too
	rm -rf $(VENV) *.egg-info

build/reports.mk: reports/catalog.yaml reports/rules.py reports/batch.py analysis/catalog.py | $(VENV)/.light
	@$(PY) -m reports rules $@

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "polyexam needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.light: pyproject.toml constraints.txt | $(PY)
	$(PIP) --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.light
	$(PIP) --editable '.[dev,runners,lab]'
	@touch $@

$(VENV)/.lab: $(VENV)/.light
	$(PIP) --editable '.[lab]'
	$(PY) -m ipykernel install --prefix $(VENV) --name polyexam --display-name "Python (polyexam)"
	@touch $@
