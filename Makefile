# Two commands: `make run` trains and scores the default experiment, `make test` checks everything.
# `make help` lists the rest.

PYTHON ?= $(shell command -v python3.11 >/dev/null 2>&1 && python3.11 -c '' 2>/dev/null && echo python3.11 || (command -v python3.12 >/dev/null 2>&1 && python3.12 -c '' 2>/dev/null && echo python3.12) || echo python3)
# torch goes in before the lock, by version alone: a GPU server needs the CUDA build, a laptop may have a CPU one.
TORCH  ?= torch==2.13.0
# nproc would take the threads of one program for the number of cores.
CORES  ?= $(shell env -u OMP_NUM_THREADS nproc 2>/dev/null || sysctl -n hw.ncpu)
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
# Only what needs no other sources than these (measures of the paper, and scores): PARTS=counts,frequencies
PARTS ?=
# For the plan alone: gpu or cpu; without it, what is here
DEVICE ?=
# and how many trainings are under way at once; without it, as many as this machine takes
AT_ONCE ?=
MACHINE = $(if $(DEVICE),--device $(DEVICE)) $(if $(AT_ONCE),--at-once $(AT_ONCE))
# Further settings, as for snakemake's --config: ARGS="mirror=../mirror"
ARGS ?=
SETTINGS = $(if $(SCALE),scale=$(SCALE)) $(if $(PARTS),'parts=[$(PARTS)]') $(ARGS)
# The plan is of an experiment, as `make run` is, unless a paper or a part of one is named.
A_PAPER := $(if $(filter file,$(origin EXPERIMENT)),$(strip $(filter-out file,$(origin PAPER)) $(SCALE) $(PARTS)))
PLANNED = $(if $(A_PAPER),papers/$(PAPER)/experiment.yaml,$(EXPERIMENT))
CHANGED = $(strip $(if $(A_PAPER),$(SETTINGS),$(ARGS)))

.PHONY: help env run demo results watch paper plan test test-pipeline test-library test-deployment test-faults test-papers test-fast lint format hooks docs lock environments bench wheel test-wheel clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-15s %s\n", $$1, $$2}'
	@echo
	@echo "  make run EXPERIMENT=config/experiments/multi30k.yaml     another experiment"
	@echo "  snakemake targets (in $(BIN)): all (default), data, segmentation, training, scores; snakemake -n shows what would run"

env: $(READY)  ## install everything into .venv, from the lock

$(READY): $(LOCKS) Makefile pyproject.toml packages/subwords/pyproject.toml packages/subwords/setup.py $(wildcard packages/subwords/src/subwords/core/*.p*)
	@tools/check_tools.sh "$(PYTHON)"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet pip==26.3
	$(BIN)/python -m pip install --quiet $(TORCH)
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes --build-constraint requirements/build.txt -r requirements/requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes --build-constraint requirements/build.txt -r requirements/fairseq.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable packages/subwords --editable .
	@touch $@

run: env  ## run the experiment (default: the demo) and print its table
	@$(BIN)/python scripts/run_experiment.py --cores $(CORES) --configfile $(EXPERIMENT) $(if $(strip $(ARGS)),-- --config $(ARGS))

paper: env  ## make a paper's tables: make paper PAPER=hft SCALE=smoke|reduced|full (hft: cpu)
	@$(BIN)/python scripts/run_experiment.py --cores $(CORES) --configfile papers/$(PAPER)/experiment.yaml $(if $(strip $(SETTINGS)),-- --config $(SETTINGS))

demo: env  ## all segmentations of the demo with three seeds (two to three hours of two cores)
	@$(MAKE) run EXPERIMENT=config/experiments/demo-all.yaml

plan: env  ## what will be run: make plan EXPERIMENT=FILE, or make plan PAPER=hft SCALE=full
	@$(BIN)/python scripts/plan_experiment.py --configfile $(PLANNED) $(if $(CHANGED),--config $(CHANGED)) $(MACHINE)

test: env lint  ## lint, and all tests but those of papers and deployment; with tiny real experiments
	@$(MAKE) --no-print-directory --jobs 2 test-pipeline test-library

test-fast: env  ## the tests without real trainings
	@$(MAKE) --no-print-directory --jobs 2 test-pipeline test-library FAST=yes

# Both at the same time: three processes for two cores, so that no core is idle while one of them waits. A fourth was slower.
# Each with one thread, else those of numpy and torch wait for each other.
test-pipeline test-library: export OMP_NUM_THREADS = 1

test-pipeline:
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder \
	    $(if $(FAST),--hypothesis-profile=fast -m "not slow and not papers and not deployment")

test-library:
	cd packages/subwords && ../../$(BIN)/python -m pytest -n 0 $(if $(FAST),--hypothesis-profile=fast -m "not slow")

# Clusters have the machine to themselves: some of their jobs must run out of time, and the others must not.
CLUSTERS := $(addprefix tests/deployment/test_,slurm.py generic_cluster.py)
OTHERS := -n 2 --dist loadfile tests/deployment $(addprefix --ignore=,$(CLUSTERS))
# What a busy machine fails has a second try.
DEPLOYMENT := $(BIN)/python -m pytest -m deployment --verbose

test-deployment: env  ## a real Slurm, another scheduler, conda environments, and faults: kills, full disks, damaged files
	$(DEPLOYMENT) $(CLUSTERS) || $(DEPLOYMENT) --last-failed $(CLUSTERS)
	$(DEPLOYMENT) $(OTHERS) || $(DEPLOYMENT) --last-failed $(OTHERS)

# How many kills, and the seed of their times: make test-faults KILLS=200 SEED=2
KILLS ?= 25
SEED ?= 1
FAULTS := $(addprefix tests/deployment/test_,damage.py disks.py hostile_input.py kills.py)

test-faults: env  ## the faults alone; the long form: make test-faults KILLS=200 SEED=2
	KILLS=$(KILLS) SEED=$(SEED) $(BIN)/python -m pytest -n 2 --dist loadfile -m deployment --verbose $(FAULTS)

test-papers: env  ## all five papers at smoke scale, from end to end (minutes each)
	$(BIN)/python -m pytest -m papers --exitfirst --verbose

lint: env  ## ruff, mypy, snakefmt, snakemake --lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check workflow
	$(BIN)/snakemake --lint
	$(BIN)/snakemake --lint --configfile papers/volt/experiment.yaml

format: env  ## format all code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt workflow

TOOLS := .venv-tools

$(TOOLS)/.installed: requirements/tools.lock
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip install --quiet --no-deps --require-hashes -r requirements/tools.lock
	@touch $@

hooks: env $(TOOLS)/.installed  ## check each commit before it is made: ruff, snakefmt, mypy
	$(TOOLS)/bin/pre-commit install

docs: $(TOOLS)/.installed  ## the documentation site, in results/site; stops at a broken link
	NO_MKDOCS_2_WARNING=1 $(TOOLS)/bin/mkdocs build --strict
	@echo "results/site/index.html"

lock:  ## update the locks from requirements/*.in (needs uv)
	tools/make_lock.sh

environments: env  ## write envs/*.yaml from the lock and requirements/environments.yaml
	$(BIN)/python tools/make_environments.py

bench: env  ## speed beside the peers, of segmentation and of training, in results/ (over an hour; BENCH="--texts small": minutes)
	$(BIN)/python -m benchmarks.speed --output results/benchmarks.md $(BENCH)
	$(BIN)/python -m benchmarks.training --output results/benchmarks-training.md $(if $(MIRROR),--mirror $(MIRROR))
	@cat results/benchmarks.md results/benchmarks-training.md

wheel: env  ## build the segmentation library's wheel, in packages/subwords/dist
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir packages/subwords/dist packages/subwords
	@ls packages/subwords/dist/*.whl

ALONE := packages/subwords/dist/alone

test-wheel: wheel  ## the library's tests with its wheel installed alone, in an environment without this project
	rm -rf $(ALONE)
	$(PYTHON) -m venv $(ALONE)
	$(ALONE)/bin/python -m pip install --quiet "$$(ls -t packages/subwords/dist/*.whl | head -1)[test]"
	cp -r packages/subwords/tests packages/subwords/pyproject.toml packages/subwords/README.md $(ALONE)
	cd $(ALONE) && bin/python -m pytest tests -m "not slow"

# Not deleted by default: downloads, text, pieces and trainings, found by their keys. And never what people judge, whose
# keys cannot be made again, nor the conda environments.
STORE := downloads corpora segmented runs used
TRAININGS ?= no

results: env  ## what is in results/: size, age, experiments that use it
	@$(BIN)/python scripts/results.py ls

watch: env  ## the trainings that are running
	@$(BIN)/python scripts/results.py watch

clean:  ## remove tables, reports and logs; with TRAININGS=yes also text, pieces and trainings (never downloads)
	find results/ -mindepth 1 -maxdepth 1 ! -name README.md ! -name papers $(foreach folder,$(STORE),! -name $(folder)) -exec rm -rf {} +
	find results/ -mindepth 4 -maxdepth 4 -path 'results/papers/*' ! -name human_evaluation -exec rm -rf {} +
	$(if $(filter yes,$(TRAININGS)),rm -rf $(foreach folder,$(filter-out downloads,$(STORE)),results/$(folder)))
	rm -rf $(filter-out .snakemake/conda%,$(wildcard .snakemake/*))
