"""Batch inference: a picklable `Predictor`, and `map` over arrays, Dask, Zarr, iterables and folders.

The containers that `map` takes, and what it returns for each:

* NumPy arrays and memmaps: the result is an array; with `out`, a path, it is an .npy that is a memmap, or a Zarr array
  where the path ends in .zarr;
* Zarr arrays: the result is a Zarr array, at the path `out` or in memory;
* `dask.array`: the result is lazy, its type and chunks are inferred without computing anything, and the tasks run
  on the scheduler of the user, with one kernel thread each unless `config` says otherwise;
* an iterable of arrays: an array of the model's input rank is a whole batch, an array of one dimension less is one row
  of a batch of `batch_size` rows; the result is a list for a list or tuple, else an iterator;
* a folder of .npy files, each a batch: the results are files of the same names in the folder `out`.
"""

from __future__ import annotations

from ir_plugin.batch_inference.mapping import map as map
from ir_plugin.batch_inference.predictor import Predictor as Predictor
