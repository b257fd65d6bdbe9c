"""Language models that generate text, as `openvino_genai`: texts in, texts out."""

from ir_plugin.diagnostics.modules import names_of
from ir_plugin.openvino.genai.chat_history import ChatHistory
from ir_plugin.openvino.genai.tokenizer import TokenizedInputs, Tokenizer

__all__ = [
    "ChatHistory",
    "TokenizedInputs",
    "Tokenizer",
]

__getattr__, __dir__ = names_of("genai")
