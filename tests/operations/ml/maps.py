"""Operations on maps have no ports that a sample can feed; a test builds models of them."""

COVERED_BY = {(type, "extension"): "tests/onnx/test_ml.py" for type in ("CastMap", "DictVectorizer", "ZipMap")}
