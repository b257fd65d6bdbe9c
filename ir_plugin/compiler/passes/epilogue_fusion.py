"""Fusion of elementwise operations behind the call that makes their operand."""

from __future__ import annotations

from collections.abc import Mapping

from ir_plugin.compiler.graph import Call, Post, Program, Value
from ir_plugin.compiler.passes.prelu_layout import is_broadcast
from ir_plugin.compiler.passes.rms_norm_fusion import RootMeanSquare
from ir_plugin.kernels.numpy.elementwise import can_follow

HOSTS = frozenset(
    [
        "Convolution",
        "GroupConvolution",
        "ConvolutionBackpropData",
        "GroupConvolutionBackpropData",
        "MatMul",
        "MVN",
        "LRN",
    ]
)
"""Operations of which a prepared kernel applies others in place."""


def fuse_elementwise(program: Program) -> None:
    """Append elementwise calls to the call before them, where it alone makes what they change."""
    hosts: dict[Call, Call] = {}
    for call in program.calls:
        target = _host(call)
        if target is None:
            continue
        host, position = target
        other = call.inputs[1 - position] if len(call.inputs) > 1 else None
        host.post.append(Post(call.operation, other, operand_first=position == 1))
        host.post.extend(call.post)
        host.nodes += call.nodes
        host.outputs[0].users = []
        host.outputs[0] = call.outputs[0]
        host.outputs[0].producer = host
        hosts[call] = host
    _take_over(program, hosts)


def _take_over(program: Program, hosts: Mapping[Call, Call]) -> None:
    """Put each host at the place of the last call that it stands for, where all operands are there."""
    last = {host: call for call, host in hosts.items()}
    program.calls, old = [], program.calls
    for call in old:
        host = hosts.get(call, call)
        if last.get(host, host) is call:
            program.calls.append(host)
    for value in {value for call in hosts for value in call.inputs if value is not None and value.users}:
        value.users = [hosts.get(user, user) for user in value.users]


def _host(call: Call) -> tuple[Call, int] | None:
    """Return the call behind which this one can be applied in place, and which input it reads from there.

    A convolution or product is preferred to another elementwise call, as the block is in the cache there.
    """
    output = call.outputs[0] if call.outputs else None
    if output is None or output.shape is None or not can_follow(call.operation, len(call.inputs), output.dtype):
        return None
    if not is_broadcast(call):
        return None
    found = None
    for position, value in enumerate(call.inputs[: 1 if call.type == "PRelu" else 2]):
        if value is None or value.producer is None or value.is_result or len(value.users) != 1:
            continue
        host = value.producer
        if value is not host.outputs[0] or not _same_form(value, output):
            continue
        if host.type in HOSTS or isinstance(host.operation, RootMeanSquare):
            return host, position
        if found is None and _is_elementwise(host):
            found = host, position
    return found


def _is_elementwise(call: Call) -> bool:
    """Return whether a call can begin a chain, which its inputs' types and shapes decide."""
    output = call.outputs[0]
    if not can_follow(call.operation, len(call.inputs), output.dtype) or not is_broadcast(call):
        return False
    inputs = [value for value in call.inputs if value is not None]
    same_types = all(value.element_type is output.element_type for value in inputs)
    return same_types and any(value.shape == output.shape and value.constant is None for value in inputs)


def _same_form(value: Value, output: Value) -> bool:
    same = value.shape == output.shape and value.element_type is output.element_type
    return same and value.element_type.name in ("f32", "f64")


def unfused(call: Call) -> list[Call]:
    """Return the calls that a call with fused operations stands for, for one that gets no prepared kernel."""
    if not call.post:
        return [call]
    first = call.outputs[0]
    value = Value(first.element_type, first.shape)
    calls = [Call(call.operation, call.inputs, [value, *call.outputs[1:]], call.nodes)]
    for number, post in enumerate(call.post):
        last = number == len(call.post) - 1
        target = first if last else Value(first.element_type, first.shape)
        operands = [value] if post.operand is None else [value, post.operand]
        calls.append(
            Call(post.operation, list(operands[::-1] if post.operand_first else operands), [target], call.nodes)
        )
        value = target
    return calls
