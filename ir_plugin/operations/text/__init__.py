"""Tokenizers: texts to numbers and numbers to texts, as OpenVINO's library of tokenizers has them."""
