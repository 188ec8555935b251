# `make up` starts Foldline, `make test` tests it. Both make what is missing first, and skip what is done.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
# Containers often set it; each program that is started here would then compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
STAMPS := .make
MEMBERS := $(patsubst %/pyproject.toml,%,$(wildcard libs/*/pyproject.toml services/*/pyproject.toml packs/*/pyproject.toml apps/*/pyproject.toml))
UI := services/ui
UI_SOURCES := $(shell find $(UI)/src $(UI)/public -type f 2>/dev/null) $(wildcard $(UI)/*.html $(UI)/*.ts $(UI)/*.json)
REPORTS := $(STAMPS)/reports
PYTEST ?= $(BIN)/pytest
WORKERS ?= auto
# Whose tests `make unit` runs, such as UNITS="libs services/gateway".
UNITS ?= libs services packs apps
# Leaves out what tests/slow.txt names; with FAST= nothing.
FAST ?= --fast
# Of the long tests: `all`, or one share such as 2/6.
SHARE ?= $(shell scripts/test-share)
# Each worker collects the files that it is given: only those that have some.
FAULTS = $(shell grep -rl --include='test_*.py' --exclude-dir=node_modules 'mark\.faults' libs services packs apps tests/deploy tests/e2e tests/recorded)
REAL_MODEL = $(PYTEST) tests/real_model -n 0 --timeout 3600
# Members' tests for mypy, as packages of different names: as files alone, each conftest.py would be the same module.
TYPED_TESTS := $(STAMPS)/tests

.PHONY: help setup up test screenshots unit faults proxies check fmt lint types bench bench-peers chaos soak again clean contracts api-examples record mcp-conformance lock chromium sandbox-guest real-model

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 18

setup: $(STAMPS)/python $(STAMPS)/node_modules ## install what is locked: .venv, Node and the UI's packages
	@echo "Ready. \`make unit\` runs the fast tests, \`make up\` starts Foldline."

up: $(STAMPS)/python $(STAMPS)/ui ## start Foldline and print its link
	@$(BIN)/foldline up $(ARGS)

test: $(STAMPS)/python $(STAMPS)/ui $(STAMPS)/chromium $(STAMPS)/bubblewrap $(STAMPS)/prometheus $(STAMPS)/proxies $(STAMPS)/api-clients-installed ## run every short test and a share of the long ones (SHARE=all: all of them)
	@status=0; \
	$(PYTEST) --share $(SHARE) -n $(WORKERS) --dist loadgroup -m "not faults and not chaos and not soak" $(ARGS) || status=1; \
	(cd $(UI) && $(NODE_PATH) npm test --silent -- $(UI_ARGS)) || status=1; \
	exit $$status

screenshots: $(STAMPS)/python $(STAMPS)/ui $(STAMPS)/chromium ## take pictures of every view, at three widths, light and dark
	SCREENSHOTS=1 $(PYTEST) tests/e2e/test_every_view.py tests/e2e/test_every_addition.py -n 0 $(ARGS)
	@echo "Look at tests/e2e/screenshots/views"

unit: $(STAMPS)/python ## run the fast tests (UNITS=libs: only those of libs; FAST= with the slower ones)
	$(PYTEST) $(UNITS) $(FAST) -n $(WORKERS) --dist loadgroup -m "not processes and not browser and not long and not faults and not chaos and not soak" $(ARGS)

faults: $(STAMPS)/python $(STAMPS)/ui $(STAMPS)/chromium $(STAMPS)/strace $(STAMPS)/faketime $(STAMPS)/bubblewrap $(STAMPS)/prometheus ## run a share of the tests with kills, attacks and floods (SHARE=all: all of them)
	$(PYTEST) $(FAULTS) --share $(SHARE) -n $(WORKERS) --dist loadgroup -m "faults and not chaos and not soak" $(ARGS)

proxies: $(STAMPS)/python $(STAMPS)/proxies ## try the configurations of docs/operate/proxy.md with nginx and Caddy
	$(PYTEST) tests/e2e/test_proxies.py -n 0 $(ARGS)

again: $(STAMPS)/python ## run the tests that failed in CI's last run once more, one at a time
	@status=0; \
	scripts/failed-tests --none $(REPORTS)/test.xml $(REPORTS)/faults.xml || \
	  $(PYTEST) -n 0 --last-failed --last-failed-no-failures none $(ARGS) || status=1; \
	scripts/failed-tests --none $(REPORTS)/mcp.xml || $(PYTEST) tests/mcp_conformance -n 0 || status=1; \
	[ ! -e $(REPORTS)/real.xml ] || scripts/failed-tests --none $(REPORTS)/real.xml || $(REAL_MODEL) || status=1; \
	scripts/failed-tests --none $(REPORTS)/ui.xml || (cd $(UI) && $(NODE_PATH) npm test --silent) || status=1; \
	exit $$status

check: lint types generated ## run what CI checks besides the tests

.PHONY: generated collected lint-python lint-ui types-python types-ui
collected: $(STAMPS)/python  # what pytest makes of a test file is kept: its workers need not make it five times
	@said=$$($(PYTEST) --share $(SHARE) -n 0 --collect-only -qq) || { echo "$$said"; exit 1; }

generated: $(STAMPS)/python $(STAMPS)/ui
	@$(BIN)/python -m agent_contracts.asyncapi | cmp - docs/asyncapi.yaml || { echo "docs/asyncapi.yaml is not what the types say: make contracts"; exit 1; }
	@$(BIN)/python -m gateway.http.errors_page | cmp - docs/api/errors.md || { echo "docs/api/errors.md is not what the source says: make contracts"; exit 1; }
	scripts/adr-index --check
	$(BIN)/python scripts/log-events --check
	cd $(UI) && $(NODE_PATH) npm run --silent contracts:check
	cd $(UI) && $(NODE_PATH) npm run --silent first-load
	@! grep -nE 'https?://' requirements*.lock $(UI)/package-lock.json || { echo "a lock file names an address"; exit 1; }

lint: lint-python lint-ui ## run ruff, import-linter and biome

lint-python: $(STAMPS)/python
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

lint-ui: $(STAMPS)/node_modules
	cd $(UI) && $(NODE_PATH) npm run --silent lint

types: types-python types-ui ## run mypy and tsc, both strict

types-python: $(STAMPS)/python
	@rm -rf $(TYPED_TESTS) && mkdir -p $(TYPED_TESTS)
	@$(foreach folder,$(wildcard $(addsuffix /tests,$(MEMBERS))),ln -s ../../$(folder) $(TYPED_TESTS)/tests_of_$(subst -,_,$(notdir $(patsubst %/tests,%,$(folder))));)
	$(BIN)/mypy $(addsuffix /src,$(MEMBERS)) bench tests $(TYPED_TESTS)

types-ui: $(STAMPS)/node_modules
	cd $(UI) && $(NODE_PATH) npm run --silent types

fmt: $(STAMPS)/python $(STAMPS)/node_modules ## format all code
	$(BIN)/ruff check --fix -q . || true
	$(BIN)/ruff format .
	cd $(UI) && $(NODE_PATH) npm run --silent fmt

bench: $(STAMPS)/python ## measure, print a table, write bench/results/latest.json
	$(BIN)/python -m bench $(ARGS)

bench-peers: $(STAMPS)/python $(STAMPS)/node ## measure other runtimes for comparison
	$(BIN)/python -m bench.peers $(ARGS)

chaos: $(STAMPS)/python $(STAMPS)/strace ## run the long fault tests
	$(PYTEST) services tests/chaos -m chaos --timeout 3600 $(ARGS)

soak: $(STAMPS)/python ## run the tests of very many steps
	$(PYTEST) libs services tests/e2e tests/chaos -m soak --timeout 7200 $(ARGS)

mcp-conformance: $(STAMPS)/python $(STAMPS)/mcp-conformance-suite ## run MCP's conformance suite and the TypeScript SDK against /mcp and mcp-host
	$(PYTEST) tests/mcp_conformance -n $(WORKERS) --dist loadfile $(ARGS)

real-model: $(STAMPS)/python $(STAMPS)/ui $(STAMPS)/real-model-installed ## run chats with real models on llama.cpp and through litellm's proxy
	@$(MAKE) --silent $(STAMPS)/litellm-proxy-installed || echo "Tests of litellm's proxy are skipped: it can't be installed."
	$(REAL_MODEL) $(ARGS)

record: $(STAMPS)/python ## record the sessions of tests/recorded again, and list what differs
	@$(BIN)/python -m foldline_testing.product.recorded tests/recorded $(ARGS)

api-examples: $(STAMPS)/python $(STAMPS)/ui $(STAMPS)/chromium $(STAMPS)/bubblewrap ## call every operation of a running Foldline, and record an example of each
	@$(BIN)/python -m foldline_testing.product.api_examples services/gateway/src/gateway/http/openapi_examples.json

contracts: $(STAMPS)/python $(STAMPS)/node_modules ## generate AsyncAPI, the UI's types and the index of decisions
	$(BIN)/python -m agent_contracts.asyncapi > docs/asyncapi.yaml
	$(BIN)/python -m foldline_testing.agent_tools.ports_page > docs/extend/ports.md
	$(BIN)/python -m foldline_testing.product.interfaces_page > docs/extend/interfaces.md
	$(BIN)/python -m gateway.http.errors_page > docs/api/errors.md
	scripts/adr-index
	$(BIN)/python scripts/log-events
	cd $(UI) && $(NODE_PATH) npm run --silent contracts

sandbox-guest: $(STAMPS)/python $(STAMPS)/node ## rebuild what runs in the sandbox (the result is committed)
	$(NODE_PATH) services/tool-runner/sandbox-guest/build $(CURDIR)/$(BIN)/python

lock: $(STAMPS)/python ## rebuild requirements.lock (needs uv on PATH)
	uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --no-annotate \
	  $(foreach member,$(MEMBERS),--no-emit-package $(if $(filter packs/%,$(member)),foldline-)$(subst _,-,$(notdir $(member)))) \
	  --extra litellm --group pyproject.toml:build --group pyproject.toml:test --group pyproject.toml:lint \
	  pyproject.toml --output-file requirements.lock > /dev/null
	$(BIN)/python deploy/generate.py

clean: ## remove what make installed and built (your data stays)
	rm -rf .venv $(STAMPS) $(UI)/node_modules $(UI)/dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(STAMPS)/python: requirements.lock pyproject.toml $(addsuffix /pyproject.toml,$(MEMBERS))
	@scripts/setup-python "$(or $(PYTHON),$$(scripts/choose-python))" $(MEMBERS)
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/node: $(STAMPS)/python requirements-node.lock
	@scripts/setup-node
	@touch $@

$(STAMPS)/node_modules: $(STAMPS)/node $(UI)/package-lock.json $(UI)/package.json
	@echo "Installing the UI's packages ..."
	@cd $(UI) && $(NODE_PATH) npm ci --silent --no-fund --no-audit
	@touch $@

$(STAMPS)/ui: $(STAMPS)/node_modules $(UI_SOURCES)
	@echo "Building the UI ..."
	@cd $(UI) && $(NODE_PATH) npm run --silent build
	@touch $@

$(STAMPS)/mcp-conformance-suite: $(STAMPS)/python tests/mcp_conformance/package-lock.json requirements-node.lock
	@scripts/setup-mcp-conformance
	@touch $@

$(STAMPS)/api-clients-installed: $(STAMPS)/node requirements-api-clients.lock tests/api_clients/package-lock.json
	@scripts/setup-api-clients
	@touch $@

$(STAMPS)/real-model-installed: $(STAMPS)/python requirements-real-model.lock scripts/setup-real-model
	@scripts/setup-real-model
	@touch $@

$(STAMPS)/litellm-proxy-installed: $(STAMPS)/python requirements-litellm-proxy.lock scripts/setup-litellm-proxy
	@scripts/setup-litellm-proxy
	@touch $@

$(STAMPS)/chromium: $(STAMPS)/python
	@scripts/setup-chromium
	@touch $@

$(STAMPS)/strace: $(STAMPS)/python
	@scripts/setup-from-apt strace strace "the tests of power cuts"
	@touch $@

$(STAMPS)/faketime: $(STAMPS)/python
	@scripts/setup-from-apt faketime faketime "the tests of clocks that are set"
	@touch $@

$(STAMPS)/bubblewrap: $(STAMPS)/python
	@scripts/setup-from-apt bwrap bubblewrap "the tests of commands in namespaces of their own"
	@touch $@

$(STAMPS)/prometheus: scripts/unpack-from-apt
	@mkdir -p $(STAMPS)
	@scripts/unpack-from-apt prometheus "the tests of alert rules and the dashboard" prometheus promtool
	@touch $@

$(STAMPS)/proxies: scripts/unpack-from-apt
	@mkdir -p $(STAMPS)
	@scripts/unpack-from-apt nginx "the tests behind nginx" nginx
	@scripts/unpack-from-apt caddy "the tests behind Caddy" caddy
	@touch $@

# The wheel's Node, where the system has none that is new enough, is put into .venv/bin.
NODE_PATH := PATH="$(CURDIR)/.venv/node/bin:$$PATH"
