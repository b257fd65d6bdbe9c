"""Operations on optionals have no ports that a sample can feed; a test builds models of them."""

TYPES = ("Optional", "OptionalHasElement", "OptionalGetElement")
COVERED_BY = {(type, "extension"): "tests/onnx/test_sequences.py" for type in TYPES}
