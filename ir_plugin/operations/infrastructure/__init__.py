"""Inputs and outputs of a model, constants, control flow and state."""
