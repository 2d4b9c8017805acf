# Two commands: `make run` trains and scores the default experiment, `make test` checks everything.
# `make help` lists the rest.

PYTHON ?= $(shell command -v python3.11 >/dev/null 2>&1 && python3.11 -c '' 2>/dev/null && echo python3.11 || (command -v python3.12 >/dev/null 2>&1 && python3.12 -c '' 2>/dev/null && echo python3.12) || echo python3)
# torch goes in before the lock, by version alone: a GPU server wants the CUDA build, a laptop may have a CPU one.
TORCH  ?= torch==2.13.0
CORES  ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu)
# What to run: an experiment file. The default is the embedded demo.
EXPERIMENT ?= config/config.yaml

VENV := .venv
BIN  := $(VENV)/bin
READY := $(VENV)/.installed
LOCKS := requirements/requirements.lock requirements/fairseq.txt requirements/build.txt

.DEFAULT_GOAL := help
# Which paper, and how much of it: smoke (minutes on a CPU), reduced (hours on a GPU), full (the paper); without one, what
# the paper's file says.
PAPER ?= hft
SCALE ?=
# Only what needs no other sources than these (`analyses` in the paper's file, and scores): PARTS=counts,frequencies
PARTS ?=
# For the plan alone: gpu or cpu; without it, what is here
DEVICE ?=
# Further settings for snakemake's --config: ARGS="mirror=../mirror"
ARGS ?=
comma := ,
SETTINGS = $(if $(SCALE),scale=$(SCALE)) $(if $(PARTS),'parts=[$(PARTS)]') $(ARGS)

.PHONY: help env run paper plan test test-papers test-fast lint format lock bench clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'
	@echo
	@echo "  make run EXPERIMENT=config/experiments/multi30k.yaml     another experiment"
	@echo "  snakemake targets (in $(BIN)): all (default), data, segmentation, training, scores; snakemake -n shows what would run"

env: $(READY)  ## install everything into .venv, from the lock

$(READY): $(LOCKS) Makefile pyproject.toml
	@scripts/check_tools.sh "$(PYTHON)"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet pip==26.3
	$(BIN)/python -m pip install --quiet $(TORCH)
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes --build-constraint requirements/build.txt -r requirements/requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes --build-constraint requirements/build.txt -r requirements/fairseq.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

run: env  ## run the experiment (default: the demo) and print its table
	@$(BIN)/python scripts/run_experiment.py --cores $(CORES) --configfile $(EXPERIMENT)

paper: env  ## make a paper's tables: make paper PAPER=hft SCALE=smoke|reduced|full (hft: cpu)
	@$(BIN)/python scripts/run_experiment.py --cores $(CORES) --configfile config/papers/$(PAPER).yaml $(if $(strip $(SETTINGS)),-- --config $(SETTINGS))

plan: env  ## what a paper will take, before anything starts: make plan PAPER=hft SCALE=full
	@$(BIN)/python scripts/plan_paper.py --paper config/papers/$(PAPER).yaml $(if $(SCALE),--scale $(SCALE)) $(if $(DEVICE),--device $(DEVICE)) $(if $(PARTS),--parts $(subst $(comma), ,$(PARTS)))

test: env lint  ## every check: lint, unit and property tests, a real end-to-end run
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-papers: env  ## all five papers at smoke scale, from end to end (minutes each)
	$(BIN)/python -m pytest -m papers --exitfirst --verbose

test-fast: env  ## the tests that take seconds
	$(BIN)/python -m pytest -m "not slow and not papers"

lint: env  ## ruff, mypy, snakefmt, snakemake --lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint
	$(BIN)/snakemake --lint --configfile config/papers/volt.yaml

format: env  ## format all code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow

lock:  ## make requirements.lock anew from requirements.in (needs uv)
	scripts/make_lock.sh

bench: env  ## speed and memory beside the peers, in results/benchmarks.md (about an hour; BENCH="--texts small": minutes)
	$(BIN)/python -m benchmarks.speed --output results/benchmarks.md $(BENCH)
	@cat results/benchmarks.md

clean:  ## remove everything made but the downloads
	find results -mindepth 1 -maxdepth 1 ! -name README.md ! -name downloads -exec rm -rf {} +
	rm -rf .snakemake
