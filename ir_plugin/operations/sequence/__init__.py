"""Recurrent cells and sequences, attention, one-hot vectors and connectionist temporal classification."""
