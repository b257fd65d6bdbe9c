"""Train the digits sample and write its model and held-out images beside this file.

Run: python samples/digits/train.py (needs torch, scikit-learn and openvino; about ten seconds on one core).
"""

from pathlib import Path

import numpy as np
import openvino as ov
import torch
from numpy.typing import NDArray
from openvino import opset1
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

FOLDER = Path(__file__).parent
SEED = 0
HELD_OUT = 360
EPOCHS = 60
BATCH = 32

Floats = NDArray[np.float32]
Labels = NDArray[np.int64]


def split() -> tuple[Floats, Floats, Labels, Labels]:
    """Return training images, held-out images, training labels and held-out labels; pixels lie in [0, 1]."""
    digits = load_digits()
    images = (digits.images[:, np.newaxis] / 16).astype(np.float32)
    labels = digits.target.astype(np.int64)
    parts = train_test_split(images, labels, test_size=HELD_OUT, stratify=labels, random_state=SEED)
    return parts[0], parts[1], parts[2], parts[3]


def network() -> nn.Sequential:
    """Return the untrained network; it ends in logits."""
    return nn.Sequential(
        nn.Conv2d(1, 24, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(24, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(64, 10),
    )


def shifted(images: torch.Tensor) -> torch.Tensor:
    """Return the batch moved by at most one pixel each way, filled with background."""
    down, right = torch.randint(0, 3, (2,)).tolist()
    return nn.functional.pad(images, (1, 1, 1, 1))[:, :, down : down + 8, right : right + 8]


def train(images: Floats, labels: Labels) -> list[tuple[Floats, Floats]]:
    """Train on all given images and return (weight, bias) of each layer that has them."""
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    pixels, classes = torch.from_numpy(images), torch.from_numpy(labels)
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
    for _ in range(EPOCHS):
        for chosen in torch.split(torch.randperm(len(pixels)), BATCH):
            loss = nn.functional.cross_entropy(model(shifted(pixels[chosen])), classes[chosen])
            optimizer.zero_grad()
            torch.autograd.backward(loss)
            optimizer.step()
        schedule.step()
    values = [parameter.detach().numpy() for parameter in model.parameters()]
    return list(zip(values[0::2], values[1::2], strict=True))


def named(node: ov.Node, name: str) -> ov.Node:
    """Return the node after giving it the layer name."""
    node.set_friendly_name(name)
    return node


def constant(value: Floats | Labels, name: str) -> ov.Node:
    """Return a named Const."""
    return named(opset1.constant(value), name)


def convolution(data: ov.Node, weight: Floats, bias: Floats, name: str) -> ov.Node:
    """Return Convolution (3x3, padded to keep the size), Add of the bias and ReLU."""
    filters = constant(weight, f"{name}/weight")
    product = named(opset1.convolution(data, filters, [1, 1], [1, 1], [1, 1], [1, 1]), name)
    shift = constant(bias.reshape(1, -1, 1, 1), f"{name}/bias")
    return named(opset1.relu(named(opset1.add(product, shift), f"{name}/add")), f"{name}/relu")


def build(layers: list[tuple[Floats, Floats]]) -> ov.Model:
    """Return the trained network, followed by SoftMax, as an OpenVINO model."""
    images = named(opset1.parameter([-1, 1, 8, 8], np.float32), "images")
    data = convolution(convolution(images, *layers[0], "conv1"), *layers[1], "conv2")
    data = named(opset1.max_pool(data, [2, 2], [0, 0], [0, 0], [2, 2]), "pool")
    data = convolution(data, *layers[2], "conv3")
    axes = constant(np.array([2, 3], np.int64), "mean/axes")
    data = named(opset1.reduce_mean(data, axes, keep_dims=False), "mean")
    weight, bias = layers[3]
    data = named(opset1.matmul(data, constant(weight, "linear/weight"), False, True), "linear")
    data = named(opset1.add(data, constant(bias.reshape(1, -1), "linear/bias")), "linear/add")
    data = named(opset1.softmax(data, 1), "softmax")
    images.output(0).set_names({"images"})
    data.output(0).set_names({"probabilities"})
    result = named(opset1.result(data), "probabilities")
    return ov.Model([result], [images], "digits")


def main() -> None:
    """Write model and held-out part, then print the accuracy that OpenVINO measures on the written files."""
    images, held_out, labels, answers = split()
    model = FOLDER / "digits.xml"
    ov.serialize(build(train(images, labels)), model)
    np.save(FOLDER / "images.npy", held_out)
    np.save(FOLDER / "labels.npy", answers)
    compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    probabilities = compiled(held_out)["probabilities"]
    right = int((probabilities.argmax(1) == answers).sum())
    print(f"held-out accuracy: {right} of {len(answers)} ({right / len(answers):.2%})")


if __name__ == "__main__":
    main()
