# make chat   set up if need be, and talk          make test   lint, types, import rules and the whole suite
# make lint   the first three                      make setup  only the environment
# make lock   both lock files anew (needs uv)      make clean  remove the environment and caches
# PYTHON=/path/to/python3 says which Python; ARGS="…" goes on to the command. Windows: py -3 .ci/setup.py chat

TARGETS := chat test lint setup lock clean
.PHONY: $(TARGETS)

# The environment's own Python first: it is there whenever there is nothing to set up.
$(TARGETS):
	@if [ -n "$$PYTHON" ]; then set -- "$$PYTHON"; \
	else set -- .venv/bin/python python3 python3.14 python3.13 python3.12 python3.11 python; fi; \
	for p in "$$@"; do \
	  "$$p" -ISc 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	    && exec "$$p" -IS .ci/setup.py $@ $(ARGS); \
	done; \
	if [ -z "$$PYTHON" ] && uv --version >/dev/null 2>&1; then \
	  exec uv run -q --no-project --python '>=3.11' .ci/setup.py $@ $(ARGS); fi; \
	echo "Ebb needs Python 3.11 or later$${PYTHON:+, and $$PYTHON is none}. Install it, or say where it is:" \
	  "make $@ PYTHON=/path/to/python3" >&2; exit 1
