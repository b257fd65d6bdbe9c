# Short names for `python3 dev.py …`, which does all its own set-up.
PYTHON ?= python3

.PHONY: demo test fuzz

demo test fuzz:
	$(PYTHON) dev.py $@
