# Short names for `python3 dev.py …`, which does all its own set-up.
PYTHON ?= python3

.PHONY: demo test compiled fuzz docs

demo test compiled fuzz docs:
	$(PYTHON) dev.py $@
