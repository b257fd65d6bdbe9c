"""The activation functions of recurrent networks, with their alphas and betas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.frontends.onnx.common import Value, output, scalar
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops

Compute = Callable[[Output, float, float], Value]


def _affine(data: Output, alpha: float, beta: float) -> Value:
    return ops.add(ops.multiply(data, scalar(alpha, data)), scalar(beta, data))


def _scaled_tanh(data: Output, alpha: float, beta: float) -> Value:
    return ops.multiply(ops.tanh(ops.multiply(data, scalar(beta, data))), scalar(alpha, data))


def _thresholded(data: Output, alpha: float, _beta: float) -> Value:
    return ops.select(ops.greater_equal(data, scalar(alpha, data)), data, scalar(0, data))


_FUNCTIONS: Mapping[str, tuple[Compute, tuple[float, ...]]] = {
    "relu": (lambda data, _alpha, _beta: ops.relu(data), ()),
    "tanh": (lambda data, _alpha, _beta: ops.tanh(data), ()),
    "sigmoid": (lambda data, _alpha, _beta: ops.sigmoid(data), ()),
    "softsign": (lambda data, _alpha, _beta: ops.softsign(data), ()),
    "softplus": (lambda data, _alpha, _beta: ops.softplus(data), ()),
    "affine": (_affine, (0.0, 0.0)),
    "scaledtanh": (_scaled_tanh, (0.0, 0.0)),
    "hardsigmoid": (
        lambda data, alpha, beta: ops.hard_sigmoid(data, scalar(alpha, data), scalar(beta, data)),
        (0.2, 0.5),
    ),
    "leakyrelu": (lambda data, alpha, _beta: ops.prelu(data, scalar(alpha, data)), (0.01,)),
    "thresholdedrelu": (_thresholded, (1.0,)),
    "elu": (lambda data, alpha, _beta: ops.elu(data, alpha), (1.0,)),
}
"""How each function is computed, and its default alpha and beta where it reads them."""


@dataclass(frozen=True)
class Activation:
    """A function by its name in small letters, with its alpha and beta."""

    name: str
    alpha: float = 0.0
    beta: float = 0.0

    @property
    def is_plain(self) -> bool:
        """Whether LSTMSequence, GRUSequence and RNNSequence have the function."""
        return self.name in ("relu", "tanh", "sigmoid")

    def __call__(self, data: Value) -> Output:
        """Return the function of data."""
        return output(_FUNCTIONS[self.name][0](output(data), self.alpha, self.beta))


def activations_of(node: OnnxNode, defaults: tuple[str, ...], directions: int) -> list[tuple[Activation, ...]]:
    """Return the functions of each direction; alphas and betas go, in order, to the functions that read them."""
    names = [name.lower() for name in node.attributes.texts("activations", None) or ()] or list(defaults) * directions
    if len(names) != len(defaults) * directions:
        required = len(defaults) * directions
        raise OnnxReadError(f"the attribute 'activations' names {len(names)} functions; it must name {required}")
    alphas = iter(node.attributes.floats("activation_alpha", None) or ())
    betas = iter(node.attributes.floats("activation_beta", None) or ())
    functions = []
    for name in names:
        if name not in _FUNCTIONS:
            near = did_you_mean(name, _FUNCTIONS)
            raise OnnxReadError(f"{name!r} is not an activation function" + (f"; {near}" if near else ""))
        parameters = _FUNCTIONS[name][1]
        values = [next(source, default) for source, default in zip((alphas, betas), parameters, strict=False)]
        functions.append(Activation(name, *values))
    size = len(defaults)
    return [tuple(functions[begin : begin + size]) for begin in range(0, len(functions), size)]


def is_function(name: str) -> bool:
    """Return whether there is an activation function of a name."""
    return name in _FUNCTIONS
