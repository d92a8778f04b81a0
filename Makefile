# Every command does its own set-up (virtual environment, packages, build). The work is in tools/tasks; see CONTRIBUTING.md.
.PHONY: help demo check lint sanitize bench fuzz dev clean
PYTHON ?= python3
TASKS := $(PYTHON) tools/tasks

help:
	@$(TASKS) || true

demo check bench fuzz sanitize:
	@$(TASKS) $@ $(ARGS)

lint: ## FIX=1 rewrites instead of complaining
	@$(TASKS) lint $(if $(FIX),--fix)

dev: ## developer build for one or several interpreters: make dev PY="python3.11 python3.12"
	@tools/dev.sh $(PY)

clean:
	rm -rf build dist framejit/*.so framejit/_C
