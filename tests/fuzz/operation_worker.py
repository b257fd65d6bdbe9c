"""Holds random layers against OpenVINO, in a process of its own: some layers end OpenVINO's process.

`python -m tests.fuzz.operation_worker Add-1:17 …` prints a line for each case: its name, a tab, and what differs.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable

from tests.fuzz.operation_cases import Case, random_case
from tests.fuzz.operation_engines import Outcome, agree, by_cpu, by_reference, by_us, feeds, read
from tests.support.sample import In

AGREE = ""


def difference(case: Case) -> str:
    """Return how our result differs from one that OpenVINO's CPU and its reference share; empty where it does not."""
    ir = case.build()
    if all(item.constant for item in case.sample.inputs if isinstance(item, In)):
        return AGREE  # the CPU folds the layer by the reference, and is no second witness
    model = read(ir)
    if isinstance(model, Outcome):
        return AGREE
    inputs = feeds(case, ir)
    reference = by_reference(model, inputs)
    if reference.kind != "ok":
        return AGREE
    if not agree(by_cpu(model, inputs), reference):
        return AGREE
    ours = by_us(case, ir, "plain")
    if ours.kind != "ok" or agree(ours, reference):
        return AGREE
    return f"ours {shown(ours)}, OpenVINO's {shown(reference)}"


def shown(outcome: Outcome) -> str:
    """Return the first elements of the arrays."""
    return str([array.reshape(-1)[:12].tolist() for array in outcome.arrays])


def print_differences(difference_of: Callable[[str, int], str]) -> None:
    """Print a line for each case, a definition and a seed, that the command line names."""
    warnings.simplefilter("ignore")
    for name in sys.argv[1:]:
        definition, _, seed = name.partition(":")
        sys.stdout.write(f"{name}\t{difference_of(definition, int(seed))}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    print_differences(lambda definition, seed: difference(random_case(definition, seed)))
