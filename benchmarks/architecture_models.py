"""Small networks of transformers, diffusers and torchvision with seeded random weights, and inputs of several sizes.

Each function of `ARCHITECTURES` returns a module of torch and its inputs, a tuple a size. All lengths of the IRs that
`write` makes of them are open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

Sized = tuple[Any, list[tuple[Any, ...]]]
LENGTHS = (16, 24, 45, 64, 100, 128)
SECONDS = (0.5, 0.75, 1.0, 1.5)
_TEXT: dict[str, Any] = {
    "hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 1024, "vocab_size": 1000,
}  # fmt: skip
_IMAGE: dict[str, Any] = {
    "hidden_size": 192, "num_hidden_layers": 6, "num_attention_heads": 3, "intermediate_size": 768,
}  # fmt: skip
_AUDIO: dict[str, Any] = {
    "hidden_size": 192, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 768,
    "conv_dim": (128,) * 7, "num_conv_pos_embeddings": 32, "num_conv_pos_embedding_groups": 8,
}  # fmt: skip
_DETR: dict[str, Any] = {
    "use_timm_backbone": False, "use_pretrained_backbone": False, "backbone": None, "d_model": 128,
    "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
    "encoder_ffn_dim": 256, "decoder_ffn_dim": 256, "num_queries": 50,
}  # fmt: skip


def _torch() -> Any:
    return import_module("torch")


def _of_transformers(name: str, config: Any, model: str = "Model") -> Any:
    transformers = import_module("transformers")
    return getattr(transformers, f"{name}{model}")(config)


def _config(name: str, **settings: Any) -> Any:
    return getattr(import_module("transformers"), f"{name}Config")(**settings)


def _ids(lengths: Sequence[int] = LENGTHS) -> list[tuple[Any, ...]]:
    """Return ids of one sample, and of two where the length is even."""
    torch = _torch()
    return [(torch.randint(3, 900, (1 + number % 2, length)),) for number, length in enumerate(lengths)]


def _images(*sizes: tuple[int, int], channels: int = 3, batches: Sequence[int] = (1, 2)) -> list[tuple[Any, ...]]:
    return [(_torch().randn(batch, channels, *size),) for size in sizes for batch in batches]


def _waves(rate: int = 16000) -> list[tuple[Any, ...]]:
    return [(_torch().randn(1, int(rate * seconds)),) for seconds in SECONDS]


def _text(name: str, /, **settings: Any) -> Callable[[], Sized]:
    """Return what makes an encoder of texts."""
    names = settings.pop("only", None)
    usual = _TEXT if names is None else {}
    model = settings.pop("model", "Model")
    return lambda: (_of_transformers(name, _config(name, **usual | settings), model), _ids())


def _image(name: str, /, size: int = 224, model: str = "Model", **settings: Any) -> Callable[[], Sized]:
    """Return what makes an encoder of images."""
    return lambda: (_of_transformers(name, _config(name, **settings), model), _images((size, size)))


def _audio(name: str, /, **settings: Any) -> Callable[[], Sized]:
    """Return what makes an encoder of waves."""
    return lambda: (_of_transformers(name, _config(name, **_AUDIO | settings)), _waves())


def _only(model: Any, output: str, *, by: Callable[..., Any] | None = None) -> Any:
    """Return a module that gives one output of `model`."""
    torch = _torch()

    class Only(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, *inputs: Any) -> Any:
            result = by(self.model, *inputs) if by is not None else self.model(*inputs)
            return getattr(result, output) if output else result

    return Only()


def _diffuser(name: str, **settings: Any) -> Any:
    return getattr(import_module("diffusers"), name)(**settings)


_LATENTS = ((1, 32, 32), (2, 32, 32), (1, 24, 40), (1, 48, 48))
_UNET: dict[str, Any] = {
    "block_out_channels": (64, 128, 256), "layers_per_block": 1, "norm_num_groups": 32, "sample_size": 32,
    "down_block_types": ("CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"), "cross_attention_dim": 128,
    "attention_head_dim": 8,
}  # fmt: skip


def _latents(channels: int, *others: Callable[[int], Any]) -> list[tuple[Any, ...]]:
    torch = _torch()
    return [
        (torch.randn(batch, channels, height, width), *[other(batch) for other in others])
        for batch, height, width in _LATENTS
    ]


def _step(batch: int) -> Any:
    return _torch().full((batch,), 500)


def _prompt(batch: int) -> Any:
    return _torch().randn(batch, 77, 128)


def _unet() -> Sized:
    up = ("UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D")
    return _only(_diffuser("UNet2DConditionModel", up_block_types=up, **_UNET), "sample"), _latents(4, _step, _prompt)


def _plain_unet() -> Sized:
    model = _diffuser(
        "UNet2DModel", sample_size=32, block_out_channels=(64, 128, 128), layers_per_block=1, attention_head_dim=8,
        down_block_types=("DownBlock2D", "AttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "AttnUpBlock2D", "UpBlock2D"),
    )  # fmt: skip
    return _only(model, "sample"), _latents(3, _step)


def _autoencoder(part: str) -> Sized:
    model = _diffuser(
        "AutoencoderKL", block_out_channels=(32, 64, 64), layers_per_block=1,
        down_block_types=("DownEncoderBlock2D",) * 3, up_block_types=("UpDecoderBlock2D",) * 3, latent_channels=4,
    )  # fmt: skip
    if part == "encoder":
        return model.encoder, _images((96, 96), (128, 128), (96, 160), batches=(1,))
    return model.decoder, _latents(4)


def _dit() -> Sized:
    model = _diffuser(
        "DiTTransformer2DModel", num_attention_heads=4, attention_head_dim=48, in_channels=4, num_layers=4,
        sample_size=32, out_channels=8,
    )  # fmt: skip
    inputs = _latents(4, _step, lambda batch: _torch().full((batch,), 7))
    return _only(model, "sample"), [entry for entry in inputs if entry[0].shape[2:] == (32, 32)]


def _pixart() -> Sized:
    model = _diffuser(
        "PixArtTransformer2DModel", num_attention_heads=4, attention_head_dim=48, cross_attention_dim=192,
        num_layers=4, sample_size=32, caption_channels=128, use_additional_conditions=False,
    )  # fmt: skip

    def run(model: Any, latents: Any, prompt: Any, step: Any) -> Any:
        return model(latents, encoder_hidden_states=prompt, timestep=step, added_cond_kwargs={})

    inputs = _latents(4, _prompt, _step)
    return _only(model, "sample", by=run), [entry for entry in inputs if entry[0].shape[2:] == (32, 32)]


def _sd3() -> Sized:
    model = _diffuser(
        "SD3Transformer2DModel", sample_size=32, num_layers=4, attention_head_dim=32, num_attention_heads=6,
        joint_attention_dim=128, caption_projection_dim=192, pooled_projection_dim=64, in_channels=16, out_channels=16,
    )  # fmt: skip
    return _only(model, "sample"), _latents(16, _prompt, lambda batch: _torch().randn(batch, 64), _step)


def _detr(name: str, **settings: Any) -> Callable[[], Sized]:
    def make() -> Sized:
        backbone = _config(
            "ResNet", embedding_size=32, hidden_sizes=[32, 64, 128, 256], depths=[1, 1, 1, 1], out_features=["stage4"]
        )
        model = _of_transformers(
            name, _config(name, **_DETR | {"backbone_config": backbone} | settings), "ForObjectDetection"
        )
        return _boxes(model), _images((224, 224), (256, 320), (320, 256), batches=(1,))

    return make


def _boxes(model: Any) -> Any:
    """Return a module of logits and boxes."""

    def run(model: Any, image: Any) -> Any:
        output = model(image)
        return output.logits, output.pred_boxes

    return _only(model, "", by=run)


def _yolos() -> Sized:
    config = _config(
        "Yolos", **_IMAGE, num_detection_tokens=50, image_size=[224, 224], use_mid_position_embeddings=False
    )
    return _boxes(_of_transformers("Yolos", config, "ForObjectDetection")), _images(
        (224, 224), (256, 320), batches=(1,)
    )


def _rt_detr() -> Sized:
    backbone = _config(
        "RTDetrResNet", embedding_size=32, hidden_sizes=[32, 64, 128, 256], depths=[1, 1, 1, 1],
        out_features=["stage2", "stage3", "stage4"], layer_type="basic",
    )  # fmt: skip
    config = _config(
        "RTDetr", backbone_config=backbone, backbone=None, encoder_hidden_dim=64, encoder_in_channels=[64, 128, 256],
        decoder_in_channels=[64, 64, 64], d_model=64, num_queries=50, decoder_layers=2, decoder_ffn_dim=128,
        encoder_ffn_dim=128, decoder_attention_heads=4, encoder_attention_heads=4, feat_strides=[8, 16, 32],
    )  # fmt: skip
    return _boxes(_of_transformers("RTDetr", config, "ForObjectDetection")), _images(
        (224, 224), (256, 320), batches=(1,)
    )


def _of_torchvision(name: str) -> Callable[[], Sized]:
    def make() -> Sized:
        detection = import_module("torchvision.models.detection")
        sizes = {} if name.startswith("ssd") else {"min_size": 224, "max_size": 320}
        model = getattr(detection, name)(weights=None, weights_backbone=None, num_classes=10, **sizes)
        torch = _torch()

        class Detector(torch.nn.Module):  # type: ignore[misc, name-defined]
            def __init__(self) -> None:
                super().__init__()
                self.model = model

            def forward(self, image: Any) -> Any:
                (detections,) = self.model([image[0]])
                return tuple(detections.values())

        return Detector(), [(torch.rand(1, 3, *size),) for size in ((224, 224), (256, 320), (320, 256))]

    return make


def _whisper() -> Sized:
    config = _config(
        "Whisper", d_model=192, encoder_layers=4, encoder_attention_heads=4, encoder_ffn_dim=768, decoder_layers=1
    )
    return _of_transformers("Whisper", config).encoder, [(_torch().randn(batch, 80, 3000),) for batch in (1, 2)]


def _spectrogram() -> Sized:
    config = _config("AST", **_IMAGE, max_length=512)
    return _of_transformers("AST", config), [(_torch().randn(batch, 512, 128),) for batch in (1, 2)]


def _vits() -> Sized:
    config = _config(
        "Vits", vocab_size=40, hidden_size=96, num_hidden_layers=2, flow_size=96, spectrogram_bins=129,
        upsample_initial_channel=128, ffn_dim=384, noise_scale=0.0, noise_scale_duration=0.0,
    )  # fmt: skip
    ids = [(_torch().randint(1, 39, (1, length)),) for length in (12, 20, 31, 40)]
    return _only(_of_transformers("Vits", config), "waveform"), ids


def _hifigan() -> Sized:
    config = _config("SpeechT5HifiGan", upsample_initial_channel=128)
    return _of_transformers("SpeechT5HifiGan", config, ""), [
        (_torch().randn(1, frames, 80),) for frames in (20, 31, 50, 64)
    ]


def _codec(name: str, output: str, **settings: Any) -> Callable[[], Sized]:
    def make() -> Sized:
        rate = settings.get("sampling_rate", 24000)
        waves = [(_torch().randn(1, 1, int(rate * seconds)),) for seconds in SECONDS]
        return _only(_of_transformers(name, _config(name, **settings)), output), waves

    return make


ARCHITECTURES: dict[str, dict[str, Callable[[], Sized]]] = {
    "encoders": {
        "bert": _text("Bert"),
        "roberta": _text("Roberta"),
        "distilbert": _text("DistilBert", only=(), dim=256, n_layers=4, n_heads=4, hidden_dim=1024, vocab_size=1000),
        "albert": _text("Albert", embedding_size=64),
        "electra": _text("Electra", embedding_size=64),
        "mpnet": _text("MPNet"),
        "deberta": _text("DebertaV2", relative_attention=True, pos_att_type=["p2c", "c2p"]),
        "squeezebert": _text("SqueezeBert", embedding_size=256),
        "mobilebert": _text("MobileBert", embedding_size=64, intra_bottleneck_size=64, true_hidden_size=64),
        "convbert": _text("ConvBert", embedding_size=256),
        "fnet": _text("FNet"),
        "t5": _text(
            "T5", only=(), model="EncoderModel", d_model=256, num_layers=4, num_heads=4, d_ff=1024, d_kv=64,
            vocab_size=1000,
        ),
        "modernbert": _text(
            "ModernBert", pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2
        ),
        "clip_text": _text("CLIPText", max_position_embeddings=128),
        "vit": _image("ViT", **_IMAGE),
        "deit": _image("DeiT", **_IMAGE),
        "dinov2": _image("Dinov2", hidden_size=192, num_hidden_layers=6, num_attention_heads=3),
        "beit": _image("Beit", **_IMAGE, use_relative_position_bias=True),
        "swin": _image("Swin", embed_dim=48, depths=[2, 2, 2], num_heads=[2, 4, 8], window_size=7),
        "segformer": _image("Segformer"),
    },
    "diffusion": {
        "unet_condition": _unet,
        "unet": _plain_unet,
        "vae_encoder": lambda: _autoencoder("encoder"),
        "vae_decoder": lambda: _autoencoder("decoder"),
        "dit": _dit,
        "pixart": _pixart,
        "sd3": _sd3,
    },
    "detectors": {
        "detr": _detr("Detr"),
        "conditional_detr": _detr("ConditionalDetr"),
        "rt_detr": _rt_detr,
        "yolos": _yolos,
        "fasterrcnn_mobilenet": _of_torchvision("fasterrcnn_mobilenet_v3_large_320_fpn"),
        "ssdlite_mobilenet": _of_torchvision("ssdlite320_mobilenet_v3_large"),
        "retinanet": _of_torchvision("retinanet_resnet50_fpn"),
        "fcos": _of_torchvision("fcos_resnet50_fpn"),
        "maskrcnn": _of_torchvision("maskrcnn_resnet50_fpn"),
    },
    "audio": {
        "wav2vec2": _audio("Wav2Vec2"),
        "hubert": _audio("Hubert"),
        "wavlm": _audio("WavLM"),
        "data2vec": _audio("Data2VecAudio"),
        "whisper": _whisper,
        "spectrogram": _spectrogram,
        "vits": _vits,
        "hifigan": _hifigan,
        "encodec": _codec(
            "Encodec", "audio_values", num_filters=16, hidden_size=64, codebook_size=128, codebook_dim=64
        ),
        "dac": _codec("Dac", "audio_values", encoder_hidden_size=16, decoder_hidden_size=256, sampling_rate=16000),
    },
}  # fmt: skip


def write(folder: Path, kind: str, name: str) -> Path:
    """Write the IR of an architecture, and its inputs beside it as `.npz`, `2.0` is the first of the third size."""
    torch, ov = _torch(), import_module("openvino")
    torch.manual_seed(17)
    path = folder.resolve() / kind / f"{name}.xml"
    path.parent.mkdir(parents=True, exist_ok=True)
    module, sizes = ARCHITECTURES[kind][name]()
    module.eval()
    for layer in module.modules():
        if isinstance(layer, torch.nn.Conv2d):
            torch.nn.init.kaiming_normal_(layer.weight)  # the values of many layers must not vanish
    with torch.no_grad():
        model = ov.convert_model(module, example_input=sizes[1] if len(sizes) > 1 else sizes[0])
    ov.save_model(model, path, compress_to_fp16=False)
    inputs = {f"{size}.{port}": data.numpy() for size, row in enumerate(sizes) for port, data in enumerate(row)}
    np.savez(path.with_suffix(".npz"), **inputs)
    return path
