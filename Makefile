# `make` alone lists the targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# MODELS=no leaves out torch and transformers.
MODELS ?= yes

REQUIREMENTS := requirements.txt requirements-models.txt

.PHONY: help setup setup-dev demo serve test truth bench clean

help:
	@echo "make setup   install Assay into .venv (MODELS=no: without torch)"
	@echo "make demo    rehearse a whole study on a simulated crowd and write its report"
	@echo "make test    format check, linter, types, import contracts, tests"
	@echo "make truth   measure what the intervals are worth (writes docs/validity.md)"
	@echo "make bench   run the benchmarks (writes docs/benchmarks.md)"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed-$(MODELS): $(REQUIREMENTS) | $(BIN)/python
	@echo "Installing into $(VENV) (once; a few minutes) ..."
ifeq ($(MODELS),no)
	grep -v '^-r ' requirements.txt > $(VENV)/requirements-slim.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r $(VENV)/requirements-slim.txt
else
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
endif
	@touch $@

$(VENV)/.installed-dev: requirements-dev.txt $(REQUIREMENTS) | $(BIN)/python
	@echo "Installing the development tools into $(VENV) (once; a few minutes) ..."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@ $(VENV)/.installed-yes

setup: $(VENV)/.installed-$(MODELS)

setup-dev: $(VENV)/.installed-dev
