# Doorcard. `make` alone says what there is.

# What is set, or set to nothing, in the environment or behind make; else the default.
override PYTHON := $(or $(strip $(PYTHON)),python3)
override HANDS := $(or $(strip $(HANDS)),20)
override GAMES := $(strip $(GAMES))
override SOAK_HANDS := $(or $(strip $(SOAK_HANDS)),10000)
override SEEDS := $(or $(strip $(SEEDS)),200)
override FROM := $(or $(strip $(FROM)),1)
override PROFILE := $(or $(strip $(PROFILE)),swarm)
override JOBS := $(or $(strip $(JOBS)),2)
override MINUTES := $(or $(strip $(MINUTES)),5)
BENCH ?=
TESTS ?=

VENV := .venv
INSTALLED := $(VENV)/.installed
CHECKERS := $(VENV)/.checkers
RUN := $(VENV)/bin/python -m
PYTEST := $(RUN) pytest --numprocesses auto --maxprocesses 4 --dist worksteal
CONSTRAINTS := requirements/constraints.txt
PIP_INSTALL := $(RUN) pip install --quiet --disable-pip-version-check --constraint $(CONSTRAINTS)

.DEFAULT_GOAL := help
.PHONY: help install run test soak-games simulate soak chaos check format bench constraints clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' Makefile | expand -t 20

install: $(INSTALLED) ## the environment in .venv, from constrained versions

run: $(INSTALLED) ## play through real workers: HANDS=20 a table (0: until Ctrl-C), GAMES=razz,five_card_stud
	@$(RUN) services up --hands $(HANDS)$(if $(GAMES), --games '$(GAMES)')

test: $(INSTALLED) ## the whole test suite, or TESTS=tests/engine
	$(PYTEST) $(TESTS)

soak-games: $(INSTALLED) ## SOAK_HANDS=10000 random hands of each game in each structure; an hour
	DOORCARD_GAME_HANDS=$(SOAK_HANDS) DOORCARD_DIFFERENTIAL_HANDS=2000 \
	  $(PYTEST) -o faulthandler_timeout=0 \
	  tests/games/test_random_play.py tests/games/test_differential_more.py

simulate: $(INSTALLED) ## play under faults by seed: SEEDS=200 FROM=1 PROFILE=swarm
	@$(RUN) tests.simulation --seeds $(SEEDS) --first $(FROM) --profile $(PROFILE)

soak: $(INSTALLED) ## the same for 20,000 seeds in JOBS=2 processes, a quarter of an hour
	@$(RUN) tests.simulation --seeds 20000 --first $(FROM) --profile $(PROFILE) --jobs $(JOBS)

chaos: $(INSTALLED) ## kill, cut and fill a real service: MINUTES=5 FROM=1
	@$(RUN) tests.chaos --seconds $$(($(MINUTES) * 60)) --seed $(FROM)

check: $(CHECKERS) ## formatting, lint, types and tests
	$(RUN) ruff format --check
	$(RUN) ruff check
	$(RUN) mypy
	$(RUN) pyright --project pyproject.toml --pythonpath $(VENV)/bin/python
	$(PYTEST)

format: $(CHECKERS) ## put the code into its format
	$(RUN) ruff format
	$(RUN) ruff check --fix

bench: $(INSTALLED) ## measure: BENCH="engine --json"; all of it if unset
	@$(VENV)/bin/doorcard bench $(BENCH)

constraints: ## take the newest versions that fit, for a reviewed change; with the oldest Python
	$(PYTHON) -m venv --clear build/newest
	build/newest/bin/python -m pip install --quiet '.[service,test,dev]'
	@sed '/^[^#]/d' $(CONSTRAINTS) > build/constraints.txt
	@build/newest/bin/python -m pip freeze --exclude doorcard >> build/constraints.txt
	@mv build/constraints.txt $(CONSTRAINTS)

clean: ## remove what the tools made; played hands in .doorcard stay
	rm -rf $(VENV) build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find shared services tests -name __pycache__ -type d -prune -exec rm -rf {} +

# Made anew whenever what it was made from has changed, so that nothing old lies in it. The
# build backend goes in first: without build isolation its version is the constrained one.
$(INSTALLED): pyproject.toml $(CONSTRAINTS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo \
	  "Doorcard needs Python 3.11 or newer; '$(PYTHON)' is: $$($(PYTHON) --version 2>&1)." \
	  "Name a newer one, as in: make PYTHON=python3.12 $(or $(MAKECMDGOALS),install)"; exit 1; }
	@echo "Installing into $(VENV); once, about a minute."
	@$(PYTHON) -m venv --clear $(VENV) > /dev/null 2>&1 || { \
	  rm -rf $(VENV) && $(PYTHON) -m venv --without-pip $(VENV) && \
	  $(PYTHON) -m pip --python $(VENV)/bin/python install --quiet pip; }
	@$(PIP_INSTALL) hatchling
	@$(PIP_INSTALL) --no-build-isolation --editable '.[service,test]'
	@touch $@

$(CHECKERS): $(INSTALLED)
	@echo "Installing the linter and the type checkers; once."
	@$(PIP_INSTALL) --no-build-isolation --editable '.[dev]'
	@touch $@
