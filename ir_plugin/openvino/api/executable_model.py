"""The compiled model of an infer request, as code below it knows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any, BinaryIO, Protocol

from ir_plugin.executor import Engine, Observer, State
from ir_plugin.model import ConstOutput, Node, Output
from ir_plugin.openvino.api.model import Model
from ir_plugin.openvino.api.results import Results
from ir_plugin.tensors import Array


class ExecutableModel(Protocol):
    """A compiled model, as its requests know it; `api.compiled` is above them and makes them."""

    @property
    def inputs(self) -> list[ConstOutput]:
        """The inputs, in order."""

    @property
    def outputs(self) -> list[ConstOutput]:
        """The outputs, in order."""

    @property
    def engine(self) -> Engine:
        """What plans and runs the model."""

    @property
    def model(self) -> Model:
        """The model that is executed."""

    @property
    def config(self) -> Mapping[str, Any]:
        """The checked configuration."""

    @property
    def is_profiled(self) -> bool:
        """Whether the time of each layer is measured."""

    def input(self, key: int | str | Output | None = None) -> ConstOutput:
        """Return the input of this index or name, or the only one."""

    def output(self, key: int | str | Output | None = None) -> ConstOutput:
        """Return the output of this index or name, or the only one."""

    def create_infer_request(self) -> Any:
        """Return a new `InferRequest`."""

    def infer_new_request(self, inputs: Any = None) -> Results:
        """Return the outputs of a run with a new request."""

    def export_model(self, model_stream: BinaryIO | None = None) -> BytesIO | None:
        """Write the model for `Core.import_model`, to a stream if there is one."""

    def get_property(self, name: str) -> Any:
        """Return the value of a property."""

    def set_property(self, config: Mapping[str, Any] | tuple[str, Any]) -> None:
        """Raise, as the properties of a compiled model are set when it is compiled."""

    def release_memory(self) -> None:
        """Release the model's own request with its memory and state."""

    def get_runtime_model(self) -> Model:
        """Return the execution graph."""

    def keep_times(self, seconds: Mapping[Node, float]) -> None:
        """Keep the time of each layer in the last inference, for the runtime model."""

    def arrays_for(self, inputs: Mapping[int, Array]) -> list[Array]:
        """Return the arrays of all inputs, in the types of the model that runs."""

    def as_declared(self, results: Sequence[Array]) -> list[Array]:
        """Return results in the types that the outputs declare."""

    def run(self, inputs: Mapping[int, Array], state: State, observer: Observer | None = None) -> list[Array]:
        """Return the outputs of a run, in the types that they declare."""
