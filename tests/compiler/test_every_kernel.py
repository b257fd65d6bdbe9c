"""Every kernel that is registered runs on a sample, and its numbers are held against the plain evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import ir_plugin.compiler.selection as selection
from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.selection.kernel import Kernel, KernelSelector, Options
from ir_plugin.compiler.selection.registry import _SELECTORS, selectors_of
from ir_plugin.kernels import keys
from ir_plugin.kernels.registry import KernelKey, Provider
from ir_plugin.tensors import Array
from tests.compiler.kernel_samples import MODELS, KernelSample
from tests.compiler.test_samples_planned import close, run
from tests.support.collect import samples
from tests.support.passes import compiled
from tests.support.planned import PROVIDERS
from tests.support.sample import Sample
from tests.support.skips import needs_numba

NAMES = {key: name for name, key in vars(keys).items() if isinstance(key, KernelKey)}
SELECTORS = {selector.__name__ for selectors in _SELECTORS.values() for selector in selectors}
BOUND = ("ROIAlign", "DeformableConvolution", "NonMaxSuppression")
"""Operations whose evaluation takes compiled loops, without a selector."""


class Recorder:
    """Notes the names of the kernels that a provider is asked for and that are called, and of the selectors."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.called: set[str] = set()
        self.selected: set[str] = set()
        self.missing: set[str] = set()
        """The selectors that asked for a compiled kernel which the provider has not."""
        self._asking = ""
        find, note = Provider.find, self._noting

        def find_and_note(provider: Provider, key: KernelKey[Any]) -> Any:
            kernel = find(provider, key)
            if kernel is None:
                self.missing.add(self._asking)
                return None
            return note(NAMES[key], kernel)

        def noting_selectors(op: Op) -> Sequence[KernelSelector]:
            return [self._noting_selector(selector) for selector in selectors_of(op)]

        monkeypatch.setattr(Provider, "find", find_and_note)
        monkeypatch.setattr(selection, "selectors_of", noting_selectors)

    def _noting(self, name: str, kernel: Any) -> Any:
        """Return a kernel, or a record of them, that notes when it is called."""
        if isinstance(kernel, tuple):
            return type(kernel)(*(self._noting(name, part) for part in kernel))
        if not callable(kernel):
            return kernel

        def call(*arguments: Any, **named: Any) -> Any:
            self.called.add(name)
            return kernel(*arguments, **named)

        return call

    def _noting_selector(self, selector: KernelSelector) -> KernelSelector:
        def select(op: Op, options: Options) -> Kernel | None:
            self._asking = selector.__name__
            kernel = selector(op, options)
            if kernel is not None:
                self.selected.add(selector.__name__)
            return kernel

        return select


def require_model(sample: KernelSample, provider: str) -> None:
    """Assert that a plan computes what the plain evaluation does."""
    plain = compiled(sample.model, OPTIMIZE=False)(sample.inputs).to_tuple()
    planned = compiled(sample.model, PROVIDER=provider, **sample.config)
    for _ in range(2):
        for left, right in zip(planned(sample.inputs).to_tuple(), plain, strict=True):
            scale = float(np.abs(right).max(initial=1))
            np.testing.assert_allclose(left, right, rtol=sample.rtol, atol=sample.rtol * scale)


def require_layer(sample: Sample, provider: str) -> None:
    """Assert that the plan of a layer computes what the plain evaluation does."""
    plain: Sequence[Array] = run(sample, {"OPTIMIZE": False})
    for planned, right in zip(run(sample, {"PROVIDER": provider}), plain, strict=True):
        close(planned, right, sample.name)


@pytest.fixture(scope="module")
def recorded() -> Mapping[str, Recorder]:
    """Return what is called and selected on all samples, by provider."""
    types = {*_SELECTORS, *BOUND}
    recorders = {}
    for provider in PROVIDERS:
        with pytest.MonkeyPatch.context() as patch:
            recorders[provider] = Recorder(patch)
            for _, sample in samples():
                if sample.type in types:
                    require_layer(sample, provider)
            for make in MODELS.values():
                require_model(make(), provider)
    return recorders


@needs_numba
def test_every_compiled_kernel_is_called_on_a_sample(recorded: Mapping[str, Recorder]) -> None:
    assert set(NAMES.values()) - recorded["numba"].called == set()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_selector_has_a_kernel_for_a_sample(provider: str, recorded: Mapping[str, Recorder]) -> None:
    """Those of operations for which NumPy has no kernel ask for a compiled one in vain."""
    unused = SELECTORS - recorded[provider].selected
    assert unused - (recorded[provider].missing if provider == "numpy" else set()) == set()
