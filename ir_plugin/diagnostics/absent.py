"""Names of OpenVINO's API that this library does not have, and what to use instead."""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType
from typing import Any, NoReturn

from ir_plugin.errors import AbsentError

_DEVICE = "there is one device, NUMPY"
_REMOTE = "all memory belongs to NumPy arrays; use Tensor"
_FRONT = "only ONNX and OpenVINO IR are read; convert the model with openvino, and save it"
_TORCH = "no PyTorch model is run; export it with openvino or as an IR, and read that"
_BENCHMARK = "use the command ir-plugin benchmark"
_GENAI = "of openvino_genai tokenizers, generation of text, embeddings and ranks are here"
_OWN_FILES = "it is about OpenVINO's own files"

_EDIT = "convert the model, and change its ends by ir_plugin.cut, its names by set_names and set_friendly_name"
_PORTS = "ask its operations, or the converted model"
_STEPS = "convert reads the whole model, and operations of your own are classes given to Core.add_extension"

_NODE = {"visit_attributes": "use get_attributes"}

ABSENT: dict[str, dict[str, str]] = {
    "ir_plugin": {**dict.fromkeys(["RemoteContext", "RemoteTensor", "VAContext", "VASurfaceTensor"], _REMOTE)},
    "Core": {
        **dict.fromkeys(["create_context", "get_default_context"], _REMOTE),
        **dict.fromkeys(["register_plugin", "register_plugins", "unload_plugin"], _DEVICE),
    },
    "Node": _NODE,
    "FrontEnd": dict.fromkeys(["add_extension", "convert_partially", "decode", "normalize"], _STEPS),
    "FrontEndManager": {"register_front_end": _FRONT},
    "InputModel": {
        **dict.fromkeys(["add_output", "cut_and_add_new_input", "cut_and_add_new_output", "remove_output"], _EDIT),
        **dict.fromkeys(["free_name_for_operation", "free_name_for_tensor", "set_name_for_dimension"], _EDIT),
        **dict.fromkeys(["set_name_for_operation", "set_tensor_value"], _EDIT),
        "get_place_by_input_index": "use get_inputs",
        "get_place_by_operation_name_and_input_port": "use get_source_tensor of get_place_by_operation_name",
        "get_place_by_operation_name_and_output_port": "use get_target_tensor of get_place_by_operation_name",
    },
    "Place": dict.fromkeys(["get_consuming_ports", "get_input_port", "get_output_port", "get_producing_port"], _PORTS),
}
"""The replacement of a name, or why there is none, by class or module and name."""


REASONS: dict[str, str] = {
    "frontend": _FRONT,
    "genai": _GENAI,
    "package_utils": _OWN_FILES,
    "properties": _DEVICE,
    "tools": _FRONT,
    "tools.benchmark": _BENCHMARK,
    "torch": _TORCH,
}
"""Why the names of a module, and of the modules in it, are absent."""


def reason_of(module: str) -> str:
    """Return why a module lacks names: the reason of the longest package that holds it."""
    parts = module.split(".")
    packages = [".".join(parts[:count]) for count in range(len(parts), 0, -1)]
    return next((REASONS[package] for package in packages if package in REASONS), _OWN_FILES)


@lru_cache(maxsize=1024)
def placeholder(owner: str, name: str, reason: str) -> Any:
    """Return a placeholder for an absent class or function: it can be imported, and raises `AbsentError` when used."""
    message = f"{owner}.{name} is not offered: {reason}"
    return _AbsentClass(name, (), {"__module__": owner, "__doc__": message})


def absent_from(owner: str, name: str, module: ModuleType) -> Any:
    """Return the placeholder for an absent name of a module; raises for a name that OpenVINO lacks, too."""
    reason = ABSENT.get(owner, {}).get(name)
    if reason is None:
        raise absent(owner, name, module)
    return placeholder(owner, name, reason)


def is_placeholder(value: object) -> bool:
    """Return whether a value only stands for an absent name."""
    return isinstance(value, _AbsentClass)


class _AbsentClass(type):
    """The class of absent classes and functions, which cannot be called, asked or subclassed."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _AbsentClass:
        """Return an absent class; raises for a subclass of one."""
        for base in bases:
            raise AbsentError(str(base.__doc__))
        return super().__new__(cls, name, bases, namespace)

    def __call__(cls, *_: Any, **__: Any) -> NoReturn:
        raise AbsentError(str(cls.__doc__))

    def __getattr__(cls, name: str) -> NoReturn:
        raise AbsentError(str(cls.__doc__))


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
