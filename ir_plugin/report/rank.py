"""The noise of every quantizer of a model, and what the output gains if a single one is undone."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ir_plugin.errors import InputError
from ir_plugin.model import Output
from ir_plugin.openvino.api import CompiledModel, Core, Model
from ir_plugin.report.inputs import complete
from ir_plugin.report.originals import by_names, originals_of
from ir_plugin.report.quantization_noise import Levels, Noise, decibels, noise_of
from ir_plugin.report.quantizers import Quantizer, channel_axes, most_per_channel, quantizers, shared_axes, stored_shape
from ir_plugin.report.ranking import Ranking
from ir_plugin.report.ranking_data import RankedQuantizer
from ir_plugin.report.references import RUNTIMES, ReferenceLike, Stored, reference_of
from ir_plugin.report.undoing import Undoing, observed_outputs
from ir_plugin.tensors import Array

Listener = Callable[[str], object]
_CLEARLY = 6.0
_MOSTLY = 0.5


def rank_quantizers(
    model: Model | str | os.PathLike[str],
    reference: ReferenceLike | None = None,
    inputs: Any = None,
    *,
    of: str | os.PathLike[str] | None = None,
    seed: int = 0,
    listener: Listener = str,
) -> Ranking:
    """Return the quantizers of a model with their noise, the worst first, and what the output gains without each.

    Quantizers are FakeQuantize, FakeConvert, pairs of QuantizeLinear and DequantizeLinear, and weights that are stored
    in at most 8 bits. `reference` is the model before quantization, which has the original weights and the output to
    come near to: the path of an .xml or .onnx, a model, or arrays as for `compare`. Without it the output is held
    against a run with all quantizers undone, and stored weights are not ranked. Give inputs like those that the model
    was quantized for: the default is random numbers. `listener` receives the name of each quantizer in turn.

    The worst is the one that loses most against the best range for its number of levels: few levels alone are no
    fault. Where the output gains little by undoing it, it ranks lower.
    """
    compiled = Core().compile_model(model if isinstance(model, Model) else Path(model), config={"OPTIMIZE": False})
    entries = quantizers(compiled.model)
    source = _Reference(reference, of)
    arrays = compiled.arrays_for(dict(enumerate(complete(compiled, _inputs(compiled, source, inputs), seed))))
    run = _Run(compiled, entries, source, arrays)
    title = str(model) if not isinstance(model, Model) else model.name
    ranked, unranked = _ranked(run, entries, listener)
    return Ranking(title, source.title, run.output_sqnr, ranked, unranked)


def _ranked(
    run: _Run, entries: Sequence[Quantizer], listener: Listener
) -> tuple[tuple[RankedQuantizer, ...], tuple[str, ...]]:
    """Return the quantizers, the worst first, and the names of those whose noise cannot be measured."""
    ranked = []
    for quantizer in entries:
        listener(quantizer.name)
        entry = run.ranked(quantizer)
        ranked += [] if entry is None else [entry]
    measured = {quantizer.name for quantizer in ranked}
    names = ["/".join((*quantizer.path, quantizer.name)) for quantizer in entries]
    ordered = sorted(ranked, key=lambda quantizer: -quantizer.score)
    return tuple(ordered), tuple(name for name in names if name not in measured)


def _inputs(compiled: CompiledModel, source: _Reference, inputs: Any) -> Any:
    if inputs is not None or source.arrays is None:
        return inputs
    stored = source.arrays
    arrays = {
        index: stored[port.node.name] for index, port in enumerate(compiled.inputs) if port.node.name in stored
    }  # fmt: skip
    return arrays or None


class _Reference:
    """What the model was before quantization: a model, stored arrays, or neither."""

    def __init__(self, reference: ReferenceLike | None, of: str | os.PathLike[str] | None) -> None:
        self.arrays: Mapping[str, Array] | None = None
        self.model: Model | None = None
        self.title = "the model without quantizers"
        chosen = of if isinstance(reference, str) and reference in RUNTIMES else reference
        if chosen is None:
            return
        self.title = "another model" if isinstance(chosen, (Model, Mapping)) else os.fspath(chosen)
        if isinstance(chosen, Model):
            self.model = chosen
        elif not isinstance(chosen, Mapping) and Path(chosen).suffix.lower() in (".xml", ".onnx"):
            self.model = Core().read_model(chosen)
        else:
            stored = reference_of(chosen, Path(), None)
            self.arrays = stored.arrays if isinstance(stored, Stored) else None
            self.title = stored.title


class _Run:
    """The runs of a ranking: as quantized, without quantizers, and without each."""

    def __init__(
        self, compiled: CompiledModel, entries: Sequence[Quantizer], source: _Reference, arrays: Sequence[Array]
    ) -> None:
        self._arrays = arrays
        self._noises: dict[Output, Noise] = {}
        self._is_per_channel = most_per_channel(entries)
        observed = observed_outputs(compiled.model)
        originals = _originals(entries, compiled.model, source)
        config = compiled.config
        self._undoing = Undoing(compiled.model, config, quantizers=entries, originals=originals, observed=observed)
        self._quantized = self._undoing.values(arrays)
        self._undoing.watcher = self._watch
        exact = self._undoing.values(arrays, (quantizer.output for quantizer in entries))
        self._undoing.watcher = None
        theirs = _outputs_of(source, compiled, arrays, observed) or exact
        self._reference = [mine if their is None else their for their, mine in zip(theirs, exact, strict=True)]
        self.output_sqnr = _output_sqnr(self._reference, self._quantized)

    def _watch(self, quantizer: Quantizer, numbers: Array, quantized: Array) -> None:
        """Keep the noise of a quantizer; of several executions the one that loses most."""
        shape = stored_shape(quantizer, numbers.shape)
        x, y = numbers.reshape(shape), quantized.reshape(shape)
        levels = Levels(quantizer.levels, quantizer.element_type, _is_symmetric(quantizer))
        noise = noise_of(x, y, self._axes(quantizer, shape), levels)
        before = self._noises.get(quantizer.output)
        if noise is not None and (before is None or before.lost < noise.lost):
            self._noises[quantizer.output] = noise

    def _axes(self, quantizer: Quantizer, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the axes that share a range: for weights all but the channels where the model has it so."""
        axes = shared_axes(quantizer, shape)
        if quantizer.role == "weights" and self._is_per_channel and quantizer.granularity == "per tensor":
            channels = channel_axes(quantizer.readers, len(shape))
            return tuple(axis for axis in axes if axis not in channels)
        return axes

    def ranked(self, quantizer: Quantizer) -> RankedQuantizer | None:
        """Return the entry of a quantizer, or None if it has no noise that can be measured."""
        noise = self._noises.get(quantizer.output)
        if noise is None:
            return None
        values = self._undoing.values(self._arrays, [quantizer.output])
        undone = _output_sqnr(self._reference, values)
        change = _noise_to_signal(self._reference, self._quantized, values)
        noise_before = _noise_to_signal(self._reference, self._quantized, self._reference)
        gain = undone - self.output_sqnr if undone != self.output_sqnr else 0.0
        layer = quantizer.output.node.name
        if quantizer.role == "weights":
            layer = next((reader.node.name for reader in quantizer.readers), layer)
        name = "/".join((*quantizer.path, quantizer.name))
        share = min(change / noise_before, 1.0) if change > 0 and noise_before > 0 else 0.0
        return RankedQuantizer(
            name, layer, quantizer.kind, quantizer.role, quantizer.steps, quantizer.granularity, noise.sqnr,
            decibels(noise.signal, noise.least), noise.lost, noise.usual_lost, undone, gain, share, noise.clipped,
            self._cause(quantizer, noise),
        )  # fmt: skip

    def _cause(self, quantizer: Quantizer, noise: Noise) -> str:
        """Return why a quantizer loses more than a few decibels."""
        if noise.lost <= _CLEARLY:
            return ""
        if noise.clipping > _MOSTLY and noise.offset <= _MOSTLY:
            return f"its range is too small: {100 * noise.clipped:.2g} % of the numbers are clipped"
        if noise.offset > _MOSTLY:
            return "its numbers are shifted: zero point or limits are off"
        if not 0.9 < noise.gain < 1.1:
            return f"its numbers are scaled by {noise.gain:.3g}"
        if quantizer.role == "weights" and self._is_per_channel and quantizer.granularity == "per tensor":
            return "its channels share a range"
        return f"its steps are about {10 ** (noise.lost / 20):.2g} times too large"


def _originals(entries: Sequence[Quantizer], model: Any, source: _Reference) -> dict[Output, Array]:
    if source.model is not None:
        return originals_of(entries, model, source.model)
    return {} if source.arrays is None else by_names(entries, source.arrays)


def _is_symmetric(quantizer: Quantizer) -> bool:
    """Return whether a weight has levels around zero, without a zero point."""
    if quantizer.role != "weights":
        return False
    return quantizer.weight is None or quantizer.weight.zero_point is None


def _outputs_of(
    source: _Reference, compiled: CompiledModel, arrays: Sequence[Array], observed: Sequence[Output]
) -> list[Array | None] | None:
    """Return the reference's values of the observed outputs; None without a reference."""
    if source.arrays is not None:
        stored = source.arrays
        keys = [[port.node.name, *sorted(port.names)] for port in observed]
        return [next((stored[name] for name in names if name in stored), None) for names in keys]
    if source.model is None:
        return None
    reference = Core().compile_model(source.model, config={"OPTIMIZE": False})
    if len(reference.inputs) != len(arrays):
        raise InputError(f"{source.title} has {len(reference.inputs)} inputs; the model has {len(arrays)}")
    positions = {port.node.name: index for index, port in enumerate(compiled.inputs)}
    fed = [arrays[positions.get(port.node.name, index)] for index, port in enumerate(reference.inputs)]
    ports = observed_outputs(reference.model)
    if len(ports) != len(observed):
        raise InputError(f"{source.title} has {len(ports)} real outputs; the model has {len(observed)}")
    run = Undoing(reference.model, reference.config, observed=ports)
    return run.values(reference.arrays_for(dict(enumerate(fed))))


def _output_sqnr(reference: Sequence[Array | None], values: Sequence[Array | None]) -> float:
    """Return the signal-to-noise ratio in decibels, with the noise averaged over the outputs; NaN without outputs."""
    noise = _noise_to_signal(reference, values, reference)
    return noise if np.isnan(noise) else decibels(1.0, noise)


def _noise_to_signal(
    reference: Sequence[Array | None], values: Sequence[Array | None], others: Sequence[Array | None]
) -> float:
    """Return the power of the difference of two runs divided by the reference's power, averaged over the outputs."""
    parts = []
    for exact, first, second in zip(reference, values, others, strict=True):
        if exact is None or first is None or second is None or not exact.shape == first.shape == second.shape:
            continue
        signal, x, y = (array.astype(np.float64) for array in (exact, first, second))
        keep = np.isfinite(signal) & np.isfinite(x) & np.isfinite(y)
        power = float((signal[keep] ** 2).sum())
        parts += [float(((y - x)[keep] ** 2).sum()) / power] if power else []
    return float(np.mean(parts)) if parts else float("nan")
