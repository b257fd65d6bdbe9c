"""Names of OpenVINO's API that this library does not have, and what to use instead."""

from __future__ import annotations

from types import ModuleType

from ir_plugin.errors import AbsentError

_VARIABLES = "a variable belongs to the layers that read and assign it"
_DEVICE = "there is one device, NUMPY"
_REMOTE = "all memory is that of NumPy arrays; use Tensor"
_OPERATION = "a custom operation is a subclass of ir_plugin.Operation, given to Core.add_extension"
_FRONT = "only OpenVINO IR is read; convert the model with openvino, and save it"
_SYMBOLS = "dimensions carry no symbols"
_VALUES = "values that inference knows are reported by validate"
_FIXED = "a layer's attributes, inputs and outputs are those of the file; edit the IR"

_NODE = {
    **dict.fromkeys(["set_attribute", "set_output_size", "set_output_type"], _FIXED),
    "constructor_validate_and_infer_types": "use Model.validate_nodes_and_infer_types",
    "evaluate": "run a model: compile_model(…), or Model.evaluate",
    "get_instance_id": "use get_name, which is unique in a model",
    "get_strides": "use data, an array in C order",
    "get_tensor_view": "use data",
    "strides": "use data, an array in C order",
    "tensor_view": "use data",
    "validate_and_infer_types": "use Model.validate_nodes_and_infer_types",
    "visit_attributes": "use get_attributes",
}

ABSENT: dict[str, dict[str, str]] = {
    "ir_plugin": {
        "op": "use the functions of an opset: opset13.constant, opset13.parameter, opset13.result",
        **dict.fromkeys(["Op", "OpExtension", "Extension", "DiscreteTypeInfo"], _OPERATION),
        **dict.fromkeys(["RemoteContext", "RemoteTensor", "VAContext", "VASurfaceTensor"], _REMOTE),
        **dict.fromkeys(["convert_model", "frontend", "tools"], _FRONT),
        **dict.fromkeys(["CoordinateDiff", "RTMap", "TensorVector"], "use a list, or a dictionary"),
        "Symbol": _SYMBOLS,
        "exceptions": "every error is an ir_plugin.Error, which is a RuntimeError",
        "experimental": "it is about building graphs",
        "helpers": "use Tensor, which packs elements of fewer than eight bits",
        "package_utils": "it is about OpenVINO's own files",
        "preprocess": "prepare arrays with NumPy",
        "shutdown": "there is nothing to shut down",
    },
    "Core": {
        **dict.fromkeys(["create_context", "get_default_context"], _REMOTE),
        **dict.fromkeys(["register_plugin", "register_plugins", "unload_plugin"], _DEVICE),
    },
    "Model": {
        **dict.fromkeys(["add_variables", "remove_variable"], _VARIABLES),
    },
    "Node": _NODE,
    "Output": {"remove_target_input": "let the input read another output: Input.replace_source_output"},
    "Input": {
        **dict.fromkeys(
            ["rt_info", "get_rt_info", "set_rt_info"], "use that of the node, or of the output that is read"
        ),
    },
    "DescriptorTensor": {
        **dict.fromkeys(["get_value_symbol", "set_value_symbol"], _SYMBOLS),
        **dict.fromkeys(["get_lower_value", "get_upper_value", "set_lower_value", "set_upper_value"], _VALUES),
        **dict.fromkeys(["get_rt_info", "rt_info"], "use that of the output"),
    },
    "ir_plugin.properties": {
        **dict.fromkeys(["intel_auto", "intel_gpu", "intel_npu"], _DEVICE),
        **dict.fromkeys(["compatibility_check", "CompatibilityCheck", "runtime_requirements"], _DEVICE),
        "cache_encryption_callbacks": "no cache is written",
    },
}
"""The replacement of a name, or why there is none, by class or module and name."""


def absent(owner: str, name: str, of: object) -> AttributeError:
    """Return the error for a missing attribute, with the replacement if OpenVINO has the name.

    Python also asks for a property whose getter raised an AttributeError; that error is returned then.
    """
    getter = getattr(type(of), name, None)
    if isinstance(getter, property) and getter.fget is not None:
        try:
            getter.fget(of)
        except AttributeError as fault:
            return fault
    reason = ABSENT.get(owner, {}).get(name)
    if reason is not None:
        return AbsentError(f"{owner}.{name} is not offered: {reason}")
    kind = f"module {owner!r}" if isinstance(of, ModuleType) else f"{type(of).__name__!r} object"
    return AttributeError(f"{kind} has no attribute {name!r}", name=name, obj=of)
