"""Operations on sequences have no ports that a sample can feed; a test builds models of them."""

TEST = "tests/onnx/test_sequences.py"
TYPES = (
    "SequenceConstruct", "SequenceAt", "SequenceInsert", "SequenceErase", "SequenceLength", "SplitToSequence",
    "ConcatFromSequence",
)  # fmt: skip
COVERED_BY = {(type, "extension"): TEST for type in TYPES}
