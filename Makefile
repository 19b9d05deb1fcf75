# Headwater's commands. Each sets up what it needs first; once that is done it starts at once.

GPU ?=
LONG ?=
ARGS ?=
VENV := .venv$(if $(GPU),-$(GPU))
BIN := $(VENV)/bin
# An environment keeps the Python it was made with until another is named.
PYTHON ?= $(or $(wildcard $(BIN)/python),python3)

.DEFAULT_GOAL := help
PACKAGER := .venv-package$(if $(GPU),-$(GPU))/bin/python
.PHONY: help run test bench package package-test screenshots soak set-up-to-run set-up-to-test set-up-to-package python

help:
	@echo "make run             open the window (ARGS=model.gguf opens that model)"
	@echo "make test            check the code, then run the tests without a screen (LONG=1: the long ones too)"
	@echo "make bench           measure against bare llama.cpp (ARGS=--json prints one object)"
	@echo "make package         make what people install: a folder, and on Linux a .deb and a .tar.zst"
	@echo "make package-test    install, use and remove them in clean surroundings (Debian, as root)"
	@echo "make screenshots     take the pictures of the user's guide anew (ARGS='--of inference': those of the Lab)"
	@echo "make soak            use the window for an hour and measure (ARGS='--minutes 5' for less)"
	@echo "make help            show this"
	@echo ""
	@echo "PYTHON=python3.12    use that Python, 3.11 or newer"
	@echo "GPU=cuda             build for a device: cuda, metal or vulkan, in an environment of its own"
	@echo "ARGS='...'           hand these words to the program, to pytest or to the bench"

run: set-up-to-run
	@$(BIN)/python -m desktop $(ARGS)

test: set-up-to-test
	$(BIN)/ruff check --no-cache
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest $(if $(LONG),,-m "not long") $(ARGS)

bench: set-up-to-test
	@QT_QPA_PLATFORM=$${QT_QPA_PLATFORM:-offscreen} $(BIN)/python -m tests.bench $(ARGS)

package: set-up-to-package
	@$(PACKAGER) -m scripts.package $(GPU)

package-test:
	@$(PACKAGER) -m scripts.package_test $(ARGS)

screenshots: set-up-to-run
	@QT_QPA_PLATFORM=offscreen $(BIN)/python -m scripts.screenshots $(ARGS)

soak: set-up-to-run
	@QT_QPA_PLATFORM=offscreen $(BIN)/python -m scripts.soak $(ARGS)

set-up-to-run: python
	@$(PYTHON) -m scripts.setup run $(GPU)

set-up-to-test: python
	@$(PYTHON) -m scripts.setup test $(GPU)

set-up-to-package: python
	@$(PYTHON) -m scripts.setup package $(GPU)

python:
	@command -v $(PYTHON) >/dev/null || { echo "Headwater needs Python 3.11 or newer, and $(PYTHON) is not here. Debian: apt-get install python3. Fedora: dnf install python3. macOS: brew install python." >&2; exit 1; }
