"""Compiled suppression selects the same boxes as NumPy's and as OpenVINO's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import Core, Model
from ir_plugin.compiler.plan import make_plan
from ir_plugin.compiler.selection.kernel import Options
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.boxes import Rule, descending, suppress, suppress_classes
from ir_plugin.tensors import Array
from tests.support.planned import PROVIDERS
from tests.support.skips import needs_numba

RULES = [Rule(0.5), Rule(0.0, 7), Rule(0.3, 0), Rule(0.3, 40, 1), Rule(0.7, 33, 0, 0.9), Rule(0.2, margin=1)]
RULES += [Rule(-0.1, 9), Rule(np.nan), Rule(np.inf, 3)]


def some_boxes(kind: str, count: int, dtype: str) -> Array:
    rng = np.random.default_rng(count)
    corner = rng.random((count, 2)) * 90
    boxes = np.concatenate([corner, corner + rng.random((count, 2)) * 40], axis=1)
    if kind == "flat":
        boxes[::3, 2:] = boxes[::3, :2]
    elif kind == "turned":
        boxes[::3] = boxes[::3, [2, 1, 0, 3]]
    elif kind == "equal":
        boxes = np.round(boxes / 20) * 20
    elif kind == "odd":
        boxes[5::9, 1], boxes[6::9, 2], boxes[7::9, 2:] = np.nan, -np.inf, np.inf
    elif kind == "apart":
        boxes[:, ::2] += rng.integers(0, 5, (count, 1)) * 131
    return boxes.astype(dtype)


@needs_numba
@pytest.mark.parametrize("dtype", ["f4", "f8", "f2"])
@pytest.mark.parametrize("count", [0, 1, 16, 17, 300, 2500])
@pytest.mark.parametrize("kind", ["any", "flat", "turned", "equal", "odd", "apart"])
def test_the_same_boxes_are_kept(kind: str, count: int, dtype: str) -> None:
    from ir_plugin.kernels.numba.non_max_suppression import CompiledSuppression

    boxes, compiled = some_boxes(kind, count, dtype), [CompiledSuppression(ThreadPool(threads)) for threads in (1, 2)]
    with np.errstate(all="ignore"):
        for rule in RULES:
            expected = suppress(boxes, rule).tolist()
            assert [suppression.among(boxes, rule).tolist() for suppression in compiled] == [expected] * 2


@needs_numba
@pytest.mark.parametrize("dtype", ["f4", "f8", "f2"])
@pytest.mark.parametrize(("count", "classes"), [(0, 3), (7, 0), (40, 1), (49, 5), (1200, 20)])
def test_the_same_boxes_are_kept_of_classes(count: int, classes: int, dtype: str) -> None:
    from ir_plugin.kernels.numba.non_max_suppression import CompiledSuppression

    boxes, compiled = some_boxes("any", count, dtype), [CompiledSuppression(ThreadPool(threads)) for threads in (1, 2)]
    rng = np.random.default_rng(classes)
    odd = np.array([0.0, -0.0, 1e-45, -1e-45, np.inf, -np.inf, np.nan, 0.5])
    for scores in (rng.standard_normal((classes, count)), rng.choice(odd, (classes, count))):
        values = scores.astype(dtype)
        for least in (-np.inf, -0.5, 0.4):
            for rule in RULES:
                for limit in (None, 0, 30):
                    expected = suppress_classes(boxes, values, values > least, rule, limit)
                    for suppression in compiled:
                        actual = suppression.of_classes(boxes, values, values > least, rule, limit)
                        assert [indices.tolist() for indices in actual] == [indices.tolist() for indices in expected]


def test_a_rule_for_one_class_is_that_of_its_boxes() -> None:
    boxes = some_boxes("any", 500, "f4")
    scores = np.random.default_rng(0).random((1, 500)).astype(np.float32)
    order = descending(scores[0], scores[0] > 0.5)
    actual = suppress_classes(boxes, scores, scores > 0.5, Rule(0.4, 20))
    assert actual[0].tolist() == order[suppress(boxes[order], Rule(0.4, 20))].tolist()


def save(path: Path, count: int, classes: int) -> list[Array]:
    """Write a model with NonMaxSuppression and MulticlassNms; return its inputs."""
    rng = np.random.default_rng(1)
    boxes = ops.parameter([-1, count, 4], np.float32)
    scores = ops.parameter([-1, classes, count], np.float32)
    limits = [ops.constant(np.int64(50)), ops.constant(np.float32(0.45)), ops.constant(np.float32(0.3))]
    hard = ops.non_max_suppression(boxes, scores, *limits, box_encoding="corner", output_type="i64")
    best = ops.multiclass_nms(
        boxes, scores, None, iou_threshold=0.45, score_threshold=0.3, nms_top_k=40, keep_top_k=60,
        sort_result_type="score", output_type="i64",
    )  # fmt: skip
    ov.save_model(ov.Model([*hard.outputs(), *best.outputs()], [boxes, scores], "boxes"), path, compress_to_fp16=False)
    return [
        np.stack([some_boxes("any", count, "f4")] * 2),
        rng.permutation(2 * classes * count).reshape(2, classes, count).astype(np.float32) / (2 * classes * count),
    ]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_model_gives_what_openvino_gives(provider: str, tmp_path: Path) -> None:
    path = tmp_path / "boxes.xml"
    inputs = save(path, 900, 6)
    compiled = Core().compile_model(path, config={"PROVIDER": provider, "INFERENCE_NUM_THREADS": 2})
    judge = ov.Core().compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    for _ in range(2):
        for actual, expected in zip(compiled(inputs).to_tuple(), judge(inputs).to_tuple(), strict=True):
            assert np.array_equal(actual, expected)


@needs_numba
def test_transposed_boxes_and_scores_are_those_in_order() -> None:
    from ir_plugin.kernels.numba.non_max_suppression import CompiledSuppression

    compiled, scores = CompiledSuppression(ThreadPool(2)), np.random.default_rng(3).random((300, 4)).astype(np.float32)
    for boxes in (some_boxes("any", 300, "f4"), np.asfortranarray(some_boxes("any", 300, "f4"))):
        expected = suppress_classes(boxes, scores.T.copy(), scores.T.copy() > 0.5, RULES[0])
        actual = compiled.of_classes(boxes, scores.T, scores.T > 0.5, RULES[0])
        assert [indices.tolist() for indices in actual] == [indices.tolist() for indices in expected]
        assert compiled.among(boxes, RULES[0]).tolist() == suppress(boxes, RULES[0]).tolist()


def variants(model: Model, options: Options) -> dict[str, str]:
    """Return the kernel variants of a plan, by layer type."""
    plan = make_plan(model, {}, 2**30, options=options)
    return {step.op.type: step.variant for step in plan.steps}


@needs_numba
def test_a_plan_says_how_boxes_are_chosen(tmp_path: Path) -> None:
    save(tmp_path / "boxes.xml", 40, 2)
    model = Core().read_model(tmp_path / "boxes.xml")
    assert set(variants(model, Options()).values()) == {"boxes, numba"}
    assert set(variants(model, Options(provider="numpy")).values()) == {""}
