"""Operations on texts: of the extension, as OpenVINO has none."""
