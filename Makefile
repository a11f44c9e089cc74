# The project's commands; `make` alone lists them. Each sets up .venv first if need be (see CONTRIBUTING.md, "Set-up").

SHELL := /bin/bash
BIN := .venv/bin
# The models here are too small for BLAS threads: they only take the processors from each other.
export OPENBLAS_NUM_THREADS ?= 1

# make crank SET="revolutions=6 damping=2e-3"    make test ARGS="-k beam"
SET ?=
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help base setup crank test test-slow check format docs doctor bench browser kernels three validation laws wheel numba clean distclean

help: ## what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

base:
	@bash tools/setup.sh

setup: ## install everything into .venv (once; every other command installs what it needs by itself)
	@bash tools/setup.sh test lint

crank: base ## run the spatial crank mechanism, ideal and with joint clearance, and draw its figures
	$(BIN)/fem-mbd run crank_mechanism --set case=1 $(SET) --progress
	$(BIN)/fem-mbd run crank_mechanism --set case=2 steps=printed friction_point=printed $(SET) --progress
	$(BIN)/fem-mbd run crank_mechanism --set case=2 $(SET) --progress

test: setup kernels ## run the tests (on all processors), but for slow ones
	$(BIN)/python -m pytest -n auto --dist worksteal --durations=15 -m "not slow and not study" $(ARGS)

test-slow: setup kernels ## run the slow tests: validation problems, studies, pages, damaged files, fresh processes
	$(BIN)/python -m pytest -n auto --dist worksteal --durations=15 -m "slow and not study" $(ARGS)

check: setup ## linter, formatting, types, direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup ## put the code into the project's format, sort imports
	$(BIN)/ruff check --select I --fix
	$(BIN)/ruff format

docs: ## build the documentation with the API reference into build/docs
	@bash tools/setup.sh test lint docs
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs build/docs

doctor: base ## versions, PETSc's solvers, and what to install for what is missing
	@$(BIN)/fem-mbd doctor

bench: ## the benchmarks, side by side with Exudyn (which this installs)
	@bash tools/setup.sh test lint bench
	$(BIN)/python -m benchmarks $(ARGS)

browser: ## a Chromium for the tests of the moving picture, where the machine lets us install one
	@bash tools/setup-browser.sh

kernels: base ## compile the kernels that have changed (runs and tests do so by themselves)
	@$(BIN)/python -m fem_mbd.core.compiled.build --derivatives

three: ## make the viewer's three.js anew from its npm package (needs node)
	bash tools/three/build.sh

validation: setup ## solve the validation problems anew and write docs/reference/validation.md; ARGS="NAME" for one
	$(BIN)/python -m tests.validation $(ARGS)

laws: setup ## run all laws on their probes and write docs/reference/laws.md and its figures
	$(BIN)/python tools/laws_page.py

wheel: setup ## build a wheel with compiled kernels into dist/, by .venv's numba, and try it in a bare environment
	rm -f dist/*.whl
	$(BIN)/python -m pip wheel --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist .
	@bash tools/test-wheel.sh dist/*.whl

numba: setup ## build small libraries with the oldest and the newest numba that setup.cfg allows
	@bash tools/test-numba.sh

clean: ## remove caches and builds (compiled kernels too)
	rm -rf build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage htmlcov
	find . -path ./.venv -prune -o -type d -name __pycache__ -print0 | xargs -0 -r rm -rf

distclean: clean ## remove .venv as well
	rm -rf .venv
