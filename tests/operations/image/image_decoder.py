"""ImageDecoder needs a package that may be absent."""

COVERED_BY = {("ImageDecoder", "extension"): "tests/onnx/test_vision.py"}
