"""The code that the page shows for Ray and Spark, where they are installed (the extra `clusters`)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin.tensors import Array
from tests.support.skips import NO_CLUSTERS


def test_ray_data(digits: Path, images: Array, scores: Array) -> None:
    ray = pytest.importorskip("ray", reason=NO_CLUSTERS)

    class Digits:
        def __init__(self) -> None:
            self.predict = ov.Predictor(digits, {"INFERENCE_NUM_THREADS": 1})

        def __call__(self, batch: dict[str, Array]) -> dict[str, Array]:
            return {"number": batch["number"], **self.predict({"images": batch["images"]})}

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        rows = [{"images": image, "number": number} for number, image in enumerate(images)]
        mapped: list[dict[str, Any]] = (
            ray.data.from_items(rows).map_batches(Digits, batch_size=64, concurrency=2).take_all()
        )
    finally:
        ray.shutdown()
    mapped.sort(key=lambda row: int(row["number"]))
    (name,) = set(mapped[0]) - {"number"}
    np.testing.assert_allclose(np.stack([row[name] for row in mapped]), scores, rtol=1e-4, atol=1e-5)


def test_spark(digits: Path, images: Array, scores: Array, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    sql = pytest.importorskip("pyspark.sql", reason=NO_CLUSTERS)
    from pyspark.ml.functions import predict_batch_udf
    from pyspark.sql.types import ArrayType, FloatType

    def make_predict_fn() -> Any:
        predict = ov.Predictor(digits, {"INFERENCE_NUM_THREADS": 1})
        return lambda batch: next(iter(predict(batch.astype(np.float32)).values()))

    spark = sql.SparkSession.builder.master("local[2]").getOrCreate()
    try:
        frame = spark.createDataFrame([(image.reshape(-1).tolist(),) for image in images], ["images"])
        predict = predict_batch_udf(
            make_predict_fn, return_type=ArrayType(FloatType()), batch_size=64, input_tensor_shapes=[[1, 8, 8]]
        )
        rows = frame.select(predict("images").alias("scores")).collect()
    finally:
        spark.stop()
    np.testing.assert_allclose([row["scores"] for row in rows], scores, rtol=1e-4, atol=1e-5)
