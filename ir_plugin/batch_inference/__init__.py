"""Batch inference: a picklable `Predictor`, and `map` over arrays, Dask, Zarr, iterables and folders."""

from __future__ import annotations

from ir_plugin.batch_inference.mapping import map as map
from ir_plugin.batch_inference.predictor import Predictor as Predictor
