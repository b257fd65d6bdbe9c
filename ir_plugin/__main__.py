"""`python -m ir_plugin`: the command line."""

from __future__ import annotations

from ir_plugin.cli import main

if __name__ == "__main__":
    main()
