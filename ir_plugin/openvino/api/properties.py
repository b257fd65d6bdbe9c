"""Properties of cores and compiled models: checks of configurations, and lookup."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.errors import InputError, require, shown, wrong_type
from ir_plugin.openvino.properties import CacheMode, device, hint, intel_auto, intel_cpu, log, streams
from ir_plugin.openvino.properties.any import OVAny
from ir_plugin.openvino.properties.names import PropertyEnum
from ir_plugin.tensors import ElementType

OWN: dict[str, Any] = {
    "OPTIMIZE": True,
    "DISABLED_PASSES": (),
    "WINOGRAD": 4,
    "PROVIDER": "auto",
    "MEMORY_LIMIT": None,
    "TRIP_LIMIT": None,
    "GATHER_OUT_OF_RANGE": "AUTO",
}
"""Properties of this library, with their defaults."""

OPENVINO: dict[str, Any] = {
    "PERFORMANCE_HINT": hint.PerformanceMode.LATENCY,
    "PERFORMANCE_HINT_NUM_REQUESTS": 0,
    "EXECUTION_MODE_HINT": hint.ExecutionMode.ACCURACY,
    "INFERENCE_PRECISION_HINT": ElementType.f32,
    "INFERENCE_NUM_THREADS": 0,
    "NUM_STREAMS": 1,
    "PERF_COUNT": False,
    "LOG_LEVEL": log.Level.NO,
    "CACHE_DIR": "",
    "CACHE_MODE": CacheMode.OPTIMIZE_SPEED,
    "ENABLE_MMAP": True,
    "ENABLE_CPU_PINNING": False,
    "ENABLE_CPU_RESERVATION": False,
    "ENABLE_HYPER_THREADING": True,
    "SCHEDULING_CORE_TYPE": hint.SchedulingCoreType.ANY_CORE,
    "MODEL_DISTRIBUTION_POLICY": (),
    "MODEL_PRIORITY": hint.Priority.MEDIUM,
    "LP_TRANSFORMS_MODE": True,
    "CPU_DENORMALS_OPTIMIZATION": False,
    "CPU_SPARSE_WEIGHTS_DECOMPRESSION_RATE": 1.0,
    "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0,
    "KV_CACHE_PRECISION": ElementType.f32,
    "KEY_CACHE_PRECISION": ElementType.f32,
    "VALUE_CACHE_PRECISION": ElementType.f32,
    "KEY_CACHE_GROUP_SIZE": 0,
    "VALUE_CACHE_GROUP_SIZE": 0,
    "ALLOW_AUTO_BATCHING": False,
    "AUTO_BATCH_TIMEOUT": 1000,
    "ENABLE_TENSOR_PARALLEL": False,
    "ENABLE_WEIGHTLESS": False,
    "FORCE_TBB_TERMINATE": False,
    "TBB_PARTITIONER": intel_cpu.TbbPartitioner.STATIC,
    "WEIGHTS_PATH": "",
    "DEVICE_ID": "",
    "AFFINITY": "NONE",
    "MULTI_DEVICE_PRIORITIES": "",
    "DEVICE_PROPERTIES": {},
    "CACHE_ENCRYPTION_CALLBACKS": (),
    "DEVICE_BIND_BUFFER": False,
    "ENABLE_RUNTIME_FALLBACK": True,
    "ENABLE_STARTUP_FALLBACK": True,
    "SCHEDULE_POLICY": intel_auto.SchedulePolicy.DEVICE_PRIORITY,
}
"""Accepted properties of OpenVINO, with their defaults here.

Those with an effect are INFERENCE_NUM_THREADS, PERF_COUNT, LP_TRANSFORMS_MODE, DYNAMIC_QUANTIZATION_GROUP_SIZE,
KV_CACHE_PRECISION and CACHE_DIR.
"""

CHOICES: dict[str, tuple[Any, ...]] = {
    "PROVIDER": ("auto", "numpy", "numba"),
    "WINOGRAD": (0, 2, 4),
    "GATHER_OUT_OF_RANGE": ("AUTO", "ERROR", "ZEROS"),
}
"""The values of properties with a few choices; words in any letter case."""

_TRUE, _FALSE = ("YES", "TRUE", "1", "ON"), ("NO", "FALSE", "0", "OFF")


def checked(config: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a configuration with converted values; an unknown property is an error that names similar ones."""
    if config is None:
        return {}
    if not isinstance(config, Mapping):
        raise wrong_type("config", "a dictionary of properties", config)
    for name in config:
        require(name, str, "a dictionary whose keys are names of properties", "config")
    values = {str(name): value.value if isinstance(value, OVAny) else value for name, value in config.items()}
    return {name: _value(name, value) for name, value in values.items()}


def pair(name_and_value: Any) -> dict[str, Any]:
    """Return the configuration of a pair that a called property returns."""
    if not (isinstance(name_and_value, tuple) and len(name_and_value) == 2 and isinstance(name_and_value[0], str)):
        raise wrong_type("properties", "a dictionary of properties, or a pair of a name and a value,", name_and_value)
    return dict([name_and_value])


def _value(name: str, value: Any) -> Any:
    defaults = OWN | OPENVINO
    if name not in defaults:
        raise _unknown("property", name, defaults)
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        raise InputError(f"the property {name} cannot be {shown(value)}")
    default = defaults[name]
    if isinstance(default, bool):
        return _truth(name, value)
    if isinstance(default, ElementType):
        return _precision(name, value)
    if isinstance(default, PropertyEnum):
        return _member(name, value, type(default))
    if name in CHOICES:
        choice = _choice(name, value, CHOICES[name])
        if choice == "numba":
            _require_numba()
        return choice
    convert = _CONVERTERS.get(name)
    return value if convert is None else convert(name, value)


def _truth(name: str, value: Any) -> bool:
    word = str(value).upper()
    if word not in _TRUE + _FALSE:
        raise InputError(f"the property {name} is True or False, not {value!r}")
    return word in _TRUE


def _choice(name: str, value: Any, choices: tuple[Any, ...]) -> Any:
    """Return the choice that equals a value as text, in any letter case."""
    for choice in choices:
        if str(value).upper() == str(choice).upper():
            return choice
    raise InputError(f"the property {name} is one of {', '.join(map(repr, choices))}, not {value!r}")


def _member(name: str, value: Any, kind: type[PropertyEnum]) -> PropertyEnum:
    """Return the member of an enumeration for itself or its name; levels of logging also as `LOG_INFO`."""
    if isinstance(value, kind):
        return value
    words: dict[str, PropertyEnum] = dict(kind.__members__)
    if kind is log.Level:
        words |= {f"LOG_{word}": member for word, member in words.items()} | _LOG_WORDS
    if isinstance(value, str) and value.upper() in words:
        return words[value.upper()]
    raise InputError(f"the property {name} is one of {', '.join(map(repr, words))}, not {value!r}")


_LOG_WORDS = {"LOG_NONE": log.Level.NO, "LOG_ERROR": log.Level.ERR}


def _require_numba() -> None:
    from ir_plugin.kernels.numba.availability import numba_fault

    fault = numba_fault()
    if fault is not None:
        raise InputError(f"the property PROVIDER is 'numba', which cannot be used: {fault}, or write 'auto'")


def _passes(_name: str, value: Any) -> tuple[str, ...]:
    """Return the names of passes from a sequence, or from comma-separated text."""
    from ir_plugin.compiler.passes import PASSES

    if isinstance(value, str):
        value = [name.strip() for name in value.split(",") if name.strip()]
    if not isinstance(value, Iterable):
        raise InputError(f"the property DISABLED_PASSES is a sequence of names of passes, not {value!r}")
    names = tuple(str(name) for name in value)
    for name in names:
        if name not in PASSES:
            raise _unknown("pass", name, PASSES)
    return names


def _number(name: str, value: Any) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"the property {name} is a whole number, not {value!r}") from None
    if number < 0:
        raise InputError(f"the property {name} cannot be negative, as {number} is")
    return number


def _stream_count(name: str, value: Any) -> int:
    """Return a number of streams; AUTO and NUMA are one, as each inference uses all threads."""
    words = {"AUTO": streams.Num.AUTO, "NUMA": streams.Num.NUMA}
    number = words.get(value.upper(), value) if isinstance(value, str) else value
    return 1 if number in words.values() or number in ("-1", "-2") else _number(name, number)


def _precision(name: str, value: Any) -> ElementType:
    """Return the element type of a hint; inference itself has no other types than these."""
    type = ElementType(value)
    if name == "INFERENCE_PRECISION_HINT" and not (type.is_dynamic or type in _PRECISIONS):
        names = ", ".join(precision.name for precision in _PRECISIONS)
        raise InputError(f"the property {name} is one of {names}, not {type.name}")
    return type


_PRECISIONS = (ElementType.f32, ElementType.bf16, ElementType.f16)


def _group_size(name: str, value: Any) -> int:
    """Return a group size; -1 is the largest number, as in OpenVINO."""
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = -2
    if number < -1:
        raise InputError(f"the property {name} is a number of neighbours, or -1, not {value!r}")
    return number % 2**64


_CONVERTERS: dict[str, Callable[[str, Any], Any]] = {
    "DISABLED_PASSES": _passes,
    "NUM_STREAMS": _stream_count,
    "DYNAMIC_QUANTIZATION_GROUP_SIZE": _group_size,
    **dict.fromkeys(["MEMORY_LIMIT", "TRIP_LIMIT", "INFERENCE_NUM_THREADS", "PERFORMANCE_HINT_NUM_REQUESTS"], _number),
}
"""The functions that convert the values of properties that no default tells the type of."""

_MAX_LISTED, _MAX_BITS = 12, 512


def _unknown(kind: str, name: str, candidates: Iterable[str]) -> InputError:
    names = list(candidates)
    more = f", … ({len(names)} in all)" if len(names) > _MAX_LISTED else ""
    help = did_you_mean(name, names) or f"known are {', '.join(names[:_MAX_LISTED])}{more}"
    return InputError(f"there is no {kind} {name!r}; {help}")


def find(name: Any, config: Mapping[str, Any], facts: Mapping[str, Any], mode: str = "RW") -> Any:
    """Return the value of a property: a fact, the configured value, or the default."""
    require(name, str, "the name of a property", "property")
    if name == "SUPPORTED_PROPERTIES":
        return dict.fromkeys(OWN | OPENVINO, mode) | dict.fromkeys(["SUPPORTED_PROPERTIES", *facts], "RO")
    values = OWN | OPENVINO | dict(config) | dict(facts)
    if name not in values:
        raise _unknown("property", name, ["SUPPORTED_PROPERTIES", *values])
    return values[name]


def device_facts() -> dict[str, Any]:
    """Return the read-only properties of the device by OpenVINO's names."""
    import platform

    capabilities = ["FP32", "FP16", "BF16", "INT8", "BIN", "EXPORT_IMPORT"]
    return {
        "AVAILABLE_DEVICES": [""],
        "FULL_DEVICE_NAME": f"NumPy on {platform.processor() or platform.machine()}",
        "OPTIMIZATION_CAPABILITIES": capabilities,
        "DEVICE_TYPE": device.Type.INTEGRATED,
        "DEVICE_ARCHITECTURE": platform.machine(),
        "RANGE_FOR_ASYNC_INFER_REQUESTS": (1, 1, 1),
        "RANGE_FOR_STREAMS": (1, 1),
        "OPTIMAL_NUMBER_OF_INFER_REQUESTS": 1,
        "EXECUTION_DEVICES": ["NUMPY"],
    }
