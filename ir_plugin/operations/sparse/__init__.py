"""Sums of embeddings, and sparse tensors."""
