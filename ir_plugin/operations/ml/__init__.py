"""Operations of classical machine learning: of the extension, as OpenVINO has none."""
