# Every command does its own set-up; see CONTRIBUTING.md.
.PHONY: dev clean
PY ?= python3

dev: ## developer build for one or several interpreters: make dev PY="python3.11 python3.12"
	tools/dev.sh $(PY)

clean:
	rm -rf build framejit/*.so
