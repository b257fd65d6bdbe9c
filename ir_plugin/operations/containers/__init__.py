"""Operations on ONNX's sequences, optionals and maps: of the extension, as OpenVINO has none."""
