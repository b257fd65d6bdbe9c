"""`python -m ir_plugin.cli`: the command line."""

from ir_plugin.cli import main

main()
