# `make` alone lists the targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# MODELS=no leaves out torch and transformers.
MODELS ?= yes
# Tests wait for sockets and browsers as much as for the processor: one more process than cores.
PROCESSES ?= 3

# `python -m metrics` works from any folder.
define ON_PATH
import pathlib, sysconfig
pathlib.Path(sysconfig.get_path("purelib"), "assay.pth").write_text("$(CURDIR)\n")
endef
export ON_PATH

REQUIREMENTS := requirements.txt requirements-models.txt

.PHONY: help setup setup-dev demo serve start test check check_reports kinds types suite coverage truth api draws pay people faults pairs messages bench package test_wheel release audit notebooks snippets docs replicate screenshots clean

help:
	@echo "make setup   install Assay into .venv (MODELS=no: without torch)"
	@echo "make demo    measure what the four papers measure, on a simulated crowd, beside the known truth"
	@echo "make serve   the console, the marketplace, the worker site and the work loop on this machine (SERVE=\"--port 0\")"
	@echo "make start   an installation for people elsewhere (HOSTS=study.example.org,tasks.example.org CONTACT=ada@example.org)"
	@echo "make test    format check, linter, types, import contracts, tests"
	@echo "make check   the same without the tests"
	@echo "make coverage how much of the metrics and the verbs the tests reach"
	@echo "make pairs   who lacks a requirement is refused before they agree: all presets, channels and requirements"
	@echo "make check_reports  hold what reports state of 100 random studies against the rows of the database"
	@echo "make kinds   each kind of task in a browser: from its card to a rehearsed report, and its page in every way (CHROMIUM=path)"
	@echo "make truth   measure what the intervals are worth (writes docs/validity.md, docs/quality.md, docs/people.md)"
	@echo "make api     write docs/api from the docstrings"
	@echo "make faults  kill, drop, lose, restart: what must be 0 is counted (writes docs/reliability.md, docs/prolific-faults.md)"
	@echo "make draws   10,000 simulated people come to a study of four conditions (writes docs/draws.md)"
	@echo "make pay     1,000 simulated people read what tasks pay, and are paid (writes docs/pay.md)"
	@echo "make people  24 people in browsers take part in two live studies; a reviewer decides 100 (CHROMIUM=path)"
	@echo "make package  the wheel and the source archive of textassay (into dist)"
	@echo "make test_wheel  the suite of the measures against the installed wheel, away from this checkout (PYTEST: words)"
	@echo "make release  wheel, source archive, site, bill of materials and checksums (into dist); prints the tag's command"
	@echo "make audit   known vulnerabilities of the pinned packages, where advisories can be reached (AUDIT=--offline-fails)"
	@echo "make notebooks  run the notebooks of docs/notebooks and store what they show (NOTEBOOKS: names)"
	@echo "make snippets  type the commands of README.md and docs as their readers do (PAGES: names)"
	@echo "make docs    build the documentation site and serve it on this machine (DOCS=\"\": build alone)"
	@echo "make replicate DATA=FOLDER  compute published figures from their data (writes docs/replication.md)"
	@echo "make bench   run the benchmarks, or BENCH=\"bench_huse ...\" (writes docs/benchmarks.md)"
	@echo "make screenshots  every page and figure, at 360, 768 and 1,440 px, light and dark (CHROMIUM=path; SHOTS: names, or --docs: the pictures of docs, or reports: every kind of report)"

# The pip that comes with Python 3.11 needs a minute of a core to choose the versions, a new one a quarter of it.
$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip

$(VENV)/.installed-$(MODELS): $(REQUIREMENTS) | $(BIN)/python
	@echo "Installing into $(VENV) (once; a few minutes) ..."
ifeq ($(MODELS),no)
	grep -v '^-r ' requirements.txt > $(VENV)/requirements-slim.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r $(VENV)/requirements-slim.txt
else
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
endif
	@$(BIN)/python -c "$$ON_PATH"
	@touch $@

$(VENV)/.installed-dev: requirements-dev.txt $(REQUIREMENTS) | $(BIN)/python
	@echo "Installing the development tools into $(VENV) (once; a few minutes) ..."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@$(BIN)/python -c "$$ON_PATH"
	@touch $@ $(VENV)/.installed-yes

setup: $(VENV)/.installed-$(MODELS)

setup-dev: $(VENV)/.installed-dev

demo: setup
	@$(BIN)/python -m annotation.rehearsal $(DEMO)

serve: setup
	@$(BIN)/python manage.py migrate --verbosity 0
	@$(BIN)/python manage.py serve --work --demo $(SERVE)

# An installation for people elsewhere: docs/operating.md.
start: setup
	@$(BIN)/python -m deploy start --hosts "$(HOSTS)" --contact "$(CONTACT)" $(START)

# Formatter and linter answer in seconds; types and contracts, which need one core for a minute, go beside the tests.
test: setup-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	@$(MAKE) --no-print-directory -j2 types suite

check: setup-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	@$(MAKE) --no-print-directory types

types:
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

# PostgreSQL and Redis tests run where TEST_POSTGRES_URL and TEST_REDIS_URL say so; elsewhere the run says they did not.
suite:
	$(BIN)/python -m pytest -n $(PROCESSES)
ifdef TEST_POSTGRES_URL
	DATABASE_URL=$(TEST_POSTGRES_URL) $(BIN)/python -m pytest -n $(PROCESSES) -m database
else
	@echo "Not run: the database tests on PostgreSQL (set TEST_POSTGRES_URL=postgres://user@host/name)."
endif
ifndef TEST_REDIS_URL
	@echo "Not run: the queue tests on Redis (set TEST_REDIS_URL=redis://host:6379/0)."
endif

# Some minutes: each kind of task in a browser, from its card to a rehearsed report; make test has two of them.
kinds: setup-dev
	ASSAY_ALL_KINDS=1 $(BIN)/python -m pytest -n 0 -s tests/annotation/console/test_kind_walks.py tests/marketplace/framed/test_kind_pages.py

# How much of the metrics and the verbs the tests reach.
coverage: setup-dev
	$(BIN)/python -m pytest -n $(PROCESSES) --cov --cov-report=term:skip-covered tests/metrics tests/annotation tests/rehearsal

# Long; studies stay in var/truth and their counts in tests/benchmarks/simulation_studies/kept, so a stopped run goes on.
truth: setup
	$(BIN)/python -m tests.benchmarks.people_at_work
	$(BIN)/python -m tests.benchmarks.bench_evidence
	$(BIN)/python -m tests.benchmarks.bench_desk 10000
	$(BIN)/python -m tests.benchmarks.simulation_studies.quality
	$(BIN)/python -m tests.benchmarks.simulation_studies $(TRUTH)

# The pages of docs/api come from the docstrings.
api: setup
	$(BIN)/python docs/make_api.py

# The words of the worker's pages, for translators (annotation/marketplace/locale), and what they translated, compiled.
messages: setup
	cd annotation/marketplace && ../../$(BIN)/python ../../manage.py makemessages --all --no-location --no-wrap
	cd annotation/marketplace && ../../$(BIN)/python ../../manage.py compilemessages

# Every preset, kind of channel and requirement that somebody lacks: refused before they agree. About a minute.
pairs: setup-dev
	ASSAY_ALL_PAIRS=1 $(BIN)/python -m pytest -q -n auto tests/marketplace/channels/test_refused_before_consent.py

# What reports state against the rows of the database, of 100 random studies and 31 of further tasks and odd outcomes;
# some minutes.
check_reports: setup-dev
	ASSAY_ALL_REPORTS=100 $(BIN)/python -m pytest -q -n auto tests/report_checker

# Long; needs the programs of PostgreSQL, Redis and libfaketime, and as root small disks; starts its own servers.
faults: setup
	$(BIN)/python -m tests.faults $(FAULTS)
	$(BIN)/python -m tests.faults.installed
	$(BIN)/python -m tests.faults.outside
	$(BIN)/python -m tests.faults.on_prolific --runs 1000

# Three minutes: 24 people in browsers of their own, in each of two studies; a reviewer decides a hundred by keyboard.
people: setup-dev
	ASSAY_PEOPLE=24 $(BIN)/python -m pytest -n 0 tests/annotation/console/test_live_study.py
	ASSAY_REVIEWED_PEOPLE=100 $(BIN)/python -m pytest -n 0 tests/annotation/console/test_review_browser.py

# Ten minutes; on PostgreSQL too where TEST_POSTGRES_URL names a server.
draws: setup-dev
	$(BIN)/python -m tests.benchmarks.arrivals $(DRAWS)

# Some minutes; on PostgreSQL too where TEST_POSTGRES_URL names a server.
pay: setup-dev
	$(BIN)/python -m tests.benchmarks.pay_as_shown $(PAY)

# The folder holds the data sets that docs/replication.md names; they are not part of Assay.
replicate: setup-dev
	$(BIN)/python -m tests.benchmarks.replication $(DATA)

# Built from docs and the code into build/site, without a warning and without the network; the console shows it as help.
DOCS ?= --serve 8100
docs: setup-dev
	$(BIN)/python -m docs.make_site $(DOCS)

# Ten minutes: the wheel is installed into an empty environment, and each page gets an empty folder and servers.
snippets: setup-dev
	$(BIN)/python -m tests.docs.snippets $(PAGES)

package: setup-dev
	$(BIN)/python -m hatchling build -t sdist -t wheel

# Ten minutes and more: tests/metrics once again, with the names of the installed package and without this checkout.
test_wheel: setup-dev
	$(BIN)/python -m tests.distribution.suite -n $(PROCESSES) $(PYTEST)

# Of a checkout without changes. Nothing is tagged, pushed or uploaded.
release: setup-dev
	$(BIN)/python -m distribution.release $(RELEASE)

# Asks PyPI for advisories. Where it cannot be reached, it says that no check was made, and ends with 0.
audit: setup-dev
	$(BIN)/python -m distribution.audit $(AUDIT)

# Two minutes. The tests run them with less data and without Jupyter.
notebooks: setup-dev
	$(BIN)/python -m docs.run_notebooks --write $(NOTEBOOKS)

bench: setup
	$(BIN)/python -m tests.benchmarks $(BENCH)

screenshots: setup-dev
	$(BIN)/python -m tests.screenshots $(SHOTS)

clean:
	rm -rf var .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
