"""`PrePostProcessor`: adds preprocessing and postprocessing to a model."""

from __future__ import annotations

from typing import SupportsIndex, TypeVar

from ir_plugin.errors import ArgumentTypeError, CallbackError, Error, InputError
from ir_plugin.model.graph import order_of
from ir_plugin.openvino.api.model import Model
from ir_plugin.openvino.preprocess.arguments import as_length
from ir_plugin.openvino.preprocess.description import describe_input, describe_output
from ir_plugin.openvino.preprocess.guard import Guard
from ir_plugin.openvino.preprocess.inputs import InputInfo, build_input
from ir_plugin.openvino.preprocess.outputs import OutputInfo, build_output
from ir_plugin.openvino.preprocess.simplification import simplify

Info = TypeVar("Info", InputInfo, OutputInfo)


class PrePostProcessor:
    """The preprocessing of the inputs and the postprocessing of the outputs of a model, as OpenVINO's.

    `input(…)` and `output(…)` describe what is to be done, `str(…)` shows it, and `build()` adds it to the model.
    """

    def __init__(self, model: Model) -> None:
        if not isinstance(model, Model):
            raise ArgumentTypeError("Incompatible `model` argument. Please provide a valid Model instance.")
        self._model = model
        self._inputs = [InputInfo(node) for node in model.parameters]
        self._outputs = [OutputInfo(node) for node in model.results]

    def input(self, *key: int | str, **named: int | str) -> InputInfo:
        """Return the input of a tensor name or index, or the only one."""
        return _chosen(self._inputs, _key(key, named, "input_index"), "input")

    def output(self, *key: int | str, **named: int | str) -> OutputInfo:
        """Return the output of a tensor name or index, or the only one."""
        return _chosen(self._outputs, _key(key, named, "output_index"), "output")

    def build(self) -> Model:
        """Add the nodes to the model and return it; an error leaves the model unchanged."""
        model = self._model
        guard = Guard(model)
        try:
            self._build()
        except Exception:
            guard.restore()
            raise
        return model

    def _build(self) -> None:
        model = self._model
        names = _tensor_names(model)
        parameters = model.parameters
        for info in self._inputs:
            build_input(info, parameters, names)
        results, sinks = model.results, model.sinks
        model.nodes = [*parameters, *results, *sinks]
        model.validate_nodes_and_infer_types()
        is_old = model.version < 11
        for output in self._outputs:
            build_output(output, keep_names=is_old)
        simplify(model)
        order, _ = order_of(model)
        ends = {*parameters, *results}
        model.nodes = [*parameters, *(node for node in order if node not in ends), *results]
        model.validate_nodes_and_infer_types()

    def __str__(self) -> str:
        lines: list[str] = []
        names = _tensor_names(self._model)
        try:
            for info in self._inputs:
                describe_input(lines, info, names)
            for output in self._outputs:
                describe_output(lines, output)
        except CallbackError:
            raise
        except Error as fault:
            lines += ([""] if not lines else []) + [f"Error occurred: {fault}"]
        return "".join(f"{line}\n" for line in lines)

    def __repr__(self) -> str:
        return f"<PrePostProcessor: {self}>"


def _tensor_names(model: Model) -> set[str]:
    return {name for node in model.nodes for port in node.outputs for name in port.names}


def _key(key: tuple[int | str, ...], named: dict[str, int | str], index: str) -> int | str | None:
    unknown = set(named) - {"tensor_name", index}
    values = [*key, *named.values()]
    if unknown or len(values) > 1:
        raise ArgumentTypeError(f"a tensor name or an index is needed, or neither, not {values!r}")
    if not values:
        return None
    if not isinstance(values[0], (str, SupportsIndex)):
        raise ArgumentTypeError(f"a tensor name or an index is needed, not {values[0]!r}")
    return values[0] if isinstance(values[0], str) else as_length(values[0], index)


def _chosen(infos: list[Info], key: int | str | None, kind: str) -> Info:
    if key is None:
        if len(infos) != 1:
            raise InputError(f"PrePostProcessor.{kind}() - Model must have exactly one {kind}, got {len(infos)}")
        return infos[0]
    if isinstance(key, str):
        for info in infos:
            if key in info._node.outputs[0].names:
                return info
        raise InputError(f"Model doesn't have {kind} with name {key}")
    if key >= len(infos):
        raise InputError(
            f"PrePostProcessor.{kind}(index) - Model doesn't have {kind} with index {key}. Total number of {kind}s is "
            f"{len(infos)}"
        )
    return infos[key]
